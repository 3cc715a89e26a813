#include "plugins/native/process_tree.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ergode {
namespace {

struct Process {
  pid_t id = 0, parent = 0;
  bool ended = false;  ///< and nobody has asked how
  bool operator==(const Process&) const = default;
};

/// As it stands in its line of /proc; parent 0: it is gone.
Process process(const char* number) {
  Process out{std::atoi(number)};
  std::FILE* const file = std::fopen(("/proc/" + std::string(number) + "/stat").c_str(), "re");
  if (file == nullptr) return out;
  char text[512] = {};
  const std::size_t read = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  text[read] = '\0';
  // "17 (its name) S 4": the name may hold anything.
  const char* const rest = std::strrchr(text, ')');
  char state = 0;
  if (rest == nullptr || std::sscanf(rest + 1, " %c %d", &state, &out.parent) != 2) out.parent = 0;
  out.ended = state == 'Z' || state == 'X';
  return out;
}

/// Those that have ended too: who was started by one of them may have been seen while it was his parent.
std::vector<Process> descendants(pid_t of) {
  std::multimap<pid_t, Process> children;
  if (DIR* const folder = opendir("/proc")) {
    while (const dirent* const entry = readdir(folder))
      if (std::atoi(entry->d_name) > 0)
        if (const Process one = process(entry->d_name); one.parent > 0) children.emplace(one.parent, one);
    closedir(folder);
  }
  std::vector<Process> out;
  const auto add = [&](pid_t parent) {
    const auto [first, last] = children.equal_range(parent);
    for (auto child = first; child != last; ++child) out.push_back(child->second);
  };
  add(of);
  for (std::size_t i = 0; i < out.size(); ++i) add(out[i].id);
  std::ranges::sort(out, {}, &Process::id);
  return out;
}

bool all_ended(const std::vector<Process>& processes) { return std::ranges::all_of(processes, &Process::ended); }

void signal_all(const std::vector<Process>& processes, int signal) {
  for (const Process& one : processes)
    if (!one.ended) ::kill(one.id, signal);
}

}  // namespace

void kill_descendants(pid_t of) {
  constexpr int rounds = 500, pause_ms = 2;
  std::vector<Process> before;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Process> all = descendants(of);
    if (all_ended(all)) {
      // The list of /proc is older than what is read of each in it: meanwhile one may have started another and ended.
      // A second look sees that other, or that one more has ended.
      if (round > 0 && all == before) return;
    } else {
      // Who is stopped starts nobody, so the next look finds nearly all that there are.
      if (round == 0) signal_all(all, SIGSTOP), all = descendants(of);
      signal_all(all, SIGKILL);
      poll(nullptr, 0, pause_ms);
    }
    before = std::move(all);
  }
}

}  // namespace ergode
