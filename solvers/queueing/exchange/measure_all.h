#pragma once
#include "solvers/queueing/exchange/network_drawing.h"

namespace ergode {

/// Measures of every station and class under `<measure>/<station>/<class>`, and of the whole under
/// `system_response_time` and the like: mean numbers and times in the long run, throughputs [1/s], utilisations.
/// @param horizon_s  mission time [s]
void measure_all(NetworkDrawing& drawing, double horizon_s);

}  // namespace ergode
