// Simulations of another package in which nothing is left to chance: drawn, run once, and compared event by event.
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "core/des/lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/conformance/ciw_cases.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// What happened before the end; at the end itself nothing does any more.
CiwEvents ciw_history(const CiwCase& one) {
  const QTemporaryDir folder;
  const DrawnCiwCase drawn(one, folder.path().toStdString());
  Diagnostics found;
  const auto model = build_model(drawn.document(), {}, folder.path().toStdString(), found);
  if (model == nullptr) throw std::runtime_error(listed(found));
  const CcfProgram groups(*model);
  ModelHistory history(*model, groups, 1);
  CiwObserver observer(*model, history.world(), one);
  history.start(1);
  const double end_s = one.customers() > 0 ? model->horizon_s : ciw_ticks(one.end());
  while (history.next_time() < end_s && history.step(end_s, observer))
    if (one.customers() > 0 && observer.out() >= one.customers()) break;
  observer.finish();
  return observer.events();
}

/// Lines that one side has and the other has not.
std::string ciw_differences(const CiwEvents& ours, const CiwEvents& theirs) {
  std::string out;
  const auto without = [&](const char* whose, const CiwEvents& one, const CiwEvents& other) {
    std::vector<std::string> left;
    std::set_difference(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(left));
    for (const std::string& line : left) out += std::string("\n  only ") + whose + ": " + line;
  };
  without("ours", ours, theirs);
  without("theirs", theirs, ours);
  return out;
}

/// Their differences; of a case that was drawn and could not be run why not.
std::string ciw_compared(const CiwCase& one, const CiwEvents& theirs) {
  try {
    return ciw_differences(ciw_history(one), theirs);
  } catch (const ModelFailure& failure) {
    return "\n  " + failure.diagnostic.message;
  } catch (const std::exception& failure) {
    return std::string("\n  ") + failure.what();
  }
}

}  // namespace

class TestCiw : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    register_lowering(network_lowering);
    if (case_folder("ciw").empty()) QSKIP("no cases folder");
  }

  void histories_agree_event_by_event() {
    std::size_t agree = 0, events = 0;
    std::map<std::string, std::string> left_out;
    std::string wrong;
    for (const CiwCase& one : ciw_cases()) {
      if (const std::string why = one.left_out(); !why.empty()) {
        left_out[why] += "\n  " + one.name();
        continue;
      }
      const CiwEvents theirs = one.events();
      const std::string differences = ciw_compared(one, theirs);
      if (differences.empty()) ++agree, events += theirs.size();
      else wrong += "\n" + one.name() + differences;
    }
    for (const auto& [why, names] : left_out) qInfo("left out, %s:%s", why.c_str(), names.c_str());
    qInfo("%zu cases agree, in %zu events", agree, events);
    QVERIFY2(wrong.empty(), wrong.c_str());
    QVERIFY2(agree >= 38, "fewer cases compared than before");
  }
};

QTEST_APPLESS_MAIN(TestCiw)
#include "tst_ciw.moc"
