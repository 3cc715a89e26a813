#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "solvers/markov/long_run.h"
#include "solvers/markov/state_space.h"
#include "solvers/markov/uniformisation.h"
#include "solvers/model/analysis_model.h"
#include "statecharts/exchange/prism/prism_reader.h"
#include "tests/support/model_builder.h"

namespace ergode::test {

/// Chains larger than this, and sweeps longer, are left out: nobody waits for a test.
inline constexpr std::uint64_t most_states = 600000;
inline constexpr double most_multiplications = 5e10;

/// Why a row is not asked.
struct NotAsked : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The chain of a program and the vectors that questions are made of. At first it only notes which conditions and
/// rewards are asked for, and answers nothing of worth; explore() then makes the chain with all of them. The unit of
/// time is taken as one second.
class Chain {
 public:
  Chain(std::string text, std::map<std::string, std::string> constants)
      : import_(text, "Program", "s"), constants_(std::move(constants)) {
    if (!import_.document) throw NotAsked(listed(import_.diagnostics));
    // The other settings of a row are its times.
    std::erase_if(constants_, [&](const auto& given) {
      const auto elements = import_.document->elements();
      return std::none_of(elements.begin(), elements.end(),
                          [&](const Element& e) { return e.section == Section::parameter && e.name() == given.first; });
    });
  }

  bool explored() const { return explored_; }
  void explore() {
    Document document = *import_.document;
    std::vector<Element> old;
    for (const Element& e : document.elements())
      if (e.section == Section::measure) old.push_back(e);
    for (const Element& e : old) document.remove(document.index_of(e.id));
    std::uint64_t id = 1;
    for (auto& [key, expression] : asked_) {
      numbers_[key] = static_cast<int>(numbers_.size());
      document.append(
          {.id = ElementId(id),
           .section = Section::measure,
           .kind = "measure",
           .properties = {
               {"name", "asked_" + std::to_string(id)}, {"type", "final_value"}, {"expression", expression}}});
      ++id;
    }
    Diagnostics problems;
    RunRequest request;
    request.overrides = constants_;
    const auto model = build_model(document, request, "", problems);
    if (model == nullptr) throw NotAsked(listed(problems));
    auto made = generate_states(*model, {.state_limit = most_states, .lumping = false});
    if (auto* problem = std::get_if<Diagnostic>(&made)) {
      if (problem->code == "MKV010") throw NotAsked("more than " + std::to_string(most_states) + " states");
      throw std::runtime_error(problem->message);
    }
    space_ = std::get<StateSpace>(std::move(made));
    incoming_ = space_.generator.incoming();
    explored_ = true;
  }

  const StateSpace& space() const { return space_; }
  std::vector<double> initial() const { return explored_ ? space_.initial : std::vector<double>{1.0}; }

  std::vector<std::uint8_t> holds(const std::string& condition) {
    const std::vector<double>& found = values("condition " + condition, [&] {
      auto text = import_.condition(condition);
      if (const auto* problem = std::get_if<Diagnostic>(&text)) throw NotAsked(problem->message);
      return std::get<std::string>(text);
    });
    std::vector<std::uint8_t> out;
    for (const double v : found) out.push_back(v != 0.0 ? 1 : 0);
    return out;
  }
  /// Reward per second, with what transitions give; or of states alone.
  std::vector<double> reward(const std::string& name, bool transitions = true) {
    return values((transitions ? "reward " : "state reward ") + name, [&] {
      const auto text = import_.reward(name, transitions);
      if (!text) throw NotAsked("there is no reward \"" + name + "\"");
      return *text;
    });
  }

  TransientAnswer transient(const std::vector<double>& initial, double time, const std::vector<double>& reward,
                            const std::vector<StateRole>& roles = {}) const {
    TransientAnswer none;
    none.at = {{0.0}}, none.integral = {{0.0}}, none.reached = {0.0}, none.distribution = {1.0};
    if (!explored_) return none;
    if (space_.generator.fastest() * time * static_cast<double>(space_.generator.transitions()) > most_multiplications)
      throw NotAsked("too long for a test");
    TransientQuestion q;
    q.initial = initial, q.roles = roles, q.want_distribution = true, q.error = 1e-14;
    const std::vector<double> times = {time};
    q.times_s = times;
    if (!reward.empty()) q.rewards = {reward};
    return solve_transient(space_.generator, incoming_, q);
  }
  Absorption absorption(const std::vector<double>& initial, const std::vector<StateRole>& roles) const {
    if (!explored_) {
      Absorption none;
      none.time_s = {0.0};
      return none;
    }
    auto out = solve_absorption(space_.generator, initial, roles);
    if (auto* why = std::get_if<std::string>(&out)) throw std::runtime_error(*why);
    return std::get<Absorption>(std::move(out));
  }
  LongRun long_run(const std::vector<double>& initial) const {
    if (!explored_) {
      LongRun none;
      none.distribution = {1.0};
      return none;
    }
    auto out = solve_long_run(space_.generator, initial);
    if (auto* why = std::get_if<std::string>(&out)) throw std::runtime_error(*why);
    return std::get<LongRun>(std::move(out));
  }

 private:
  template <class Text>
  const std::vector<double>& values(const std::string& key, Text text) {
    static const std::vector<double> nothing = {1.0};
    if (!explored_) {
      if (asked_.count(key) == 0) asked_[key] = text();
      return nothing;
    }
    return space_.values[static_cast<std::size_t>(numbers_.at(key))];
  }
  PrismImport import_;
  std::map<std::string, std::string> constants_, asked_;
  std::map<std::string, int> numbers_;
  bool explored_ = false;
  StateSpace space_;
  RateRows incoming_;
};

}  // namespace ergode::test
