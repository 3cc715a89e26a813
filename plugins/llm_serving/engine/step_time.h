#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace llm_serving {

/// What one forward pass of the target model handles.
struct Pass {
  double context = 0.0;   ///< sum of the lengths of those contexts that it reads [tokens]
  double tokens = 0.0;    ///< that it computes: of a prefill the prompts, of a decode step one and what is proposed
  double requests = 0.0;  ///< in the batch
  double with_proposal = 0.0;  ///< of these, for whom something was proposed

  double prompts = 0.0;                  ///< of `requests`, whose prompts or pieces of them are computed
  double prompt_tokens = 0.0;            ///< of `tokens`, theirs
  double prompt_context = 0.0;           ///< of `context`, what was computed of them before
  double prompt_pairs = 0.0;             ///< sum over them of tokens x (context + (tokens - 1) / 2): who looks at whom
  double prompt_found = 0.0;             ///< of `prompt_context`, what the cache had of those who begin with this pass
  double found_pairs = 0.0;              ///< of `prompt_pairs`, sum over these of tokens x what the cache had
  double longest = 0.0, shortest = 0.0;  ///< of the contexts of those who decode; 0: all as long as the mean
  /// Of replicas that step together; 0: alone. What each of them computes in the mean, for experts that are spread over
  /// them; and what it is padded to, where batches are.
  double rank_tokens = 0.0, padded_tokens = 0.0;
  double decoding() const { return requests - prompts; }
  double decode_context() const { return context - prompt_context; }
  double decode_tokens() const { return tokens - prompt_tokens; }
};

/// Times of passes [ms] that are no line: sums of measured operators (operator_times.h), a roofline (roofline.h).
class PassModel {
 public:
  PassModel() = default;
  PassModel(const PassModel&) = delete;
  PassModel& operator=(const PassModel&) = delete;
  virtual ~PassModel() = default;
  virtual double ms(const Pass& pass) const = 0;
  /// No pass takes less.
  virtual double least_ms() const = 0;
  /// Whether Pass::longest and shortest say anything to it: then they are looked for, O(requests) a step.
  virtual bool asks_spread() const { return false; }
};

/// Time of a forward pass [ms], linear in what it handles (Liu et al., Optimizing speculative decoding for serving
/// large language models using goodput, arXiv 2406.14066): reading the weights, the contexts, computing the tokens.
struct LinearTime {
  double base = 0.0;
  double per_context_token = 0.0;
  double per_token = 0.0;
  double per_request = 0.0;    ///< negative in some fits, where the pass would get faster with the batch
  double for_proposals = 0.0;  ///< once, where anything is proposed
  double of(const Pass& pass) const {
    return base + per_context_token * pass.context + per_token * pass.tokens + per_request * pass.requests +
           (pass.with_proposal > 0.0 ? for_proposals : 0.0);
  }
};

/// What proposing k tokens for each request costs [ms]; nothing where k is 0. A drafting model passes k times, one
/// after the other; a lookup of n-grams takes a share of the target's time.
struct DraftTime {
  double base = 0.0;
  double per_context_token = 0.0;
  double per_request = 0.0;
  double per_proposed = 0.0;  ///< by k, not by request: passes follow each other
  double share_of_target = 0.0;
  double of(const Pass& pass, double k, double target_ms) const { return k > 0.0 ? whole(pass, k, target_ms) : 0.0; }
  /// Of a drafter that is asked whatever k is.
  double whole(const Pass& pass, double k, double target_ms) const {
    return base + per_context_token * pass.context + per_request * pass.requests + per_proposed * k +
           share_of_target * target_ms;
  }
};

/// Sampling, scheduling and whatever else a step takes [ms].
struct Overhead {
  double fixed = 0.0;
  double share_of_target = 0.0;  ///< where anything is proposed
  double of(double k, double target_ms) const { return fixed + (k > 0.0 ? share_of_target * target_ms : 0.0); }
};

/// Measured times of passes [ms] on a grid, straight between grid points; beyond the ends of an axis the last slope
/// goes on upwards and the first value downwards. O(log n) a look.
class TimeTable {
 public:
  /// @param axes    each of at least one value, ascending
  /// @param values  row-major, the last axis first to change; as many as the product of the axes
  /// @throws std::invalid_argument  with what is wrong
  TimeTable(std::vector<std::vector<double>> axes, std::vector<double> values);
  double at(const std::vector<double>& point) const;
  double at(const double* point) const;
  std::size_t dimensions() const { return axes_.size(); }
  /// No point of a table with one axis has less: the least value, or 0 where it falls at its end.
  double least() const;

 private:
  std::vector<std::vector<double>> axes_;
  std::vector<std::size_t> stride_;
  std::vector<double> values_;
};

/// Time of a step: target, drafter and the rest. Times of tables take the place of the linear target where given.
struct StepTime {
  LinearTime target;
  DraftTime draft;
  Overhead overhead;
  /// Tokens that are verified for each that may be accepted: siblings at each depth of a tree of proposals.
  double width = 1.0;
  /// By (tokens) of a prefill, and by (requests, context) of a decode step without proposals; empty: linear. What is
  /// proposed costs the linear `per_token` beyond that. A table of decode steps with a third axis has what is verified
  /// beyond one token a request, in the mean over the batch, so that it knows what proposals cost.
  std::vector<TimeTable> prefill_table, decode_table;
  /// A pass of tables in which some decode beside prompts takes the prompts' time for all tokens, by so much longer:
  /// 1.1 in Splitwise (Patel et al., ISCA 2024).
  double mixed_factor = 1.1;
  /// Takes the place of linear target and tables where there is one; never changes once it is here.
  std::shared_ptr<const PassModel> model;

  double target_ms(const Pass& pass) const {
    if (model) return model->ms(pass);
    if (decode_table.empty()) return target.of(pass);
    if (pass.prompts > 0.0 && !prefill_table.empty()) return mixed_factor * prefill_table[0].at(&pass.tokens);
    const double more = pass.tokens - pass.requests;
    const double point[3] = {pass.requests, pass.context, pass.requests > 0.0 ? more / pass.requests : 0.0};
    return decode_table[0].at(point) + (knows_proposals() ? 0.0 : target.per_token * more);
  }
  bool knows_proposals() const {
    constexpr std::size_t axes = 3;
    return !decode_table.empty() && decode_table[0].dimensions() == axes;
  }
  /// Of a step that verifies k proposals a request.
  double decode_ms(const Pass& pass, double k) const {
    const double t = target_ms(pass);
    return t + draft.of(pass, k, t) + overhead.of(k, t);
  }
  /// Of a step that computes prompts.
  /// @param longer  factor of the pass itself
  double prefill_ms(const Pass& pass, double longer = 1.0) const {
    const double t =
        longer * (model || prefill_table.empty() ? target_of_prompts(pass) : prefill_table[0].at(&pass.tokens));
    return t + overhead.of(0.0, t);
  }

 private:
  double target_of_prompts(const Pass& pass) const { return model ? model->ms(pass) : target.of(pass); }
};

/// A coefficient set by name, with where it comes from.
struct NamedStepTime {
  std::string_view name, about;
  StepTime time;
};
/// h100_llama8b_tuner, h100x4_llama70b_tuner, h100_llama8b (all coefficients positive), a100_vicuna7b.
const std::vector<NamedStepTime>& known_step_times();
const StepTime* find_step_time(std::string_view name);

/// One measured pass of a profile.
struct MeasuredPass {
  Pass pass;
  double ms = 0.0;
};
struct FittedTime {
  LinearTime time;
  double r_squared = 0.0;  ///< of all points
};
/// Least squares over the terms base, context, tokens and requests; a term that does not vary over the points, or goes
/// with others that do, is left out. Nothing of fewer than two points.
std::optional<FittedTime> fit_linear_time(const std::vector<MeasuredPass>& points);

}  // namespace llm_serving
