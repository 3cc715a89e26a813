#include "app/cli/interrupts.h"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>

#include "app/cli/commands.h"

namespace ergode::cli {
namespace {

constexpr std::int64_t never = -1, one_act_ms = 500;
std::atomic<std::int64_t> first_ms = never;
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "a signal handler may not wait");

std::int64_t clock_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void on_interrupt(int) {
  std::int64_t first = never;
  const std::int64_t now = clock_ms();
  if (first_ms.compare_exchange_strong(first, now)) return;
  // Whoever ends a group of processes often ends its leader besides, as timeout does: that is one act, and the second
  // signal of it must not cost the results.
  if (now - first > one_act_ms) std::_Exit(interrupted);
}

}  // namespace

void watch_interrupts() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (std::signal(signal, on_interrupt) == SIG_IGN) std::signal(signal, SIG_IGN);
}

bool was_interrupted() { return first_ms != never; }

}  // namespace ergode::cli
