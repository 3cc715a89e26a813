#include "solvers/cluster/rounds/integer_programme.h"

#include <CbcEventHandler.hpp>
#include <CbcHeuristic.hpp>
#include <CbcModel.hpp>
#include <CglKnapsackCover.hpp>
#include <CglMixedIntegerRounding2.hpp>
#include <CoinPackedMatrix.hpp>
#include <CoinPackedVector.hpp>
#include <OsiClpSolverInterface.hpp>

#include <algorithm>
#include <cmath>

namespace ergode {
namespace {

double coin_bound(double value) { return std::clamp(value, -COIN_DBL_MAX, COIN_DBL_MAX); }

class GivingUp : public CbcEventHandler {
 public:
  explicit GivingUp(const std::function<bool()>& asked) : asked_(asked) {}
  CbcAction event(CbcEvent) override { return asked_ && asked_() ? stop : noAction; }
  CbcEventHandler* clone() const override { return new GivingUp(*this); }

 private:
  std::function<bool()> asked_;
};

}  // namespace

int IntegerProgramme::variable(double low, double high, double cost, bool whole) {
  const auto number = static_cast<int>(low_.size());
  low_.push_back(coin_bound(low)), high_.push_back(coin_bound(high)), cost_.push_back(cost);
  if (whole) whole_.push_back(number);
  return number;
}

void IntegerProgramme::row(double low, double high, std::span<const Term> terms) {
  row_low_.push_back(coin_bound(low)), row_high_.push_back(coin_bound(high));
  rows_.emplace_back(terms.begin(), terms.end());
}

std::optional<IntegerProgramme::Solution> IntegerProgramme::maximise(const Effort& effort,
                                                                     std::span<const double> start) const {
  CoinPackedMatrix matrix(false, 0, 0);
  matrix.setDimensions(0, static_cast<int>(low_.size()));
  for (const auto& row : rows_) {
    CoinPackedVector one(false);
    for (const Term& term : row) one.insert(term.variable, term.factor);
    matrix.appendRow(one);
  }
  OsiClpSolverInterface linear;
  linear.messageHandler()->setLogLevel(0);
  linear.loadProblem(matrix, low_.data(), high_.data(), cost_.data(), row_low_.data(), row_high_.data());
  linear.setObjSense(-1.0);
  for (const int i : whole_) linear.setInteger(i);
  if (effort.give_up && effort.give_up()) return std::nullopt;
  linear.initialSolve();
  if (!linear.isProvenOptimal()) return std::nullopt;

  CbcModel model(linear);
  model.setLogLevel(0);
  model.solver()->messageHandler()->setLogLevel(0);
  model.setAllowableFractionGap(effort.gap);
  model.setMaximumSeconds(effort.time_limit_s);
  model.setMaximumNodes(effort.most_nodes);
  model.setNumberStrong(0);  // trying out branches costs more here than the branches
  GivingUp giving_up(effort.give_up);
  if (effort.give_up) model.passInEventHandler(&giving_up);
  CbcRounding rounding(model);
  model.addHeuristic(&rounding);
  CglKnapsackCover cover;
  CglMixedIntegerRounding2 mixed;
  constexpr int at_root = -99;
  model.addCutGenerator(&cover, at_root, "cover"), model.addCutGenerator(&mixed, at_root, "rounding");
  if (!start.empty()) {
    double value = 0.0;
    for (std::size_t i = 0; i < cost_.size(); ++i) value += cost_[i] * start[i];
    // Inside it minimises.
    model.setBestSolution(start.data(), static_cast<int>(start.size()), -value, true);
  }
  model.branchAndBound();
  if (model.bestSolution() == nullptr) return std::nullopt;
  Solution out;
  out.x.assign(model.bestSolution(), model.bestSolution() + low_.size());
  for (const int i : whole_) out.x[static_cast<std::size_t>(i)] = std::round(out.x[static_cast<std::size_t>(i)]);
  for (std::size_t i = 0; i < cost_.size(); ++i) out.value += cost_[i] * out.x[i];
  out.bound = model.getBestPossibleObjValue();
  out.proven = !(effort.give_up && effort.give_up()) && !model.isSecondsLimitReached() && !model.isNodeLimitReached();
  return out;
}

}  // namespace ergode
