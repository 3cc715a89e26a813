#include "app/session/run_name.h"

namespace ergode {

std::string run_name(const std::string& scenario, const std::map<std::string, std::string>& overrides) {
  std::string out = scenario;
  for (const auto& [name, text] : overrides) out += (out.empty() ? "" : ", ") + name + " = " + text;
  return out.empty() ? "Base" : out;
}

}  // namespace ergode
