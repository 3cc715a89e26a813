#include "plugins/llm_serving/engine/adapters.h"

#include <algorithm>

namespace llm_serving {

void AdapterSlots::advance(double to_s) {
  while (ends_s_ <= to_s) {
    const double now_s = ends_s_;
    One& one = all_[loading_];
    one.state = State::here, one.since_s = now_s, one.last_use = ++uses_;
    ends_s_ = never;
    start(now_s);
  }
}

bool AdapterSlots::ask(double now_s, std::uint32_t adapter) {
  advance(now_s);
  One& one = all_[adapter];
  ++asked_, ++one.users, one.last_use = ++uses_;
  if (one.state == State::here) {
    ++hits_;
    return true;
  }
  if (one.state == State::away) {
    one.state = State::wanted;
    wanted_.push_back(adapter);
    start(now_s);
  }
  return false;
}

void AdapterSlots::done(double now_s, std::uint32_t adapter) {
  advance(now_s);
  One& one = all_[adapter];
  --one.users, one.last_use = ++uses_;
  start(now_s);
}

void AdapterSlots::start(double now_s) {
  if (ends_s_ != never || wanted_.empty()) return;
  if (held_.size() >= options_.slots) {
    auto oldest = held_.end();
    for (auto at = held_.begin(); at != held_.end(); ++at)
      if (all_[*at].users == 0 && (oldest == held_.end() || all_[*at].last_use < all_[*oldest].last_use)) oldest = at;
    if (oldest == held_.end()) return;  // whoever is done next tries again
    all_[*oldest].state = State::away;
    held_.erase(oldest);
  }
  loading_ = wanted_.front();
  wanted_.pop_front();
  held_.push_back(loading_);
  all_[loading_].state = State::loading, ++loads_;
  ends_s_ = now_s + options_.load_ms[loading_] / 1000.0;
}

}  // namespace llm_serving
