#pragma once
#include <memory>

#include "core/study/run_request.h"
#include "solvers/hybrid/ode_integrator.h"

namespace ergode {

/// Backward differentiation formulas with a dense Newton iteration, for stiff equations: CVODE (Hindmarsh et al.,
/// SUNDIALS, ACM Trans. Math. Softw. 31(3), 2005). The Newton matrix is made of differences and dense: O(size^3) and
/// `size` evaluations whenever it is made anew. Every restart begins with order one.
/// @param system      must outlive it; called from within step() and restart() only
/// @param size        values of y, >= 1
/// @param conditions  how many conditions the system has; all of them are looked at, whatever looked_at() says
/// @param options     tolerances of the local error, relative and absolute (the unit of each value)
/// @throws OdeFailure  it cannot be set up.
std::unique_ptr<OdeIntegrator> make_bdf(OdeSystem& system, std::size_t size, std::size_t conditions,
                                        const OdeOptions& options);

}  // namespace ergode
