#include "solvers/markov/outcomes.h"

#include <algorithm>
#include <array>

#include "solvers/reliability/ccf_demand.h"

namespace ergode {

std::size_t Outcomes::choose(std::span<const double> probabilities) {
  // One branch alone is no choice.
  const auto possible = [](double p) { return p > 0.0; };
  if (std::count_if(probabilities.begin(), probabilities.end(), possible) == 1)
    return static_cast<std::size_t>(std::find_if(probabilities.begin(), probabilities.end(), possible) -
                                    probabilities.begin());
  if (at_ < path_.size()) return path_[at_++].taken;
  // The first branch again and again: a loop without time that chance alone ends has no last outcome.
  constexpr std::size_t most_choices = 1'000;
  if (path_.size() == most_choices)
    throw OverBudget{{.code = "MKV022",
                      .message = "One moment goes through more than 1,000 choices of chance, so its outcomes have no "
                                 "end; wanted a loop in which time passes.",
                      .hint = "The simulation answers it."}};
  Fork fork;
  fork.probabilities.assign(probabilities.begin(), probabilities.end());
  while (fork.taken + 1 < fork.probabilities.size() && !(fork.probabilities[fork.taken] > 0.0)) ++fork.taken;
  path_.push_back(std::move(fork));
  return path_[at_++].taken;
}

bool Outcomes::next() {
  at_ = 0;
  // The last choice first; below a branch that is used up the script ends.
  while (!path_.empty()) {
    Fork& last = path_.back();
    do ++last.taken;
    while (last.taken < last.probabilities.size() && !(last.probabilities[last.taken] > 0.0));
    if (last.taken < last.probabilities.size()) return true;
    path_.pop_back();
  }
  return false;
}

double Outcomes::probability() const {
  double product = 1.0;
  for (const Fork& fork : path_) product *= fork.probabilities[fork.taken];
  return product;
}

DemandOutcomes::DemandOutcomes(const AnalysisModel& model, Outcomes& outcomes) : outcomes_(outcomes) {
  for (const CcfGroup& group : model.groups) {
    if (!group.demand || group.cause < 0) continue;
    Group out;
    out.group = &group;
    const int n = static_cast<int>(group.members.size());
    out.exactly = CcfDemand(group.orders).failed_count();
    for (int m = 0; m <= n; ++m) out.exactly[static_cast<std::size_t>(m)] /= binomial(n, m);
    out.known.assign(group.members.size(), -1);
    groups_.push_back(std::move(out));
  }
}

void DemandOutcomes::forget() {
  for (Group& group : groups_) std::fill(group.known.begin(), group.known.end(), std::int8_t{-1});
}

double DemandOutcomes::pattern(const Group& group, int asked, int failed) {
  const int others = static_cast<int>(group.known.size()) - asked;
  double sum = 0.0;
  for (int more = 0; more <= others; ++more)
    sum += binomial(others, more) * group.exactly[static_cast<std::size_t>(failed + more)];
  return sum;
}

SplitPart DemandOutcomes::demand(std::uint32_t instance, std::uint32_t cause, double) {
  for (Group& group : groups_) {
    if (group.group->cause != static_cast<int>(cause)) continue;
    const auto member = std::find(group.group->members.begin(), group.group->members.end(), instance);
    if (member == group.group->members.end()) continue;
    std::int8_t& known = group.known[static_cast<std::size_t>(member - group.group->members.begin())];
    if (known < 0) {
      int asked = 0, failed = 0;
      for (const std::int8_t k : group.known) asked += k >= 0 ? 1 : 0, failed += k > 0 ? 1 : 0;
      const double fails = pattern(group, asked + 1, failed + 1), works = pattern(group, asked + 1, failed);
      const std::array<double, 2> branches = {works / (works + fails), fails / (works + fails)};
      known = static_cast<std::int8_t>(outcomes_.choose(branches));
    }
    return known > 0 ? Cause::independent : Cause::none;
  }
  return Cause::none;
}

}  // namespace ergode
