#pragma once
#include "core/base/diagnostic.h"
#include "solvers/queueing/model/network_model.h"

namespace ergode {

/// QN020 (warning): service times, stays and gaps of so heavy a tail that no central limit theorem holds for what a
/// long run averages, so that intervals of one run are too narrow, however long it is.
///
/// One service of length x keeps those behind it waiting for a time that grows with x^2 in all; its square has a mean
/// where E X^4 is finite (Daley, The serial correlation coefficients of waiting times in a stationary single server
/// queue, Journal of the Australian Mathematical Society 8, 1968). Of c servers of which k work on what comes, c - k
/// such services must meet, which asks for E X^a, a > (c - k + 3) / (c - k) (after Scheller-Wolf and Sigman, Delay
/// moments for FIFO GI/GI/s queues, Queueing Systems 25, 1997). Where long services let others pass (ps, las, srpt,
/// lcfs_pr), where room is limited, and of closed classes the variance alone must be finite; so it must of delays and
/// gaps. Numbers that change while the model runs are not judged. Cost: that of offered_loads().
Diagnostics heavy_tails(const NetworkModel& model);

}  // namespace ergode
