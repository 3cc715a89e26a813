#include "solvers/markov/state_reduction.h"

#include <algorithm>
#include <queue>

namespace ergode {
namespace {

constexpr double operations_per_entry = 4.0;  // of a row that is merged with another

class Reduction {
 public:
  Reduction(const SparseGenerator& generator, const Budget& budget, double most_operations)
      : n_(generator.size()),
        budget_(budget),
        most_operations_(most_operations),
        out_(n_),
        in_(n_),
        column_(n_),
        gone_(n_) {
    const RateRows& rows = generator.rows();
    for (std::uint32_t i = 0; i < n_; ++i)
      for (std::uint32_t e = rows.start[i]; e < rows.start[i + 1]; ++e) {
        out_[i].push_back({rows.other[e], rows.rate[e]});
        in_[rows.other[e]].push_back(i);
      }
    entries_ = rows.entries();
  }

  std::optional<std::vector<double>> solve() {
    if (n_ == 0) return std::nullopt;
    for (std::uint32_t k = 0; k < n_; ++k) queue_.push({cost(k), k});
    left_ = n_;
    while (left_ > 1) {
      const std::uint32_t k = pick();
      // A quarter full: rows of a matrix are cheaper then than lists, which must be merged.
      if (left_ * (left_ - 1) <= 4 * entries_ && left_ <= 8000) break;
      operations_ += static_cast<double>(cost(k));
      if (operations_ > most_operations_) return std::nullopt;
      if (!eliminate(k)) return std::nullopt;
    }
    const double left = static_cast<double>(left_);
    if (operations_ + left * left * left / 3.0 > most_operations_) return std::nullopt;
    std::vector<double> pi(n_, 0.0);
    if (!dense(pi)) return std::nullopt;
    for (std::size_t step = order_.size(); step-- > 0;) {
      double& sum = pi[order_[step]];
      for (const RateEntry& from : column_[order_[step]]) sum += pi[from.state] * from.rate;
      keep_small(sum, pi);
    }
    double total = 0.0;
    for (const double p : pi) total += p;
    for (double& p : pi) p /= total;
    return pi;
  }

 private:
  struct Waiting {
    std::size_t cost;
    std::uint32_t state;
    bool operator<(const Waiting& other) const { return cost != other.cost ? cost > other.cost : state > other.state; }
  };
  std::size_t cost(std::uint32_t k) const { return in_[k].size() * out_[k].size(); }

  // The state whose elimination fills least; what the queue says may be out of date.
  std::uint32_t pick() {
    for (;;) {
      const Waiting top = queue_.top();
      if (gone_[top.state] == 0 && cost(top.state) == top.cost) return top.state;
      queue_.pop();
      if (gone_[top.state] == 0) queue_.push({cost(top.state), top.state});
    }
  }

  // What went through k goes straight from its predecessors to its successors.
  bool eliminate(std::uint32_t k) {
    double leaving = 0.0;
    for (const RateEntry& e : out_[k]) leaving += e.rate;
    if (!(leaving > 0.0)) return false;
    gone_[k] = 1, --left_;
    queue_.pop();
    entries_ -= out_[k].size() + in_[k].size();
    for (const std::uint32_t i : in_[k]) {
      allow(entries_ + kept_);
      if (budget_.stop_requested()) return false;
      std::vector<RateEntry>& row = out_[i];
      budget_.spend(operations_per_entry * static_cast<double>(row.size() + out_[k].size()));
      const auto at = std::lower_bound(row.begin(), row.end(), k,
                                       [](const RateEntry& e, std::uint32_t state) { return e.state < state; });
      const double share = at->rate / leaving;
      row.erase(at);
      column_[k].push_back({i, share});
      merged_.clear();
      auto a = row.begin();
      for (const RateEntry& e : out_[k]) {
        if (e.state == i) continue;
        while (a != row.end() && a->state < e.state) merged_.push_back(*a++);
        if (a != row.end() && a->state == e.state) {
          merged_.push_back({e.state, a++->rate + share * e.rate});
        } else {
          merged_.push_back({e.state, share * e.rate});
          in_[e.state].push_back(i), ++entries_;
        }
      }
      merged_.insert(merged_.end(), a, row.end());
      row.assign(merged_.begin(), merged_.end());
    }
    kept_ += column_[k].size();
    for (const RateEntry& e : out_[k]) {
      std::vector<std::uint32_t>& in = in_[e.state];
      in.erase(std::find(in.begin(), in.end(), k));
    }
    std::vector<RateEntry>().swap(out_[k]);
    std::vector<std::uint32_t>().swap(in_[k]);
    order_.push_back(k);
    return true;
  }

  // An entry stands in a row or a column, among the sources, and in what they grow into.
  void allow(std::size_t entries) const {
    budget_.allow_bytes(
        48.0 * static_cast<double>(entries), "MKV022",
        "Eliminating states (" + std::to_string(order_.size()) + " of " + std::to_string(n_) + " so far)");
  }

  bool dense(std::vector<double>& pi) {
    std::vector<std::uint32_t> states, place(n_);
    for (std::uint32_t k = 0; k < n_; ++k)
      if (gone_[k] == 0) place[k] = static_cast<std::uint32_t>(states.size()), states.push_back(k);
    const std::size_t m = states.size();
    budget_.allow_bytes(8.0 * static_cast<double>(m * m), "MKV022",
                        "Eliminating " + std::to_string(m) + " states as a dense matrix");
    std::vector<double> a(m * m, 0.0);
    for (std::size_t i = 0; i < m; ++i)
      for (const RateEntry& e : out_[states[i]]) a[i * m + place[e.state]] = e.rate;
    for (std::size_t k = m - 1; k > 0; --k) {
      if (budget_.stop_requested()) return false;
      budget_.spend(static_cast<double>(k * k));
      double leaving = 0.0;
      const double* const out = &a[k * m];
      for (std::size_t j = 0; j < k; ++j) leaving += out[j];
      if (!(leaving > 0.0)) return false;
      for (std::size_t i = 0; i < k; ++i) {
        double& share = a[i * m + k];
        if (share == 0.0) continue;
        share /= leaving;
        double* const row = &a[i * m];
        // A transition back to the state itself is none: the diagonal stays as it is.
        const double own = row[i];
        for (std::size_t j = 0; j < k; ++j) row[j] += share * out[j];
        row[i] = own;
      }
    }
    pi[states[0]] = 1.0;
    for (std::size_t k = 1; k < m; ++k) {
      double sum = 0.0;
      bool reached = false;
      for (std::size_t i = 0; i < k; ++i) {
        sum += pi[states[i]] * a[i * m + k];
        reached = reached || a[i * m + k] > 0.0;
      }
      if (!reached) return false;
      pi[states[k]] = sum;
      keep_small(sum, pi);
    }
    return true;
  }

  // Where it begins may be a state that is next to never there: the others would be beyond all numbers. What gets too
  // small for one then is so beside them.
  static void keep_small(double latest, std::vector<double>& pi) {
    constexpr double great = 1e200;
    if (!(latest > great)) return;
    for (double& p : pi) p /= great;
  }

  std::size_t n_, left_ = 0, entries_ = 0, kept_ = 0;
  const Budget& budget_;
  double most_operations_, operations_ = 0.0;
  std::vector<std::vector<RateEntry>> out_;     ///< sorted by target
  std::vector<std::vector<std::uint32_t>> in_;  ///< sources
  std::vector<std::vector<RateEntry>> column_;  ///< by eliminated state: its sources then, and shares of its outflow
  std::vector<std::uint8_t> gone_;
  std::vector<std::uint32_t> order_;
  std::priority_queue<Waiting> queue_;
  std::vector<RateEntry> merged_;
};

}  // namespace

std::optional<std::vector<double>> reduce_states(const SparseGenerator& generator, const Budget& budget,
                                                 double most_operations) {
  return Reduction(generator, budget, most_operations).solve();
}

}  // namespace ergode
