#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace ergode::test {

// Iterations of training jobs on GPUs that go and come, second by second, as they are defined: an oracle that shares no
// code with the scheduler. All times are whole seconds, gradients take no time, and memory is not asked for.

struct PlainIterationJob {
  int comes = 0, iterations = 1, workers = 1, forward = 1, backward = 0;
  std::vector<double> shares;  ///< shares * backward are whole
};
struct PlainGpuChange {
  int at = 0, gpu = 0;
  bool goes = true;
  int gpus = 1;  ///< so many, from that one on, together
};
struct PlainIterationRules {
  enum class Who { jigsaw, slices, fifo, srtf } who = Who::fifo;
  int gpus = 1;
  bool rotate = true, before_all = true;
  int period = 0, cost = 0, restart = 0;  ///< period 0: nothing is saved
};
struct PlainIterationEnd {
  int start = -1, end = -1, lost = 0, losses = 0;
  double gpu_s = 0.0;
};

/// @returns by job, of those who are not done by `most` an end of -1
inline std::vector<PlainIterationEnd> plain_iterations(const std::vector<PlainIterationJob>& jobs,
                                                       const std::vector<PlainGpuChange>& changes,
                                                       const PlainIterationRules& rules, int most) {
  using Who = PlainIterationRules::Who;
  struct Reserved {
    int gpu, from, to, held;
  };
  struct State {
    bool again = false, begun = false;
    int done = 0, saved = 0, line = 0;  // place in the line of those who wait, or order of coming
    std::vector<int> gpus;
    std::vector<Reserved> now;   // pieces of its iteration
    std::vector<Reserved> past;  // what it has computed
    int until = -1;              // of what it does
    enum { nothing, iteration, saving, restarting } does = nothing;
  };
  std::vector<State> s(jobs.size());
  std::vector<PlainIterationEnd> out(jobs.size());
  std::vector<int> up(static_cast<std::size_t>(rules.gpus), 1);
  std::vector<std::vector<std::size_t>> resident(static_cast<std::size_t>(rules.gpus));
  std::vector<int> last_free(static_cast<std::size_t>(rules.gpus), 0);
  std::vector<std::size_t> line, inside;  // who waits; who was let in, in that order
  const bool shared = rules.who == Who::jigsaw || rules.who == Who::slices;
  const auto size = [](const std::vector<int>& v) { return static_cast<int>(v.size()); };
  int t = 0;
  const auto busy_until = [&](int gpu) {
    int until = last_free[static_cast<std::size_t>(gpu)];
    for (const State& one : s) {
      for (const Reserved& r : one.now)
        if (r.gpu == gpu) until = std::max(until, r.held);
      if (!shared && (one.does == State::saving || one.does == State::restarting) &&
          std::count(one.gpus.begin(), one.gpus.end(), gpu) > 0)
        until = std::max(until, one.until);
    }
    return until;
  };
  const auto free = [&](int gpu) { return up[static_cast<std::size_t>(gpu)] != 0 && busy_until(gpu) <= t; };
  const auto attained = [&](std::size_t j) {
    double all = 0.0;
    for (const Reserved& r : s[j].past) all += r.to - r.from;
    for (const Reserved& r : s[j].now) all += r.to - r.from;
    return all;
  };
  const auto piece = [&](std::size_t j, int worker) {
    const int k = jobs[j].workers, at = rules.rotate ? (worker + s[j].done) % k : worker;
    const double phi = rules.who == Who::jigsaw ? jobs[j].shares[static_cast<std::size_t>(at)] : 1.0;
    return jobs[j].forward + static_cast<int>(phi * jobs[j].backward + 0.5);
  };
  // The pieces of its next iteration, and what they would leave idle.
  const auto packed = [&](std::size_t j, int& idle) {
    std::vector<int> workers(static_cast<std::size_t>(jobs[j].workers)), gpus = s[j].gpus;
    for (int w = 0; w < jobs[j].workers; ++w) workers[static_cast<std::size_t>(w)] = w;
    if (rules.who == Who::jigsaw) {
      std::stable_sort(workers.begin(), workers.end(), [&](int a, int b) { return piece(j, a) > piece(j, b); });
      std::stable_sort(gpus.begin(), gpus.end(), [&](int a, int b) { return busy_until(a) < busy_until(b); });
    }
    int common = t;
    for (const int gpu : gpus) common = std::max(common, busy_until(gpu));
    std::vector<Reserved> pieces;
    idle = 0;
    for (std::size_t i = 0; i < workers.size(); ++i) {
      const int from = rules.who == Who::jigsaw ? std::max(t, busy_until(gpus[i])) : common;
      pieces.push_back({gpus[i], from, from + piece(j, workers[i]), from + piece(j, workers[i])});
      idle += std::max(0, t - busy_until(gpus[i]));
    }
    if (rules.who != Who::jigsaw) {
      int end = t;
      for (const Reserved& r : pieces) end = std::max(end, r.to);
      for (Reserved& r : pieces) r.held = end;
    }
    return pieces;
  };
  const auto begin = [&](std::size_t j) {
    int idle = 0;
    s[j].now = packed(j, idle);
    s[j].does = State::iteration, s[j].until = t;
    for (const Reserved& r : s[j].now) {
      s[j].until = std::max(s[j].until, r.to);
      if (!s[j].begun) out[j].start = out[j].start < 0 ? r.from : std::min(out[j].start, r.from);
    }
    s[j].begun = true;
  };
  const auto pause = [&](std::size_t j, auto what, int time) {
    if (time > 0) s[j].does = what, s[j].until = t + time;
  };
  const auto remember_free = [&](int gpu, int at) {
    int& last = last_free[static_cast<std::size_t>(gpu)];
    last = std::max(last, at);
  };
  const auto settle = [&](std::size_t j, int now) {
    for (const Reserved& r : s[j].now) {
      const int to = std::clamp(now, r.from, r.to);
      s[j].past.push_back({r.gpu, r.from, to, to});
      if (now >= r.held) remember_free(r.gpu, r.held);
      else if (now >= r.from) remember_free(r.gpu, now);
    }
    s[j].now.clear();
  };
  const auto loses = [&](std::size_t j) {
    int part = 0;
    for (const Reserved& r : s[j].now) part = std::max(part, std::clamp(t, r.from, r.to) - r.from);
    out[j].lost += (s[j].done - s[j].saved) * (jobs[j].forward + jobs[j].backward) + part, ++out[j].losses;
    settle(j, t);
    s[j].done = s[j].saved, s[j].does = State::nothing, s[j].again = true;
    for (const int gpu : s[j].gpus) {
      std::erase(resident[static_cast<std::size_t>(gpu)], j);
      last_free[static_cast<std::size_t>(gpu)] = t;
    }
    s[j].gpus.clear();
    if (!shared && rules.before_all) return;
    std::erase(inside, j);
    std::size_t at = line.size();
    if (rules.before_all)
      for (at = 0; at < line.size() && s[line[at]].again && s[line[at]].line < s[j].line;) ++at;
    line.insert(line.begin() + static_cast<std::ptrdiff_t>(at), j);
  };
  for (; t <= most; ++t) {
    for (bool any = true; any;) {
      any = false;
      for (std::size_t j = 0; j < s.size(); ++j) {
        State& one = s[j];
        if (one.does == State::nothing || one.until != t) continue;
        const auto did = one.does;
        one.does = State::nothing;
        if (did == State::saving) one.saved = one.done;
        if (did != State::iteration) {
          if (!shared)
            for (const int gpu : one.gpus) remember_free(gpu, t);
          continue;
        }
        settle(j, t);
        ++one.done;
        if (one.done == jobs[j].iterations) {
          out[j].end = t;
          std::erase(inside, j);
          for (const int gpu : one.gpus) std::erase(resident[static_cast<std::size_t>(gpu)], j);
          continue;
        }
        const int full = jobs[j].forward + jobs[j].backward;
        if (rules.period == 0 || (one.done - one.saved) * full < rules.period) continue;
        if (rules.cost == 0) one.saved = one.done;
        else pause(j, State::saving, rules.cost);
      }
    }
    for (const PlainGpuChange& change : changes) {
      if (change.at != t) continue;
      for (int gpu = change.gpu; gpu < change.gpu + change.gpus; ++gpu) {
        up[static_cast<std::size_t>(gpu)] = change.goes ? 0 : 1;
        if (!change.goes) last_free[static_cast<std::size_t>(gpu)] = t;
      }
      if (!change.goes) continue;
      const std::vector<std::size_t> were = inside;
      for (const std::size_t j : were) {
        const bool there = std::any_of(s[j].gpus.begin(), s[j].gpus.end(),
                                       [&](int gpu) { return gpu >= change.gpu && gpu < change.gpu + change.gpus; });
        if (there && (rules.who != Who::srtf || s[j].does != State::nothing)) loses(j);
      }
    }
    for (std::size_t j = 0; j < jobs.size(); ++j)
      if (jobs[j].comes == t) s[j].line = static_cast<int>(j), line.push_back(j);
    if (shared) {
      while (!line.empty()) {
        const std::size_t j = line.front();
        std::vector<int> gpus;
        for (int gpu = 0; gpu < rules.gpus; ++gpu)
          if (up[static_cast<std::size_t>(gpu)] != 0) gpus.push_back(gpu);
        if (size(gpus) < jobs[j].workers) break;
        std::stable_sort(gpus.begin(), gpus.end(), [&](int a, int b) {
          return resident[static_cast<std::size_t>(a)].size() < resident[static_cast<std::size_t>(b)].size();
        });
        gpus.resize(static_cast<std::size_t>(jobs[j].workers));
        std::sort(gpus.begin(), gpus.end());
        for (const int gpu : gpus) resident[static_cast<std::size_t>(gpu)].push_back(j);
        s[j].gpus = gpus, inside.push_back(j), line.erase(line.begin());
        if (s[j].again) s[j].again = false, pause(j, State::restarting, rules.restart);
      }
      for (;;) {
        std::vector<std::size_t> who;
        for (const std::size_t j : inside) {
          if (s[j].does != State::nothing) continue;
          int there = 0;
          for (const int gpu : s[j].gpus) there += free(gpu) ? 1 : 0;
          if (rules.who == Who::jigsaw ? there > 0 : there == jobs[j].workers) who.push_back(j);
        }
        if (who.empty()) break;
        std::stable_sort(who.begin(), who.end(), [&](auto a, auto b) { return attained(a) < attained(b); });
        std::size_t first = 0;
        if (rules.who == Who::jigsaw)
          for (; first + 1 < who.size(); ++first) {
            int mine = 0, next = 0;
            packed(who[first], mine), packed(who[first + 1], next);
            if (mine <= next) break;
          }
        begin(who[first]);
      }
      continue;
    }
    for (const std::size_t j : line) inside.push_back(j);
    line.clear();
    std::vector<std::size_t> who;
    for (const std::size_t j : inside)
      if (s[j].does == State::nothing) who.push_back(j);
    if (rules.who == Who::fifo)
      std::stable_sort(who.begin(), who.end(), [&](auto a, auto b) { return !s[a].gpus.empty() && s[b].gpus.empty(); });
    else
      std::stable_sort(who.begin(), who.end(), [&](auto a, auto b) {
        const auto left = [&](auto j) {
          return (jobs[j].iterations - s[j].done) * (jobs[j].forward + jobs[j].backward);
        };
        return left(a) < left(b);
      });
    for (const std::size_t j : who) {
      std::vector<int> gpus;
      for (const int gpu : s[j].gpus)
        if (free(gpu)) gpus.push_back(gpu);
      for (int gpu = 0; gpu < rules.gpus; ++gpu)
        if (free(gpu) && std::count(gpus.begin(), gpus.end(), gpu) == 0) gpus.push_back(gpu);
      if (size(gpus) < jobs[j].workers) {
        if (rules.who == Who::fifo) break;
        continue;
      }
      gpus.resize(static_cast<std::size_t>(jobs[j].workers));
      std::sort(gpus.begin(), gpus.end());
      s[j].gpus = gpus;
      const bool restarts = s[j].again && rules.restart > 0;
      s[j].again = false;
      if (restarts) pause(j, State::restarting, rules.restart);
      else begin(j);
    }
  }
  for (std::size_t j = 0; j < s.size(); ++j) {
    settle(j, most);
    for (const Reserved& r : s[j].past) out[j].gpu_s += r.to - r.from;
    if (out[j].start > most) out[j].start = -1;
  }
  return out;
}

}  // namespace ergode::test
