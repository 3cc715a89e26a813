#pragma once
#include <cstdint>
#include <string>

#include "core/des/lowering.h"
#include "core/expression/parameters.h"
#include "solvers/cluster/model/host_failures.h"
#include "solvers/cluster/model/job_law.h"

namespace ergode {

/// What a place of hosts says of their failures and of what jobs save (host_failure_properties() in
/// notation_failures.h), resolved. Where something is wrong it is told and left out.
struct DrawnHosts {
  const Element* element = nullptr;
  std::string name;         ///< of the place
  std::uint32_t hosts = 1;  ///< numbered from 1 in conditions
  /// Codes of problems: a value out of its range (error), a condition that never changes (warning).
  const char *value = "", *never_changes = "";
};
HostFailures drawn_host_failures(Lowering& model, Scope& scope, PropertyReader& read, const DrawnHosts& at);

/// A warning with this code where drawn jobs lose a host so often that they take more than ten times as long as their
/// work, as if a host were always there to take the place of one that fails.
/// @param stream  name
/// @param hosts   of a job
/// @param size    work of a job [s]
/// @param speed   at which it is done
void warn_of_restarts(Lowering& model, const Element& at, const char* code, const HostFailures& rules,
                      const std::string& stream, double hosts, const JobLaw& size, double speed);

}  // namespace ergode
