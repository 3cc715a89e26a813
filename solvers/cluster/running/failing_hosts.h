#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/des/running_part.h"
#include "core/random/random_stream.h"
#include "solvers/cluster/model/host_failures.h"

namespace ergode {

/// Hosts of one place that fail, while they run: which of them are up, and when the next one fails or is repaired by
/// its own laws. What that does to jobs is the owner's: he is told of each host that goes or comes.
///
///     hosts.start(replication);                        // of draws; nobody is there
///     hosts.begin(64, now_s);                          // all are up
///     hosts.ask_conditions(slots, changed);            // those whose condition does not hold are not
///     hosts.pass(now_s, changed);                      // again at next_s()
///     hosts.allow(3, false, changed);                  // the condition of one has changed
///
/// `changed(host)` is called when up(host) has changed, at that moment. Times to failure and repair are drawn from one
/// stream of the place, named by its element. A change costs O(log hosts).
class FailingHosts {
 public:
  /// @param rules  outlive it
  FailingHosts(const HostFailures& rules, std::uint64_t seed, const std::string& element)
      : rules_(&rules), key_(stream_key(seed, element + ".host_failures")) {}
  bool any() const { return rules_->any(); }
  void start(std::uint64_t replication) {
    draws_.restart(key_, replication);
    hosts_.clear(), changes_.clear();
  }
  /// Draws nothing where hosts do not fail by laws, and is empty where they do not fail at all.
  void begin(std::uint32_t hosts, double now_s);
  bool up(std::uint32_t host) const { return hosts_.empty() || hosts_[host].up(); }
  /// Infinity: none changes by itself.
  double next_s() const { return changes_.empty() ? std::numeric_limits<double>::infinity() : changes_.front().at_s; }

  template <typename Changed>
  void pass(double now_s, const Changed& changed) {
    while (next_s() <= now_s) {
      const std::uint32_t host = next_change(now_s);
      become(host, !hosts_[host].sound, hosts_[host].allowed, changed);
    }
  }
  template <typename Changed>
  void allow(std::uint32_t host, bool allowed, const Changed& changed) {
    become(host, hosts_[host].sound, allowed, changed);
  }
  /// @param slots  of the world
  template <typename Changed>
  void ask_condition(std::uint32_t host, const double* slots, const Changed& changed) {
    allow(host, rules_->up_while[host].evaluate(slots) != 0.0, changed);
  }
  template <typename Changed>
  void ask_conditions(const double* slots, const Changed& changed) {
    for (std::uint32_t h = 0; h < rules_->up_while.size(); ++h) ask_condition(h, slots, changed);
  }
  void waiting(const std::string& name, ElementId element, std::vector<Waiting>& out) const;

  /// Draws are not in it.
  template <typename Archive>
  void archive(Archive& a) {
    a(hosts_, changes_);
  }
  /// After archive() of a reader: further draws are those of this number.
  void restart_draws(std::uint64_t path) { draws_.restart(key_, path); }

 private:
  struct Host {
    bool sound = true, allowed = true;  ///< by its own laws, by the condition
    bool up() const { return sound && allowed; }
    template <typename Archive>
    void archive(Archive& a) {
      a(sound, allowed);
    }
  };
  /// When a host fails or is repaired; of equal times by number.
  struct Change {
    double at_s = 0.0;
    std::uint32_t host = 0;
    template <typename Archive>
    void archive(Archive& a) {
      a(at_s, host);
    }
    friend bool operator>(const Change& a, const Change& b) {
      return a.at_s != b.at_s ? a.at_s > b.at_s : a.host > b.host;
    }
  };
  /// The host that changes first, by its laws; when it will do so again is drawn.
  std::uint32_t next_change(double now_s);
  template <typename Changed>
  void become(std::uint32_t host, bool sound, bool allowed, const Changed& changed) {
    Host& one = hosts_[host];
    const bool was_up = one.up();
    one.sound = sound, one.allowed = allowed;
    if (one.up() != was_up) changed(host);
  }

  const HostFailures* rules_;
  std::uint64_t key_;
  RandomStream draws_;
  std::vector<Host> hosts_;
  std::vector<Change> changes_;  ///< heap, the earliest first
};

/// Whose condition reads what: hosts of several places by the numbers of their readers (SlotTable::wake()).
class HostConditions {
 public:
  void add(std::uint32_t place, const HostFailures& rules);
  /// @param ask  (place, host) of each whose condition may have changed
  template <typename Ask>
  void woken(std::uint32_t reader, const Ask& ask) const {
    auto read = std::lower_bound(all_.begin(), all_.end(), reader,
                                 [](const Condition& one, std::uint32_t number) { return one.reader < number; });
    for (; read != all_.end() && read->reader == reader; ++read) ask(read->place, read->host);
  }

 private:
  struct Condition {
    std::uint32_t reader, place, host;
  };
  std::vector<Condition> all_;  ///< by reader
};

/// A condition of hosts that may change without a word, because what is read there flows: a problem with this code.
/// @param flowing  slots, ascending
void know_conditions(const HostFailures& rules, const char* code, ElementId element, const std::string& name,
                     std::span<const std::uint32_t> flowing, Diagnostics& problems);

}  // namespace ergode
