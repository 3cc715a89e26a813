#include "plugins/llm_serving/engine/speculation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace llm_serving {

double goodput(const StepTime& time, const DecodeLoad& load, int k, double tokens) {
  const double generated = load.with_proposal * tokens + (load.requests - load.with_proposal);
  return 1000.0 * generated / time.decode_ms(pass_of(load, k, time.width), k);
}

ProposedLength best_length(const StepTime& time, const DecodeLoad& load, const std::function<double(int)>& tokens,
                           const LengthSearch& search) {
  ProposedLength best{0, goodput(time, load, 0, 1.0)};
  double to_beat = best.goodput * search.bias;
  constexpr double safety = 1.1;
  for (int k = 1; k <= search.most; ++k) {
    if (search.room > 0.0 && (load.context + load.requests * (k + 1)) * safety > search.room) break;
    const double here = goodput(time, load, k, tokens(k));
    if (here > to_beat) best = {k, here}, to_beat = here;
    else if (search.stop_early) break;
  }
  return best;
}

double padded_batch(double requests) {
  constexpr double captured = 32.0;
  if (requests > captured) return std::ceil(requests / captured) * captured;
  double power = 1.0;
  while (power < requests) power *= 2.0;
  return power;
}

ControlOptions usual_options(Policy policy) {
  ControlOptions out;
  out.policy = policy;
  // One peak is what independent acceptance has; what is known may say little of a first token and more of those after.
  out.search.stop_early = policy == Policy::dsd || policy == Policy::tuner || policy == Policy::per_request;
  if (policy == Policy::dsd) out.search.bias = 1.1, out.pad_batch = true;
  if (policy == Policy::per_request) out.first_estimate = 0.5;
  return out;
}

LengthController::LengthController(const ControlOptions& options)
    : options_(options), estimate_(options.first_estimate) {
  if (options_.interval <= 0)
    options_.interval = options_.policy == Policy::dsd ? 20 : options_.policy == Policy::tuner ? 200 : 1;
}

double LengthController::tokens(int k) const {
  const bool learns = options_.policy == Policy::dsd || options_.policy == Policy::tuner;
  return learns ? tokens_of_a_step(estimate_, k) : options_.known.tokens(k);
}

ProposedLength LengthController::decide(const StepTime& time, const DecodeLoad& load, double room) const {
  DecodeLoad asked = load;
  if (options_.pad_batch) {
    const double padded = padded_batch(load.requests);
    asked.with_proposal *= padded / std::max(1.0, load.requests), asked.requests = padded;
  }
  LengthSearch search = options_.search;
  search.room = room;
  return best_length(
      time, asked, [this](int k) { return tokens(k); }, search);
}

// After 40 steps in a row of which none was worth a verification nothing is looked up, until there were 100.
int LengthController::choose_of_lookups(const StepTime& time, const DecodeLoad& load, double room) {
  constexpr int gives_up_after = 40, tries_again_after = 100;
  if (zeros_ >= tries_again_after) zeros_ = 0;
  if (zeros_ >= gives_up_after) {
    ++zeros_, last_.k = 0;
    return 0;
  }
  last_ = decide(time, load, room);
  zeros_ = last_.k == 0 ? zeros_ + 1 : 0;
  return last_.k;
}

int LengthController::choose(const StepTime& time, const DecodeLoad& load, std::size_t waiting, double room) {
  const Policy policy = options_.policy;
  if (policy == Policy::none) return 0;
  if (policy == Policy::fixed) return options_.fixed;
  if (policy == Policy::dsd && options_.looks_up) return choose_of_lookups(time, load, room);
  const auto interval = static_cast<std::uint64_t>(options_.interval);
  const bool decides = steps_++ % interval == 0;
  if (policy == Policy::dsd && off_) {
    constexpr int forgets_after = 100;
    if (++disabled_steps_ >= forgets_after) {
      // What is accepted is only seen by proposing: until the next decision as much as the last time.
      off_ = false, disabled_steps_ = 0, steps_ = 1, last_.k = last_proposed_;
      return last_.k;
    }
    if (waiting >= off_with_) return 0;
  }
  if (decides || (policy == Policy::dsd && off_)) {
    last_ = decide(time, load, room);
    if (policy == Policy::dsd) {
      off_ = last_.k == 0;
      if (off_) off_with_ = waiting, disabled_steps_ = 0;
      else last_proposed_ = last_.k;
    }
    // A full proposal shows what every position would get, which a short one cannot.
    if (policy == Policy::tuner) return options_.search.most;
  }
  return last_.k;
}

void LengthController::observe(double proposed, double tried, double accepted) {
  if (!(proposed > 0.0)) return;
  const double rate = tried > 0.0 ? accepted / tried : 0.0;
  if (options_.policy == Policy::dsd) {
    constexpr double weight = 0.15;
    estimate_ += weight * (rate - estimate_);
  } else if (options_.policy == Policy::tuner) {
    constexpr std::size_t steps = 100;
    if (window_.size() < steps) window_.push_back(rate);
    else window_[oldest_] = rate, oldest_ = (oldest_ + 1) % steps;
    estimate_ = std::accumulate(window_.begin(), window_.end(), 0.0) / static_cast<double>(window_.size());
  }
}

}  // namespace llm_serving
