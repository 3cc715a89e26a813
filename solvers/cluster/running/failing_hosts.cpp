#include "solvers/cluster/running/failing_hosts.h"

#include "solvers/cluster/running/flowing_rates.h"

namespace ergode {

void FailingHosts::begin(std::uint32_t hosts, double now_s) {
  if (!any()) return;
  hosts_.assign(hosts, {});
  if (!rules_->by_laws) return;
  for (std::uint32_t h = 0; h < hosts; ++h) changes_.push_back({now_s + rules_->time_to_failure.sample(draws_), h});
  std::make_heap(changes_.begin(), changes_.end(), std::greater<>());
}

std::uint32_t FailingHosts::next_change(double now_s) {
  std::pop_heap(changes_.begin(), changes_.end(), std::greater<>());
  Change& change = changes_.back();
  const std::uint32_t host = change.host;
  const Distribution& next = hosts_[host].sound ? rules_->repair : rules_->time_to_failure;
  change.at_s = now_s + next.sample(draws_);
  std::push_heap(changes_.begin(), changes_.end(), std::greater<>());
  return host;
}

void FailingHosts::waiting(const std::string& name, ElementId element, std::vector<Waiting>& out) const {
  for (const Change& one : changes_)
    out.push_back({one.at_s, name, hosts_[one.host].sound ? "host fails" : "host is repaired", element});
}

void HostConditions::add(std::uint32_t place, const HostFailures& rules) {
  for (std::uint32_t h = 0; h < rules.readers.size(); ++h) all_.push_back({rules.readers[h], place, h});
  std::sort(all_.begin(), all_.end(), [](const Condition& a, const Condition& b) {
    return a.reader != b.reader ? a.reader < b.reader : a.place != b.place ? a.place < b.place : a.host < b.host;
  });
}

void know_conditions(const HostFailures& rules, const char* code, ElementId element, const std::string& name,
                     std::span<const std::uint32_t> flowing, Diagnostics& problems) {
  for (const Program& program : rules.up_while) {
    if (!reads_flowing(program, flowing)) continue;
    problems.push_back({.code = code,
                        .element = element,
                        .pointer = "up_while",
                        .message = "Whether a host of \"" + name +
                                   "\" is up may change at any time, because what is read there flows; wanted what "
                                   "changes at events.",
                        .hint = "Draw it as a chart with two states and when(...), and read which of them is active."});
    return;
  }
}

}  // namespace ergode
