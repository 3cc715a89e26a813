#include "plugins/llm_serving/engine/service.h"

#include <algorithm>

namespace llm_serving {
namespace {

/// In the end.
double tokens_held(std::uint32_t prompt, std::uint32_t output) { return static_cast<double>(prompt) + output; }

}  // namespace

Service::Service(const ServiceOptions& options, std::uint64_t seed)
    : options_(options), reserved_(options.replicas, 0.0) {
  ReplicaOptions prefills = options.replica;
  prefills.prefills_only = true, prefills.time = options.prefill_time;
  prefills.control.policy = Policy::none;
  replicas_.reserve(options.replicas + options.prefill_replicas);
  for (std::uint32_t r = 0; r < options.replicas + options.prefill_replicas; ++r)
    replicas_.emplace_back(r < options.replicas ? options.replica : prefills, seed, r);
}

std::size_t Service::choose(const Request& request, std::size_t from, std::size_t to, std::uint64_t& turn) {
  if (options_.routing == ReplicaRouting::round_robin) return from + turn++ % (to - from);
  const auto requests = [this](std::size_t r) { return replicas_[r].running() + replicas_[r].waiting(); };
  std::size_t least = from;
  if (options_.routing == ReplicaRouting::least_pending || options_.routing == ReplicaRouting::least_reserved) {
    const auto pending = [&](std::size_t r) { return replicas_[r].prompts_left() + static_cast<double>(requests(r)); };
    for (std::size_t r = from + 1; r < to; ++r)
      if (pending(r) < pending(least)) least = r;
    return least;
  }
  if (options_.routing == ReplicaRouting::shortest_queue) {
    for (std::size_t r = from + 1; r < to; ++r)
      if (requests(r) < requests(least)) least = r;
    return least;
  }
  for (std::size_t r = from + 1; r < to; ++r)
    if (replicas_[r].work() < replicas_[least].work()) least = r;
  if (options_.routing == ReplicaRouting::least_loaded || request.prefix_group == Request::none) return least;
  std::size_t best = least;
  std::uint64_t most = replicas_[least].prefix_found(request.prefix_group, request.prefix);
  for (std::size_t r = from; r < to; ++r) {
    const std::uint64_t found = replicas_[r].prefix_found(request.prefix_group, request.prefix);
    const double more = replicas_[r].work() - replicas_[least].work();
    if (found > most && more <= options_.prefix_patience * static_cast<double>(found)) most = found, best = r;
  }
  return best;
}

std::size_t Service::choose_decoder(const Request& request, std::uint64_t& turn) {
  if (options_.routing != ReplicaRouting::least_reserved) return choose(request, 0, options_.replicas, turn);
  return static_cast<std::size_t>(std::min_element(reserved_.begin(), reserved_.end()) - reserved_.begin());
}

bool Service::arrive(double now_s, const Request& request) {
  const std::size_t decoders = options_.replicas, all = replicas_.size();
  const bool apart = options_.prefill_replicas > 0;
  const std::size_t to = apart ? choose(request, decoders, all, turn_) : choose_decoder(request, turn_);
  Request numbered = request;
  if (apart) {
    if (free_.empty()) free_.push_back(away_.size()), away_.emplace_back();
    numbered.id = free_.back();
    away_[numbered.id] = {.asked = request};
  }
  if (!replicas_[to].arrive(now_s, numbered)) return false;
  if (options_.routing == ReplicaRouting::least_reserved) {
    const std::size_t decoder = apart ? choose_decoder(request, decode_turn_) : to;
    reserved_[decoder] += tokens_held(request.prompt, request.output);
    if (apart) away_[numbered.id].decoder = decoder;
  }
  if (apart) free_.pop_back();
  ++here_;
  return true;
}

double Service::next_event_s() const {
  double out = transfers_.empty() ? never : transfers_.top().ready_s;
  for (std::size_t r = options_.together ? options_.replicas : 0; r < replicas_.size(); ++r)
    out = std::min(out, replicas_[r].next_event_s());
  return options_.together ? std::min(out, next_together_s()) : out;
}

/// Who comes while others make a step waits for its end.
double Service::next_together_s() const {
  double out = never;
  for (std::size_t r = 0; r < options_.replicas; ++r) out = std::min(out, replicas_[r].next_event_s());
  return out == never ? out : std::max(out, together_s_);
}

void Service::step_together(double now_s, std::vector<Served>& out) {
  for (std::size_t r = 0; r < options_.replicas; ++r) replicas_[r].end(now_s, out);
  double sum = 0.0, most = 0.0, ms = 0.0;
  for (std::size_t r = 0; r < options_.replicas; ++r) {
    replicas_[r].compose(now_s);
    sum += replicas_[r].composed_tokens(), most = std::max(most, replicas_[r].composed_tokens());
  }
  const double each = options_.padded ? most : sum / options_.replicas;
  for (std::size_t r = 0; r < options_.replicas; ++r)
    ms = std::max(ms, replicas_[r].composed_ms(each, options_.padded ? most : 0.0));
  for (std::size_t r = 0; r < options_.replicas; ++r) {
    replicas_[r].launch(now_s, ms);
    // Who only waits for an adapter holds up nobody.
    if (replicas_[r].stepping()) together_s_ = replicas_[r].next_event_s();
  }
}

double Service::next_done_s() const {
  if (options_.together) return next_event_s();
  double out = transfers_.empty() ? never : transfers_.top().ready_s;
  for (const Replica& one : replicas_) out = std::min(out, one.next_done_s());
  return out;
}

// In the order of time over all replicas, so that who is handed over finds the others as they are then.
void Service::advance(double to_s, std::vector<Served>& out) {
  if (replicas_.size() == 1) {
    const std::size_t before = out.size();
    replicas_[0].advance(to_s, out);
    here_ -= out.size() - before;
    return;
  }
  for (;;) {
    std::size_t next = 0;
    const auto at = [this](std::size_t r) {
      return options_.together && r < options_.replicas ? next_together_s() : replicas_[r].next_event_s();
    };
    for (std::size_t r = options_.together ? options_.replicas : 1; r < replicas_.size(); ++r)
      if (at(r) < at(next)) next = r;
    const double now_s = at(next);
    if (!transfers_.empty() && transfers_.top().ready_s <= std::min(now_s, to_s)) {
      const Transfer one = transfers_.top();
      transfers_.pop();
      const bool chosen = options_.routing == ReplicaRouting::least_reserved;
      const std::size_t to = chosen ? away_[one.request.id].decoder : choose_decoder(one.request, decode_turn_);
      if (replicas_[to].arrive(one.ready_s, one.request)) continue;
      --here_, free_.push_back(one.request.id);
      if (chosen) reserved_[to] -= tokens_held(one.request.prompt, one.request.output);
      continue;
    }
    if (!(now_s <= to_s)) return;
    if (next >= options_.replicas) {
      hand_over(next, out);
      continue;
    }
    const std::size_t before = out.size();
    if (options_.together) step_together(now_s, out);
    else replicas_[next].advance(now_s, out);
    here_ -= out.size() - before;
    if (options_.routing == ReplicaRouting::least_reserved)
      for (std::size_t i = before; i < out.size(); ++i) reserved_[next] -= tokens_held(out[i].prompt, out[i].output);
    if (options_.prefill_replicas == 0) continue;
    for (std::size_t i = before; i < out.size(); ++i) {  // they came to the door, not to the replica
      const std::uint64_t number = out[i].id;
      out[i].handover_s = out[i].admitted_s - out[i].first_token_s;
      out[i].id = away_[number].asked.id, out[i].admitted_s = away_[number].admitted_s;
      out[i].seen_s = away_[number].seen_s, out[i].adapter_wait_s += away_[number].adapter_wait_s;
      free_.push_back(number);
    }
  }
}

void Service::hand_over(std::size_t from, std::vector<Served>& out) {
  done_.clear();
  replicas_[from].advance(replicas_[from].next_event_s(), done_);
  for (Served& one : done_) {
    const Request& asked = away_[one.id].asked;
    if (asked.output == 1) {
      if (options_.routing == ReplicaRouting::least_reserved)
        reserved_[away_[one.id].decoder] -= tokens_held(asked.prompt, asked.output);
      free_.push_back(one.id);
      one.id = asked.id, --here_;
      out.push_back(one);
      continue;
    }
    away_[one.id].admitted_s = one.admitted_s, away_[one.id].seen_s = one.seen_s;
    away_[one.id].adapter_wait_s = one.adapter_wait_s;
    Transfer next{one.finish_s + (options_.transfer_ms + options_.transfer_ms_per_token * asked.prompt) / 1000.0,
                  transferred_++, asked};
    next.request.id = one.id, next.request.prefilled = true, next.request.first_token_s = one.first_token_s;
    transfers_.push(next);
  }
}

}  // namespace llm_serving
