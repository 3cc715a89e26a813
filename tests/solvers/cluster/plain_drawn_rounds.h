#pragma once
#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

namespace ergode::test {

/// A cluster in rounds whose jobs come one by one and whose hosts fail, written down from its definition and as slowly
/// as it reads: an oracle that shares nothing with the one that is tested. Jobs have steps of one speed.
struct PlainDrawnRounds {
  enum Policy { equal_parts, shortest_first };
  struct Job {
    double arrival = 0, steps = 0, speed = 1;
    int gpus = 1;
  };
  struct Change {
    double at = 0;
    int host = 0;
    bool up = true;
  };
  struct Rules {
    Policy policy = equal_parts;
    int gpus = 1, per_host = 8;
    double tau = 120, restore = 20, reset = 1000, until = 1e300;
    double period = 1e300, cost = 0;  ///< of checkpoints within a round
    std::vector<Change> changes{};
  };
  struct Outcome {
    double start = -1, end = -1, held = 0, lost = 0, busy = 0;
    int rounds = 0, preemptions = 0, restarts = 0;
  };

  std::vector<Job> jobs;
  Rules rules;

  struct One {
    double left = 0, had = 0, deficit = 0, x = 0;
    int last = -2;  ///< round in which it ran
    int failures = 0;
    bool here = false, shared = false, over = false, hit = false;
    std::vector<int> place{};  ///< GPUs by host
  };
  struct Task {
    std::size_t job;
    double steps, finish;
    bool restored, dropped;
    double held_until = 1e300;
  };
  std::vector<One> state{};
  std::vector<Outcome> out{};
  std::vector<int> free{};
  std::vector<bool> up{};
  std::size_t next_change = 0;

  /// Checkpoints of so much work: after each period, but not with the end.
  int written_in(double all) const {
    int count = 0;
    while (all - count * rules.period > rules.period * (1 + 1e-12)) ++count;
    return count;
  }
  /// Of these whole ones that are done after so long.
  int whole_in(double time, double all) const {
    int count = 0;
    while (count < written_in(all) && (count + 1) * (rules.period + rules.cost) <= time) ++count;
    return count;
  }
  double time_of(double work) const { return rules.cost > 0 ? work + written_in(work) * rules.cost : work; }
  /// Work done in so much time of `all`; and what of it is saved.
  double done_in(double time, double all) const {
    const int whole = whole_in(time, all);
    if (rules.period > 1e299) return std::clamp(time, 0.0, all);
    const double rest = time - whole * (rules.period + rules.cost);
    return std::min(all, whole * rules.period + (whole < written_in(all) ? std::min(rest, rules.period) : rest));
  }
  double saved_in(double time, double all) const {
    const int whole = whole_in(time, all);
    return whole > 0 ? whole * rules.period : 0;
  }

  /// Steps, but for last digits.
  static double whole(double steps) { return std::floor(steps + 1e-3); }
  int hosts() const { return (rules.gpus + rules.per_host - 1) / rules.per_host; }
  int gpus_of(int host) const { return std::min(rules.per_host, rules.gpus - host * rules.per_host); }
  int gpus_up() const {
    int all = 0;
    for (int h = 0; h < hosts(); ++h) all += up[static_cast<std::size_t>(h)] ? gpus_of(h) : 0;
    return all;
  }

  std::vector<double> shares(const std::vector<std::size_t>& who, double g) const {
    std::vector<double> x(who.size(), std::min(1.0, g / static_cast<double>(who.size())));
    if (rules.policy == equal_parts) return x;
    std::vector<std::size_t> waiting;
    double places = g;
    for (std::size_t k = 0; k < who.size(); ++k) {
      x[k] = state[who[k]].x;
      if (x[k] == 1) --places;
      else waiting.push_back(k);
    }
    places = std::max(places, 0.0);
    waiting.resize(
        std::min(waiting.size(), std::max(static_cast<std::size_t>(0.2 * static_cast<double>(waiting.size())),
                                          static_cast<std::size_t>(places))));
    std::stable_sort(waiting.begin(), waiting.end(), [&](std::size_t a, std::size_t b) {
      return state[who[a]].left / jobs[who[a]].speed < state[who[b]].left / jobs[who[b]].speed;
    });
    for (std::size_t i = 0; i < waiting.size() && static_cast<double>(i) < places; ++i)
      x[waiting[i]] = 1.0 / jobs[who[waiting[i]]].gpus;
    return x;
  }

  /// Who ran stays where he was, if he can; the others go to the fullest host with room for them, those who are wider
  /// to whole hosts and the fullest one with room for the rest, or, where that does not fit, to the emptiest ones.
  void place(const std::vector<Task>& tasks) {
    for (int h = 0; h < hosts(); ++h)
      free[static_cast<std::size_t>(h)] = up[static_cast<std::size_t>(h)] ? gpus_of(h) : 0;
    std::vector<std::size_t> later;
    for (const Task& task : tasks) {
      One& one = state[task.job];
      bool stays = !one.place.empty();
      for (std::size_t h = 0; stays && h < one.place.size(); ++h) stays = one.place[h] == 0 || up[h];
      if (!stays) {
        later.push_back(task.job);
        continue;
      }
      for (std::size_t h = 0; h < free.size(); ++h) free[h] -= one.place[h];
    }
    for (const std::size_t j : later) {
      int wanted = jobs[j].gpus;
      std::vector<int>& at = state[j].place;
      at.assign(free.size(), 0);
      const auto fullest = [&](int room) {
        std::size_t best = free.size();
        for (std::size_t h = 0; h < free.size(); ++h)
          if (free[h] >= room && (best == free.size() || free[h] < free[best])) best = h;
        return best;
      };
      int whole = 0;
      for (std::size_t h = 0; h < free.size(); ++h) whole += free[h] == rules.per_host ? 1 : 0;
      const int full = wanted / rules.per_host, rest = wanted % rules.per_host;
      const auto room_for_rest = [&] {  // beside the whole hosts
        if (rest == 0) return true;
        if (whole > full) return true;
        for (const int f : free)
          if (f >= rest && f < rules.per_host) return true;
        return false;
      };
      if (whole >= full && room_for_rest()) {
        for (std::size_t h = 0; h < free.size() && wanted >= rules.per_host; ++h)
          if (free[h] == rules.per_host) at[h] = rules.per_host, free[h] = 0, wanted -= rules.per_host;
        if (wanted > 0) {
          const std::size_t h = fullest(wanted);
          at[h] += wanted, free[h] -= wanted;
        }
        continue;
      }
      while (wanted > 0) {
        std::size_t most = 0;
        for (std::size_t h = 1; h < free.size(); ++h)
          if (free[h] > free[most]) most = h;
        const int taken = std::min(wanted, free[most]);
        at[most] += taken, free[most] -= taken, wanted -= taken;
      }
    }
  }

  std::vector<Outcome> run() {
    state.assign(jobs.size(), {}), out.assign(jobs.size(), {});
    free.assign(static_cast<std::size_t>(hosts()), 0), up.assign(free.size(), true);
    double t = 0, last_reset = 0, all_time = 0;
    bool changed = false;
    int round = -1, seen_gpus = rules.gpus;
    std::size_t next_job = 0;
    for (;;) {
      while (next_change < rules.changes.size() && rules.changes[next_change].at <= t) {
        up[static_cast<std::size_t>(rules.changes[next_change].host)] = rules.changes[next_change].up;
        ++next_change;
        if (gpus_up() != seen_gpus) changed = true, seen_gpus = gpus_up();
      }
      for (; next_job < jobs.size() && jobs[next_job].arrival <= t; ++next_job) {
        state[next_job] = {.left = jobs[next_job].steps, .had = rules.tau / 2, .here = true};
        changed = true;
      }
      if (t > rules.until) return out;
      std::vector<std::size_t> here;
      for (std::size_t j = 0; j < next_job; ++j)
        if (state[j].here) here.push_back(j);
      std::vector<Task> tasks;
      const int g = gpus_up();
      if (!here.empty() && g > 0) {
        if (changed && (t >= last_reset + rules.reset || last_reset == 0)) {
          for (const std::size_t j : here) {
            state[j].deficit += state[j].x * (t - last_reset) - (state[j].had - rules.tau / 2);
            state[j].had = rules.tau / 2;
          }
          all_time = static_cast<double>(here.size()) * rules.tau / 2;
          last_reset = t, changed = false;
          const auto x = shares(here, g);
          for (std::size_t k = 0; k < here.size(); ++k) state[here[k]].x = x[k], state[here[k]].shared = true;
        }
        const auto priority = [&](std::size_t j) {
          return state[j].shared ? state[j].x / (state[j].had / all_time) : 0.0;
        };
        std::vector<std::size_t> order = here;
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
          return std::tuple(-priority(a), -state[a].deficit, -state[a].x) <
                 std::tuple(-priority(b), -state[b].deficit, -state[b].x);
        });
        int left = g;
        for (const std::size_t j : order) {
          if (jobs[j].gpus > left) continue;
          left -= jobs[j].gpus;
          if (state[j].shared) tasks.push_back({j, 0, 0, false, false});
        }
      }
      if (tasks.empty()) {  // until somebody comes, a host changes, or shares may be computed again
        double next = changed && !here.empty() && g > 0 ? std::max(t, last_reset + rules.reset) : INFINITY;
        if (next_job < jobs.size()) next = std::min(next, jobs[next_job].arrival);
        if (next_change < rules.changes.size()) next = std::min(next, rules.changes[next_change].at);
        if (std::isinf(next)) return out;
        for (One& one : state) one.place.clear();
        t = next;
        continue;
      }
      ++round;
      for (One& one : state)
        if (one.last != round - 1 || one.hit) one.place.clear();
      place(tasks);
      for (Task& task : tasks) {
        One& one = state[task.job];
        Outcome& its = out[task.job];
        const double speed = jobs[task.job].speed;
        task.steps = std::min(std::floor(speed * rules.tau), one.left);
        double time = task.steps / speed;
        const bool writes = rules.cost > 0 && rules.period < rules.tau;
        // Whoever would be done early without a restore has none.
        const double undisturbed = writes ? time_of(one.left / speed) : time;
        task.restored = (one.last != round - 1 || one.hit) && round > 0 && undisturbed > rules.tau - 5;
        if (writes) {
          const double first = task.restored ? rules.restore : 0;
          time = first + undisturbed;
          if (undisturbed > rules.tau - first)
            task.steps = whole(done_in(rules.tau - first, one.left / speed) * speed), time = rules.tau;
        }
        task.finish = t + time;
        if (its.rounds++ == 0) its.start = t;
        else if (one.last != round - 1 && !one.hit) ++its.preemptions;
        one.hit = false;
      }
      double end = t;
      for (const Task& task : tasks) end = std::max(end, task.finish);
      while (next_change < rules.changes.size() && rules.changes[next_change].at < end) {
        const Change change = rules.changes[next_change++];
        up[static_cast<std::size_t>(change.host)] = change.up;
        if (gpus_up() != seen_gpus) changed = true, seen_gpus = gpus_up();
        if (change.up) continue;
        bool any = false;
        for (Task& task : tasks) {
          One& one = state[task.job];
          if (task.dropped || task.held_until < 1e300 || one.place[static_cast<std::size_t>(change.host)] == 0)
            continue;
          one.place.clear();
          task.held_until = change.at;
          if (task.finish <= change.at) continue;  // has done its part
          const double speed = jobs[task.job].speed, all = task.steps / speed;
          const double worked = std::max(0.0, change.at - t - (task.restored ? rules.restore : 0.0));
          const double saved = whole(saved_in(worked, all) * speed);
          one.left -= saved, one.had += worked, all_time += worked;
          out[task.job].busy += worked, out[task.job].held += jobs[task.job].gpus * (change.at - t);
          out[task.job].lost += done_in(worked, all) - saved / speed, ++out[task.job].restarts;
          one.hit = task.dropped = any = true;
        }
        if (!any) continue;
        end = change.at;
        for (const Task& task : tasks)
          if (!task.dropped) end = std::max(end, task.finish);
      }
      std::stable_sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) {
        return a.finish != b.finish ? a.finish > b.finish : a.job < b.job;
      });
      for (const Task& task : tasks) {
        One& one = state[task.job];
        one.last = round;
        if (task.dropped) continue;
        double ran = task.finish - t, n = task.steps;
        if (task.restored && !(rules.cost > 0 && rules.period < rules.tau))
          n = std::trunc(n * ((ran - rules.restore) / ran));
        if (task.restored) ran -= rules.restore;
        out[task.job].held += jobs[task.job].gpus * (std::min(end, task.held_until) - t);
        const bool failed = n <= 0 && ran <= 0;  // the round was no longer than the restore
        one.failures = failed ? one.failures + 1 : 0;
        if (failed) changed = true;
        else one.left -= n, one.had += ran, all_time += ran, out[task.job].busy += ran;
        if (one.left > 0 && one.failures < 5) continue;
        one.here = false, changed = true;
        out[task.job].end = task.finish;
      }
      t = end;
    }
  }
};

}  // namespace ergode::test
