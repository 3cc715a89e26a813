#pragma once
#include <optional>

#include "core/des/lowering.h"
#include "core/random/distribution.h"
#include "solvers/cluster/model/job_law.h"

namespace ergode {

/// The distribution that a property says, or a constant as one: what jobs draw. Nothing where it is neither, which is
/// told (the codes of expressions; EXP005 where it changes while the model runs).
/// @param otherwise  what is meant where nothing is written
std::optional<Distribution> drawn_law(Lowering& model, Scope& scope, const Element& at, const char* property,
                                      const char* otherwise, Dimension dimension);
/// The same of times of jobs, which may read what is known when a replication begins: what simulators found.
std::optional<JobLaw> drawn_job_law(Lowering& model, Scope& scope, const Element& at, const char* property,
                                    const char* otherwise, Dimension dimension);
/// RNT024 (warning): a fixed number of GPUs or hosts that is none, which every job takes rounded up; nothing of others.
void warn_of_part(Lowering& model, const Element& at, const char* property, const Distribution& law);
/// The least that it gives. A constant gives itself.
double least_of(const Distribution& law);

}  // namespace ergode
