#pragma once
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "solvers/cluster/rounds/round_policies.h"
#include "solvers/cluster/rounds/round_simulation.h"

namespace ergode::test {

/// The round simulator written down from its definition, line by line and as slowly as it reads, for jobs of any mode:
/// an oracle that shares nothing with the one that is tested but shares and the tables of models and throughputs.
struct PlainRounds {
  const std::vector<RoundJob>& jobs;
  const Throughputs& speeds;
  RoundOptions options;

  struct One {
    int b = 0;
    double thr = 0, total = 0, run = 0, job_time = 0, deficit = 0, x = 0, cum = 0, jct = NAN;
    bool in_allocation = false, active = false, arrived = false;
    int failures = 0;
    char flag = '-';
  };
  std::vector<One> state{};
  std::vector<std::vector<std::size_t>> schedule{};  ///< who ran, by round

  double epoch_steps(std::size_t i, int b) const {
    return std::ceil(static_cast<double>(training_model(jobs[i].model).samples) / b);
  }

  /// Shares have a test of their own; here the last bit of each decides who is first of equals.
  std::vector<double> shares(const std::vector<std::size_t>& who) const {
    std::vector<SharedJob> all;
    for (const std::size_t i : who) all.push_back({.gpus = jobs[i].gpus});
    return max_min_shares(all, options.gpus);
  }

  void change_batch(std::size_t i) {
    One& s = state[i];
    const int top = training_model(jobs[i].model).most_batch;
    const int to = s.flag == 'u' ? top : s.flag == 'd' ? jobs[i].batch_size : s.flag == '2' ? 2 * s.b : s.b;
    s.flag = '-';
    const auto speed = speeds.of(jobs[i].model, to, jobs[i].gpus);
    if (to == s.b || !speed) return;
    const double ep = std::ceil(s.total / epoch_steps(i, s.b));
    double total = std::ceil(s.total * s.b / to);
    if (std::ceil(total / epoch_steps(i, to)) != ep) total = ep * epoch_steps(i, to);
    s.run = std::ceil(s.run / epoch_steps(i, s.b)) * epoch_steps(i, to);
    s.total = total, s.b = to, s.thr = *speed;
  }

  void set_flag(std::size_t i) {
    One& s = state[i];
    const TrainingModel& model = training_model(jobs[i].model);
    const auto e = static_cast<std::int64_t>(std::ceil(s.run / epoch_steps(i, s.b)));
    if (jobs[i].mode == BatchMode::accordion) {
      const bool critical = critical_epoch(model, jobs[i].batch_size, e);
      if (s.b == jobs[i].batch_size && !critical && s.b < model.most_batch) s.flag = 'u';
      else if (s.b != jobs[i].batch_size && critical && s.b > model.least_batch) s.flag = 'd';
    }
    if (jobs[i].mode == BatchMode::gns && s.b < model.most_batch)
      for (const std::int64_t at : {e, e + 1})
        if (gns_batch(model, jobs[i].batch_size, jobs[i].gpus, at) > s.b) s.flag = '2';
  }

  void run() {
    struct Task {
      std::size_t job;
      double finish, steps;
    };
    const double tau = options.round_s;
    state.assign(jobs.size(), {});
    std::vector<Task> running;
    double t = jobs[0].arrival_s, last_reset = 0, all_time = 0;
    bool changed = false;
    for (std::size_t r = 0;; ++r) {
      const double round_start = r == 0 ? 0 : t;
      if (!running.empty()) {
        t = 0;
        for (const Task& task : running) t = std::max(t, task.finish);
      }
      std::stable_sort(running.begin(), running.end(), [](const Task& a, const Task& b) {
        return a.finish != b.finish ? a.finish > b.finish : a.job < b.job;
      });
      for (const Task& task : running) {
        One& s = state[task.job];
        double ex = task.finish - round_start, n = task.steps;
        const auto& before = schedule.size() >= 2 ? schedule[schedule.size() - 2] : std::vector<std::size_t>{};
        const bool first = schedule.size() == 1;
        if (!first && std::find(before.begin(), before.end(), task.job) == before.end() && ex > tau - 5) {
          n = std::trunc(n * ((ex - options.restore_s) / ex));
          ex -= options.restore_s;
        }
        bool over = false;
        if (n <= 0 && ex <= 0) {
          changed = true;
          over = ++s.failures == options.most_failures;
        } else {
          s.failures = 0;
          s.run += n, s.job_time += ex, all_time += ex, s.cum += ex;
          over = s.run >= s.total || s.cum > std::floor(1.5 * jobs[task.job].listed_duration_s);
        }
        change_batch(task.job);
        if (!over) continue;
        s.jct = task.finish - jobs[task.job].arrival_s;
        s.active = false, changed = true;
      }
      running.clear();
      std::vector<std::size_t> active;
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        One& s = state[i];
        if (s.active) set_flag(i);
        if (!s.arrived && jobs[i].arrival_s <= t) {
          s = {};
          s.arrived = s.active = changed = true;
          s.b = jobs[i].batch_size, s.total = static_cast<double>(jobs[i].total_steps), s.job_time = tau / 2;
          s.thr = speeds.of(jobs[i].model, s.b, jobs[i].gpus).value();
        }
        if (s.active) active.push_back(i);
      }
      if (active.empty()) {
        double next = INFINITY;
        for (std::size_t i = 0; i < jobs.size(); ++i)
          if (!state[i].arrived) next = std::min(next, jobs[i].arrival_s);
        if (std::isinf(next)) return;
        t = next;
        continue;
      }
      if (changed && (t >= last_reset + options.reset_interval_s || last_reset == 0)) {
        for (const std::size_t i : active) {
          state[i].deficit += state[i].x * (t - last_reset) - (state[i].job_time - tau / 2);
          state[i].job_time = tau / 2;
        }
        all_time = static_cast<double>(active.size()) * tau / 2;
        last_reset = t, changed = false;
        const auto x = shares(active);
        for (std::size_t k = 0; k < active.size(); ++k)
          state[active[k]].x = x[k], state[active[k]].in_allocation = true;
      }
      const auto priority = [&](std::size_t i) {
        return state[i].in_allocation ? state[i].x / (state[i].job_time / all_time) : 0.0;
      };
      std::stable_sort(active.begin(), active.end(), [&](std::size_t a, std::size_t b) {
        return std::tuple(-priority(a), -state[a].deficit, -state[a].x) <
               std::tuple(-priority(b), -state[b].deficit, -state[b].x);
      });
      int free = options.gpus;
      std::vector<std::size_t> started;
      for (const std::size_t i : active) {
        if (jobs[i].gpus > free) continue;
        free -= jobs[i].gpus;
        if (!state[i].in_allocation) continue;
        const double n = std::min(std::floor(state[i].thr * tau), state[i].total - state[i].run);
        running.push_back({i, std::max(t, t + n / state[i].thr), n});
        started.push_back(i);
      }
      if (!started.empty()) schedule.push_back(started);
      else {  // nobody may run: until somebody comes or shares may be computed again
        double next = changed ? last_reset + options.reset_interval_s : INFINITY;
        for (std::size_t i = 0; i < jobs.size(); ++i)
          if (!state[i].arrived) next = std::min(next, jobs[i].arrival_s);
        t = next;
      }
    }
  }
};

}  // namespace ergode::test
