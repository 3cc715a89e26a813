#include "plugins/llm_serving/engine/operator_times.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <string>

#include "plugins/support/csv_table.h"

namespace llm_serving {
namespace {

using plugin_support::CsvColumn;
using plugin_support::CsvTable;

class SummedOperators final : public PassModel {
 public:
  explicit SummedOperators(OperatorTimes times) : times_(std::move(times)) {
    least_ms_ = times_.reduce_by_bytes.empty() ? times_.reduce.ms(1.0) : 0.0;
    for (const auto* table : {&times_.by_tokens, &times_.by_requests})
      if (!table->empty()) least_ms_ += table->front().least();
  }
  double ms(const Pass& pass) const override {
    const double tokens = std::max(pass.padded_tokens, pass.tokens);
    double out = reduce_ms(tokens);
    if (!times_.by_tokens.empty()) out += times_.by_tokens[0].at(&tokens);
    if (!times_.by_requests.empty()) out += times_.by_requests[0].at(&pass.requests);
    if (!times_.attention.empty()) out += attention_ms(pass);
    if (times_.experts) out += experts_ms(pass.rank_tokens > 0.0 ? pass.rank_tokens : tokens);
    return out;
  }
  double least_ms() const override { return least_ms_; }
  bool asks_spread() const override { return times_.spread.says(); }

 private:
  double reduce_ms(double tokens) const {
    if (times_.reduce_by_bytes.empty()) return times_.reduce.ms(tokens);
    const double bytes = tokens * times_.reduce.bytes_per_token;
    return times_.reduce.gpus > 1.0 ? times_.reduce.reductions * times_.reduce_by_bytes[0].at(&bytes) : 0.0;
  }
  double attention_ms(const Pass& pass) const {
    const double decoding = pass.decoding(), mean = decoding > 0.0 ? pass.decode_context() / decoding : 0.0;
    std::array<double, 4> point{pass.prompt_tokens, pass.prompt_context, decoding, mean};
    const double at_mean = times_.attention[0].at(point.data());
    if (!(decoding > 1.0 && pass.longest > mean && times_.spread.says())) return at_mean;
    const double share = times_.spread.of(pass, mean);
    if (share == 0.0) return at_mean;
    point[3] = pass.longest;
    return at_mean + share * std::max(0.0, times_.attention[0].at(point.data()) - at_mean);
  }
  double experts_ms(double tokens) const {
    const ExpertTimes& e = *times_.experts;
    // Of all ranks: n times as many tokens, of whose visits to experts one n-th falls to each.
    const double reached = e.experts * (1.0 - std::pow(1.0 - e.per_token / e.experts, tokens * e.ranks));
    const std::array<double, 2> point{reached / e.ranks, tokens};
    return e.layers * (e.table.at(point.data()) + times_.reduce.exchange_ms(e.ranks, tokens * e.bytes_per_token));
  }

  OperatorTimes times_;
  double least_ms_ = 0.0;
};

/// A time by one number, straight between those measured; beyond them as TimeTable goes on.
double between(const std::map<double, double>& row, double at) {
  if (row.size() == 1 || at <= row.begin()->first) return row.begin()->second;
  auto above = row.upper_bound(at);
  if (above == row.end()) --above;
  const auto below = std::prev(above);
  return below->second + (above->second - below->second) * (at - below->first) / (above->first - below->first);
}

double time_ms(const CsvTable& table, std::size_t row, std::size_t us, std::size_t ms) {
  constexpr double us_per_ms = 1000.0, longest = 1e9;
  const std::size_t column = table.has(us) ? us : ms;
  if (!(table.number(row, column) > 0.0)) table.refuse(row, column, "a time above 0");
  if (!(table.number(row, column) <= longest)) table.refuse(row, column, "a time of at most 1e9");
  return column == us ? table.number(row, us) / us_per_ms : table.number(row, ms);
}
/// One of two columns must be there.
void want_a_time(const CsvTable& table, std::size_t us, std::size_t ms) {
  if (!table.has(us) && !table.has(ms)) throw std::invalid_argument("line 1: there is no column time_us or ms");
}
void want_amount(const CsvTable& table, std::size_t row, std::size_t column) {
  if (!(table.number(row, column) >= 0.0)) table.refuse(row, column, "0 or more");
}

/// Of unlike values on every axis a few thousand rows would be a grid of any size.
void want_grid(std::initializer_list<std::size_t> sizes) {
  constexpr double most = 4e6;
  double all = 1.0;
  for (const std::size_t one : sizes) all *= static_cast<double>(one);
  if (all > most)
    throw std::invalid_argument("its values span a grid of " + std::to_string(all) + " points; wanted at most 4e6");
}

using CurveByOperator = std::map<std::string, std::pair<double, std::map<double, double>>>;

TimeTable summed(const CurveByOperator& all) {
  std::set<double> places;
  for (const auto& [name, one] : all)
    for (const auto& [at, ms] : one.second) places.insert(at);
  std::vector<double> axis(places.begin(), places.end()), values(axis.size(), 0.0);
  for (const auto& [name, one] : all)
    for (std::size_t i = 0; i < axis.size(); ++i) values[i] += one.first * between(one.second, axis[i]);
  return {{std::move(axis)}, std::move(values)};
}

/// Names between time_stats. and .median in the first line.
std::vector<std::string> measured_columns(std::string_view csv) {
  constexpr std::string_view before = "time_stats.", after = ".median";
  std::vector<std::string> out;
  std::string_view line = csv.substr(0, csv.find('\n'));
  while (!line.empty()) {
    const std::size_t comma = std::min(line.find(','), line.size());
    std::string_view cell = line.substr(0, comma);
    line.remove_prefix(std::min(comma + 1, line.size()));
    while (cell.ends_with('\r') || cell.ends_with(' ')) cell.remove_suffix(1);
    if (!cell.starts_with(before) || !cell.ends_with(after) || cell.size() <= before.size() + after.size()) continue;
    out.emplace_back(cell.substr(before.size(), cell.size() - before.size() - after.size()));
  }
  return out;
}

double median_of(std::vector<double>& times) {
  std::sort(times.begin(), times.end());
  const std::size_t n = times.size();
  return n % 2 == 1 ? times[n / 2] : (times[n / 2 - 1] + times[n / 2]) / 2.0;
}

/// "2, 4": what a table offers, for people.
std::string listed(const std::set<double>& offered) {
  std::string out;
  for (const double one : offered) out += (out.empty() ? "" : ", ") + std::to_string(static_cast<int>(one));
  return out;
}

TimeTable read_wide(std::string_view csv, const std::vector<std::string>& names, double layers, double gpus) {
  constexpr std::size_t tokens = 0, workers = 1, first = 2;
  std::vector<std::string> headers;
  for (const std::string& name : names) headers.push_back("time_stats." + name + ".median");
  std::vector<CsvColumn> columns{{{"num_tokens"}}, {{"num_tensor_parallel_workers"}, false, false}};
  for (const std::string& header : headers) columns.push_back({{header}});
  const CsvTable table(csv, columns);
  CurveByOperator all;
  std::vector<std::map<double, std::vector<double>>> seen(names.size());
  std::set<double> offered;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    want_amount(table, row, tokens);
    if (table.has(workers)) {
      offered.insert(table.number(row, workers));
      if (table.number(row, workers) != gpus) continue;
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!(table.number(row, first + i) >= 0.0)) table.refuse(row, first + i, "a time from 0");
      seen[i][table.number(row, tokens)].push_back(table.number(row, first + i));
    }
  }
  if (seen[0].empty()) {
    throw std::invalid_argument("num_tensor_parallel_workers is " + listed(offered) + "; wanted rows of " +
                                std::to_string(static_cast<int>(gpus)));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto& curve = all[names[i]];
    curve.first = usual_count(names[i], layers);
    for (auto& [at, times] : seen[i]) curve.second[at] = median_of(times);
  }
  return summed(all);
}

/// The end of a bin that a label names: n<=64, sr<=15%, kvB<=4k, kp=0; infinite of kvB>16k.
double end_of_bin(const std::string& label) {
  const std::size_t equal = label.find('=');
  if (equal == std::string::npos)
    return label.find('>') == std::string::npos ? std::nan("") : std::numeric_limits<double>::infinity();
  double out = 0.0;
  const char* const last = label.data() + label.size();
  const auto [end, error] = std::from_chars(label.data() + equal + 1, last, out);
  if (error != std::errc()) return std::nan("");
  if (end == last) return out;
  if (end + 1 != last) return std::nan("");
  constexpr double kibi = 1024.0, percent = 100.0;
  return *end == 'k' ? out * kibi : *end == '%' ? out / percent : std::nan("");
}

}  // namespace

double Spread::of(const Pass& pass, double mean) const {
  const auto exact = std::lower_bound(prompt_tokens.begin(), prompt_tokens.end(), pass.prompt_tokens);
  if (exact == prompt_tokens.end() || *exact != pass.prompt_tokens) return usual;
  const double gap = pass.longest - pass.shortest;
  const std::array<double, 4> seen{pass.decoding(), gap > 0.0 ? (mean - pass.shortest) / gap : 0.5, pass.longest,
                                   pass.prompt_context};
  auto place = static_cast<std::size_t>(exact - prompt_tokens.begin());
  for (std::size_t d = 0; d < seen.size(); ++d) {
    const auto bin = std::lower_bound(ends[d].begin(), ends[d].end(), seen[d]);
    if (bin == ends[d].end()) return usual;
    place = place * ends[d].size() + static_cast<std::size_t>(bin - ends[d].begin());
  }
  return std::isnan(shares[place]) ? usual : shares[place];
}

Spread read_spread(std::string_view csv, double usual) {
  enum Column : std::uint8_t { chunk, first_label, share = 5 };
  const CsvTable table(csv, {{{"pc"}},
                             {{"n_label"}, true},
                             {{"skew_rate_label"}, true},
                             {{"kv_big_label"}, true},
                             {{"kp_label"}, true},
                             {{"alpha"}}});
  Spread out;
  out.usual = usual;
  std::set<double> chunks;
  std::array<std::set<double>, 4> ends;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    chunks.insert(table.number(row, chunk));
    for (std::size_t d = 0; d < ends.size(); ++d) {
      const double end = end_of_bin(table.text(row, first_label + d));
      if (std::isnan(end)) table.refuse(row, first_label + d, "the end of a bin, such as n<=64, kvB<=4k or kp>8k");
      ends[d].insert(end);
    }
  }
  want_grid({chunks.size(), ends[0].size(), ends[1].size(), ends[2].size(), ends[3].size()});
  out.prompt_tokens.assign(chunks.begin(), chunks.end());
  std::size_t size = chunks.size();
  for (const auto& one : ends) out.ends.emplace_back(one.begin(), one.end()), size *= one.size();
  out.shares.assign(size, std::nan(""));
  for (std::size_t row = 0; row < table.rows(); ++row) {
    auto place = static_cast<std::size_t>(std::distance(chunks.begin(), chunks.find(table.number(row, chunk))));
    for (std::size_t d = 0; d < ends.size(); ++d)
      place =
          place * ends[d].size() + static_cast<std::size_t>(std::distance(
                                       ends[d].begin(), ends[d].find(end_of_bin(table.text(row, first_label + d)))));
    if (!std::isnan(out.shares[place])) table.refuse(row, chunk, "every bin once");
    out.shares[place] = table.number(row, share);
  }
  return out;
}

std::shared_ptr<const PassModel> pass_model(OperatorTimes times) {
  return std::make_shared<SummedOperators>(std::move(times));
}

double usual_count(std::string_view name, double layers) {
  for (const std::string_view once : {"embedding", "emb", "final_layernorm", "lm_head", "sampler"})
    if (name == once) return 1.0;
  for (const std::string_view twice : {"layernorm", "add"})
    if (name == twice) return 2.0 * layers;
  return layers;
}

TimeTable read_operator_times(std::string_view csv, double layers, double gpus) {
  if (const std::vector<std::string> names = measured_columns(csv); !names.empty())
    return read_wide(csv, names, layers, gpus);
  enum Column : std::uint8_t { name, amount, us, ms, count };
  const CsvTable table(csv, {{{"operator", "layer"}, true},
                             {{"tokens", "sequences", "num_tokens"}},
                             {{"time_us"}, false, false},
                             {{"ms"}, false, false},
                             {{"count"}, false, false}});
  want_a_time(table, us, ms);
  CurveByOperator all;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    want_amount(table, row, amount);
    if (table.has(count)) want_amount(table, row, count);
    const std::string& of = table.text(row, name);
    const double times = table.has(count) ? table.number(row, count) : usual_count(of, layers);
    auto& curve = all.try_emplace(of, times, std::map<double, double>{}).first->second;
    if (curve.first != times) table.refuse(row, count, "one count for all rows of an operator");
    if (!curve.second.try_emplace(table.number(row, amount), time_ms(table, row, us, ms)).second)
      table.refuse(row, amount, "every number once for an operator");
  }
  return summed(all);
}

TimeTable read_attention_times(std::string_view csv, double layers) {
  enum Column : std::uint8_t { chunk, before, decoding, context, us, ms };
  const CsvTable table(csv, {{{"prefill_chunk"}},
                             {{"kv_prefill"}},
                             {{"n_decode"}},
                             {{"kv_decode"}},
                             {{"time_us"}, false, false},
                             {{"ms"}, false, false}});
  want_a_time(table, us, ms);
  // By (chunk, decoding), in each by what was computed before, in each by the context: rows of their own lengths.
  using Slice = std::map<double, std::map<double, double>>;
  std::map<std::pair<double, double>, Slice> slices;
  std::array<std::set<double>, 4> places;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::array<double, 4> at{};
    for (std::size_t c = 0; c < at.size(); ++c)
      want_amount(table, row, c), at[c] = table.number(row, c), places[c].insert(at[c]);
    const auto [where, fresh] =
        slices[{at[chunk], at[decoding]}][at[before]].try_emplace(at[context], time_ms(table, row, us, ms));
    if (!fresh) table.refuse(row, chunk, "every combination once");
  }
  std::vector<std::vector<double>> axes;
  for (const std::set<double>& axis : places) axes.emplace_back(axis.begin(), axis.end());
  want_grid({axes[0].size(), axes[1].size(), axes[2].size(), axes[3].size()});
  // What no batch can be, such as nobody at all, takes the nearest that was measured.
  const auto slice_of = [&slices](double c, double d) -> const Slice& {
    if (const auto found = slices.find({c, d}); found != slices.end()) return found->second;
    const Slice* nearest = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [at, slice] : slices) {
      const double away = (at.first - c) * (at.first - c) + (at.second - d) * (at.second - d);
      if (away < least) least = away, nearest = &slice;
    }
    return *nearest;
  };
  const std::size_t n1 = axes[before].size(), n2 = axes[decoding].size(), n3 = axes[context].size();
  std::vector<double> values(axes[chunk].size() * n1 * n2 * n3);
  for (std::size_t i = 0; i < axes[chunk].size(); ++i)
    for (std::size_t k = 0; k < n2; ++k) {
      const Slice& slice = slice_of(axes[chunk][i], axes[decoding][k]);
      for (std::size_t l = 0; l < n3; ++l) {
        std::map<double, double> column;
        for (const auto& [at, row] : slice) column.emplace(at, between(row, axes[context][l]));
        for (std::size_t j = 0; j < n1; ++j)
          values[((i * n1 + j) * n2 + k) * n3 + l] = layers * between(column, axes[before][j]);
      }
    }
  return {std::move(axes), std::move(values)};
}

TimeTable read_reduce_times(std::string_view csv, double gpus) {
  enum Column : std::uint8_t { size, workers, us, ms, devices };
  const CsvTable table(csv, {{{"size", "bytes"}},
                             {{"num_workers", "gpus"}},
                             {{"time_us"}, false, false},
                             {{"ms", "time_stats.all_reduce.median"}, false, false},
                             {{"devices_per_node"}, false, false}});
  want_a_time(table, us, ms);
  double most = 0.0;
  std::set<double> offered;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    offered.insert(table.number(row, workers));
    if (table.has(devices) && table.number(row, workers) == gpus) most = std::max(most, table.number(row, devices));
  }
  std::map<double, std::vector<double>> seen;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    want_amount(table, row, size);
    if (table.number(row, workers) != gpus || (table.has(devices) && table.number(row, devices) != most)) continue;
    seen[table.number(row, size)].push_back(time_ms(table, row, us, ms));
  }
  if (seen.empty())
    throw std::invalid_argument("num_workers is " + listed(offered) + "; wanted rows of " +
                                std::to_string(static_cast<int>(gpus)));
  std::vector<double> axis, values;
  for (auto& [at, times] : seen) axis.push_back(at), values.push_back(median_of(times));
  return {{std::move(axis)}, std::move(values)};
}

TimeTable read_expert_times(std::string_view csv) {
  enum Column : std::uint8_t { tokens, reached, us, ms };
  const CsvTable table(csv,
                       {{{"tokens"}}, {{"activated_experts"}}, {{"time_us"}, false, false}, {{"ms"}, false, false}});
  want_a_time(table, us, ms);
  std::map<double, std::map<double, double>> rows;
  std::set<double> places;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    want_amount(table, row, tokens), want_amount(table, row, reached);
    places.insert(table.number(row, tokens));
    if (!rows[table.number(row, reached)].try_emplace(table.number(row, tokens), time_ms(table, row, us, ms)).second)
      table.refuse(row, tokens, "every pair once");
  }
  want_grid({rows.size(), places.size()});
  std::vector<std::vector<double>> axes(2);
  axes[1].assign(places.begin(), places.end());
  std::vector<double> values;
  for (const auto& [at, row] : rows) {
    axes[0].push_back(at);
    for (const double one : axes[1]) values.push_back(between(row, one));
  }
  return {std::move(axes), std::move(values)};
}

}  // namespace llm_serving
