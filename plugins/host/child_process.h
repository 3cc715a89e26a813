#pragma once
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ergode {

/// A program of somebody else, talked to in lines over its standard input and output. It stands in a process group of
/// its own, with all that it starts, and none of it outlives this object or this process, not even what has left the
/// group and the session (where the program is ergode-plugin-host, and what it runs does not kill it). Whatever it
/// does, no call here waits longer than it says, but for a second in which what is killed goes: a child that hangs,
/// floods or dies costs its caller a return value.
///
/// One thread at a time. What the child writes to standard error is kept, its last 4 KiB.
class ChildProcess {
 public:
  /// What receive() came to.
  enum class Got {
    line,      ///< A whole line, without its end.
    nothing,   ///< The time is over and the line is not whole.
    ended,     ///< There will be no more: the child has closed its output, mostly because it ended.
    too_long,  ///< A line of more than longest_line bytes.
  };
  static constexpr std::size_t longest_line = std::size_t{16} << 20U;

  ChildProcess() = default;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess() { kill(); }

  /// Starts `arguments[0]`, a path or a program of PATH, without a shell.
  /// @returns empty, or why not.
  std::string start(const std::vector<std::string>& arguments);
  bool running() const { return pid_ > 0; }
  /// Whether it has ended although its output may not: what it started may hold that open.
  bool has_ended() const;

  /// Writes a line. @returns false: nobody reads it any more, or not within `timeout_s`.
  bool send(std::string_view line, double timeout_s);
  /// The next line, waiting for at most `timeout_s`.
  Got receive(std::string& line, double timeout_s);
  /// Closes its input, gives it `grace_s` to end, then kills it with all that it started.
  void finish(double grace_s);
  /// Kills it at once.
  void kill() { finish(0.0); }

  /// How it ended, once it did: "crashed (signal 11, Segmentation fault)", "ended with exit code 3", "was killed". Asks
  /// the system for at most 0.2 s.
  std::string end_text();
  bool crashed() const { return crashed_; }  ///< by a signal that this object did not send, as end_text() found
  /// The end of what it wrote to standard error, at most 4 KiB.
  const std::string& last_words() const { return words_; }
  std::uint64_t bytes_received() const { return received_; }  ///< since it began

 private:
  void drain_words();
  void reap();
  bool wait_for_end(double timeout_s);
  void close_all();

  pid_t pid_ = -1;
  int in_ = -1, out_ = -1, err_ = -1, lifeline_ = -1;
  std::string buffer_;
  std::size_t read_ = 0;     ///< of the buffer, what was handed over
  std::size_t scanned_ = 0;  ///< up to where there is no line end
  std::string words_, end_;
  std::uint64_t received_ = 0;
  bool crashed_ = false, killed_ = false;
};

}  // namespace ergode
