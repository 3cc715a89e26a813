#pragma once
#include <memory>
#include <string>
#include <variant>

#include "core/base/element_id.h"
#include "core/expression/varying_law.h"
#include "core/random/distribution.h"

namespace ergode {

/// Times of jobs: a law, or one that only a replication knows, since it has what a simulator found when that began
/// (SlotTable::Declared::known_at_start): lognormal(mean = npu.time, sd = 1 ms), or npu.time alone. Const, for any
/// number of threads; copies are cheap where it is not known.
class JobLaw {
 public:
  /// What replications work out, and where it is written.
  struct Found {
    std::variant<Program, VaryingLaw> value;
    ElementId element;
    std::string property;
  };

  JobLaw() = default;
  JobLaw(Distribution law) : law_(std::move(law)) {}
  explicit JobLaw(Found found) : found_(std::make_shared<const Found>(std::move(found))) {}

  /// The law; null where no run has begun that knows it.
  const Distribution* known() const { return found_ ? nullptr : &law_; }
  /// One draw [s]; uniforms as of the law. ModelFailure RUN002 where what was found has no such law, or comes to no
  /// time.
  /// @param slots  World::slots(); not read where the law is known
  double sample(const double* slots, RandomStream& stream) const;

 private:
  Distribution law_;
  std::shared_ptr<const Found> found_;
};

/// The same of what is a law in any case.
inline double drawn(const Distribution& law, const double*, RandomStream& stream) { return law.sample(stream); }
inline double drawn(const JobLaw& law, const double* slots, RandomStream& stream) { return law.sample(slots, stream); }

}  // namespace ergode
