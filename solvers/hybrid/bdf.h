#pragma once
#include <memory>

#include "core/study/run_request.h"
#include "solvers/hybrid/ode_integrator.h"

namespace ergode {

/// Backward differentiation formulas with a dense Newton iteration, for stiff equations: CVODE (Hindmarsh et al.,
/// SUNDIALS, ACM Trans. Math. Softw. 31(3), 2005).
/// @throws OdeFailure  it cannot be set up.
std::unique_ptr<OdeIntegrator> make_bdf(OdeSystem& system, std::size_t size, std::size_t conditions,
                                        const OdeOptions& options);

}  // namespace ergode
