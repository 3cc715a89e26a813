#pragma once
#include "tests/solvers/queueing/drawn_network.h"

namespace ergode::test {

/// What is said of stations that get too much (QN010), a line each; everything where there is no model.
inline std::string overloads_of(const DrawnNetwork& d) {
  Diagnostics found;
  const auto model = build_model(d.m.document(), {}, "", found);
  std::string out = model == nullptr ? "no model: " : "";
  for (const Diagnostic& one : found)
    if (model == nullptr || one.code == "QN010") out += one.code + " " + one.message + "\n";
  return out;
}
/// That is among it.
inline void says(const DrawnNetwork& d, const std::string& wanted) {
  const std::string said = overloads_of(d);
  QVERIFY2(said.find(wanted) != std::string::npos, ("wanted: " + wanted + "\nsaid: " + said).c_str());
}
inline void is_silent(const DrawnNetwork& d) {
  const std::string said = overloads_of(d);
  QVERIFY2(said.empty(), said.c_str());
}
/// The first load that is told; 0: none.
inline double load_of(const DrawnNetwork& d) {
  const std::string said = overloads_of(d);
  if (said.find("as much work") != std::string::npos) return 1.0;
  const std::size_t times = said.find(" times");
  return times == std::string::npos ? 0.0 : std::stod(said.substr(said.rfind(' ', times - 1) + 1));
}

}  // namespace ergode::test
