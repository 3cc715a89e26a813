#pragma once
#include <CLI/CLI.hpp>
#include <chrono>
#include <string>

#include "core/study/solver.h"

namespace ergode::cli {

/// `--progress bar|plain|none`; `asked` keeps "auto" without it.
void add_progress_flag(CLI::App& command, std::string& asked);

/// How far a run is, on standard error: a bar on a terminal, else a line every ten seconds when asked for. One thread.
class ProgressLine {
 public:
  /// @param asked  as add_progress_flag() has it
  explicit ProgressLine(const std::string& asked);
  /// From now on this stands before what is shown: which of several runs it is.
  void begin(std::string what) { what_ = std::move(what); }
  void show(const Snapshot& now);
  /// While none has ended there is nothing else to tell.
  void show(const FirstReplication& now);
  /// Of work that counts its steps alone.
  void show(std::size_t done, std::size_t of, const std::string& steps);
  /// Something else is printed now: below the bar.
  void interrupt();
  /// @param last  is shown in the bar for good; may be null
  void end(const Snapshot* last);

 private:
  template <class Text>
  void show_text(const Text& text);
  std::string text(const Snapshot& now, bool bar) const;
  std::string text(const FirstReplication& now, bool bar) const;

  std::string what_;
  bool bar_ = false, plain_ = false, shown_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace ergode::cli
