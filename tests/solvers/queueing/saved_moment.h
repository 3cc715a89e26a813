#pragma once
#include <vector>

#include "solvers/simulation/model_history.h"
#include "tests/solvers/solver_check.h"

namespace ergode::test {

/// A history saved at 100 s and restored twice, in itself and in another one that was elsewhere: what comes until 500 s
/// must be the same each time, moment by moment.
inline void compare_saved_moment(const Document& document) {
  Diagnostics found;
  const auto model = build_model(document, {}, "", found);
  QVERIFY2(model != nullptr, listed(found).c_str());
  const CcfProgram groups(*model);
  ModelHistory history(*model, groups, 5);
  NobodyWatches nobody;
  history.start(3);
  while (history.step(100.0, nobody)) {
  }
  ModelHistory::Saved saved;
  history.save(saved);
  const auto rest = [&](ModelHistory& from) {
    from.restore(saved, 9);
    std::vector<double> seen;
    while (from.step(500.0, nobody)) seen.push_back(from.world().now());
    seen.push_back(static_cast<double>(from.world().fingerprint));
    return seen;
  };
  ModelHistory other(*model, groups, 5);
  other.start(77);
  while (other.step(250.0, nobody)) {
  }
  const std::vector<double> once = rest(history);
  QVERIFY(once.size() > 500);
  QVERIFY(once == rest(history));
  QVERIFY(once == rest(other));
}

}  // namespace ergode::test
