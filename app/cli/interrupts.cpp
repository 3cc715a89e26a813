#include "app/cli/interrupts.h"

#include <csignal>
#include <cstdlib>

#include "app/cli/commands.h"

namespace ergode::cli {
namespace {

volatile std::sig_atomic_t interrupts = 0;

void on_interrupt(int) {
  interrupts = interrupts + 1;
  if (interrupts > 1) std::_Exit(interrupted);
}

}  // namespace

void watch_interrupts() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (std::signal(signal, on_interrupt) == SIG_IGN) std::signal(signal, SIG_IGN);
}

bool was_interrupted() { return interrupts > 0; }

}  // namespace ergode::cli
