#pragma once
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "plugins/llm_serving/engine/ring_reduce.h"
#include "plugins/llm_serving/engine/step_time.h"

namespace llm_serving {

/// Experts of a mixture: the time of a layer by the tokens that pass it and the experts that they reach.
struct ExpertTimes {
  TimeTable table;      ///< by (experts reached, tokens) [ms]
  double layers = 1.0;  ///< that have them
  double experts = 1.0, per_token = 1.0;
  double ranks = 1.0;            ///< replicas that the experts are spread over, evenly; they step together
  double bytes_per_token = 0.0;  ///< that goes to all of them before and comes back after
};

/// How much longer a batch of unlike contexts takes than one of equal ones: of the way from the time at the mean to
/// that at the longest. By what was measured in bins, where the batch falls into one, else a share for all.
struct Spread {
  double usual = 0.0;
  /// Upper ends of the bins, the last infinite, of: requests that decode, (mean - shortest) / (longest - shortest),
  /// longest, what was computed before of the prompts.
  std::vector<std::vector<double>> ends;
  std::vector<double> prompt_tokens;  ///< exactly these
  std::vector<double> shares;         ///< row-major by (prompt tokens, bins in order); NaN: not measured
  double of(const Pass& pass, double mean) const;
  bool says() const { return usual > 0.0 || !shares.empty(); }
};

/// A pass as the sum of its operators, each measured alone: those that go with the batched tokens, those that go with
/// the requests (head, sampler), attention by four numbers, experts, and what GPUs tell each other. So a profile of
/// some kernels serves all batches (Agrawal et al., Vidur, MLSys 2024; Cho et al., LLMServingSim, IISWC 2024).
struct OperatorTimes {
  std::vector<TimeTable> by_tokens, by_requests;  ///< [ms], of the whole model; at most one of each
  /// [ms], of the whole model, by (prompt tokens, computed before of these prompts, requests that decode, mean of their
  /// contexts).
  std::vector<TimeTable> attention;
  Spread spread;
  std::optional<ExpertTimes> experts;
  RingReduce reduce;
  std::vector<TimeTable> reduce_by_bytes;  ///< [ms] of one reduction by its bytes; takes the place of the ring
};
std::shared_ptr<const PassModel> pass_model(OperatorTimes times);

/// How often an operator runs in a pass: the embedding, the last norm, the head and the sampler once, norms twice a
/// layer, others once a layer.
double usual_count(std::string_view name, double layers);

/// Times of operators by tokens, or by sequences: columns operator (or layer), tokens (sequences, num_tokens), time_us
/// or ms, perhaps count, else usual_count(); or a table with a column of times in ms for each operator, headed
/// time_stats.NAME.median, as Vidur measures them, of which rows of other num_tensor_parallel_workers are left out and
/// of equal num_tokens the median counts. Their sum over the model, straight between the rows. O(rows log rows).
/// @param gpus  that share the model; for tables that say
/// @throws std::invalid_argument
TimeTable read_operator_times(std::string_view csv, double layers, double gpus = 1.0);
/// Of this and the next two: the grid that the values span has at most 4e6 points.
/// Columns prefill_chunk, kv_prefill, n_decode, kv_decode, time_us or ms, of one layer: a grid that may have gaps in
/// its contexts, which are filled along the lines of its rows. @throws std::invalid_argument
TimeTable read_attention_times(std::string_view csv, double layers);
/// Columns tokens, activated_experts, time_us or ms, of one layer; few tokens cannot reach many experts, those places
/// are filled with what is nearest. @throws std::invalid_argument
TimeTable read_expert_times(std::string_view csv);

/// Times of an all-reduce by its bytes: columns size, num_workers, ms or time_us or time_stats.all_reduce.median (ms),
/// perhaps devices_per_node; rows of other numbers of workers are left out, and so are those of fewer devices in a
/// machine than the most that were measured. Of equal sizes the median counts. @throws std::invalid_argument
TimeTable read_reduce_times(std::string_view csv, double gpus);
/// Columns pc, n_label, skew_rate_label, kv_big_label, kp_label, alpha, as LLMServingSim's profiler fits them: labels
/// such as n<=64, sr<=15%, kvB<=4k, kp<=512, kp=0, and the last of each such as n>256. @throws std::invalid_argument
Spread read_spread(std::string_view csv, double usual);

}  // namespace llm_serving
