#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/results/result_table.h"
#include "solvers/cluster/model/batch_model.h"

namespace ergode {

/// What a provisioner comes to on all its starts: `provisioning`, `load_classes`, `decisions` and, of one that is
/// asked, `questions` (batch_tables.h says what they are). Precondition: its pool's jobs come by one trace.
///
/// @param suffix  of their names
/// @param look    called now and then; what it throws ends the work
/// Three chains for each start.
std::vector<ResultTable> provisioning_tables(const BatchModel& model, const BatchModel::Service& service,
                                             const std::string& suffix, const std::function<void()>& look);

}  // namespace ergode
