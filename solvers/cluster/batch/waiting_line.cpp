#include "solvers/cluster/batch/waiting_line.h"

#include <algorithm>

namespace ergode {

void WaitingLine::set(std::size_t place, Least what) {
  std::size_t node = width_ + place;
  tree_[node] = what;
  for (node /= 2; node > 0; node /= 2) {
    const Least &left = tree_[2 * node], &right = tree_[2 * node + 1];
    tree_[node] = {std::min(left.hosts, right.hosts), std::min(left.limit_s, right.limit_s)};
  }
}

// Who has gone gives his place up, and where few have there will be twice as many.
void WaitingLine::grow() {
  std::vector<std::uint32_t> kept;
  std::vector<Least> leaves;
  for (std::size_t place = 0; place < jobs_.size(); ++place)
    if (jobs_[place] != nobody) kept.push_back(jobs_[place]), leaves.push_back(tree_[width_ + place]);
  constexpr std::size_t least_width = 64;
  std::size_t wide = least_width;
  while (wide < 2 * kept.size() + 1) wide *= 2;
  jobs_ = std::move(kept), width_ = wide, first_ = 0;
  tree_.assign(2 * width_, Least{});
  std::copy(leaves.begin(), leaves.end(), tree_.begin() + static_cast<std::ptrdiff_t>(width_));
  for (std::size_t node = width_ - 1; node > 0; --node) {
    const Least &left = tree_[2 * node], &right = tree_[2 * node + 1];
    tree_[node] = {std::min(left.hosts, right.hosts), std::min(left.limit_s, right.limit_s)};
  }
}

void WaitingLine::push(std::uint32_t job, std::uint32_t hosts, double limit_s) {
  if (jobs_.size() == width_) grow();
  jobs_.push_back(job);
  set(jobs_.size() - 1, {hosts, limit_s});
  if (waiting_++ == 0) first_ = jobs_.size() - 1;
}

void WaitingLine::erase(std::size_t place) {
  jobs_[place] = nobody;
  set(place, {});
  --waiting_;
  while (waiting_ > 0 && jobs_[first_] == nobody) ++first_;
}

std::size_t WaitingLine::after(std::size_t place) const {
  for (++place; place < jobs_.size(); ++place)
    if (jobs_[place] != nobody) return place;
  return none;
}

std::size_t WaitingLine::fit_below(std::size_t node, std::size_t begin, std::size_t wide, std::size_t from,
                                   const Gap& gap) const {
  if (begin + wide <= from || !gap.holds(tree_[node])) return none;
  if (wide == 1) return begin;
  const std::size_t left = fit_below(2 * node, begin, wide / 2, from, gap);
  return left != none ? left : fit_below(2 * node + 1, begin + wide / 2, wide / 2, from, gap);
}

std::size_t WaitingLine::fit(std::size_t from, std::int64_t hosts, std::int64_t spare, double limit_s) const {
  if (waiting_ == 0) return none;
  return fit_below(1, 0, width_, from, {hosts, spare, limit_s});
}

}  // namespace ergode
