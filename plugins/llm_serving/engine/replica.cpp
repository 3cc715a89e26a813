#include "plugins/llm_serving/engine/replica.h"

#include <algorithm>
#include <cmath>

namespace llm_serving {

Replica::Replica(const ReplicaOptions& options, std::uint64_t seed, std::uint64_t stream)
    : options_(options),
      random_(seed, stream),
      cache_(options.blocks, options.block_size, options.watermark),
      controller_(options.control),
      adapters_(options.adapters),
      used_in_(options.adapters.load_ms.size()) {
  running_.reserve(options.max_running);
}

bool Replica::arrive(double now_s, const Request& request) {
  const std::uint64_t most = std::uint64_t{request.prompt} + request.output + static_cast<std::uint64_t>(most_proposed);
  if (!cache_.could_hold(most)) {
    ++totals_.rejected;
    return false;
  }
  Waiting one{.request = request, .came_s = now_s};
  if (request.prefilled) one.emitted = 1, one.first_token_s = request.first_token_s;
  work_ += request.output - one.emitted + (request.prefilled ? 0.0 : request.prompt);
  prompts_left_ += request.prefilled ? 0.0 : request.prompt;
  look_for_adapters(now_s);
  const bool asks = has_adapter(request) && !options_.adapters.in_order;
  const bool there = !asks || adapters_.ask(now_s, request.adapter);
  (there ? waiting_ : for_adapters_).push_back(one);
  // Others of the same moment may still come: the step begins when time goes on.
  if (!stepping_) next_s_ = std::min(next_s_, waiting_.empty() ? adapters_.next_s() : now_s);
  return true;
}

/// Whoever waited for an adapter that is there by now waits for his turn, as if he came when it was.
void Replica::look_for_adapters(double now_s) {
  while (!for_adapters_.empty() && adapters_.next_s() <= now_s) after_a_load();
}

void Replica::after_a_load() {
  adapters_.advance(adapters_.next_s());
  std::size_t left = 0;
  for (Waiting& one : for_adapters_) {
    const std::uint32_t adapter = one.request.adapter;
    if (adapters_.here(adapter)) {
      one.adapter_wait_s = adapters_.since_s(adapter) - one.came_s;
      waiting_.push_back(one);
    } else {
      for_adapters_[left++] = one;
    }
  }
  for_adapters_.resize(left);
}

/// Of adapters in order, also where nobody can be admitted now; the others are there before anybody waits for his turn.
bool Replica::adapter_there(double now_s, Waiting& first) {
  if (!options_.adapters.in_order || !has_adapter(first.request)) return true;
  const std::uint32_t adapter = first.request.adapter;
  adapters_.advance(now_s);
  if (first.adapter_asked_s < 0.0) first.adapter_asked_s = now_s, adapters_.ask(now_s, adapter);
  if (!adapters_.here(adapter)) return false;
  if (first.admitted_s < 0.0) first.adapter_wait_s = std::max(0.0, adapters_.since_s(adapter) - first.adapter_asked_s);
  return true;
}

/// Those whom this step gives something, each adapter once.
void Replica::count_adapters() {
  at_work_ = 0;
  if (!options_.adapters.any()) return;
  ++passes_;
  for (const Running& one : running_) {
    const Request& request = slots_[one.slot].request;
    const bool takes_part = one.prefill_left != 0 ? one.got != 0 : decodes_;
    if (!takes_part || !has_adapter(request) || used_in_[request.adapter] == passes_) continue;
    used_in_[request.adapter] = passes_, ++at_work_;
  }
}

void Replica::advance(double to_s, std::vector<Served>& out) {
  for (double now_s = next_event_s(); now_s <= to_s; now_s = next_event_s()) {
    for (; !leaving_.empty() && leaving_.front().finish_s <= now_s; leaving_.pop_front())
      out.push_back(leaving_.front());
    if (next_s_ > now_s) continue;
    end(now_s, out);
    begin_step(now_s);
    if (options_.overlaps_last_pass) end_ahead();
  }
}

/// Whether this step is the last one of everybody, whatever is accepted.
bool Replica::all_end() const {
  if (!stepping_ || waiting() > 0) return false;
  return std::all_of(running_.begin(), running_.end(), [this](const Running& one) {
    const bool gets = one.prefill_left != 0 ? one.got == one.prefill_left : decodes_;
    return gets && (options_.prefills_only || one.output - one.emitted <= 1);
  });
}

/// They are gone from here on, and told of when the step ends.
void Replica::end_ahead() {
  if (!all_end()) return;
  std::vector<Served> done;
  end_step(next_s_, done);
  const auto later = [](double at_s, const Served& one) { return at_s < one.finish_s; };
  leaving_.insert(std::upper_bound(leaving_.begin(), leaving_.end(), next_s_, later), done.begin(), done.end());
  stepping_ = false, next_s_ = never;
}

void Replica::end(double now_s, std::vector<Served>& out) {
  if (!stepping_) return;
  look_for_adapters(now_s);
  end_step(now_s, out);
}

/// No step takes less.
double Replica::shortest_step_s() const {
  const StepTime& time = options_.time;
  if (time.model) return std::max(0.0, time.model->least_ms() + time.overhead.fixed) / 1000.0;
  if (!time.decode_table.empty()) return 0.0;
  const double most = options_.max_running;
  double ms =
      time.target.base + std::min(0.0, time.target.per_request) * most + std::min(0.0, time.target.for_proposals);
  if (!time.prefill_table.empty()) ms = std::min(ms, time.prefill_table[0].at(std::vector<double>{0.0}));
  return std::max(0.0, ms + time.overhead.fixed) / 1000.0;
}

double Replica::next_done_s() const {
  if (!stepping_ || options_.prefills_only) return next_event_s();
  const Policy policy = options_.control.policy;
  const std::int64_t most = 1 + (policy == Policy::none    ? 0
                                 : policy == Policy::fixed ? options_.control.fixed
                                                           : options_.control.search.most);
  const auto steps = [most](std::int64_t tokens) { return tokens > 0 ? (tokens + most - 1) / most : 0; };
  // After the step that goes on now.
  std::int64_t fewest = std::numeric_limits<std::int32_t>::max();
  for (const Running& one : running_) {
    const std::int64_t now = one.prefill_left != 0 ? (one.got == one.prefill_left ? 1 : 0)
                             : decodes_            ? one.length + 1
                                                   : 0;
    fewest = std::min(fewest, steps(std::int64_t{one.output} - one.emitted - now));
  }
  const auto look_at = [&](const Waiting& one) {
    const bool computes = !one.request.prefilled || one.preemptions > 0;  // a step that gives one token
    const std::int64_t left = std::int64_t{one.request.output} - one.emitted;
    fewest = std::min(fewest, computes ? 1 + steps(left - 1) : steps(left));
  };
  for (const Waiting& one : waiting_) look_at(one);
  for (const Waiting& one : for_adapters_) look_at(one);
  for (const Waiting& one : swapped_) fewest = std::min(fewest, steps(std::int64_t{one.request.output} - one.emitted));
  // A hair less: sums of many steps round.
  constexpr double rounding = 1.0 - 1e-9;
  const double here_s = next_s_ + static_cast<double>(fewest) * shortest_step_s() * rounding;
  return leaving_.empty() ? here_s : std::min(here_s, leaving_.front().finish_s);
}

/// A prompt, or the piece of it that this step computes.
/// @param found  of its context, what the cache had; of pieces that follow the first 0
void Replica::add_prompt(Pass& pass, const Running& one, double found) {
  const double tokens = one.got, context = one.context;
  pass.tokens += tokens, pass.context += context, pass.requests += 1.0;
  pass.prompts += 1.0, pass.prompt_tokens += tokens, pass.prompt_context += context;
  pass.prompt_pairs += tokens * (context + (tokens - 1.0) / 2.0);
  pass.prompt_found += found, pass.found_pairs += tokens * found;
}

void Replica::start(double now_s, double ms) {
  totals_.without_time += ms > 0.0 ? 0 : 1;
  stepping_ = true, begun_s_ = now_s, next_s_ = now_s + std::max(ms, 1e-9) / 1000.0;
}

void Replica::begin_step(double now_s) {
  compose(now_s);
  launch(now_s, composed_ms(0.0, 0.0));
}

void Replica::compose(double now_s) {
  look_for_adapters(now_s);
  // All up to those whom a step before this one has seen.
  for (auto one = waiting_.rbegin(); one != waiting_.rend() && one->seen_s < 0.0; ++one) one->seen_s = now_s;
  only_seen_ = options_.schedules_ahead && stepping_ && !running_.empty();
  stepping_ = decodes_ = prefills_ = false;
  length_ = 0, predicted_ = 0.0;
  pass_ = {}, extra_ms_ = draft_ms_ = 0.0;
  bring_back(extra_ms_);
  const bool chunked = options_.batching == Batching::chunked;
  if (chunked && decoding_ > 0) draft_ms_ = decode_part(pass_, extra_ms_);
  const auto decoded = static_cast<std::uint64_t>(pass_.tokens);
  std::uint64_t budget = options_.max_batched_tokens > decoded ? options_.max_batched_tokens - decoded : 0;
  std::uint32_t prompts = 0;
  if (chunked)
    for (Running& one : running_) {
      if (one.prefill_left == 0 || budget == 0) continue;
      one.got = static_cast<std::uint32_t>(std::min<std::uint64_t>(one.prefill_left, budget));
      budget -= one.got, ++prompts;
      add_prompt(pass_, one, 0.0);
    }
  while (admit(now_s, budget, prompts, pass_)) {
  }
  prefills_ = prompts > 0;
  // Also those who came with their prompts computed.
  const bool room = options_.batching == Batching::beside && decoding_ <= budget;
  if (decodes_ || decoding_ == 0 || (prefills_ && !room)) return;
  pass_ = {};
  draft_ms_ = decode_part(pass_, extra_ms_);
  // Who has just been admitted may have made room for those who decode.
  prefills_ = false;
  for (const Running& one : running_)  // whole prompts: they all begin here
    if (one.prefill_left != 0) prefills_ = true, add_prompt(pass_, one, one.context);
}

double Replica::composed_ms(double rank_tokens, double padded_tokens) {
  pass_.rank_tokens = rank_tokens, pass_.padded_tokens = padded_tokens;
  count_adapters();
  const double longer = 1.0 + options_.adapters.pass_share * at_work_;
  if (decodes_) {
    const double target = longer * options_.time.target_ms(pass_);
    return target + draft_ms_ + options_.time.overhead.of(length_, target) + extra_ms_;
  }
  return prefills_ ? options_.time.prefill_ms(pass_, longer) + extra_ms_ : 0.0;
}

void Replica::launch(double now_s, double ms) {
  if (decodes_ || prefills_) start(now_s, ms);
  else next_s_ = adapters_.next_s();  // somebody waits for it
}

// In the order of arrival: who does not fit holds up those behind him.
bool Replica::admit(double now_s, std::uint64_t& budget, std::uint32_t& prompts, Pass& pass) {
  if (waiting_.empty()) return false;
  Waiting& next = waiting_.front();
  if (!seen(next, now_s) || !adapter_there(now_s, next)) return false;
  if (!swapped_.empty() || running_.size() >= options_.max_running) return false;
  const Request& request = next.request;
  const bool computes = !request.prefilled || next.preemptions > 0;
  if (computes && (prompts >= options_.max_prefills || budget == 0)) return false;
  const bool shares = options_.shares_prefixes && request.prefix_group != Request::none;
  // The last token of a prompt is always computed: what follows it is drawn from it.
  const std::uint32_t alike = shares ? std::min(request.prefix, request.prompt - 1) : 0;
  const std::uint64_t context = next.context(), found = shares ? cache_.found(request.prefix_group, alike) : 0;
  const std::uint64_t to_compute = computes ? context - found : 0;
  const bool chunked = options_.batching == Batching::chunked;
  if (!chunked && to_compute > budget && prompts > 0) return false;
  const std::uint64_t all = cache_.blocks_for(context + 1), there = found / options_.block_size;
  if (shares) cache_.use(request.prefix_group, there);  // before room is made, which might take it away
  if (!cache_.take(all - there, !running_.empty())) {
    if (shares) cache_.leave(request.prefix_group);
    return false;
  }
  Running one;
  one.emitted = next.emitted, one.output = request.output, one.slot = slot();
  one.blocks = static_cast<std::uint32_t>(all);
  Waiting& kept = slots_[one.slot];
  kept = next;
  if (kept.admitted_s < 0.0) kept.admitted_s = now_s;
  kept.shared_blocks = there;
  if (shares) {
    const std::uint64_t now_shared = alike / options_.block_size;
    if (now_shared > there) cache_.keep(request.prefix_group, now_shared - there), kept.shared_blocks = now_shared;
  }
  waiting_.pop_front();
  totals_.prompt_tokens_found += static_cast<double>(computes ? found : 0);
  if (!computes) {
    one.context = static_cast<std::uint32_t>(context);
    ++decoding_, context_ += context;
  } else {
    one.context = static_cast<std::uint32_t>(found);
    one.prefill_left = static_cast<std::uint32_t>(to_compute);
    one.got = chunked ? static_cast<std::uint32_t>(std::min(to_compute, budget)) : one.prefill_left;
    budget -= std::min<std::uint64_t>(budget, one.got), ++prompts;
    add_prompt(pass, one, one.context);
    work_ -= static_cast<double>(found), prompts_left_ -= static_cast<double>(found);
  }
  running_.push_back(one);
  return true;
}

void Replica::bring_back(double& extra_ms) {
  while (!swapped_.empty() && running_.size() < options_.max_running) {
    const Waiting& next = swapped_.front();
    const std::uint64_t context = next.context(), blocks = cache_.blocks_for(context + 1);
    if (!cache_.take(blocks, !running_.empty())) return;
    Running one;
    one.emitted = next.emitted, one.output = next.request.output, one.slot = slot();
    one.context = static_cast<std::uint32_t>(context), one.blocks = static_cast<std::uint32_t>(blocks);
    slots_[one.slot] = next;
    slots_[one.slot].shared_blocks = 0, slots_[one.slot].swapped_in = true;
    running_.push_back(one);
    ++decoding_, context_ += context;
    extra_ms += options_.swap_ms_per_token * static_cast<double>(context);
    swapped_.pop_front();
  }
}

/// Blocks for what this step may add, of the newest if need be. False where nobody is left to decode.
bool Replica::room_for_all(double& extra_ms) {
  for (std::size_t i = 0; i < running_.size(); ++i) {
    Running& one = running_[i];
    if (one.prefill_left != 0) continue;
    const std::uint64_t tokens = std::uint64_t{one.context} + 1 + static_cast<std::uint64_t>(one.length);
    if (tokens <= std::uint64_t{one.blocks} * options_.block_size) continue;
    const std::uint64_t more = cache_.blocks_for(tokens) - one.blocks;
    bool taken = cache_.take(more, false);
    while (!taken && running_.size() > i + 1) {
      preempt_last(extra_ms);
      taken = cache_.take(more, false);
    }
    if (taken) running_[i].blocks += static_cast<std::uint32_t>(more);
    else preempt_last(extra_ms);
  }
  return decoding_ > 0;
}

void Replica::preempt_last(double& extra_ms) {
  Running& one = running_.back();
  Waiting& kept = slots_[one.slot];
  ++kept.preemptions, ++totals_.preemptions;
  kept.emitted = one.emitted;
  const bool decoded = one.prefill_left == 0;
  if (decoded) --decoding_, context_ -= one.context;
  else work_ -= one.prefill_left, prompts_left_ -= one.prefill_left;
  release(one);
  if (options_.preemption == Preemption::swap && decoded) {
    extra_ms += options_.swap_ms_per_token * static_cast<double>(one.context);
    swapped_.push_front(kept);
  } else {
    work_ += static_cast<double>(kept.context()), prompts_left_ += static_cast<double>(kept.context());
    kept.swapped_in = false;
    waiting_.push_front(kept);
  }
  running_.pop_back();
}

std::uint32_t Replica::slot() {
  if (free_slots_.empty()) {
    slots_.emplace_back();
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  const std::uint32_t out = free_slots_.back();
  free_slots_.pop_back();
  return out;
}

void Replica::release(Running& one) {
  const Waiting& kept = slots_[one.slot];
  cache_.give_back(one.blocks - kept.shared_blocks);
  if (options_.shares_prefixes && kept.request.prefix_group != Request::none && !kept.swapped_in)
    cache_.leave(kept.request.prefix_group);
  free_slots_.push_back(one.slot);
}

/// That this step gives it, of whom something was proposed for.
std::uint32_t Replica::tokens_of(Running& one) {
  Waiting& kept = slots_[one.slot];
  const auto k = static_cast<std::uint32_t>(one.length);
  std::uint32_t n = 1;
  if (kept.request.trace != Request::none) {
    n = std::clamp(trace_of(one), 1U, k + 1);
  } else if (has_spare_) {
    n = options_.acceptance.draw(one.length, spare_bits_), has_spare_ = false;
  } else {
    const auto [now, later] = random_.halves();
    n = options_.acceptance.draw(one.length, now), spare_bits_ = later, has_spare_ = true;
  }
  const std::uint32_t tried = n <= k ? n : k;
  kept.tried += tried, kept.accepted += n - 1;
  return n;
}

void Replica::end_step(double now_s, std::vector<Served>& out) {
  const double took_s = now_s - begun_s_;
  ++totals_.steps, totals_.busy_s += took_s;
  totals_.requests_s += took_s * static_cast<double>(running_.size());
  const double share = cache_.limit() > 0 ? static_cast<double>(cache_.used() - cache_.unused_kept()) /
                                                static_cast<double>(cache_.limit())
                                          : 0.0;
  totals_.cache_s += took_s * share;
  totals_.adapters_s += took_s * at_work_;
  if (notes_ != nullptr && totals_.steps % note_every_ == 0)
    notes_->push_back({begun_s_, now_s, static_cast<std::uint32_t>(running_.size()),
                       static_cast<std::uint32_t>(waiting()), decodes_ ? length_ : -1, share,
                       decodes_ ? static_cast<std::uint32_t>(decoding_) : 0});
  double proposed = 0.0, tried = 0.0, accepted = 0.0;
  // Sums over the batch stay in registers: whole numbers, exact whenever they are added.
  std::uint64_t gave = 0, generated = 0, computed = 0;
  std::size_t left = 0;
  for (std::size_t i = 0; i < running_.size(); ++i) {
    Running& one = running_[i];
    std::uint32_t tokens = 0;
    if (one.prefill_left != 0) {
      if (one.got != 0) {
        computed += one.got;
        one.prefill_left -= one.got, one.context += one.got, one.got = 0;
        if (one.prefill_left == 0) tokens = 1, ++decoding_, context_ += one.context;
      }
    } else if (decodes_) {
      tokens = 1;
      if (one.length > 0) {
        tokens = tokens_of(one);
        const auto k = static_cast<double>(one.length), n = static_cast<double>(tokens);
        proposed += k, accepted += n - 1.0, tried += std::min(n, k);
      }
      gave += tokens;
    }
    tokens = std::min(tokens, one.output - one.emitted);
    const bool first = one.emitted == 0 && tokens > 0;
    one.emitted += tokens, one.context += tokens, generated += tokens;
    if (first) slots_[one.slot].first_token_s = now_s;
    if (tokens == 0 || (one.emitted < one.output && !options_.prefills_only)) {
      if (left != i) running_[left] = one;
      ++left;
      continue;
    }
    const Waiting& kept = slots_[one.slot];
    work_ -= one.output - one.emitted;
    --decoding_, context_ -= one.context;
    out.push_back({kept.request.id, kept.request.arrival_s, kept.admitted_s, kept.first_token_s, now_s,
                   kept.request.prompt, kept.request.output, kept.preemptions, kept.seen_s, kept.request.adapter,
                   kept.adapter_wait_s});
    if (has_adapter(kept.request)) adapters_.done(now_s, kept.request.adapter);
    release(one);
  }
  context_ += generated;
  totals_.generated += static_cast<double>(generated), totals_.prompt_tokens += static_cast<double>(computed);
  work_ -= static_cast<double>(generated + computed), prompts_left_ -= static_cast<double>(computed);
  running_.resize(left);
  if (prefills_) ++totals_.prefill_steps;
  if (!decodes_) return;
  totals_.decode_s += took_s, totals_.predicted += predicted_, totals_.decoded += static_cast<double>(gave);
  totals_.tried += tried, totals_.accepted += accepted;
  totals_.steps_by_length[static_cast<std::size_t>(length_)] += 1.0;
  controller_.observe(proposed, tried, accepted);
}

}  // namespace llm_serving
