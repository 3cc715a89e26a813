// Whoever starts another and goes at that moment does not hide him.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTest>

#include "plugins/native/process_tree.h"

namespace {

/// Starts one that starts another and is gone, and so on; the last lives far too long if nobody kills him.
void leave_descendant(int generations) {
  if (fork() != 0) return;
  setsid();
  for (int i = 1; i < generations; ++i)
    if (fork() != 0) _exit(0);
  sleep(20);
  _exit(0);
}

/// As plugins/child does it. @returns 0, or 1 if anybody is left.
int watch_over_many(int generations) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (int i = 0; i < 3; ++i) leave_descendant(generations);
  ergode::kill_descendants(getpid());
  pid_t ended = 0;
  while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0) {
  }
  return ended == 0 ? 1 : 0;
}

}  // namespace

class TestProcessTree : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void nobody_is_left() {
    for (int round = 0; round < 60; ++round)
      for (const int generations : {1, 2, 5}) {
        const pid_t watcher = fork();
        if (watcher == 0) _exit(watch_over_many(generations));
        int status = 0;
        QCOMPARE(waitpid(watcher, &status, 0), watcher);
        QVERIFY2(WIFEXITED(status) && WEXITSTATUS(status) == 0,
                 qPrintable(QString("%1 generations, round %2").arg(generations).arg(round)));
      }
  }
};

QTEST_APPLESS_MAIN(TestProcessTree)
#include "tst_process_tree.moc"
