#pragma once

namespace ergode::cli {

/// From now on SIGINT, SIGTERM and SIGHUP are counted: the first asks for an orderly end, another one half a second
/// later or more ends the process at once with exit code `interrupted`. What the caller ignores stays ignored: nohup,
/// and shells that put a program into the background.
void watch_interrupts();
/// Whether somebody asked for an end. O(1), from any thread.
bool was_interrupted();

}  // namespace ergode::cli
