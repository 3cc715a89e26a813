#pragma once
#include "solvers/queueing/exchange/network_drawing.h"

namespace ergode {

/// Measures of every station and class under `<measure>/<station>/<class>`, and of the whole under
/// `system_response_time` and the like: mean numbers and times in the long run (queue_length, response_time,
/// waiting_time), throughputs [1/s], utilisations; of a region how many are inside and wait before it (waiting),
/// how long they are inside and how many leave it a second; who is lost where somebody may be (drop_rate). Of several
/// classes together where the class is left out; `system_number` only where stations tell it (nobody is split, or
/// outside to come again). Of a net without classes the class is `all`, or nothing where only one thing can be meant
/// (utilisation, drop_rate). After NetworkDrawing::run_for().
void measure_all(NetworkDrawing& drawing);

}  // namespace ergode
