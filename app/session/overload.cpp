#include "app/session/overload.h"

#include <algorithm>

#include "core/base/plural.h"

namespace ergode {

const char* to_text(OverloadPolicy policy) {
  switch (policy) {
    case OverloadPolicy::ask:
      break;
    case OverloadPolicy::run:
      return "run";
    case OverloadPolicy::refuse:
      return "refuse";
  }
  return "ask";
}

OverloadPolicy overload_policy(const std::string& word) {
  for (const OverloadPolicy one : {OverloadPolicy::run, OverloadPolicy::refuse})
    if (word == to_text(one)) return one;
  return OverloadPolicy::ask;
}

Diagnostics overloads_among(const Diagnostics& problems) {
  Diagnostics out;
  std::copy_if(problems.begin(), problems.end(), std::back_inserter(out),
               [](const Diagnostic& d) { return d.code == "QN010" && d.scenario.empty(); });
  return out;
}

std::string overload_text(const Diagnostics& overloads) {
  constexpr std::size_t most_told = 3;
  std::string out;
  for (std::size_t i = 0; i < std::min(overloads.size(), most_told); ++i)
    out += (i != 0 ? " " : "") + overloads[i].message;
  if (overloads.size() > most_told) out += " And " + counted(overloads.size() - most_told, "more place") + ".";
  return out;
}

}  // namespace ergode
