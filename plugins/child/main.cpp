// The process in which a plugin runs: it loads a library, or starts a program, and dies with whoever started it.
//
//   ergode-plugin-host library FILE        speaks the messages of plugins/README.md for a library of ergode_plugin.h
//   ergode-plugin-host command WORD...     runs a program that speaks them itself
//
// Sees the C header and a JSON library, nothing of Ergode: what a plugin overwrites here is nobody else's.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "plugins/child/serve_library.h"
#include "plugins/native/process_tree.h"

namespace {

/// Held open by whoever started this process; at its end when that is gone.
constexpr int lifeline = 3;

/// No core files, and first to go where memory runs out: the workbench is worth more than a run of a plugin.
void be_humble() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  if (const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); file >= 0) {
    const ssize_t ignored = write(file, "900", 3);
    static_cast<void>(ignored);
    close(file);
  }
}

int run_program(char** words) {
  execvp(words[0], words);
  std::fprintf(stderr, "%s: %s\n", words[0], std::strerror(errno));
  return 127;
}

int run_library(const char* file) {
  // What the library prints goes where messages of people go; only this program writes messages.
  const int messages = fcntl(1, F_DUPFD_CLOEXEC, 10);
  dup2(2, 1);
  const int code = ergode_child::serve_library(file, messages);
  std::fflush(nullptr);
  return code;
}

/// Stays beside the plugin, which works in a process of its own, so that it ends when nobody wants it any more, even
/// where it hangs, and so does all that it started, whatever that did to get away.
template <class Work>
int watch_over(const Work& work) {
  const pid_t self = getpid();
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // whoever of them loses his parent is this one's
  const pid_t child = fork();
  if (child == 0) {
    close(lifeline);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != self) _exit(0);  // it went before that
    _exit(work());                    // without destructors of the library, some of which crash
  }
  if (child < 0) return std::perror("fork"), 126;
  const int ends = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  // Its input and output are its own: held here they would never be at their end.
  for (const int mine : {0, 1}) close(mine);
  pollfd wait[2] = {{ends, POLLIN, 0}, {lifeline, POLLIN, 0}};
  while (poll(wait, 2, -1) < 0 && errno == EINTR) {
  }
  if (wait[0].revents == 0) {
    ergode::kill_descendants(self);
    kill(0, SIGKILL);  // the group, this process too
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  // Mostly there is nobody: who has no children has no descendants, as all that lose their parents are his.
  if (waitpid(-1, nullptr, WNOHANG) >= 0) ergode::kill_descendants(self);
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  // Ends as the plugin did, so that whoever asks hears of the signal.
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  return 128 + WTERMSIG(status);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 2 ? argv[1] : "";
  if (how != "library" && how != "command") {
    std::fprintf(stderr,
                 "usage: ergode-plugin-host library FILE | command WORD...\nErgode starts it for its plugins.\n");
    return 2;
  }
  be_humble();
  return watch_over([&] { return how == "command" ? run_program(argv + 2) : run_library(argv[2]); });
}
