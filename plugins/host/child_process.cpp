#include "plugins/host/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "plugins/native/process_tree.h"

extern char** environ;

namespace ergode {
namespace {

using MonotonicClock = std::chrono::steady_clock;

constexpr std::size_t most_words = 4096;

/// Milliseconds until then for poll(), at least 0 and rounded up: it must not spin through the last one.
int milliseconds_until(MonotonicClock::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - MonotonicClock::now()).count();
  return static_cast<int>(left < 0 ? 0 : left > 1000000 ? 1000000 : left);
}

MonotonicClock::time_point in_seconds(double seconds) {
  return MonotonicClock::now() + std::chrono::duration_cast<MonotonicClock::duration>(
                                     std::chrono::duration<double>(seconds < 1e6 ? seconds : 1e6));
}

void close_one(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

/// Pairs that no other child inherits.
struct Pipes {
  int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1}, life[2] = {-1, -1};
  bool make() {
    // A socket and not a pipe: writing to who has gone is an error then, without a signal to the whole process.
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0 || pipe2(out, O_CLOEXEC) != 0 ||
        pipe2(err, O_CLOEXEC) != 0 || pipe2(life, O_CLOEXEC) != 0)
      return false;
    // Above those that they become in the child, which would overwrite one another where this process has no standard
    // input or output.
    for (int* pair : {in, out, err, life})
      for (int i = 0; i < 2; ++i) {
        const int above = fcntl(pair[i], F_DUPFD_CLOEXEC, 10);
        if (above < 0) return false;
        ::close(pair[i]);
        pair[i] = above;
      }
    return true;
  }
  ~Pipes() {
    for (int* pair : {in, out, err, life}) close_one(pair[0]), close_one(pair[1]);
  }
};

}  // namespace

std::string ChildProcess::start(const std::vector<std::string>& arguments) {
  kill();
  buffer_.clear(), read_ = scanned_ = 0, words_.clear(), end_.clear(), received_ = 0, crashed_ = killed_ = false;
  Pipes pipes;
  if (!pipes.make()) return std::string("no pipes: ") + std::strerror(errno);
  std::vector<char*> words;
  for (const std::string& one : arguments) words.push_back(const_cast<char*>(one.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipes.in[1], 0);
  posix_spawn_file_actions_adddup2(&actions, pipes.out[1], 1);
  posix_spawn_file_actions_adddup2(&actions, pipes.err[1], 2);
  // Its reading end is at its end when this process is gone, however it went: then the child goes too.
  posix_spawn_file_actions_adddup2(&actions, pipes.life[0], 3);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t none, all;
  sigemptyset(&none), sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int failed = posix_spawnp(&pid_, words.front(), &actions, &attributes, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) {
    pid_ = -1;
    return std::strerror(failed);
  }
  std::swap(in_, pipes.in[0]), std::swap(out_, pipes.out[0]), std::swap(err_, pipes.err[0]),
      std::swap(lifeline_, pipes.life[1]);
  for (const int descriptor : {in_, out_, err_}) fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
  return {};
}

bool ChildProcess::send(std::string_view line, double timeout_s) {
  if (in_ < 0) return false;
  std::string whole(line);
  whole += '\n';
  const auto end = in_seconds(timeout_s);
  for (std::size_t sent = 0; sent < whole.size();) {
    const ssize_t n = ::send(in_, whole.data() + sent, whole.size() - sent, MSG_NOSIGNAL);
    if (n > 0) {
      sent += static_cast<std::size_t>(n);
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK) return false;
    pollfd wait[2] = {{in_, POLLOUT, 0}, {err_, POLLIN, 0}};
    const int left = milliseconds_until(end);
    if (left == 0) return false;
    if (poll(wait, 2, left) > 0 && wait[1].revents != 0) drain_words();
  }
  return true;
}

void ChildProcess::drain_words() {
  char bytes[4096];
  while (err_ >= 0) {
    const ssize_t n = ::read(err_, bytes, sizeof bytes);
    if (n <= 0) {
      if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) close_one(err_);
      return;
    }
    words_.append(bytes, static_cast<std::size_t>(n));
    if (words_.size() > most_words) words_.erase(0, words_.size() - most_words);
    if (n < static_cast<ssize_t>(sizeof bytes)) return;
  }
}

ChildProcess::Got ChildProcess::receive(std::string& line, double timeout_s) {
  const auto end = in_seconds(timeout_s);
  for (;;) {
    if (const auto stop = buffer_.find('\n', scanned_); stop != std::string::npos) {
      line.assign(buffer_, read_, stop - read_);
      read_ = scanned_ = stop + 1;
      return Got::line;
    }
    buffer_.erase(0, read_);
    read_ = 0, scanned_ = buffer_.size();
    if (buffer_.size() > longest_line) return Got::too_long;
    if (out_ < 0) return Got::ended;
    char bytes[65536];
    const ssize_t n = ::read(out_, bytes, sizeof bytes);
    if (n > 0) {
      buffer_.append(bytes, static_cast<std::size_t>(n));
      received_ += static_cast<std::uint64_t>(n);
      continue;
    }
    if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
      drain_words();
      close_one(out_);
      return Got::ended;
    }
    pollfd wait[2] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}};
    const int left = milliseconds_until(end);
    if (left == 0) return Got::nothing;
    if (poll(wait, err_ >= 0 ? 2 : 1, left) > 0 && wait[1].revents != 0) drain_words();
  }
}

/// Its group is killed first: as long as its end was not asked for, nobody else has its number. Of one that has ended
/// itself the process beside it (plugins/child) has ended what left the group.
void ChildProcess::reap() {
  if (killed_ && !has_ended()) {
    ::kill(pid_, SIGSTOP);
    kill_descendants(pid_);
  }
  ::kill(-pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  drain_words();
  pid_ = -1;
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    crashed_ = !killed_;
    end_ = killed_ ? "was killed" : "crashed (signal " + std::to_string(number) + ", " + strsignal(number) + ")";
  } else {
    end_ = "ended with exit code " + std::to_string(WEXITSTATUS(status));
  }
}

bool ChildProcess::has_ended() const {
  siginfo_t info{};
  return pid_ > 0 && waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid_;
}

bool ChildProcess::wait_for_end(double timeout_s) {
  const auto end = in_seconds(timeout_s);
  for (;;) {
    if (has_ended()) {
      reap();
      return true;
    }
    if (MonotonicClock::now() >= end) return false;
    if (err_ >= 0) drain_words();
    poll(nullptr, 0, 1);
  }
}

void ChildProcess::finish(double grace_s) {
  if (pid_ > 0) {
    close_one(in_);
    if (grace_s <= 0.0 || !wait_for_end(grace_s)) {
      killed_ = true;
      reap();
    }
  }
  close_all();
}

std::string ChildProcess::end_text() {
  if (pid_ > 0 && !wait_for_end(0.2)) return "closed its output and goes on";
  return end_;
}

void ChildProcess::close_all() { close_one(in_), close_one(out_), close_one(err_), close_one(lifeline_); }

}  // namespace ergode
