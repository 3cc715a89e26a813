#include "plugins/systolic_array/engine/array.h"

#include <algorithm>
#include <cmath>

#include "plugins/systolic_array/engine/operands.h"

namespace systolic {
namespace {

std::uint32_t folds_of(std::uint32_t what, std::uint32_t by) { return (what + by - 1) / by; }

/// What the array asks for in each cycle: fold after fold, each with its loading, streaming and draining. One column of
/// a memory a row or column of the array; rows lag by one cycle each.
class Demands {
 public:
  Demands(const Array& array, const Layer& layer, const Operands& operands)
      : array_(array), operands_(operands), rows_(array.rows), columns_(array.columns) {
    const std::uint32_t pixels = operands.pixels(), filters = operands.filters();
    switch (array.dataflow) {
      case Dataflow::weight_stationary:
        down_ = operands.filter_depth(), across_ = filters, time_ = pixels;
        break;
      case Dataflow::input_stationary:
        down_ = operands.input_depth(), across_ = pixels, time_ = filters;
        break;
      case Dataflow::output_stationary:
        down_ = pixels, across_ = filters, time_ = operands.input_depth();
        break;
    }
    row_folds_ = folds_of(down_, rows_), column_folds_ = folds_of(across_, columns_);
    fold_cycles_ = std::uint64_t{rows_} + columns_ + time_ - 2 + (stationary_outputs() ? 0 : rows_);
    block_reads_ = layer.block / static_cast<double>(layer.kept);
  }
  std::uint64_t folds() const { return std::uint64_t{row_folds_} * column_folds_; }
  std::uint64_t fold_cycles() const { return fold_cycles_; }

  /// Chooses a fold; all rows of a column fold come one after the other.
  void fold(std::uint64_t number) {
    first_row_ = static_cast<std::uint32_t>(number % row_folds_) * rows_;
    first_column_ = static_cast<std::uint32_t>(number / row_folds_) * columns_;
    used_rows_ = std::min(rows_, down_ - first_row_), used_columns_ = std::min(columns_, across_ - first_column_);
  }
  /// Adds what the fold reads and writes to a run's counts, and how full it is.
  void count(LayerRun& run) const {
    const double r = used_rows_, c = used_columns_, t = time_;
    switch (array_.dataflow) {
      case Dataflow::weight_stationary:
        if (row_wise()) run.input_sram.words += (t + rows_ - 1.0) * rows_ * array_.sparse_block;
        else run.input_sram.words += t * r * (array_.sparsity == Sparsity::layer_wise ? block_reads_ : 1.0);
        run.filter_sram.words += r * c, run.output_sram.words += t * c;
        break;
      case Dataflow::input_stationary:
        run.input_sram.words += r * c, run.filter_sram.words += t * r, run.output_sram.words += t * c;
        break;
      case Dataflow::output_stationary:
        run.input_sram.words += t * r, run.filter_sram.words += t * c, run.output_sram.words += r * c;
        if (array_.as_reference) run.output_sram.words += static_cast<double>(rows_) + columns_;
        break;
    }
    const double places = static_cast<double>(rows_) * columns_;
    run.compute_utilisation += r * c * t / (places * static_cast<double>(cycles_without_drain()));
    run.mapping_efficiency += static_cast<double>(held()) / places;
  }
  void inputs(std::uint64_t cycle, std::vector<std::int32_t>& out) const {
    if (row_wise()) return blocks_of_inputs(cycle, out);
    switch (array_.dataflow) {
      case Dataflow::weight_stationary:
        return streamed(cycle, rows_, used_rows_, out,
                        [this](auto t, auto r) { return operands_.input(t, first_row_ + r); });
      case Dataflow::input_stationary:
        return loaded(cycle, out,
                      [this](auto r, auto c) { return operands_.input(first_column_ + c, first_row_ + r); });
      case Dataflow::output_stationary:
        return streamed(cycle, 0, used_rows_, out,
                        [this](auto t, auto r) { return operands_.input(first_row_ + r, t); });
    }
  }
  void filters(std::uint64_t cycle, std::vector<std::int32_t>& out) const {
    switch (array_.dataflow) {
      case Dataflow::weight_stationary:
        return loaded(cycle, out,
                      [this](auto r, auto c) { return operands_.filter(first_row_ + r, first_column_ + c); });
      case Dataflow::input_stationary:
        return streamed(cycle, rows_, used_rows_, out,
                        [this](auto t, auto r) { return operands_.filter(first_row_ + r, t); });
      case Dataflow::output_stationary:
        return streamed(cycle, 0, used_columns_, out,
                        [this](auto t, auto c) { return operands_.filter(t, first_column_ + c); });
    }
  }
  std::uint32_t outputs(std::uint64_t cycle) const {
    const std::uint64_t begin = stationary_outputs() ? time_ - 1 : 2 * rows_ - 1;
    const std::uint32_t length = stationary_outputs() ? rows_ : time_;
    // Outputs of rows that hold nothing would come first: they leave at the bottom.
    const std::uint32_t empty = stationary_outputs() ? rows_ - used_rows_ : 0;
    std::uint32_t out = 0;
    for (std::uint32_t c = 0; c < used_columns_; ++c)
      out += cycle >= begin + c + empty && cycle < begin + c + length ? 1U : 0U;
    return out;
  }

  /// Lists for FetchingBuffer: as inputs and filters are asked for, fold by fold and without repetition.
  std::vector<std::int32_t> input_list() const {
    const std::uint32_t depth = operands_.input_depth(), pixels = operands_.pixels();
    switch (array_.dataflow) {
      case Dataflow::weight_stationary:
        return along_diagonals(folds_of(depth, rows_), pixels, rows_, [this, depth](auto fold, auto t, auto r) {
          const std::uint32_t k = fold * rows_ + r;
          return k < depth ? operands_.input(t, k) : no_word;
        });
      case Dataflow::input_stationary:
        return row_by_row(folds_of(pixels, columns_), depth, columns_, [this, pixels](auto fold, auto k, auto c) {
          const std::uint32_t pixel = fold * columns_ + c;
          return pixel < pixels ? operands_.input(pixel, k) : no_word;
        });
      case Dataflow::output_stationary:
        return along_diagonals(folds_of(pixels, rows_), depth, rows_, [this, pixels](auto fold, auto k, auto r) {
          const std::uint32_t pixel = fold * rows_ + r;
          return pixel < pixels ? operands_.input(pixel, k) : no_word;
        });
    }
    return {};
  }
  std::vector<std::int32_t> filter_list() const {
    const std::uint32_t depth = operands_.filter_depth(), filters = operands_.filters();
    const auto of_columns = [this, filters](auto fold, auto k, auto c) {
      const std::uint32_t f = fold * columns_ + c;
      return f < filters ? operands_.filter(k, f) : no_word;
    };
    switch (array_.dataflow) {
      case Dataflow::weight_stationary:
        return row_by_row(folds_of(filters, columns_), depth, columns_, of_columns);
      case Dataflow::input_stationary:
        return along_diagonals(folds_of(depth, rows_), filters, rows_, [this, depth](auto fold, auto f, auto r) {
          const std::uint32_t k = fold * rows_ + r;
          return k < depth ? operands_.filter(k, f) : no_word;
        });
      case Dataflow::output_stationary:
        return along_diagonals(folds_of(filters, columns_), depth, columns_, of_columns);
    }
    return {};
  }

 private:
  bool stationary_outputs() const { return array_.dataflow == Dataflow::output_stationary; }
  bool row_wise() const { return array_.sparsity == Sparsity::row_wise; }
  /// The reference's measure of a fold's time: rows of its table of outputs or stationary words, with their lag.
  std::uint64_t cycles_without_drain() const {
    const std::uint64_t written =
        stationary_outputs() ? std::uint64_t{time_} - 1 + rows_ : 2 * std::uint64_t{rows_} + columns_ + time_ - 2;
    return written + columns_ - 1;
  }
  std::uint64_t held() const {
    if (!row_wise()) return std::uint64_t{used_rows_} * used_columns_;
    std::uint64_t out = 0;
    for (std::uint32_t r = 0; r < used_rows_; ++r)
      for (std::uint32_t c = 0; c < used_columns_; ++c)
        out += operands_.filter(first_row_ + r, first_column_ + c) != no_word ? 1U : 0U;
    return out;
  }
  /// What stays: a row a cycle, the last one first, so that the first ends at the top.
  template <class At>
  void loaded(std::uint64_t cycle, std::vector<std::int32_t>& out, At at) const {
    out.clear();
    if (cycle >= rows_) return;
    const auto r = static_cast<std::uint32_t>(rows_ - 1 - cycle);
    if (r >= used_rows_) return;
    for (std::uint32_t c = 0; c < used_columns_; ++c) out.push_back(at(r, c));
  }
  /// What streams: line t begins in cycle begin + t, each lane one cycle after the one before.
  template <class At>
  void streamed(std::uint64_t cycle, std::uint32_t begin, std::uint32_t used, std::vector<std::int32_t>& out,
                At at) const {
    out.clear();
    if (cycle < begin) return;
    const std::uint64_t since = cycle - begin;
    for (std::uint32_t lane = 0; lane < used && lane <= since; ++lane)
      if (since - lane < time_) out.push_back(at(static_cast<std::uint32_t>(since - lane), lane));
  }
  /// Rows of squeezed filters read whole blocks of inputs: each block half as often as it is long, of twice the rows.
  void blocks_of_inputs(std::uint64_t cycle, std::vector<std::int32_t>& out) const {
    out.clear();
    if (cycle < rows_) return;
    const std::uint64_t since = cycle - rows_;
    const std::uint32_t block = array_.sparse_block, copies = block / 2, entries = 2 * rows_ / block * copies;
    for (std::uint32_t entry = 0; entry < entries && entry <= since; ++entry) {
      if (since - entry >= time_) continue;
      const auto t = static_cast<std::uint32_t>(since - entry);
      const std::uint32_t first = 2 * first_row_ + entry / copies * block;
      for (std::uint32_t k = first; k < std::min(first + block, operands_.input_depth()); ++k)
        out.push_back(operands_.input(t, k));
    }
  }
  template <class At>
  static std::vector<std::int32_t> row_by_row(std::uint32_t folds, std::uint32_t length, std::uint32_t lanes, At at) {
    std::vector<std::int32_t> out;
    out.reserve(std::size_t{folds} * length * lanes);
    for (std::uint32_t fold = 0; fold < folds; ++fold)
      for (std::uint32_t i = 0; i < length; ++i)
        for (std::uint32_t lane = 0; lane < lanes; ++lane) out.push_back(at(fold, i, lane));
    return out;
  }
  /// Folds stand one below the other; lanes lag, so what is asked for together lies on a diagonal.
  template <class At>
  static std::vector<std::int32_t> along_diagonals(std::uint32_t folds, std::uint32_t length, std::uint32_t lanes,
                                                   At at) {
    const std::uint64_t rows = std::uint64_t{folds} * length;
    std::vector<std::int32_t> out;
    out.reserve(rows * lanes);
    for (std::uint64_t diagonal = 0; diagonal + 1 < rows + lanes; ++diagonal) {
      const std::uint64_t bottom = std::min(diagonal, rows - 1), top = diagonal >= lanes ? diagonal - lanes + 1 : 0;
      for (std::uint64_t row = bottom + 1; row-- > top;)
        out.push_back(at(static_cast<std::uint32_t>(row / length), static_cast<std::uint32_t>(row % length),
                         static_cast<std::uint32_t>(diagonal - row)));
    }
    return out;
  }

  const Array& array_;
  const Operands& operands_;
  std::uint32_t rows_, columns_;
  std::uint32_t down_ = 0, across_ = 0, time_ = 0;  ///< what lies along rows, along columns, and streams
  std::uint32_t row_folds_ = 0, column_folds_ = 0;
  std::uint32_t first_row_ = 0, first_column_ = 0, used_rows_ = 0, used_columns_ = 0;  ///< of the fold
  std::uint64_t fold_cycles_ = 0;
  double block_reads_ = 1.0;
};

void accessed(Accesses& memory, bool now, double cycle, bool& before) {
  if (!now) return;
  if (!before) memory.first = cycle;
  before = true;
  memory.last = cycle;
}

template <class Buffer>
LayerRun run_with(Demands& demands, Buffer inputs, Buffer filters, WriteBuffer outputs,
                  const std::function<bool()>& stop) {
  LayerRun run;
  std::vector<std::int32_t> input_line, filter_line;
  bool input_before = false, filter_before = false, output_before = false;
  double stalls = 0.0, last = 0.0;
  std::uint64_t line = 0;
  constexpr std::uint64_t asked_every = 4096;
  for (std::uint64_t fold = 0; fold < demands.folds(); ++fold) {
    demands.fold(fold);
    demands.count(run);
    for (std::uint64_t cycle = 0; cycle < demands.fold_cycles(); ++cycle, ++line) {
      if (line % asked_every == 0 && stop && stop()) {
        run.cancelled = true;
        return run;
      }
      const double now = static_cast<double>(line) + stalls;
      demands.inputs(cycle, input_line), demands.filters(cycle, filter_line);
      const std::uint32_t words = demands.outputs(cycle);
      const double input_at = inputs.read(input_line, now), filter_at = filters.read(filter_line, now);
      const double output_at = outputs.write(words, now);
      const auto any = [](const std::vector<std::int32_t>& of) {
        return std::any_of(of.begin(), of.end(), [](std::int32_t word) { return word != no_word; });
      };
      accessed(run.input_sram, any(input_line), input_at, input_before);
      accessed(run.filter_sram, any(filter_line), filter_at, filter_before);
      accessed(run.output_sram, words > 0, output_at, output_before);
      last = std::max(last, output_at);
      // All lanes wait for the slowest memory.
      stalls += std::max({input_at - now - hit_latency, filter_at - now - hit_latency, output_at - now});
    }
  }
  inputs.finish(), filters.finish(), outputs.finish(last);
  run.cycles = static_cast<std::uint64_t>(last), run.stalls = static_cast<std::uint64_t>(stalls);
  run.input_dram = inputs.dram(), run.filter_dram = filters.dram(), run.output_dram = outputs.dram();
  return run;
}

}  // namespace

std::string array_fault(const Array& a) {
  const std::uint32_t largest_side = 4096;
  const std::uint64_t least_bytes = 1024, most_bytes = 1ULL << 34;
  if (a.rows < 1 || a.columns < 1 || a.rows > largest_side || a.columns > largest_side)
    return "an array of " + std::to_string(a.rows) + " x " + std::to_string(a.columns) +
           " cannot be simulated; wanted 1 to 4096 rows and columns";
  for (const std::uint64_t bytes : {a.input_bytes, a.filter_bytes, a.output_bytes})
    if (bytes < least_bytes || bytes > most_bytes)
      return "a memory of " + std::to_string(bytes) + " bytes cannot be simulated; wanted 1 KiB to 16 GiB";
  if (a.sparsity == Sparsity::row_wise) {
    if (a.dataflow != Dataflow::weight_stationary) return "row-wise sparsity needs stationary weights";
    if (a.sparse_block < 2 || a.sparse_block % 2 != 0 || 2 * a.rows % a.sparse_block != 0)
      return "blocks of " + std::to_string(a.sparse_block) + " do not divide twice the " + std::to_string(a.rows) +
             " rows; wanted an even number that does";
  }
  return {};
}

LayerRun run_layer(const Array& array, const Layer& layer, const std::function<bool()>& stop) {
  const Operands operands(array, layer);
  Demands demands(array, layer, operands);
  LayerRun run;
  WriteBuffer outputs(array.output_bytes, array.bandwidth_given() ? array.output_bandwidth : array.columns,
                      array.as_reference);
  if (array.bandwidth_given() && array.as_reference)
    run = run_with(
        demands, FetchingBuffer(array.input_bytes, operands.input_words(), array.input_bandwidth, demands.input_list()),
        FetchingBuffer(array.filter_bytes, operands.filter_words(), array.filter_bandwidth, demands.filter_list()),
        std::move(outputs), stop);
  else
    run = run_with(demands, StreamBuffer(array.input_bytes, operands.input_words(), array.input_bandwidth),
                   StreamBuffer(array.filter_bytes, operands.filter_words(), array.filter_bandwidth),
                   std::move(outputs), stop);
  const auto folds = static_cast<double>(demands.folds());
  run.mapping_efficiency /= folds, run.compute_utilisation /= folds;
  run.operations = layer.operations();
  run.utilisation = static_cast<double>(run.operations) /
                    (static_cast<double>(std::max<std::uint64_t>(run.cycles, 1)) * array.rows * array.columns);
  run.with_dram =
      static_cast<std::uint64_t>(run.output_dram.last - std::min(run.input_dram.first, run.filter_dram.first));
  run.metadata_words = operands.metadata_words(), run.stored_filter_words = operands.stored_filter_words();
  return run;
}

}  // namespace systolic
