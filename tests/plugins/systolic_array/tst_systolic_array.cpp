// The array against a plain program: the tables of what is asked for in each cycle are written out in full, and
// memories are lists that are searched. Closed forms; waits that are as long as they must be.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <set>

#include "plugins/systolic_array/engine/array.h"

namespace {

using systolic::Array;
using systolic::Dataflow;
using systolic::Layer;
using systolic::LayerRun;

/// Whole numbers; -1: nothing.
using PlainTable = std::vector<std::vector<long>>;

PlainTable plain_table(std::size_t rows, std::size_t columns) {
  return PlainTable(rows, std::vector<long>(columns, -1));
}
/// Each column one row lower than the one before.
PlainTable skewed(const PlainTable& in) {
  const std::size_t columns = in[0].size();
  PlainTable out = plain_table(in.size() + columns - 1, columns);
  for (std::size_t r = 0; r < in.size(); ++r)
    for (std::size_t c = 0; c < columns; ++c) out[r + c][c] = in[r][c];
  return out;
}
void append(PlainTable& to, const PlainTable& what) { to.insert(to.end(), what.begin(), what.end()); }
PlainTable transposed(const PlainTable& in) {
  PlainTable out = plain_table(in[0].size(), in.size());
  for (std::size_t r = 0; r < in.size(); ++r)
    for (std::size_t c = 0; c < in[0].size(); ++c) out[c][r] = in[r][c];
  return out;
}
/// A part of a table, filled up with nothing.
PlainTable part(const PlainTable& in, std::size_t row, std::size_t rows, std::size_t column, std::size_t columns) {
  PlainTable out = plain_table(rows, columns);
  for (std::size_t r = 0; r < rows && row + r < in.size(); ++r)
    for (std::size_t c = 0; c < columns && column + c < in[0].size(); ++c) out[r][c] = in[row + r][column + c];
  return out;
}
std::vector<long> diagonals_of(const PlainTable& in) {
  std::vector<long> out;
  for (std::size_t d = 0; d < in.size() + in[0].size() - 1; ++d)
    for (std::size_t row = std::min(d, in.size() - 1) + 1; row-- > 0;)
      if (d - row < in[0].size()) out.push_back(in[row][d - row]);
  return out;
}
std::vector<long> lines_of(const PlainTable& in) {
  std::vector<long> out;
  for (const auto& line : in) out.insert(out.end(), line.begin(), line.end());
  return out;
}

struct PlainDemands {
  PlainTable input, filter, output;
  std::vector<long> input_list, filter_list;
};
PlainDemands plain_demands(const Array& a, const Layer& l) {
  const std::size_t R = a.rows, C = a.columns;
  PlainTable in = plain_table(l.pixels(), l.window()), weights = plain_table(l.window(), l.filters),
             out = plain_table(l.pixels(), l.filters);
  for (std::size_t p = 0; p < l.pixels(); ++p)
    for (std::size_t k = 0; k < l.window(); ++k) {
      const std::size_t y = p / l.output_width() * l.stride_down + k / (l.filter_width * l.channels);
      const std::size_t x = p % l.output_width() * l.stride_across + k / l.channels % l.filter_width;
      if (y < l.input_height && x < l.input_width)
        in[p][k] = static_cast<long>((y * l.input_width + x) * l.channels + k % l.channels);
    }
  for (std::size_t k = 0; k < l.window(); ++k)
    for (std::size_t f = 0; f < l.filters; ++f) weights[k][f] = static_cast<long>(f * l.window() + k);
  for (std::size_t p = 0; p < l.pixels(); ++p)
    for (std::size_t f = 0; f < l.filters; ++f) out[p][f] = static_cast<long>(p * l.filters + f);
  const auto folds = [](std::size_t n, std::size_t by) { return (n + by - 1) / by; };
  PlainDemands d;
  PlainTable input_stack, filter_stack;
  const std::size_t P = l.pixels(), K = l.window(), F = l.filters;
  if (a.dataflow == Dataflow::output_stationary) {
    for (std::size_t fr = 0; fr < folds(P, R); ++fr) append(input_stack, part(transposed(in), 0, K, fr * R, R));
    for (std::size_t fc = 0; fc < folds(F, C); ++fc) append(filter_stack, part(weights, 0, K, fc * C, C));
    d.input_list = diagonals_of(input_stack), d.filter_list = diagonals_of(filter_stack);
    for (std::size_t fc = 0; fc < folds(F, C); ++fc)
      for (std::size_t fr = 0; fr < folds(P, R); ++fr) {
        PlainTable i = part(transposed(in), 0, K, fr * R, R), w = part(weights, 0, K, fc * C, C),
                   o = plain_table(K - 1, C);
        append(i, plain_table(C - 1, R)), append(w, plain_table(R - 1, C));
        PlainTable made = part(out, fr * R, R, fc * C, C);
        std::reverse(made.begin(), made.end());
        append(o, made);
        append(d.input, skewed(i)), append(d.filter, skewed(w)), append(d.output, skewed(o));
      }
    return d;
  }
  const bool weights_stay = a.dataflow == Dataflow::weight_stationary;
  const PlainTable stays = weights_stay ? weights : transposed(in);    // K x what lies across
  const PlainTable streams = weights_stay ? in : transposed(weights);  // time x K
  const PlainTable made = weights_stay ? out : transposed(out);        // time x what lies across
  PlainTable stay_stack, stream_stack, loaded, streamed;
  for (std::size_t fc = 0; fc < folds(stays[0].size(), C); ++fc) append(stay_stack, part(stays, 0, K, fc * C, C));
  for (std::size_t fr = 0; fr < folds(K, R); ++fr) append(stream_stack, part(streams, 0, streams.size(), fr * R, R));
  for (std::size_t fc = 0; fc < folds(stays[0].size(), C); ++fc)
    for (std::size_t fr = 0; fr < folds(K, R); ++fr) {
      PlainTable s = part(stays, fr * R, R, fc * C, C), t = plain_table(R, R), o = plain_table(2 * R - 1, C);
      std::reverse(s.begin(), s.end());
      append(s, plain_table(R + C + streams.size() - 2, C));
      append(t, part(streams, 0, streams.size(), fr * R, R)), append(t, plain_table(C - 1, R));
      append(o, part(made, 0, made.size(), fc * C, C));
      append(loaded, s), append(streamed, skewed(t)), append(d.output, skewed(o));
    }
  d.input = weights_stay ? streamed : loaded, d.filter = weights_stay ? loaded : streamed;
  d.input_list = weights_stay ? diagonals_of(stream_stack) : lines_of(stay_stack);
  d.filter_list = weights_stay ? lines_of(stay_stack) : diagonals_of(stream_stack);
  return d;
}

/// A memory as a list of sets, half of them readable.
struct PlainMemory {
  PlainMemory(long bytes, long bandwidth, const std::vector<long>& list) : bytes_(bytes), bandwidth_(bandwidth) {
    const long size = (bytes + 99) / 100;
    sets_.emplace_back();
    long held = 0;
    for (const long word : list) {
      if (word < 0) continue;
      sets_.back().insert(word);
      if (++held == size) sets_.emplace_back(), held = 0;
    }
    const auto all = static_cast<long>(sets_.size()), half = (bytes + 1) / 2;
    active_ = std::min(all, (half + size - 1) / size);
    ahead_ = std::min(all - active_, (bytes - half + size - 1) / size);
    fetched_ =
        std::min((half + bandwidth - 1) / bandwidth, (static_cast<long>(list.size()) + bandwidth - 1) / bandwidth) *
        bandwidth;
  }
  long read(const std::vector<long>& words, long now) {
    long at = now + 1;
    for (const long word : words) {
      if (word < 0) continue;
      while (true) {
        bool there = false;
        for (long s = 0; s < active_; ++s)
          there =
              there || sets_[static_cast<std::size_t>((start_ + s) % static_cast<long>(sets_.size()))].count(word) > 0;
        if (there) break;
        start_ = (start_ + ahead_) % static_cast<long>(sets_.size());
        const long lines = (bytes_ / 2 + bandwidth_ - 1) / bandwidth_;
        last_ += lines + 1, fetched_ += lines * bandwidth_;
        at += last_ - at + std::max(last_ - at, 0L);  // twice, if it is late
      }
    }
    return at;
  }
  long bytes_, bandwidth_, active_ = 0, ahead_ = 0, start_ = 0, last_ = -1, fetched_ = 0;
  std::vector<std::set<long>> sets_;
};

/// A memory whose halves are filled in turn, in the order of first reads: each as a list of sets of words.
struct PlainStream {
  PlainStream(long bytes, long bandwidth) : size_(static_cast<std::size_t>(bytes / 100)), bandwidth_(bandwidth) {}
  long read(const std::vector<long>& words, long now) {
    long at = now + 1;
    for (const long word : words) {
      if (word < 0) continue;
      if (begun_.empty()) begun_.push_back(now);
      if (std::any_of(sets_.begin(), sets_.end(), [word](const auto& set) { return set.count(word) > 0; })) continue;
      ++fetched_, ++in_half_;
      sets_.back().insert(word);
      const std::size_t half = begun_.size() - 1;
      if (half > 0 && bandwidth_ > 0) {
        if (in_half_ == 1) fetch_ = std::max(done_ + 1, begun_[half - 1]);
        at = std::max(at, fetch_ + (in_half_ + bandwidth_ - 1) / bandwidth_ + 1);
      }
      if (sets_.back().size() < size_) continue;
      if (sets_.size() == 50) {
        done_ = half == 0 ? begun_[0] - 2 : fetch_ + (in_half_ + bandwidth_ - 1) / std::max(bandwidth_, 1L) - 1;
        begun_.push_back(at - 1);
        sets_.clear(), in_half_ = 0;
      }
      sets_.emplace_back();
    }
    return at;
  }
  std::size_t size_;
  long bandwidth_, fetched_ = 0, in_half_ = 0, fetch_ = 0, done_ = 0;
  std::vector<std::set<long>> sets_ = std::vector<std::set<long>>(1);
  std::vector<long> begun_;  ///< when the first word of each half was read
};

struct PlainRun {
  long cycles = 0, stalls = 0, input_words = 0, filter_words = 0, output_words = 0, input_fetched = 0,
       filter_fetched = 0;
};
PlainRun plain_run(const Array& a, const Layer& l) {
  const PlainDemands d = plain_demands(a, l);
  PlainRun out;
  const bool listed = a.input_bandwidth > 0 && a.as_reference;
  const auto bytes = [](std::uint64_t n) { return static_cast<long>(n); };
  PlainMemory input_list(bytes(a.input_bytes), listed ? a.input_bandwidth : 1, d.input_list),
      filter_list(bytes(a.filter_bytes), listed ? a.filter_bandwidth : 1, d.filter_list);
  PlainStream input(bytes(a.input_bytes), a.input_bandwidth), filter(bytes(a.filter_bytes), a.filter_bandwidth);
  for (std::size_t i = 0; i < d.output.size(); ++i) {
    const long now = static_cast<long>(i) + out.stalls;
    out.cycles = std::max(out.cycles, now);
    const long input_at = listed ? input_list.read(d.input[i], now) : input.read(d.input[i], now);
    const long filter_at = listed ? filter_list.read(d.filter[i], now) : filter.read(d.filter[i], now);
    out.stalls += std::max({input_at - 1, filter_at - 1, now}) - now;
  }
  out.input_fetched = listed ? input_list.fetched_ : input.fetched_;
  out.filter_fetched = listed ? filter_list.fetched_ : filter.fetched_;
  const auto words = [](const PlainTable& of) {
    long n = 0;
    for (const auto& line : of)
      n += static_cast<long>(std::count_if(line.begin(), line.end(), [](long w) { return w >= 0; }));
    return n;
  };
  out.input_words = words(d.input), out.filter_words = words(d.filter), out.output_words = words(d.output);
  return out;
}

}  // namespace

class TestSystolicArray : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void random_layers_as_a_plain_program_runs_them() {
    std::uint64_t seed = 7;
    const auto draw = [&seed](std::uint64_t most) {
      seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
      return static_cast<std::uint32_t>(1 + (seed >> 33) % most);
    };
    std::size_t waited = 0;
    for (int i = 0; i < 2000; ++i) {
      Array a;
      a.rows = draw(6), a.columns = draw(6);
      a.dataflow = static_cast<Dataflow>(i % 3);
      a.input_bytes = 100 + 2 * draw(20), a.filter_bytes = 100 + 2 * draw(20);
      // Outputs never wait here: the next test has them.
      a.output_bytes = 1 << 20;
      if (i % 4 != 0) a.input_bandwidth = draw(3), a.filter_bandwidth = draw(3), a.output_bandwidth = 100;
      a.as_reference = i % 4 == 1;
      Layer l;
      l.filter_height = draw(3), l.filter_width = draw(3), l.channels = draw(6), l.filters = draw(12);
      l.input_height = l.filter_height + draw(9) - 1, l.input_width = l.filter_width + draw(7) - 1;
      l.stride_down = draw(3), l.stride_across = draw(3);
      const LayerRun run = systolic::run_layer(a, l);
      const PlainRun plain = plain_run(a, l);
      const QByteArray at = QByteArray("layer ") + QByteArray::number(i);
      QVERIFY2(static_cast<long>(run.cycles) == plain.cycles, at);
      QVERIFY2(static_cast<long>(run.stalls) == plain.stalls, at);
      QVERIFY2(static_cast<long>(run.filter_sram.words) == plain.filter_words, at);
      if (!a.as_reference) QVERIFY2(static_cast<long>(run.output_sram.words) == plain.output_words, at);
      // A window beyond the edge has its place in the array, and its read is counted.
      QVERIFY2(static_cast<long>(run.input_sram.words) >= plain.input_words, at);
      QVERIFY2(static_cast<long>(run.input_dram.words) == plain.input_fetched, at);
      QVERIFY2(static_cast<long>(run.filter_dram.words) == plain.filter_fetched, at);
      waited += run.stalls > 0 ? 1U : 0U;
    }
    QVERIFY2(waited > 200, std::to_string(waited).c_str());
  }
  /// Outputs that leave at one word a cycle through a memory of two halves: after the first half is full, the array is
  /// as fast as DRAM.
  void outputs_wait_for_their_memory() {
    Array a;
    a.rows = a.columns = 4, a.output_bytes = 1024;
    a.input_bandwidth = a.filter_bandwidth = 100, a.output_bandwidth = 1;
    Layer l;
    l.input_height = 4000, l.filter_width = l.input_width = 4, l.filters = 4;
    const LayerRun run = systolic::run_layer(a, l);
    const double words = 16000.0, without = 4000.0 + 2 * 4 + 4 - 3;
    QCOMPARE(run.output_dram.words, words);
    QVERIFY(std::abs(static_cast<double>(run.cycles) - (words - 1024.0)) < 600.0);
    QVERIFY(std::abs(static_cast<double>(run.stalls) - (static_cast<double>(run.cycles) - without)) < 1.5);
    QCOMPARE(run.output_dram.last - run.output_dram.first, words - 1.0);
    a.output_bandwidth = 4;
    const LayerRun wide = systolic::run_layer(a, l);
    QCOMPARE(wide.stalls, std::uint64_t{0});
    QCOMPARE(static_cast<double>(wide.cycles), without);
  }
  /// 2 rows + columns + time - 2 cycles a fold; the last line is the last output's.
  void closed_forms() {
    Array a;
    Layer l;
    l.input_height = 100, l.input_width = l.filter_width = 70, l.filters = 65;
    for (const Dataflow flow : {Dataflow::weight_stationary, Dataflow::output_stationary, Dataflow::input_stationary}) {
      a.dataflow = flow;
      const LayerRun run = systolic::run_layer(a, l);
      const std::uint64_t weights = 3 * 3 * (64 + 32 + 100 - 2), outputs = 4 * 3 * (32 + 32 + 70 - 2),
                          inputs = 3 * 4 * (64 + 32 + 65 - 2);
      QCOMPARE(run.cycles, (flow == Dataflow::weight_stationary   ? weights
                            : flow == Dataflow::output_stationary ? outputs
                                                                  : inputs) -
                               1);
      QCOMPARE(run.operations, std::uint64_t{100 * 70 * 65});
      QCOMPARE(run.input_dram.words, 7000.0);
      QCOMPARE(run.filter_dram.words, 4550.0);
      QCOMPARE(run.stalls, std::uint64_t{0});
    }
  }
  /// 2 of 4: half the rows; filter by filter: half the rows as well, whatever is kept.
  void zeros_that_are_left_out_take_no_time() {
    Array a;
    Layer l;
    l.input_height = 50, l.input_width = l.filter_width = 128, l.filters = 32, l.kept = 2, l.block = 4;
    const std::uint64_t fold = 64 + 32 + 50 - 2;
    QCOMPARE(systolic::run_layer(a, l).cycles, 4 * fold - 1);
    for (const systolic::Sparsity kind : {systolic::Sparsity::layer_wise, systolic::Sparsity::row_wise}) {
      a.sparsity = kind;
      const LayerRun run = systolic::run_layer(a, l);
      QCOMPARE(run.cycles, 2 * fold - 1);
      QCOMPARE(run.metadata_words, 64.0 * 32.0 * 2.0 / 32.0);
      QCOMPARE(run.stored_filter_words, 64.0 * 32.0 + run.metadata_words);
    }
    a.sparsity = systolic::Sparsity::layer_wise, a.format = systolic::SparseFormat::csr;
    QCOMPARE(systolic::run_layer(a, l).metadata_words, 64.0 * 32.0 + 129.0);
    a.format = systolic::SparseFormat::csc;
    QCOMPARE(systolic::run_layer(a, l).metadata_words, 64.0 * 32.0 + 33.0);
  }
  void what_cannot_be_simulated_is_said() {
    Array a;
    QCOMPARE(systolic::array_fault(a), std::string());
    a.rows = 0;
    QVERIFY(!systolic::array_fault(a).empty());
    a = {}, a.sparsity = systolic::Sparsity::row_wise, a.sparse_block = 7;
    QVERIFY(systolic::array_fault(a).find("do not divide") != std::string::npos);
    a.sparse_block = 8, a.dataflow = Dataflow::input_stationary;
    QCOMPARE(systolic::array_fault(a), std::string("row-wise sparsity needs stationary weights"));
    Layer l;
    l.filter_width = 2;
    QVERIFY(systolic::layer_fault(l).find("larger than the input") != std::string::npos);
    l.filter_width = 1, l.input_height = 1 << 24, l.filters = 1 << 24;
    QVERIFY(systolic::layer_fault(l).find("2^28") != std::string::npos);
    int asked = 0;
    QVERIFY(systolic::run_layer(Array(), Layer(), [&asked] { return ++asked > 0; }).cancelled);
  }
  void layers_are_read_as_they_are_written() {
    const auto layers = systolic::read_layers(
        "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides, Sparsity,\n"
        "one, 8, 9, 3, 2, 4, 5, 2, 1:4,\n,,,,,,,,\nDP two, 8, 8, 3, 3, 2, 1, 1,,\n");
    QCOMPARE(layers.size(), std::size_t{3});
    QVERIFY(layers[0].input_width == 9 && layers[0].filter_width == 2 && layers[0].filters == 5 &&
            layers[0].block == 4);
    QVERIFY(layers[0].output_height() == 4 && layers[0].output_width() == 5 && layers[2].channels == 1);
    QCOMPARE(layers[2].name, std::string("DP two channel 1"));
    const auto refused = [](const std::string& text) {
      try {
        systolic::read_layers(text);
      } catch (const std::invalid_argument& bad) {
        return std::string(bad.what());
      }
      return std::string();
    };
    QCOMPARE(refused("Layer,M,N,K\na,1,0,3\n"),
             std::string("line 2: N is 0; wanted a whole number from 1 to 16777216"));
    QCOMPARE(refused("Layer,M,N\na,1,0\n"), std::string("line 1: there is no column K"));
    const std::string head =
        "Layer name,IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,Num Filter,Strides,Sparsity\n";
    QCOMPARE(
        refused(head + "a,4,4,2,2,1,1,1,3:2\n"),
        std::string("line 2: Sparsity is \"3:2\"; wanted two whole numbers such as 2:4, the first at most the second"));
    QCOMPARE(refused(head + "a,1,4,2,2,1,1,1,\n"),
             std::string("a: the filter of 2 x 2 is larger than the input of 1 x 4"));
  }
};

QTEST_APPLESS_MAIN(TestSystolicArray)
#include "tst_systolic_array.moc"
