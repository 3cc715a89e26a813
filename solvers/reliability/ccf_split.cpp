#include <algorithm>

#include "solvers/reliability/cause.h"
#include "solvers/reliability/ccf_group.h"

namespace ergode {

std::shared_ptr<const Split> split_by_cause(const std::vector<CcfGroup>& groups) {
  if (groups.empty()) return nullptr;
  bool shocks = false, sets = false, some = false, all = false;
  for (const CcfGroup& group : groups) {
    const std::vector<double>& orders = group.orders.specific;  // from any model of a group
    const bool bfr = group.model == "bfr";
    (bfr ? shocks : sets) = true;
    // A binomial shock is non-lethal even where it strikes all members; of sets, the size decides.
    some = some || (bfr ? group.bfr.mu > 0.0 && group.bfr.rho > 0.0
                        : std::any_of(orders.begin() + 1, orders.end() - 1, [](double q) { return q > 0.0; }));
    all = all || (bfr ? group.bfr.omega > 0.0 : orders.back() > 0.0);
  }
  // Only the binomial model has shocks; the others have failures of certain sets of members.
  const char* of_some = !sets ? "non-lethal" : !shocks ? "shared by some" : "non-lethal, shared by some";
  const char* of_all = !sets ? "lethal" : !shocks ? "shared by all" : "lethal, shared by all";
  Split out;
  out.by = "cause";
  out.meaning = "the gravest common cause among the failures standing at that moment";
  out.parts.resize(Cause::count);
  out.parts[Cause::none] = {"none", "none"};
  out.parts[Cause::independent] = {"independent", "independent"};
  out.parts[Cause::non_lethal] = {"non_lethal", of_some, some};
  out.parts[Cause::lethal] = {"lethal", of_all, all};
  return std::make_shared<const Split>(std::move(out));
}

}  // namespace ergode
