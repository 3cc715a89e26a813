#include "solvers/queueing/chain/network_space.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "core/base/text.h"
#include "solvers/markov/classes.h"
#include "solvers/markov/long_run.h"
#include "solvers/queueing/chain/truncation_bound.h"

namespace ergode {
namespace {

// Beside its key: two vectors while one is copied into a greater one, an entry of the table, a start in the generator.
constexpr double state_bytes = 3 * sizeof(std::u32string) + 48.0;
constexpr double transition_bytes = 2 * 12.0;

}  // namespace

std::optional<NetworkSpace> explore(const NetworkChain& chain, std::uint64_t limit, std::uint64_t most_states,
                                    const Budget& budget, bool more) {
  NetworkSpace out;
  // What surely is too much is not begun.
  const double least = chain.least_states(limit);
  if (least > static_cast<double>(most_states)) return {};
  if (more && least * state_bytes > static_cast<double>(budget.bytes())) return {};
  budget.allow_bytes(least * state_bytes, "MKV010", "The states of the network");
  // States are found by their keys, which are kept once.
  const auto hash = [&](std::uint32_t s) { return std::hash<std::u32string>()(out.states[s]); };
  const auto same = [&](std::uint32_t a, std::uint32_t b) { return out.states[a] == out.states[b]; };
  std::unordered_set<std::uint32_t, decltype(hash), decltype(same)> known(0, hash, same);
  double bytes = 0.0;
  const auto number_of = [&](const NetworkState& state) {
    out.states.push_back(state.key());
    const auto [at, fresh] = known.insert(static_cast<std::uint32_t>(out.states.size() - 1));
    if (fresh) bytes += state_bytes + 4.0 * static_cast<double>(out.states.back().capacity());
    else out.states.pop_back();
    return *at;
  };
  for (const auto& [state, probability] : chain.initial()) {
    const std::uint32_t at = number_of(state);
    out.initial.resize(out.states.size(), 0.0);
    out.initial[at] += probability;
  }
  NetworkState here = chain.blank();
  NetworkChain::Flows flows{std::vector<double>(chain.places()), std::vector<double>(chain.places()),
                            std::vector<double>(chain.places())};
  std::vector<RateEntry> row;
  const NetworkChain::Emit emit = [&](const NetworkState& to, double rate) {
    if (rate > 0.0) row.push_back({number_of(to), rate});
  };
  for (std::size_t s = 0; s < out.states.size(); ++s) {
    if (out.states.size() > most_states || (s % 256 == 0 && budget.stop_requested())) return {};
    if (s % 256 == 0) {
      const double needed = bytes + transition_bytes * static_cast<double>(out.generator.transitions());
      if (more && needed > static_cast<double>(budget.bytes())) return {};
      budget.allow_bytes(needed, "MKV010", "The states of the network");
    }
    row.clear();
    here.read(std::u32string(out.states[s]));
    chain.moves(here, limit, emit, &flows);
    out.generator.push_row(row);
  }
  out.generator.shrink();
  out.initial.resize(out.states.size(), 0.0);
  out.cut = flows.cut > 0.0;
  return out;
}

namespace {

/// Means over the states of a space.
NetworkLongRun means_of(const NetworkChain& chain, const NetworkSpace& space, const std::vector<double>& probability,
                        std::span<const Program* const> programs, std::span<const std::uint8_t> spread,
                        std::uint64_t limit) {
  NetworkLongRun out;
  out.shares.resize(programs.size());
  const std::vector<double> none(chain.places(), 0.0);
  out.numbers = {none, none, none}, out.flows = {none, none, none}, out.values.assign(programs.size(), 0.0);
  NetworkState here = chain.blank();
  std::vector<double> slots;
  for (std::size_t s = 0; s < space.states.size(); ++s) {
    if (probability[s] == 0.0) continue;
    here.read(space.states[s]);
    chain.count(here, out.numbers, probability[s]);
    chain.moves(
        here, limit, [](const NetworkState&, double) {}, &out.flows, probability[s]);
    if (programs.empty()) continue;
    chain.slots(here, slots);
    // A state that is too improbable for any number adds nothing, however great the value there.
    for (std::size_t p = 0; p < programs.size() && probability[s] > 0.0; ++p) {
      const double value = programs[p]->evaluate(slots.data());
      out.values[p] += probability[s] * value;
      if (spread[p] != 0) out.shares[p][value] += probability[s];
    }
  }
  out.states = space.states.size(), out.transitions = space.generator.transitions();
  return out;
}

/// Where somebody waits for ever, wherever the network may end. Known from what can happen, not from how probable it
/// is: probabilities of empty lines get smaller than any number.
std::vector<std::uint32_t> starving(const NetworkChain& chain, const NetworkSpace& space, std::uint64_t limit) {
  const Classes classes = find_classes(space.generator.rows());
  std::vector<std::optional<NetworkChain::Lines>> lines(classes.bottom.size());
  NetworkState here = chain.blank();
  for (std::size_t s = 0; s < space.states.size(); ++s) {
    const std::uint32_t in = classes.of[s];
    if (classes.bottom[in] == 0) continue;
    if (!lines[in]) lines[in] = chain.no_lines();
    here.read(space.states[s]);
    chain.see_lines(here, *lines[in]);
  }
  const auto stuck = [](const std::optional<NetworkChain::Lines>& one) {
    return one && std::any_of(one->least.begin(), one->least.end(),
                              [](std::uint32_t least) { return least != 0 && least != NetworkModel::none; });
  };
  // A line that gets empty in some state starves nobody; only the others are worth following their moves.
  std::vector<std::uint8_t> follow(lines.size());
  for (std::size_t c = 0; c < lines.size(); ++c) follow[c] = stuck(lines[c]) ? 1 : 0;
  const std::vector<double> none(chain.places(), 0.0);
  NetworkChain::Flows flows{none, none, none};
  for (std::size_t s = 0; s < space.states.size(); ++s) {
    const std::uint32_t in = classes.of[s];
    if (classes.bottom[in] == 0 || follow[in] == 0) continue;
    flows.lines = &*lines[in];
    here.read(space.states[s]);
    chain.moves(
        here, limit, [](const NetworkState&, double) {}, &flows);
  }
  std::vector<std::uint32_t> out;
  for (std::size_t c = 0; c < lines.size(); ++c) {
    if (follow[c] == 0) continue;
    const std::vector<std::uint32_t> found = chain.starving(*lines[c]);
    out.insert(out.end(), found.begin(), found.end());
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// Greatest relative change of a mean.
double change(const NetworkLongRun& a, const NetworkLongRun& b) {
  double out = 0.0;
  const auto compare = [&](const std::vector<double>& x, const std::vector<double>& y) {
    // A value that is beyond all numbers keeps nobody from knowing the others.
    for (std::size_t i = 0; i < x.size(); ++i)
      if (x[i] != y[i] && std::isfinite(x[i]) && std::isfinite(y[i]))
        out = std::max(out, std::fabs(x[i] - y[i]) / std::max(std::fabs(x[i]), std::fabs(y[i])));
  };
  compare(a.numbers.present, b.numbers.present), compare(a.numbers.waiting, b.numbers.waiting);
  compare(a.numbers.busy, b.numbers.busy), compare(a.flows.served, b.flows.served);
  compare(a.flows.lost, b.flows.lost), compare(a.flows.gave_up, b.flows.gave_up), compare(a.values, b.values);
  return out;
}

constexpr double useful = 1e-2;  // of a mean: less exact ones are no answers, unless that is asked for

/// What can be shown of a network that is cut.
class ShownBounds {
 public:
  ShownBounds(const NetworkChain& chain, std::span<const Program* const> programs, std::uint64_t most_states,
              const Budget& budget)
      : chain_(chain), programs_(programs), budget_(budget) {
    // Small exponents have small constants, great ones fall soon.
    for (const double share : {0.5, 0.25, 0.1, 0.04}) {
      auto found = TailDrift::find(chain, share);
      if (auto* why = std::get_if<std::string>(&found)) {
        if (why_not_.empty()) why_not_ = std::move(*why);
        continue;
      }
      const TailDrift& drift = std::get<TailDrift>(found);
      const bool far = chain.least_states(drift.beyond()) > static_cast<double>(most_states);
      bool known = true;
      for (const Program* program : programs) known = known && std::isfinite(drift.values(*program));
      if (far) why_not_ = "a bound would need " + std::to_string(drift.beyond()) + " customers";
      else if (!known) why_not_ = "nothing bounds what is asked for";
      else drifts_.push_back(drift);
    }
  }
  bool any() const { return !drifts_.empty(); }

  /// Of a long run, whose bound gets the least of all drifts, or the first that is small enough.
  void take(const NetworkSpace& space, std::span<const double> distribution, double enough, NetworkLongRun& run) const {
    run.bounded = false, run.why_unbounded = why_not_;
    if (any()) run.why_unbounded = "more customers would be needed for a bound";
    for (const TailDrift& drift : drifts_) {
      if (run.bounded && run.truncation <= enough) return;
      const TruncationBound bound = bound_truncation(chain_, space, run.limit, distribution, drift, budget_);
      if (!(bound.weight < 1.0)) continue;
      double relative = 0.0, nothing = 0.0, least = 1.0;
      const auto look = [&](double value, double error) {
        if (value > 0.0) relative = std::max(relative, error / value);
        else nothing = std::max(nothing, error);
      };
      const std::size_t classes = run.numbers.present.size() / std::max<std::size_t>(1, chain_.nodes());
      for (std::size_t place = 0; place < run.numbers.present.size(); ++place) {
        const double there = drift.numbers(static_cast<std::uint32_t>(place / classes));
        for (const auto* of : {&run.numbers.present, &run.numbers.waiting, &run.numbers.busy})
          if (there > 0.0) look((*of)[place], bound.of(there, (*of)[place]));
        for (const auto* of : {&run.flows.served, &run.flows.lost, &run.flows.gave_up})
          look((*of)[place], bound.of(drift.flows(), (*of)[place]));
        if (run.flows.served[place] > 0.0) least = std::min(least, run.flows.served[place]);
      }
      std::vector<double> values;
      double worst = 0.0;
      for (std::size_t p = 0; p < programs_.size(); ++p) {
        values.push_back(bound.of(drift.values(*programs_[p]), run.values[p]));
        if (run.values[p] != 0.0) worst = std::max(worst, values.back() / std::fabs(run.values[p]));
        // What is asked for may be nothing so far because it lies beyond the limit.
        else if (values.back() > useful) worst = no_bound;
        else nothing = std::max(nothing, values.back());
      }
      // Times are quotients of numbers and flows.
      const double quotients = relative < 0.5 ? 2.0 * relative / (1.0 - relative) : no_bound;
      if (!std::isfinite(quotients) || !std::isfinite(worst) || !std::isfinite(nothing)) continue;
      const double shown = std::max(quotients, worst);
      if (shown > std::max(enough, useful) || (run.bounded && shown >= run.truncation)) continue;
      run.bounded = true, run.truncation = shown, run.nothing = nothing / least;
      run.value_error = std::move(values);
    }
  }

 private:
  const NetworkChain& chain_;
  std::span<const Program* const> programs_;
  const Budget& budget_;
  std::vector<TailDrift> drifts_;
  std::string why_not_;
};

}  // namespace

std::variant<NetworkLongRun, std::string> long_run_of(const NetworkChain& chain,
                                                      std::span<const Program* const> programs,
                                                      std::span<const std::uint8_t> spread, double error,
                                                      std::uint64_t most_states, const Budget& budget) {
  std::optional<NetworkLongRun> before;
  const bool limited = !chain.finite();
  LinearOptions options;
  options.budget = budget;
  // Lattices of numbers fill in when they are reduced, and hardly need more sweeps when they are cut further out.
  options.direct_limit = 1000, options.direct_sweeps = 3.0;
  double changed = std::numeric_limits<double>::infinity();
  constexpr double well_known = 1e-6;  // of means that have settled: then a bound is good enough
  std::uint64_t settled_states = 0;
  std::optional<ShownBounds> bounds;
  const auto told = [&] { return before && (before->bounded || changed <= useful); };
  for (std::uint64_t limit = limited ? 16 : std::numeric_limits<std::uint64_t>::max();; limit += limit / 2) {
    auto space = explore(chain, limit, most_states, budget, told());
    if (!space) {
      if (budget.stop_requested()) return "cancelled";
      if (told()) return std::move(*before);
      const std::string more = "There are more than " + std::to_string(most_states) + " states";
      if (!before) return more + (limited ? " already with " + std::to_string(limit) + " customers" : "") + ".";
      const std::string fewer = more + " with " + std::to_string(limit) + " customers, and ";
      if (!std::isfinite(changed)) return fewer + "with fewer there is one answer only, which may be far off.";
      return fewer + "with fewer means still change by " + number_text(changed, 2) +
             " of their value: does everybody who comes get away?";
    }
    auto solved = solve_long_run(space->generator, space->initial, options);
    if (auto* why = std::get_if<std::string>(&solved)) return std::move(*why);
    const LongRun& limiting = std::get<LongRun>(solved);
    NetworkLongRun now = means_of(chain, *space, limiting.distribution, programs, spread, limit);
    now.rounding = limiting.report.error;
    now.method = limiting.report.used == LinearMethod::direct ? "state reduction" : "gauss-seidel";
    now.starving = starving(chain, *space, limit);
    if (!space->cut) return now;
    now.limit = limit;
    if (before) changed = change(*before, now);
    now.truncation = changed;
    if (!bounds) bounds.emplace(chain, programs, most_states, budget);
    now.bounded = false, now.why_unbounded = "more customers would be needed for a bound";
    if (changed <= std::max(error, 1e-4) || !bounds->any()) bounds->take(*space, limiting.distribution, error, now);
    before = std::move(now);
    const double shown = before->truncation;
    const bool settled = changed <= std::min(error, useful);
    if (settled && settled_states == 0) settled_states = before->states;
    // Where means have settled a bound may cost so much more, and no more.
    const bool dear = settled && before->states > std::max<std::uint64_t>(20000, 4 * settled_states);
    if (before->bounded ? shown <= error || (settled && (shown <= well_known || (dear && shown <= useful)))
                        : settled && (dear || !bounds->any()))
      return std::move(*before);
  }
}

}  // namespace ergode
