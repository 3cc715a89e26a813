#include "solvers/cluster/rounds/market_equilibrium.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>

namespace ergode {
namespace {

bool is_market(const RoundMarket& market) {
  const auto positive = [](const std::vector<double>& list) {
    return !list.empty() && std::all_of(list.begin(), list.end(), [](double x) { return std::isfinite(x) && x > 0.0; });
  };
  if (!positive(market.budgets) || !positive(market.capacities) || market.utility.size() != market.budgets.size())
    return false;
  for (const auto& row : market.utility) {
    if (row.size() != market.capacities.size()) return false;
    if (!std::all_of(row.begin(), row.end(), [](double x) { return std::isfinite(x) && x >= 0.0; })) return false;
    if (*std::max_element(row.begin(), row.end()) <= 0.0) return false;
  }
  return true;
}

using MarketMatrix = Eigen::MatrixXd;
using MarketVector = Eigen::VectorXd;

/// Shares x > 0, prices p and reduced costs z > 0 with z = p - budget * utility / (utility x) at the end, x z = 0.
/// Scaled: capacities are 1, budgets add up to 1, the best utility of each job is 1.
class MarketNewton {
 public:
  MarketNewton(MarketMatrix worth, MarketVector budgets)
      : worth_(std::move(worth)), budgets_(std::move(budgets)), jobs_(worth_.rows()), rounds_(worth_.cols()) {
    x_ = MarketMatrix::Constant(jobs_, rounds_, 1.0 / static_cast<double>(jobs_));
    prices_ = MarketVector::Constant(rounds_, 2.0 * budgets_.sum());
    z_ = MarketMatrix::Constant(jobs_, rounds_, 1.0);
  }

  /// @returns whether it came to the end
  bool run() {
    constexpr int most_steps = 300;
    constexpr double enough = 1e-14, exactly = 1e-8;  // where nobody cares utilities are off by the root of the gap
    for (int step = 0; step < most_steps; ++step) {
      if (gap() < enough) return residual() < exactly;
      // Nearly central steps keep degenerate pairs, whose x and z both vanish, apart.
      if (!advance(step % 2 == 0 ? 0.05 : 0.3)) break;
    }
    return false;
  }

  double gap() const { return (x_.cwiseProduct(z_)).sum(); }
  const MarketMatrix& shares() const { return x_; }
  const MarketVector& prices() const { return prices_; }

 private:
  MarketVector utilities() const { return worth_.cwiseProduct(x_).rowwise().sum(); }

  MarketMatrix dual_residual(const MarketVector& u) const {
    MarketMatrix out = z_;
    for (Eigen::Index i = 0; i < jobs_; ++i) out.row(i) += budgets_[i] / u[i] * worth_.row(i) - prices_.transpose();
    return out;
  }

  double residual() const {
    const MarketVector sold = x_.colwise().sum().transpose();
    return std::max(dual_residual(utilities()).cwiseAbs().maxCoeff(),
                    (sold - MarketVector::Ones(rounds_)).cwiseAbs().maxCoeff());
  }

  /// One Newton step towards x z = centre times its mean.
  bool advance(double centre) {
    const MarketVector u = utilities();
    const double mu = centre * gap() / static_cast<double>(jobs_ * rounds_);
    const MarketMatrix dual = dual_residual(u);
    // dz = (mu - x z - z dx) / x, so that of each job (z / x + w worth worth') dx + dp = dual + mu / x - z.
    const MarketMatrix inverse = x_.cwiseQuotient(z_);
    const MarketMatrix right = dual + (mu * x_.cwiseInverse()) - z_;
    MarketMatrix schur = MarketMatrix::Zero(rounds_, rounds_);
    MarketVector known = x_.colwise().sum().transpose() - MarketVector::Ones(rounds_);
    std::vector<MarketVector> bent;  // inverse times worth, by job
    MarketVector under(jobs_);
    for (Eigen::Index i = 0; i < jobs_; ++i) {
      const MarketVector worth = worth_.row(i).transpose(), scale = inverse.row(i).transpose();
      bent.push_back(scale.cwiseProduct(worth));
      under[i] = u[i] * u[i] / budgets_[i] + worth.dot(bent.back());
      schur.diagonal() += scale;
      schur.noalias() -= bent.back() * bent.back().transpose() / under[i];
      known += solved(bent.back(), scale, under[i], worth, right.row(i).transpose());
    }
    const MarketVector dp = schur.ldlt().solve(known);
    MarketMatrix dx(jobs_, rounds_);
    for (Eigen::Index i = 0; i < jobs_; ++i)
      dx.row(i) = solved(bent[static_cast<std::size_t>(i)], inverse.row(i).transpose(), under[i],
                         worth_.row(i).transpose(), right.row(i).transpose() - dp)
                      .transpose();
    const MarketMatrix dz =
        (MarketMatrix::Constant(jobs_, rounds_, mu) - x_.cwiseProduct(z_) - z_.cwiseProduct(dx)).cwiseQuotient(x_);
    if (!dx.allFinite() || !dz.allFinite()) return false;
    constexpr double nearly = 0.99;
    double length = 1.0;
    for (Eigen::Index i = 0; i < jobs_; ++i)
      for (Eigen::Index t = 0; t < rounds_; ++t) {
        if (dx(i, t) < 0.0) length = std::min(length, -nearly * x_(i, t) / dx(i, t));
        if (dz(i, t) < 0.0) length = std::min(length, -nearly * z_(i, t) / dz(i, t));
      }
    x_ += length * dx, z_ += length * dz, prices_ += length * dp;
    return true;
  }

  /// (diagonal + budget / u^2 worth worth')^-1 right, by Sherman and Morrison.
  static MarketVector solved(const MarketVector& bent, const MarketVector& scale, double under,
                             const MarketVector& worth, const MarketVector& right) {
    const MarketVector plain = scale.cwiseProduct(right);
    return plain - bent * (worth.dot(plain) / under);
  }

  MarketMatrix worth_;
  MarketVector budgets_;
  Eigen::Index jobs_, rounds_;
  MarketMatrix x_, z_;
  MarketVector prices_;
};

}  // namespace

std::optional<MarketEquilibrium> market_equilibrium(const RoundMarket& market) {
  if (!is_market(market)) return std::nullopt;
  const std::size_t jobs = market.budgets.size(), rounds = market.capacities.size();
  std::vector<std::size_t> wanted;  // rounds that are of use to anybody
  for (std::size_t t = 0; t < rounds; ++t)
    if (std::any_of(market.utility.begin(), market.utility.end(), [&](const auto& row) { return row[t] > 0.0; }))
      wanted.push_back(t);
  const double money = [&] {
    double sum = 0.0;
    for (const double budget : market.budgets) sum += budget;
    return sum;
  }();
  MarketMatrix worth(static_cast<Eigen::Index>(jobs), static_cast<Eigen::Index>(wanted.size()));
  MarketVector budgets(static_cast<Eigen::Index>(jobs));
  for (std::size_t i = 0; i < jobs; ++i) {
    budgets[static_cast<Eigen::Index>(i)] = market.budgets[i] / money;
    for (std::size_t k = 0; k < wanted.size(); ++k)
      worth(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) =
          market.utility[i][wanted[k]] * market.capacities[wanted[k]];
    worth.row(static_cast<Eigen::Index>(i)) /= worth.row(static_cast<Eigen::Index>(i)).maxCoeff();
  }
  MarketNewton newton(std::move(worth), std::move(budgets));
  if (!newton.run()) return std::nullopt;
  MarketEquilibrium out;
  out.gap = newton.gap();
  out.share.assign(jobs, std::vector<double>(rounds, 0.0)), out.utility.assign(jobs, 0.0),
      out.price.assign(rounds, 0.0);
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const std::size_t t = wanted[k];
    out.price[t] = newton.prices()[static_cast<Eigen::Index>(k)] * money / market.capacities[t];
    for (std::size_t i = 0; i < jobs; ++i) {
      out.share[i][t] =
          newton.shares()(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) * market.capacities[t];
      out.utility[i] += market.utility[i][t] * out.share[i][t];
    }
  }
  return out;
}

}  // namespace ergode
