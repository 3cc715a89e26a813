#include "solvers/markov/routes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "solvers/markov/modular_run.h"
#include "solvers/markov/relevance.h"

namespace ergode {
namespace {

constexpr std::uint64_t quick_states = 2000;
constexpr std::size_t most_chains =
    16;  // instead of one of all that they hang on, before that is known to be too large

/// Measures that are answered together.
struct Together {
  std::vector<std::size_t> measures;  ///< numbers in the whole model, ascending
  bool apart = false;                 ///< by independent parts, not by the chain of all that they hang on
};

/// Answers each measure by the cheapest way that there is: all of them by parts or by one chain where that can be, else
/// those that allow it by parts and the others by a chain of what they hang on. What costs too much takes nothing from
/// the rest.
class Answering {
 public:
  Answering(ChainRun& run, const std::function<std::string()>& solve_chain)
      : run_(run), model_(run.model()), solve_chain_(solve_chain) {
    for (std::size_t m = 0; m < model_.measures.size(); ++m)
      if (run_.why_not(m).empty()) asked_.push_back(m);
  }

  ResultSet solve() {
    Together all{asked_, false};
    std::vector<Together> open = {all};
    if (run_.options().lumping && run_.options().method != "cvode" && !all.measures.empty()) {
      modules_ = taken_apart();
      all.apart = modules_.has_value();
      auto groups = all.apart ? std::vector{all} : groups_of_one_shape();
      if (run_.budget().stop_requested()) return run_.fail("cancelled");
      // Parts are solved apart where the whole is too large to be quick.
      if (!groups.empty() && !small()) open = std::move(groups);
      if (run_.failed()) return run_.take();
    }
    for (std::size_t g = 0; g < open.size(); ++g) {
      const auto more = answer(Together(open[g]));
      if (!more) return failure_.empty() ? run_.take() : run_.fail(failure_, "MKV020");
      open.insert(open.end(), more->begin(), more->end());
    }
    // The first reason is that of the way which was to be the cheapest.
    if (answered_ == 0 && !refused_.empty()) throw OverBudget{refused_.front().second};
    run_.ask_all();
    for (const auto& [m, why] : refused_) run_.too_dear(m, why);
    return run_.take();
  }

 private:
  std::optional<Modules> taken_apart() const {
    auto modules = find_modules(run_.model(), run_.budget());
    if (!modules) modules = find_crowds(run_.model(), run_.budget());
    return modules;
  }

  /// Measures on modules, on each array by itself, and the others; none when there are only others.
  std::vector<Together> groups_of_one_shape() const {
    std::vector<Together> out;
    Together modular{{}, true}, rest;
    std::map<std::uint32_t, Together> crowds;  // by first member
    const std::vector<std::size_t> of_modules = modular_measures(model_, run_.budget());
    for (const std::size_t m : asked_) {
      if (std::binary_search(of_modules.begin(), of_modules.end(), m)) modular.measures.push_back(m);
      else if (const auto crowd = crowd_of(model_, m)) crowds[crowd->first].measures.push_back(m);
      else rest.measures.push_back(m);
    }
    if (!modular.measures.empty()) out.push_back(std::move(modular));
    for (auto& [first, crowd] : crowds) crowd.apart = true, out.push_back(std::move(crowd));
    if (out.empty() || rest.measures.empty()) return out;
    // The chain of all that they hang on may be out of reach where each of theirs is small: one that names a member
    // ends the lumping for the others.
    const ByReach groups = by_reach(rest.measures);
    if (groups.size() > most_chains) out.push_back(std::move(rest));
    else
      for (const auto& [reach, measures] : groups) out.push_back({measures, false});
    return out;
  }

  /// The whole chain is small: it is generated then.
  bool small() {
    Diagnostic refused;
    if (run_.generate(std::min(quick_states, run_.options().state_limit), &refused)) return true;
    if (!refused.code.empty() && refused.code != "MKV010") throw OverBudget{std::move(refused)};
    return false;
  }

  /// @returns what is left of them to be answered in another way; nothing: the run has failed.
  std::optional<std::vector<Together>> answer(const Together& group) {
    const bool all = group.measures.size() == asked_.size();
    if (!all) ask_only(group.measures);
    Diagnostic refused;
    try {
      const auto why = group.apart ? by_parts(all) : by_chain(refused);
      if (run_.failed()) return std::nullopt;
      if (!why) {
        run_.forget_notes();
        if (refused.code.empty()) return std::vector<Together>{{group.measures, false}};
      } else if (!why->empty()) {
        failure_ = *why;
        return std::nullopt;
      } else {
        answered_ += group.measures.size();
        return std::vector<Together>();
      }
    } catch (const OverBudget& cost) {
      refused = cost.diagnostic;
      run_.forget_notes();
    }
    return smaller_groups(group, refused);
  }

  /// Why it failed; empty: they are answered. Nothing: they hang together after all.
  std::optional<std::string> by_parts(bool all) {
    const auto modules = all ? std::move(modules_) : taken_apart();
    if (!modules) return std::nullopt;
    return solve_modules(run_, *modules);
  }

  /// Why it failed; empty: they are answered. Nothing: it has failed already, or `refused` says what it would cost.
  std::optional<std::string> by_chain(Diagnostic& refused) {
    if (!run_.generated() && !run_.generate(run_.options().state_limit, &refused)) return std::nullopt;
    return solve_chain_();
  }

  /// What costs too much together may be cheap for some: those that hang on less. Whoever hangs on as much costs as
  /// much.
  std::vector<Together> smaller_groups(const Together& group, const Diagnostic& why) {
    if (group.measures.empty()) throw OverBudget{why};
    const ByReach groups = by_reach(group.measures);
    std::set<std::uint32_t> together;
    for (const auto& [reach, measures] : groups) together.insert(reach.begin(), reach.end());
    dear_.emplace_back(together.begin(), together.end());
    std::vector<Together> out;
    for (const auto& [reach, measures] : groups) {
      const bool dear = std::any_of(dear_.begin(), dear_.end(), [&reach = reach](const auto& known) {
        return std::includes(reach.begin(), reach.end(), known.begin(), known.end());
      });
      if (!dear) out.push_back({measures, group.apart});
      else
        for (const std::size_t m : measures) refused_.emplace_back(m, why);
    }
    return out;
  }

  /// Measures by the components that they hang on, ascending; those that hang on fewest first.
  using ByReach = std::vector<std::pair<std::vector<std::uint32_t>, std::vector<std::size_t>>>;
  ByReach by_reach(const std::vector<std::size_t>& measures) const {
    const Relevance relevance(model_, {});
    std::map<std::vector<std::uint32_t>, std::vector<std::size_t>> groups;
    for (const std::size_t m : measures) groups[reach(relevance, m)].push_back(m);
    ByReach out(groups.begin(), groups.end());
    std::stable_sort(out.begin(), out.end(),
                     [](const auto& a, const auto& b) { return a.first.size() < b.first.size(); });
    return out;
  }
  std::vector<std::uint32_t> reach(const Relevance& relevance, std::size_t m) const {
    if (!model_.measures[m].counts_event) return relevance.reach(relevance.read_by(model_.measures[m].program));
    std::vector<std::uint32_t> all(model_.charts.instances.size());
    std::iota(all.begin(), all.end(), 0U);
    return all;
  }

  void ask_only(const std::vector<std::size_t>& measures) {
    if (!asked_in_parts_)
      for (std::size_t m = 0; m < model_.measures.size(); ++m)
        if (const std::string why = run_.why_not(m); !why.empty()) run_.not_answered(m, why);
    asked_in_parts_ = true;
    run_.ask_only(measures);
  }

  ChainRun& run_;
  const AnalysisModel& model_;  ///< the whole
  const std::function<std::string()>& solve_chain_;
  std::vector<std::size_t> asked_;  ///< measures that can be answered at all
  std::optional<Modules> modules_;  ///< of the whole
  bool asked_in_parts_ = false;
  std::string failure_;
  std::size_t answered_ = 0;
  std::vector<std::vector<std::uint32_t>> dear_;  ///< what all hang on that together cost too much
  std::vector<std::pair<std::size_t, Diagnostic>> refused_;
};

}  // namespace

ResultSet answer_measures(ChainRun& run, const std::function<std::string()>& solve_chain) {
  return Answering(run, solve_chain).solve();
}

}  // namespace ergode
