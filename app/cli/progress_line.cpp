#include "app/cli/progress_line.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "app/cli/commands.h"
#include "core/base/text.h"

namespace ergode::cli {
namespace {

std::string drawn(double share) {
  constexpr int width = 28;
  const int full = static_cast<int>(std::clamp(share, 0.0, 1.0) * width);
  return "[" + std::string(static_cast<std::size_t>(full), '#') +
         std::string(static_cast<std::size_t>(width - full), '.') + "] ";
}

/// Over what stood there before.
std::string padded(std::string line) {
  constexpr std::size_t wide = 96;
  return line + std::string(line.size() < wide ? wide - line.size() : 0, ' ');
}

}  // namespace

void add_progress_flag(CLI::App& command, std::string& asked) {
  asked = "auto";
  command.add_option("--progress", asked, "bar, plain (a line each ten seconds), none; default: a bar on a terminal.")
      ->check(CLI::IsMember({"auto", "bar", "plain", "none"}));
}

ProgressLine::ProgressLine(const std::string& asked) {
  const char* terminal = std::getenv("TERM");
  const bool tty = isatty(STDERR_FILENO) != 0 && (terminal == nullptr || std::string_view(terminal) != "dumb");
  bar_ = talk() != Talk::quiet && (asked == "bar" || (asked == "auto" && tty));
  plain_ = talk() != Talk::quiet && asked == "plain";
}

template <class Text>
void ProgressLine::show_text(const Text& text) {
  if (bar_) std::fprintf(stderr, "\r%s", text(true).c_str()), shown_ = true;
  const auto clock = std::chrono::steady_clock::now();
  if (plain_ && clock - last_ >= std::chrono::seconds(10))
    std::fprintf(stderr, "%s\n", text(false).c_str()), last_ = clock;
}

void ProgressLine::show(const Snapshot& now) {
  show_text([&](bool bar) { return text(now, bar); });
}

void ProgressLine::show(const FirstReplication& now) {
  show_text([&](bool bar) { return text(now, bar); });
}

void ProgressLine::show(std::size_t done, std::size_t of, const std::string& steps) {
  show_text([&](bool bar) {
    const std::string line = what_ + std::to_string(done) + "/" + std::to_string(of) + " " + steps;
    return bar ? padded(drawn(of > 0 ? static_cast<double>(done) / static_cast<double>(of) : 0.0) + line) : line;
  });
}

void ProgressLine::interrupt() {
  if (shown_) std::fprintf(stderr, "\n");
  shown_ = false;
}

void ProgressLine::end(const Snapshot* last) {
  if (bar_ && last != nullptr) std::fprintf(stderr, "\r%s", text(*last, true).c_str()), shown_ = true;
  interrupt();
}

std::string ProgressLine::text(const FirstReplication& now, bool bar) const {
  const std::string line = what_ + "first replication at " + number_text(std::floor(now.share * 1000) / 10, 3) +
                           " %  ETA " + std::to_string(static_cast<long long>(std::ceil(std::min(now.left_s, 1e15)))) +
                           " s";
  return bar ? padded(drawn(now.share) + line) : line;
}

std::string ProgressLine::text(const Snapshot& now, bool bar) const {
  const double share = now.target > 0 ? static_cast<double>(now.done) / static_cast<double>(now.target) : 0.0;
  const double rate = now.elapsed_s > 0 ? static_cast<double>(now.done) / now.elapsed_s : 0.0;
  std::string out;
  if (bar && now.target > 0) out += drawn(share);
  out += what_;
  if (now.target > 0) out += std::to_string(static_cast<int>(std::floor(share * 100))) + " %  ";
  out += std::to_string(now.done) + (now.target > 0 ? "/" + std::to_string(now.target) : "") + " replications";
  out += "  " + number_text(rate, 3) + " /s";
  if (std::isfinite(now.worst_relative_half_width))
    out += "  ±" + number_text(now.worst_relative_half_width * 100, 3) + " %";
  if (now.target > now.done && rate > 0)
    out += "  ETA " + std::to_string(static_cast<long>(std::ceil(static_cast<double>(now.target - now.done) / rate))) +
           " s";
  return bar ? padded(std::move(out)) : out;
}

}  // namespace ergode::cli
