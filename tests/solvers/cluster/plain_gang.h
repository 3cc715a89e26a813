#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

/// Schedulers of gangs by their definitions, written out plainly: every moment everybody is ranked anew, hosts are a
/// list of numbers, and nothing is kept in order. Shares no code with what it checks.
struct PlainGang {
  struct Job {
    double arrival, work;
    int gpus;
    double cpus, memory;
    int user;
  };
  enum Policy { fifo, backfill, sjf, srtf, las, equi, drf };
  struct Rules {
    Policy policy = fifo;
    int gpus = 8, per_host = 4;
    bool together = false;
    double cpus = 1e300, memory = 1e300, restart = 0.0;
    std::vector<double> thresholds;
    double promote = 1e300;
    std::vector<double> weights;
    double period = 1e300, cost = 0.0;  ///< of work between checkpoints, of a checkpoint
    bool front = true;                  ///< who loses a host waits before all others
    struct Change {
      double at;
      int host;
      bool up;
    };
    std::vector<Change> changes = {};  ///< of hosts, in the order of time
    double until = 1e300;
  };
  struct Outcome {
    double start = -1.0, end = -1.0, gpu_time = 0.0;
    int stops = 0, failures = 0;
    double lost = 0.0;
  };

  PlainGang(std::vector<Job> all, Rules how) : jobs(std::move(all)), rules(std::move(how)) {
    for (int left = rules.gpus; left > 0; left -= rules.per_host) empty.push_back(std::min(left, rules.per_host));
    free = empty;
  }

  std::vector<Job> jobs;
  Rules rules;
  std::vector<int> empty, free;
  struct State {
    bool there = false, done = false, runs = false;
    double left = 0.0, since = 0.0, from = 0.0, attained = 0.0, promotion = 1e300;
    int queue = 0, begun = -1;
    double order = 0.0;
    std::map<int, int> place;
    Outcome out;
  };
  std::vector<State> state;
  int begun = 0;
  double before = 0.0, behind = 0.0;  ///< orders that have been given

  /// Where so many GPUs go on hosts with so many free; nothing: nowhere.
  std::map<int, int> find(const std::vector<int>& on, int gpus) const {
    std::map<int, int> out;
    std::vector<int> left = on;
    int rest = gpus;
    for (std::size_t h = 0; h < left.size() && rest >= rules.per_host; ++h)
      if (left[h] == rules.per_host) out[static_cast<int>(h)] = rules.per_host, left[h] = 0, rest -= rules.per_host;
    if (rest < rules.per_host) {
      int best = -1;
      for (std::size_t h = 0; h < left.size() && rest > 0; ++h)
        if (left[h] >= rest && (best < 0 || left[h] < left[static_cast<std::size_t>(best)])) best = static_cast<int>(h);
      if (rest == 0) return out;
      if (best >= 0) return out[best] = rest, out;
    }
    if (rules.together) return {};
    out.clear(), left = on, rest = gpus;
    while (rest > 0) {
      int most = 0;
      for (std::size_t h = 0; h < left.size(); ++h)
        if (left[h] > left[static_cast<std::size_t>(most)]) most = static_cast<int>(h);
      const int here = std::min(rest, left[static_cast<std::size_t>(most)]);
      if (here == 0) return {};
      out[most] = here, left[static_cast<std::size_t>(most)] -= here, rest -= here;
    }
    return out;
  }
  void hold(const std::map<int, int>& place, int sign) {
    for (const auto& [host, gpus] : place) free[static_cast<std::size_t>(host)] -= sign * gpus;
  }
  double used(double Job::*what) const {
    double out = 0.0;
    for (std::size_t i = 0; i < jobs.size(); ++i)
      if (state[i].runs) out += jobs[i].*what;
    return out;
  }
  bool enough(std::size_t i) const {
    return used(&Job::cpus) + jobs[i].cpus <= rules.cpus * (1 + 1e-12) &&
           used(&Job::memory) + jobs[i].memory <= rules.memory * (1 + 1e-12);
  }
  bool fits(std::size_t i) const { return !find(free, jobs[i].gpus).empty() && enough(i); }

  /// Step by step: how long so much work takes with its checkpoints, and what is done and saved after a time.
  double duration(double work) const {
    double time = 0.0;
    for (; work > rules.period * (1 + 1e-12); work -= rules.period) time += rules.period + rules.cost;
    return time + work;
  }
  std::pair<double, double> progress(double work, double after) const {
    double saved = 0.0;
    while (work - saved > rules.period * (1 + 1e-12)) {
      if (after < rules.period) return {saved + after, saved};
      if (after < rules.period + rules.cost) return {saved + rules.period, saved};
      after -= rules.period + rules.cost, saved += rules.period;
    }
    return {std::min(work, saved + after), saved};
  }
  double needs(std::size_t i) const { return duration(state[i].left) + (state[i].begun >= 0 ? rules.restart : 0.0); }

  void begin(std::size_t i, double now) {
    State& s = state[i];
    s.place = find(free, jobs[i].gpus);
    hold(s.place, 1);
    s.runs = true, s.since = now, s.promotion = 1e300;
    s.from = now + (s.begun >= 0 ? rules.restart : 0.0);
    if (s.begun < 0) s.begun = begun++, s.out.start = now;
  }
  void let_go(std::size_t i) { hold(state[i].place, -1), state[i].runs = false; }
  void stop(std::size_t i, double now) {
    State& s = state[i];
    const double worked = progress(s.left, std::max(0.0, now - s.from)).first;
    s.left -= worked, s.attained += worked;
    s.out.gpu_time += jobs[i].gpus * (now - s.since), ++s.out.stops;
    if (s.queue > 0 && rules.promote < 1e299) s.promotion = now + rules.promote * (jobs[i].work - s.left);
  }
  void lose(std::size_t i, double now) {
    State& s = state[i];
    let_go(i);
    const auto [done, saved] = progress(s.left, std::max(0.0, now - s.from));
    s.left -= saved, s.attained += done;
    s.out.lost += done - saved, ++s.out.failures;
    s.out.gpu_time += jobs[i].gpus * (now - s.since);
    s.order = rules.front ? --before : ++behind;
    if (s.queue > 0 && rules.promote < 1e299) s.promotion = now + rules.promote * (jobs[i].work - s.left);
  }
  void change(const Rules::Change& what) {
    const auto h = static_cast<std::size_t>(what.host);
    if (what.up) {
      free[h] = empty[h];
      return;
    }
    std::vector<std::pair<int, std::size_t>> here;
    for (std::size_t i = 0; i < jobs.size(); ++i)
      if (state[i].runs && state[i].place.count(what.host) > 0) here.emplace_back(state[i].begun, i);
    std::sort(here.begin(), here.end());
    if (rules.front) std::reverse(here.begin(), here.end());
    for (const auto& [b, i] : here) lose(i, what.at);
    free[h] = 0;
  }
  double end_of(std::size_t i) const { return state[i].from + duration(state[i].left); }
  double falls(std::size_t i) const {
    const State& s = state[i];
    if (rules.policy != las || s.queue >= static_cast<int>(rules.thresholds.size())) return 1e300;
    const double work = rules.thresholds[static_cast<std::size_t>(s.queue)] / jobs[i].gpus - s.attained;
    return s.from + (work > 0.0 ? duration(work) : 0.0);
  }

  struct Rank {
    double a, b, c;
    bool operator<(const Rank& o) const { return a != o.a ? a < o.a : b != o.b ? b < o.b : c < o.c; }
  };
  Rank rank(std::size_t i, double now) const {
    const State& s = state[i];
    const double number = s.order, runs = s.runs ? 0.0 : 1.0;
    switch (rules.policy) {
      case sjf:
        return {jobs[i].work, number, 0.0};
      case srtf:
        return {s.runs ? end_of(i) - now : needs(i), runs, number};
      case las:
        return {static_cast<double>(s.queue), s.begun >= 0 ? s.begun : 1e9 + number, 0.0};
      default:
        return {number, 0.0, 0.0};
    }
  }

  void decide(double now) {
    std::vector<std::pair<Rank, std::size_t>> order;
    for (std::size_t i = 0; i < jobs.size(); ++i)
      if (state[i].there && (!state[i].runs || rules.policy == srtf || rules.policy == las))
        order.push_back({rank(i, now), i});
    std::sort(order.begin(), order.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    if (rules.policy == drf) return decide_drf(now);
    if (rules.policy == backfill) return decide_backfill(now, order);
    if (rules.policy == fifo || rules.policy == sjf) {
      for (const auto& [r, i] : order) {
        if (!fits(i)) return;
        begin(i, now);
      }
      return;
    }
    std::vector<std::size_t> released;
    for (std::size_t at = 0; at < order.size(); ++at) {
      const std::size_t i = order[at].second;
      State& s = state[i];
      if (s.runs) continue;
      const auto mine = std::find(released.begin(), released.end(), i);
      if (mine != released.end()) {
        bool still = enough(i);
        for (const auto& [host, gpus] : s.place) still = still && free[static_cast<std::size_t>(host)] >= gpus;
        if (still) {
          released.erase(mine);
          hold(s.place, 1), s.runs = true;
          continue;
        }
      }
      std::vector<std::size_t> tried;
      for (std::size_t last = order.size() - 1; last > at && !fits(i); --last) {
        const std::size_t other = order[last].second;
        if (!state[other].runs) continue;
        if (rules.policy == srtf && !(order[at].first.a < order[last].first.a)) continue;
        let_go(other), tried.push_back(other);
      }
      if (!fits(i)) {
        for (const std::size_t other : tried) hold(state[other].place, 1), state[other].runs = true;
        continue;
      }
      released.insert(released.end(), tried.begin(), tried.end());
      if (std::count(released.begin(), released.end(), i) > 0) {
        released.erase(std::find(released.begin(), released.end(), i));
        stop(i, now);
      }
      begin(i, now);
    }
    for (const std::size_t i : released) stop(i, now);
  }

  void decide_backfill(double now, const std::vector<std::pair<Rank, std::size_t>>& order) {
    std::size_t at = 0;
    for (; at < order.size() && fits(order[at].second); ++at) begin(order[at].second, now);
    if (at == order.size()) return;
    const std::size_t head = order[at].second;
    // In thought: everybody who ends by then is gone.
    const std::vector<State> kept = state;
    const std::vector<int> kept_free = free;
    double then = now;
    while (!fits(head)) {
      double next = 1e300;
      for (std::size_t i = 0; i < jobs.size(); ++i)
        if (state[i].runs) next = std::min(next, end_of(i));
      then = next;
      if (next == 1e300) break;  // he needs a host that is away
      for (std::size_t i = 0; i < jobs.size(); ++i)
        if (state[i].runs && end_of(i) <= next) let_go(i);
    }
    const std::map<int, int> promised = find(free, jobs[head].gpus);
    hold(promised, 1);
    std::vector<int> spare_at = free;
    int spare = 0;
    for (const int one : free) spare += one;
    double cpus = rules.cpus - used(&Job::cpus) - jobs[head].cpus,
           memory = rules.memory - used(&Job::memory) - jobs[head].memory;
    state = kept, free = kept_free;
    for (++at; at < order.size(); ++at) {
      const std::size_t i = order[at].second;
      if (!fits(i)) continue;
      if (now + needs(i) > then) {
        if (jobs[i].gpus > spare || jobs[i].cpus > cpus || jobs[i].memory > memory) continue;
        const std::map<int, int> place = find(free, jobs[i].gpus);
        bool leaves = true;
        if (rules.together)
          for (const auto& [host, gpus] : place) leaves = leaves && gpus <= spare_at[static_cast<std::size_t>(host)];
        if (!leaves) continue;
        for (const auto& [host, gpus] : place) spare_at[static_cast<std::size_t>(host)] -= gpus;
        spare -= jobs[i].gpus, cpus -= jobs[i].cpus, memory -= jobs[i].memory;
      }
      begin(i, now);
    }
  }

  void decide_drf(double now) {
    std::vector<int> passed;
    for (;;) {
      double least = 1e300;
      int user = -1;
      std::size_t first = 0;
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        const int u = jobs[i].user;
        if (!state[i].there || state[i].runs || std::count(passed.begin(), passed.end(), u) > 0) continue;
        double gpus = 0, cpus = 0, memory = 0;
        for (std::size_t k = 0; k < jobs.size(); ++k)
          if (state[k].runs && jobs[k].user == u) gpus += jobs[k].gpus, cpus += jobs[k].cpus, memory += jobs[k].memory;
        const double weight =
            u < static_cast<int>(rules.weights.size()) ? rules.weights[static_cast<std::size_t>(u)] : 1.0;
        const double share = std::max({gpus / rules.gpus, cpus / rules.cpus, memory / rules.memory}) / weight;
        if (share < least || (share == least && u < user)) least = share, user = u, first = i;
      }
      if (user < 0) return;
      // The first of that user in the order of arrival.
      double order = 1e300;
      for (std::size_t i = 0; i < jobs.size(); ++i)
        if (state[i].there && !state[i].runs && jobs[i].user == user && state[i].order < order)
          first = i, order = state[i].order;
      if (!fits(first)) passed.push_back(user);
      else begin(first, now);
    }
  }

  std::vector<Outcome> run() {
    state.assign(jobs.size(), {});
    std::size_t changed = 0;
    std::vector<bool> came(jobs.size());
    for (;;) {
      double now = 1e300;
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (!came[i]) now = std::min(now, jobs[i].arrival);
        if (state[i].runs) now = std::min({now, end_of(i), falls(i)});
        else if (state[i].there) now = std::min(now, state[i].promotion);
      }
      if (changed < rules.changes.size()) now = std::min(now, rules.changes[changed].at);
      if (now == 1e300 || now > rules.until) break;
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        State& s = state[i];
        while (s.runs && falls(i) <= now && falls(i) < end_of(i)) ++s.queue;
        if (s.runs && end_of(i) <= now) {
          let_go(i);
          s.there = false, s.done = true;
          s.out.end = now, s.out.gpu_time += jobs[i].gpus * (now - s.since);
        }
        if (s.there && !s.runs && s.promotion <= now) s.queue = 0, s.attained = 0.0, s.promotion = 1e300;
      }
      for (std::size_t i = 0; i < jobs.size(); ++i)
        if (!came[i] && jobs[i].arrival <= now) {
          came[i] = true, state[i].order = ++behind;
          const bool ever =
              !find(empty, jobs[i].gpus).empty() && jobs[i].cpus <= rules.cpus && jobs[i].memory <= rules.memory;
          state[i].there = ever, state[i].left = jobs[i].work;
        }
      for (; changed < rules.changes.size() && rules.changes[changed].at <= now; ++changed)
        change(rules.changes[changed]);
      decide(now);
    }
    std::vector<Outcome> out;
    for (const State& s : state) out.push_back(s.out);
    return out;
  }

  /// EQUI by small steps from event to event: everybody has gpus / n, at speed k below one GPU and k^power above.
  std::vector<double> run_evenly(double power) const {
    std::vector<double> left(jobs.size()), end(jobs.size(), -1.0);
    const auto speed = [&](double k) { return k <= 1.0 ? k : std::pow(k, power); };
    for (std::size_t i = 0; i < jobs.size(); ++i) left[i] = jobs[i].work * speed(jobs[i].gpus);
    double now = 0.0;
    for (;;) {
      std::size_t n = 0;
      double arrival = 1e300;
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (jobs[i].arrival <= now && end[i] < 0.0) ++n;
        if (jobs[i].arrival > now) arrival = std::min(arrival, jobs[i].arrival);
      }
      double step = arrival - now;
      const double v = n > 0 ? speed(rules.gpus / static_cast<double>(n)) : 0.0;
      std::size_t who = jobs.size();
      for (std::size_t i = 0; i < jobs.size(); ++i)
        if (jobs[i].arrival <= now && end[i] < 0.0 && left[i] / v < step) step = left[i] / v, who = i;
      if (step > 1e200) return end;
      for (std::size_t i = 0; i < jobs.size(); ++i)
        if (jobs[i].arrival <= now && end[i] < 0.0) left[i] -= step * v;
      if (who == jobs.size()) now = arrival;
      else now += step, end[who] = now;
    }
  }
};
