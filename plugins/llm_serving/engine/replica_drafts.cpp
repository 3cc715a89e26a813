// What a step proposes for whom, and what that takes.
#include <array>
#include <cmath>

#include "plugins/llm_serving/engine/replica.h"

namespace llm_serving {

/// Time of the drafter [ms]; the target's is that of the whole pass.
double Replica::decode_part(Pass& pass, double& extra_ms) {
  DecodeLoad load{static_cast<double>(decoding_), static_cast<double>(decoding_), static_cast<double>(context_)};
  const bool looks_up = options_.match < 1.0;
  if (looks_up) load.with_proposal = look_up();
  if (options_.control.policy == Policy::per_request) {
    lengths_of_each(load);
    proposes_ = true;
  } else {
    length_ = controller_.choose(options_.time, load, waiting(), cache_.room());
    if (load.with_proposal == 0.0) length_ = 0;
    // Those of the step before may have lengths.
    if (looks_up || proposes_ || length_ != 0)
      for (Running& one : running_) one.length = looks_up ? one.length * length_ : length_;
    proposes_ = length_ != 0;
  }
  if (!room_for_all(extra_ms)) return 0.0;
  load = {static_cast<double>(decoding_), 0.0, static_cast<double>(context_)};
  double proposed = 0.0;
  if (proposes_)
    for (const Running& one : running_)
      if (one.prefill_left == 0 && one.length > 0) load.with_proposal += 1.0, proposed += one.length;
  decodes_ = true;
  pass.context += load.context, pass.tokens += load.requests + proposed * options_.time.width,
      pass.requests += load.requests;
  pass.with_proposal = load.with_proposal;
  if (options_.time.model && options_.time.model->asks_spread()) {
    std::uint32_t longest = 0, shortest = ~0U;
    for (const Running& one : running_)
      if (one.prefill_left == 0) longest = std::max(longest, one.context), shortest = std::min(shortest, one.context);
    pass.longest = longest, pass.shortest = shortest;
  }
  totals_.proposed += proposed;
  const double alone = load.requests - load.with_proposal;
  if (options_.control.policy == Policy::per_request) {
    predicted_ = alone;
    for (const Running& one : running_)
      if (one.prefill_left == 0 && one.length > 0)
        predicted_ += tokens_of_a_step(static_cast<double>(own_estimate(one)) / estimate_steps, one.length);
  } else {
    predicted_ = alone + load.with_proposal * controller_.tokens(length_);
  }
  if (!(proposed > 0.0)) return 0.0;
  const Pass verified{load.context, load.requests + proposed * options_.time.width, load.requests, load.with_proposal};
  const bool of_target = options_.time.draft.share_of_target != 0.0;
  return options_.time.draft.of(verified, length_, of_target ? options_.time.target_ms(verified) : 0.0);
}

/// Whether a lookup finds something for each, as a length of 1 or 0. A trace of lookups knows where they gave tokens;
/// where it has none they found nothing, or what was wrong. @returns for how many
double Replica::look_up() {
  double found = 0.0;
  for (Running& one : running_) {
    const bool gives = one.prefill_left == 0 && trace_of(one) > 1;
    one.length = one.prefill_left == 0 && (gives || random_.uniform() < options_.match) ? 1 : 0;
    found += one.length;
  }
  return found;
}

/// Of the acceptance of its tokens, by what it has accepted so far, in `estimate_steps`.
std::size_t Replica::own_estimate(const Running& one) const {
  const Waiting& kept = slots_[one.slot];
  // The first estimate counts as some tries: a first token that was rejected would else stop all proposals for good.
  constexpr double first_tries = 4.0;
  const double a = (kept.accepted + first_tries * options_.control.first_estimate) / (kept.tried + first_tries);
  return static_cast<std::size_t>(std::lround(a * estimate_steps));
}

// The batch drafts as many passes as the longest asks for. Estimates are taken to a hundredth, so that few searches
// serve a step.
void Replica::lengths_of_each(const DecodeLoad& load) {
  std::array<int, estimate_steps + 1> known;
  known.fill(-1);
  LengthSearch search = options_.control.search;
  search.room = cache_.room();
  length_ = 0;
  for (Running& one : running_) {
    if (one.prefill_left != 0 || (options_.match < 1.0 && one.length == 0)) {
      one.length = 0;
      continue;
    }
    const std::size_t bucket = own_estimate(one);
    if (known[bucket] < 0) {
      const double taken = static_cast<double>(bucket) / estimate_steps;
      known[bucket] = best_length(
                          options_.time, load, [taken](int k) { return tokens_of_a_step(taken, k); }, search)
                          .k;
    }
    one.length = known[bucket], length_ = std::max(length_, one.length);
  }
}

}  // namespace llm_serving
