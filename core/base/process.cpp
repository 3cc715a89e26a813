#include "core/base/process.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "core/base/text.h"

namespace ergode {
namespace {

/// When process `pid` began, in ticks since the machine did: with it a number that was given again is told apart.
std::string process_start(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  // The name, in parentheses, may hold anything; the start is the 20th field after it.
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return {};
  const std::vector<std::string> fields = split(text.substr(name_end + 2), ' ');
  // A dead process whose parent has not asked for its end still has a line.
  return fields.size() > 19 && fields[0] != "Z" && fields[0] != "X" ? fields[19] : std::string();
}

}  // namespace

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

std::uint64_t memory_share() {
  static const std::uint64_t share = [] {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    std::uint64_t least = pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page)
                                                : std::uint64_t{4} << 30U;
    for (const auto kind : {RLIMIT_AS, RLIMIT_DATA}) {
      rlimit limit{};
      if (getrlimit(kind, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        least = std::min<std::uint64_t>(least, limit.rlim_cur);
    }
    // Of a container; "max" where there is no limit.
    std::uint64_t container = 0;
    if (std::ifstream file("/sys/fs/cgroup/memory.max"); file >> container && container > 0)
      least = std::min(least, container);
    return least / 2;
  }();
  return share;
}

std::string this_process() {
  const std::string pid = std::to_string(getpid());
  return host_name() + ":" + pid + ":" + process_start(pid);
}

bool process_alive(const std::string& owner) {
  const std::vector<std::string> parts = split(owner, ':');
  return parts.size() == 3 && parts[0] == host_name() && !parts[2].empty() && process_start(parts[1]) == parts[2];
}

}  // namespace ergode
