#include "plugins/llm_serving/engine/service.h"

#include <algorithm>

namespace llm_serving {

Service::Service(const ServiceOptions& options, std::uint64_t seed) : options_(options) {
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

bool Service::arrive(double now_s, const Request& request) {
  const std::size_t decoders = options_.replicas, all = replicas_.size();
  const bool apart = options_.prefill_replicas > 0;
  const std::size_t to = apart ? choose(request, decoders, all, turn_) : choose(request, 0, decoders, turn_);
  Request numbered = request;
  if (apart) {
    if (free_.empty()) free_.push_back(away_.size()), away_.emplace_back();
    numbered.id = free_.back();
    away_[numbered.id] = {request, 0.0};
  }
  if (!replicas_[to].arrive(now_s, numbered)) return false;
  if (apart) free_.pop_back();
  ++here_;
  return true;
}

double Service::next_event_s() const {
  double out = transfers_.empty() ? never : transfers_.top().ready_s;
  for (const Replica& one : replicas_) out = std::min(out, one.next_event_s());
  return out;
}

double Service::next_done_s() const {
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
    for (std::size_t r = 1; r < replicas_.size(); ++r)
      if (replicas_[r].next_event_s() < replicas_[next].next_event_s()) next = r;
    const double now_s = replicas_[next].next_event_s();
    if (!transfers_.empty() && transfers_.top().ready_s <= std::min(now_s, to_s)) {
      const Transfer one = transfers_.top();
      transfers_.pop();
      const std::size_t to = choose(one.request, 0, options_.replicas, decode_turn_);
      if (!replicas_[to].arrive(one.ready_s, one.request)) --here_, free_.push_back(one.request.id);
      continue;
    }
    if (!(now_s <= to_s)) return;
    if (next >= options_.replicas) {
      hand_over(next, out);
      continue;
    }
    const std::size_t before = out.size();
    replicas_[next].advance(now_s, out);
    here_ -= out.size() - before;
    if (options_.prefill_replicas == 0) continue;
    for (std::size_t i = before; i < out.size(); ++i) {  // they came to the door, not to the replica
      const std::uint64_t number = out[i].id;
      out[i].id = away_[number].asked.id, out[i].admitted_s = away_[number].admitted_s;
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
      free_.push_back(one.id);
      one.id = asked.id, --here_;
      out.push_back(one);
      continue;
    }
    away_[one.id].admitted_s = one.admitted_s;
    Transfer next{one.finish_s + (options_.transfer_ms + options_.transfer_ms_per_token * asked.prompt) / 1000.0,
                  transferred_++, asked};
    next.request.id = one.id, next.request.prefilled = true, next.request.first_token_s = one.first_token_s;
    transfers_.push(next);
  }
}

}  // namespace llm_serving
