#include "core/study/solver.h"

namespace ergode {

void Solver::record(const RunRequest& request, std::map<std::string, std::string>& into) const {
  for (const RunOption& option : options()) {
    std::string key = option.name;
    std::replace(key.begin(), key.end(), '-', '_');
    if (request.options.contains(option.name)) into[key] = option.get(request);
  }
}

}  // namespace ergode
