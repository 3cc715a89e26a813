#include "plugins/llm_serving/setup.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <system_error>

#include "plugins/llm_serving/engine/fitted_time.h"
#include "plugins/llm_serving/engine/operator_times.h"
#include "plugins/llm_serving/engine/roofline.h"
#include "plugins/support/csv_table.h"
#include "plugins/support/input_identity.h"

namespace llm_serving {
namespace {

using plugin_support::CsvTable;
using plugin_support::file_content;

/// Sums of longer passes would leave doubles, or be lost in them.
void want_pass_time(const CsvTable& table, std::size_t row, std::size_t column) {
  constexpr double longest_ms = 1e9;
  if (!(table.number(row, column) > 0.0)) table.refuse(row, column, "a time above 0");
  if (!(table.number(row, column) <= longest_ms)) table.refuse(row, column, "a time of at most 1e9 ms");
}

StepTime fitted(const std::string& path, double factor, double all_reduce_ms, std::string& told) {
  enum Column : std::uint8_t { requests, context, tokens, ms };
  const CsvTable table(file_content(path), {{{"requests"}}, {{"context_tokens"}}, {{"batched_tokens"}}, {{"ms"}}});
  std::vector<MeasuredPass> points;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    want_pass_time(table, row, ms);
    points.push_back({{table.number(row, context), table.number(row, tokens), table.number(row, requests), 0.0},
                      table.number(row, ms)});
  }
  const auto fit = fit_profile(points, factor, all_reduce_ms);
  if (!fit) throw std::invalid_argument("there is one pass; wanted two at least");
  StepTime out;
  out.target = fit->line, out.model = fit->curve;
  const auto text = [](double r_squared) { return std::to_string(r_squared); };
  told = path + ": " + std::to_string(points.size()) + " passes; " +
         (points.size() < 25 ? std::string("too few to test a fit, so that a line is taken.")
                             : std::string("R2 over every fifth, kept from fitting: ") + text(fit->line_tested) +
                                   " of a line, " + text(fit->curve_tested) + " of degree two; " +
                                   (fit->curve ? "degree two" : "the line") + " is taken.");
  return out;
}

TimeTable read_prefill_times(const std::string& path) {
  const CsvTable table(file_content(path), {{{"tokens"}}, {{"ms"}}});
  std::vector<double> tokens, ms;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    want_pass_time(table, row, 1);
    if (row > 0 && !(table.number(row, 0) > tokens.back())) table.refuse(row, 0, "more than in the row above");
    tokens.push_back(table.number(row, 0)), ms.push_back(table.number(row, 1));
  }
  return {{std::move(tokens)}, std::move(ms)};
}

TimeTable read_decode_times(const std::string& path) {
  enum Column : std::uint8_t { in_batch, context, time, verified };
  const CsvTable table(file_content(path),
                       {{{"requests"}}, {{"context_tokens"}, false, false}, {{"ms"}}, {{"proposed"}, false, false}});
  std::map<std::array<double, 3>, double> rows;
  std::set<double> requests, contexts, lengths;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    want_pass_time(table, row, time);
    const auto of = [&](Column column) { return table.has(column) ? table.number(row, column) : 0.0; };
    const std::array<double, 3> at = {of(in_batch), of(context), of(verified)};
    if (!(at[2] >= 0.0)) table.refuse(row, verified, "a number not below 0");
    if (!rows.try_emplace(at, table.number(row, time)).second) table.refuse(row, in_batch, "every combination once");
    requests.insert(at[0]), contexts.insert(at[1]), lengths.insert(at[2]);
  }
  if (rows.size() != requests.size() * contexts.size() * lengths.size())
    throw std::invalid_argument("there are " + std::to_string(rows.size()) + " rows; wanted every one of " +
                                std::to_string(requests.size()) + " numbers of requests with every one of " +
                                std::to_string(contexts.size()) + " contexts" +
                                (table.has(verified) ? " and of " + std::to_string(lengths.size()) + " lengths" : ""));
  std::vector<double> ms;
  for (const auto& [at, value] : rows) ms.push_back(value);  // the last of the three changes first
  std::vector<std::vector<double>> axes = {{requests.begin(), requests.end()}, {contexts.begin(), contexts.end()}};
  if (table.has(verified)) axes.emplace_back(lengths.begin(), lengths.end());
  return {std::move(axes), std::move(ms)};
}

/// Chances by position where it has such a column, else traces.
void read_acceptance(const std::string& path, ReplicaOptions& to) {
  const std::string text = file_content(path);
  if (text.substr(0, text.find('\n')).find("reached") != std::string::npos) {
    const CsvTable table(text, {{{"position"}}, {{"reached"}}});
    std::vector<double> reached;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      if (table.number(row, 0) != static_cast<double>(row) + 1.0) table.refuse(row, 0, "1, 2, 3 and so on");
      reached.push_back(table.number(row, 1));
    }
    to.acceptance = Acceptance::by_position(reached);
    return;
  }
  const CsvTable table(text, {{{"request"}}, {{"tokens"}}});
  constexpr double most_tokens = 1e6;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double tokens = table.number(row, 1);
    if (!(tokens >= 1.0 && tokens <= most_tokens && tokens == std::floor(tokens)))
      table.refuse(row, 1, "whole tokens, 1 at least");
    if (row == 0 || table.number(row, 0) != table.number(row - 1, 0)) to.traces.emplace_back();
    to.traces.back().push_back(static_cast<std::uint32_t>(tokens));
  }
}

/// What a reader says is wrong with a file, as the input's fault.
template <class Read>
auto of_file(const char* parameter, const std::string& path, Read read) {
  try {
    return read(path);
  } catch (const std::invalid_argument& bad) {
    const std::string what = bad.what();
    const bool named = what.find(path) != std::string::npos;
    throw BadInput(std::string("/parameters/") + parameter, (named ? "" : path + ": ") + what + ".");
  }
}

/// Amdahl, and what the GPUs tell each other: each term of the target's time alike.
void divide(LinearTime& time, double gpus, double share, double all_reduce_ms) {
  if (gpus <= 1.0) return;
  const double factor = 1.0 - share + share / gpus;
  for (double* const term :
       {&time.base, &time.per_context_token, &time.per_token, &time.per_request, &time.for_proposals})
    *term *= factor;
  time.base += all_reduce_ms;
}

/// Each who decodes brings a token and at least one of context: what a request takes off must leave something.
void want_time_of_full_batch(const StepTime& time, double most) {
  const LinearTime& t = time.target;
  const double base = t.base + time.overhead.fixed, each = t.per_request + t.per_token + t.per_context_token;
  if (base + most * each > 0.0 || t.per_request >= 0.0) return;
  throw BadInput("/parameters/per_request", "A step of " + std::to_string(static_cast<std::uint64_t>(most)) +
                                                " requests would take " + std::to_string(base + most * each) +
                                                " ms, and so many may be there at once; wanted a time above 0: a "
                                                "greater per_request, or a smaller max_running.");
}

/// Parameters by number, and the files among them by name.
class Asked {
 public:
  explicit Asked(const ergode_input& input)
      : input_(input),
        json_(nlohmann::json::parse(input.json, input.json + input.json_size, nullptr, /*allow_exceptions=*/false)) {}
  double number(P::Index i) const { return input_.numbers[i]; }
  std::uint32_t whole(P::Index i) const { return static_cast<std::uint32_t>(number(i)); }
  std::string file(const char* name) const {
    return json_.is_object() && json_.contains(name) && json_[name].is_string() ? json_[name].get<std::string>()
                                                                                : std::string();
  }
  /// What a reader makes of the text of a file. @throws BadInput  where none is given, or it is wrong
  template <class Read>
  auto read(const char* name, const char* wanted_for, Read reader) const {
    if (file(name).empty())
      throw BadInput(std::string("/parameters/") + name, std::string(wanted_for) + ", and this is missing.");
    return of_file(name, file(name), [&reader](const std::string& path) { return reader(file_content(path)); });
  }

 private:
  const ergode_input& input_;
  const nlohmann::json json_;
};

/// Replicas that experts are spread over.
double ranks_of(const Asked& asked) { return asked.whole(P::together) != 0 ? asked.number(P::replicas) : 1.0; }

RingReduce links_of(const Asked& asked) {
  constexpr double giga = 1e9, us_per_s = 1e6;
  RingReduce out;
  out.gpus = asked.number(P::tensor_parallel);
  out.bandwidth = asked.number(P::link_bandwidth) * giga, out.latency_s = asked.number(P::link_latency) / us_per_s;
  return out;
}

std::shared_ptr<const PassModel> operators_of(const Asked& asked) {
  constexpr const char* why = "Step times are sums of operators";
  ModelShape shape{.layers = 1.0};
  if (!asked.file("model_config").empty()) shape = asked.read("model_config", why, read_model_shape);
  const double gpus = asked.number(P::tensor_parallel);
  OperatorTimes times;
  times.by_tokens.push_back(asked.read(
      "operator_times", why, [&](const std::string& text) { return read_operator_times(text, shape.layers, gpus); }));
  if (!asked.file("request_times").empty())
    times.by_requests.push_back(asked.read(
        "request_times", why, [&](const std::string& text) { return read_operator_times(text, shape.layers, gpus); }));
  if (!asked.file("attention_times").empty())
    times.attention.push_back(asked.read(
        "attention_times", why, [&](const std::string& text) { return read_attention_times(text, shape.layers); }));
  times.spread.usual = asked.number(P::attention_spread);
  if (!asked.file("spread_times").empty())
    times.spread =
        asked.read("spread_times", why, [&](const std::string& text) { return read_spread(text, times.spread.usual); });
  const double bytes = shape.hidden * shape.value_bytes;
  times.reduce = links_of(asked);
  times.reduce.reductions = 2.0 * shape.layers, times.reduce.bytes_per_token = bytes;
  if (gpus > 1.0 && !asked.file("reduce_times").empty())
    times.reduce_by_bytes.push_back(
        asked.read("reduce_times", why, [gpus](const std::string& text) { return read_reduce_times(text, gpus); }));
  if (!asked.file("expert_times").empty()) {
    if (!(shape.experts > 0.0))
      throw BadInput("/parameters/model_config", "There are times of experts; wanted a configuration that has some.");
    times.experts = ExpertTimes{asked.read("expert_times", why, read_expert_times),
                                shape.expert_layers,
                                shape.experts,
                                shape.experts_per_token,
                                ranks_of(asked),
                                bytes};
  }
  return pass_model(std::move(times));
}

std::shared_ptr<const PassModel> roofline_of(const Asked& asked) {
  constexpr const char* why = "Step times are a roofline";
  constexpr double tera = 1e12, giga = 1e9;
  Roofline out;
  out.shape = asked.read("model_config", why, read_model_shape);
  out.gpu = {asked.number(P::gpu_flops) * tera, asked.number(P::memory_bandwidth) * giga,
             asked.number(P::prefill_efficiency), asked.number(P::decode_efficiency)};
  out.gpus = asked.number(P::tensor_parallel), out.ranks = ranks_of(asked);
  out.reads = static_cast<ExpertReads>(asked.whole(P::expert_reads));
  out.link = links_of(asked);
  if (asked.file("roofline_factors").empty()) return pass_model(out);
  return pass_model(out, asked.read("roofline_factors", why, read_roofline_factors));
}

/// Of each adapter: its rank, and how much is asked of it.
struct AdapterList {
  std::vector<double> ranks, weights;
  double most_rank() const { return ranks.empty() ? 0.0 : *std::max_element(ranks.begin(), ranks.end()); }
};

AdapterList read_adapters(const std::string& path, double popularity) {
  const CsvTable table(file_content(path), {{{"rank"}}, {{"weight"}, false, false}});
  constexpr double most_rank = 1e6, most_weight = 1e12;
  AdapterList out;
  out.weights = zipf_weights(static_cast<std::uint32_t>(table.rows()), popularity);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double rank = table.number(row, 0);
    if (!(rank >= 1.0 && rank <= most_rank && rank == std::floor(rank)))
      table.refuse(row, 0, "a whole number from 1 to 1e6");
    out.ranks.push_back(rank);
    if (!table.has(1)) continue;
    if (!(table.number(row, 1) >= 0.0 && table.number(row, 1) <= most_weight))
      table.refuse(row, 1, "a number from 0 to 1e12");
    out.weights[row] = table.number(row, 1);
  }
  if (!(std::accumulate(out.weights.begin(), out.weights.end(), 0.0) > 0.0))
    throw std::invalid_argument("all weights are 0; wanted one above it at least");
  return out;
}

AdapterList adapters_of(const Asked& asked) {
  const double popularity = asked.number(P::adapter_popularity);
  if (const std::string path = asked.file("adapters_file"); !path.empty())
    return of_file("adapters_file", path, [popularity](const std::string& p) { return read_adapters(p, popularity); });
  return {std::vector<double>(asked.whole(P::adapters), asked.number(P::adapter_rank)),
          zipf_weights(asked.whole(P::adapters), popularity)};
}

/// What an adapter takes for each of its ranks [bytes].
double adapter_bytes(const Asked& asked) {
  constexpr double mega = 1e6;
  return asked.number(P::adapter_size) * mega;
}

AdapterOptions adapter_options(const Asked& asked, const AdapterList& list) {
  constexpr double giga = 1e9, ms_per_s = 1e3;
  AdapterOptions out;
  out.in_order = asked.whole(P::adapter_queue) == 1;
  out.slots = asked.whole(P::adapter_slots), out.pass_share = asked.number(P::adapter_overhead);
  const double ms_of_a_rank = ms_per_s * adapter_bytes(asked) / (asked.number(P::adapter_bandwidth) * giga);
  for (const double rank : list.ranks) out.load_ms.push_back(asked.number(P::adapter_load) + rank * ms_of_a_rank);
  return out;
}

/// As many as there is room for.
/// @param reserved  of the memory of a replica, for other things [bytes]
std::uint64_t blocks_of(const Asked& asked, double reserved) {
  constexpr double giga = 1e9;
  const ModelShape shape =
      asked.read("model_config", "The cache is what the memory of GPUs has room for", read_model_shape);
  const double memory =
      asked.number(P::tensor_parallel) * asked.number(P::gpu_memory) * giga * asked.number(P::memory_share);
  // Of experts that are spread over replicas each holds its part.
  ModelShape held = shape;
  held.experts = shape.experts / ranks_of(asked);
  const double blocks = cache_blocks(held, memory - reserved, asked.number(P::block_size));
  if (!(blocks >= 1.0))
    throw BadInput("/parameters/gpu_memory", "Weights take " + std::to_string(held.stored_bytes() / giga) +
                                                 " GB and adapters " + std::to_string(reserved / giga) + " GB of " +
                                                 std::to_string(memory / giga) +
                                                 " that may be used, and no block fits beside them.");
  return static_cast<std::uint64_t>(std::min(blocks, giga));
}

}  // namespace

Setup read_setup(const ergode_input& input) {
  if (input.number_count < P::count)
    throw BadInput(
        "", std::to_string(input.number_count) + " parameters were given; wanted " + std::to_string(P::count) + ".");
  const Asked asked(input);
  const auto number = [&asked](P::Index i) { return asked.number(i); };
  const auto whole = [&asked](P::Index i) { return asked.whole(i); };
  const auto file = [&asked](const char* name) { return asked.file(name); };
  Setup out;
  const auto law = [&](P::Index kind, P::Index mean, P::Index sd) {
    return LengthLaw{static_cast<LengthLaw::Kind>(whole(kind)), number(mean), number(sd)};
  };
  out.requests_file = file("requests_file");
  if (!out.requests_file.empty())
    out.listed = of_file("requests_file", out.requests_file, [&out](const std::string& path) {
      return read_requests(file_content(path), &out.adapters_listed);
    });
  const AdapterList adapters = adapters_of(asked);
  const std::size_t known = adapters.ranks.size();
  if (known > 0)
    for (const Request& one : out.listed)
      if (one.adapter != Request::none && one.adapter >= known)
        throw BadInput("/parameters/requests_file", out.requests_file + ": adapter " + std::to_string(one.adapter) +
                                                        " is asked for; wanted a number below " +
                                                        std::to_string(known) + ", how many there are.");
  out.workload = {number(P::arrival_rate),
                  number(P::burstiness),
                  static_cast<std::uint64_t>(number(P::requests)),
                  law(P::prompt_law, P::prompt_mean, P::prompt_sd),
                  law(P::output_law, P::output_mean, P::output_sd),
                  whole(P::prefix_groups),
                  whole(P::prefix_tokens),
                  adapters.weights,
                  number(P::adapter_share)};

  ReplicaOptions& replica = out.service.replica;
  constexpr std::uint32_t sets = 4, by_coefficients = 4, by_tables = 6, by_operators = 7, by_roofline = 8;
  static constexpr const char* set_names[sets] = {"h100_llama8b", "h100_llama8b_tuner", "h100x4_llama70b_tuner",
                                                  "a100_vicuna7b"};
  const auto read_tables = [&](StepTime& time) {
    time.target.per_token = number(P::per_token);
    for (const char* name : {"prefill_times", "decode_times"})
      if (file(name).empty())
        throw BadInput(std::string("/parameters/") + name, "Step times are tables, and this is missing.");
    time.prefill_table.push_back(of_file("prefill_times", file("prefill_times"), read_prefill_times));
    time.decode_table.push_back(of_file("decode_times", file("decode_times"), read_decode_times));
  };
  const std::uint32_t from = whole(P::step_time);
  if (from < sets) replica.time = *find_step_time(set_names[from]);
  else if (from == by_coefficients)
    replica.time.target = {number(P::base), number(P::per_context_token), number(P::per_token), number(P::per_request)};
  else if (const std::string path = file("profile"); from < by_tables && !path.empty())
    replica.time = of_file("profile", path, [&](const std::string& p) {
      const double n = number(P::tensor_parallel), s = number(P::parallel_share);
      return fitted(p, 1.0 - s + s / n, n > 1.0 ? number(P::all_reduce) : 0.0, out.fit);
    });
  else if (from == by_tables) read_tables(replica.time);
  else if (from == by_operators) replica.time.model = operators_of(asked);
  else if (from == by_roofline) replica.time.model = roofline_of(asked);
  else throw BadInput("/parameters/profile", "Step times are fitted to a profile, and none is given.");
  out.gpus = whole(P::tensor_parallel);
  if (out.gpus > 1 && !replica.time.prefill_table.empty())
    throw BadInput("/parameters/tensor_parallel", "These step times are of one GPU; wanted 1, or another set.");
  divide(replica.time.target, out.gpus, number(P::parallel_share), number(P::all_reduce));
  replica.time.overhead.fixed += number(P::overhead);
  if (from == by_coefficients) want_time_of_full_batch(replica.time, number(P::max_running));

  enum class Drafter : std::uint8_t { of_the_set, model, ngram, tree, eagle };
  const auto drafter = static_cast<Drafter>(whole(P::drafter));
  const double acceptance = number(P::acceptance);
  replica.acceptance = Acceptance::independent(acceptance);
  if (drafter == Drafter::model || drafter == Drafter::tree)
    replica.time.draft = {.base = number(P::draft_base), .per_proposed = number(P::draft_pass)};
  if (drafter == Drafter::eagle) replica.time.draft = find_step_time("h100_llama8b_tuner")->draft;
  if (drafter == Drafter::ngram)
    replica.time.draft = {.share_of_target = number(P::lookup_share)}, replica.match = number(P::match);
  if (drafter == Drafter::tree) {
    const int width = static_cast<int>(number(P::tree_width));
    replica.acceptance = Acceptance::tree(acceptance, width), replica.time.width = width;
  }
  if (const std::string path = file("acceptance_file"); !path.empty())
    of_file("acceptance_file", path, [&replica](const std::string& p) { read_acceptance(p, replica); });

  const auto policy = static_cast<Policy>(whole(P::policy));
  replica.control = usual_options(policy);
  replica.control.fixed = static_cast<int>(number(P::length));
  replica.control.search.most = static_cast<int>(number(P::longest));
  replica.control.interval = static_cast<int>(number(P::interval));
  replica.control.looks_up = replica.time.draft.share_of_target > 0.0;
  replica.control.known =
      replica.traces.empty() ? replica.acceptance : Acceptance::of_traces(replica.traces, replica.match);
  if (number(P::bias) > 0.0) replica.control.search.bias = number(P::bias);

  replica.batching = static_cast<Batching>(whole(P::batching));
  replica.max_running = whole(P::max_running);
  replica.max_batched_tokens = whole(P::max_batched_tokens);
  if (whole(P::max_prefills) > 0) replica.max_prefills = whole(P::max_prefills);
  replica.schedules_ahead = number(P::schedules_ahead) != 0.0;
  replica.overlaps_last_pass = number(P::overlaps_last_pass) != 0.0;
  if (replica.overlaps_last_pass && (known > 0 || whole(P::together) != 0))
    throw BadInput("/parameters/overlaps_last_pass",
                   std::string("Last passes overlap, and ") +
                       (known > 0 ? "there are adapters" : "replicas make their steps together") +
                       "; wanted one of both.");
  replica.blocks = static_cast<std::uint64_t>(number(P::cache_blocks));
  replica.block_size = whole(P::block_size);
  replica.adapters = adapter_options(asked, adapters);
  // Every slot has room for the largest.
  const double reserved = replica.adapters.slots * adapters.most_rank() * adapter_bytes(asked);
  if (number(P::gpu_memory) > 0.0) replica.blocks = blocks_of(asked, reserved);
  replica.watermark = number(P::watermark);
  replica.preemption = static_cast<Preemption>(whole(P::preemption));
  replica.swap_ms_per_token = number(P::swap_per_token);
  replica.shares_prefixes = number(P::shares_prefixes) != 0.0;

  out.service.replicas = whole(P::replicas);
  out.service.together = whole(P::together) != 0, out.service.padded = whole(P::together) == 2;
  out.service.routing = static_cast<ReplicaRouting>(whole(P::routing));
  out.service.prefill_replicas = whole(P::prefill_replicas);
  out.service.prefill_time = replica.time;
  out.service.transfer_ms = number(P::transfer);
  out.service.transfer_ms_per_token = number(P::transfer_per_token);
  out.ttft_limit_s = number(P::ttft_limit) / 1000.0;
  out.tpot_limit_s = number(P::tpot_limit) / 1000.0;
  out.gpu_price_per_h = number(P::gpu_price);
  out.against_none = number(P::against_none) != 0.0;
  return out;
}

std::shared_ptr<const Setup> kept_setup(const ergode_input& input) {
  static std::mutex mutex;
  static std::string kept_key;
  static std::shared_ptr<const Setup> kept;
  std::string key = plugin_support::input_identity(input);
  const std::lock_guard<std::mutex> lock(mutex);
  if (!kept || key != kept_key) {
    kept = nullptr;  // where reading throws, nothing is kept
    kept = std::make_shared<const Setup>(read_setup(input)), kept_key = std::move(key);
  }
  return kept;
}

std::vector<Request> requests_of(const Setup& setup, std::uint64_t seed) {
  std::vector<Request> out = setup.requests_file.empty() ? draw_requests(setup.workload, seed) : setup.listed;
  if (!setup.requests_file.empty() && !setup.adapters_listed) draw_adapters(setup.workload, seed, out);
  const std::size_t traces = setup.service.replica.traces.size();
  if (traces > 0)
    for (std::size_t i = 0; i < out.size(); ++i) out[i].trace = static_cast<std::uint32_t>(i % traces);
  return out;
}

}  // namespace llm_serving
