#include "solvers/cluster/batch/free_profile.h"

#include <algorithm>
#include <limits>

namespace ergode {

void FreeProfile::Block::measure() {
  const auto [low, high] = std::minmax_element(free.begin(), free.end());
  least = *low + added, most = *high + added;
}

void FreeProfile::reset(double now_s, std::int64_t hosts) {
  blocks_.assign(1, Block{.begin_s = {now_s}, .free = {hosts}, .added = 0, .least = hosts, .most = hosts});
}

FreeProfile::Place FreeProfile::find(double time_s) const {
  const auto block = std::upper_bound(blocks_.begin(), blocks_.end(), time_s,
                                      [](double t, const Block& one) { return t < one.begin_s.front(); });
  Place out;
  if (block == blocks_.begin()) return out;
  out.block = static_cast<std::size_t>(block - blocks_.begin()) - 1;
  const std::vector<double>& begins = blocks_[out.block].begin_s;
  out.step = static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), time_s) - begins.begin()) - 1;
  return out;
}

double FreeProfile::begin_of(Place at) const { return blocks_[at.block].begin_s[at.step]; }

bool FreeProfile::next(Place& at) const {
  if (++at.step < blocks_[at.block].free.size()) return true;
  at.step = 0;
  return ++at.block < blocks_.size();
}

void FreeProfile::forget_before(double now_s) {
  const Place at = find(now_s);
  blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(at.block));
  Block& first = blocks_.front();
  const auto gone = static_cast<std::ptrdiff_t>(at.step);
  first.begin_s.erase(first.begin_s.begin(), first.begin_s.begin() + gone);
  first.free.erase(first.free.begin(), first.free.begin() + gone);
  if (gone > 0) first.measure();
}

FreeProfile::Place FreeProfile::cut(double time_s) {
  Place at = find(time_s);
  if (begin_of(at) == time_s) return at;
  Block& block = blocks_[at.block];
  const auto behind = static_cast<std::ptrdiff_t>(at.step) + 1;
  block.begin_s.insert(block.begin_s.begin() + behind, time_s);
  block.free.insert(block.free.begin() + behind, block.free[at.step]);
  ++at.step;
  if (block.free.size() <= block_steps) return at;
  const std::size_t half = block.free.size() / 2;
  const auto middle = static_cast<std::ptrdiff_t>(half);
  Block upper{.begin_s = {block.begin_s.begin() + middle, block.begin_s.end()},
              .free = {block.free.begin() + middle, block.free.end()},
              .added = block.added,
              .least = 0,
              .most = 0};
  block.begin_s.resize(half), block.free.resize(half);
  block.measure(), upper.measure();
  blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(at.block) + 1, std::move(upper));
  return at.step < half ? at : Place{at.block + 1, at.step - half};
}

void FreeProfile::add(double from_s, double to_s, std::int64_t hosts) {
  if (!(from_s < to_s)) return;
  if (to_s < std::numeric_limits<double>::infinity()) cut(to_s);
  const Place from = cut(from_s);
  const Place to =
      to_s < std::numeric_limits<double>::infinity() ? find(to_s) : Place{blocks_.size(), 0};  // the first not changed
  for (std::size_t b = from.block; b < blocks_.size() && b <= to.block; ++b) {
    Block& block = blocks_[b];
    const std::size_t first = b == from.block ? from.step : 0, last = b == to.block ? to.step : block.free.size();
    if (first == 0 && last == block.free.size()) {
      block.added += hosts, block.least += hosts, block.most += hosts;
    } else if (first < last) {
      for (std::size_t i = first; i < last; ++i) block.free[i] += hosts;
      block.measure();
    }
  }
  join(from_s);
  if (to_s < std::numeric_limits<double>::infinity()) join(to_s);
}

void FreeProfile::join(double time_s) {
  const Place at = find(time_s);
  if (at.block == 0 && at.step == 0) return;
  Block& block = blocks_[at.block];
  const Block& before = blocks_[at.step > 0 ? at.block : at.block - 1];
  const std::size_t last = at.step > 0 ? at.step - 1 : before.free.size() - 1;
  if (before.free[last] + before.added != block.free[at.step] + block.added) return;
  const auto step = static_cast<std::ptrdiff_t>(at.step);
  block.begin_s.erase(block.begin_s.begin() + step), block.free.erase(block.free.begin() + step);
  if (block.free.empty()) blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(at.block));
  else block.measure();
}

bool FreeProfile::seek(Place& at, std::int64_t hosts, bool reach) const {
  while (at.block < blocks_.size()) {
    const Block& block = blocks_[at.block];
    if (reach ? block.most >= hosts : block.least < hosts) {
      for (const std::int64_t wanted = hosts - block.added; at.step < block.free.size(); ++at.step)
        if ((block.free[at.step] >= wanted) == reach) return true;
    }
    ++at.block, at.step = 0;
  }
  return false;
}

double FreeProfile::earliest(double from_s, double long_s, std::int64_t hosts) const {
  Place at = find(from_s);
  while (seek(at, hosts, true)) {
    const double start_s = std::max(from_s, begin_of(at));
    Place blocked = at;
    if (!seek(blocked, hosts, false) || begin_of(blocked) >= start_s + long_s) return start_s;
    at = blocked;
  }
  return std::numeric_limits<double>::infinity();
}

std::int64_t FreeProfile::most_free(double from_s, double to_s) const {
  std::int64_t out = -1;
  if (!(from_s < to_s)) return out;
  for (Place at = find(from_s); at.block < blocks_.size();) {
    const Block& block = blocks_[at.block];
    if (begin_of(at) >= to_s) break;
    if (at.step == 0 && block.begin_s.back() < to_s) {
      out = std::max(out, block.most);
      ++at.block;
      continue;
    }
    out = std::max(out, block.free[at.step] + block.added);
    if (!next(at)) break;
  }
  return out;
}

std::int64_t FreeProfile::free_at(double time_s) const {
  const Place at = find(time_s);
  return blocks_[at.block].free[at.step] + blocks_[at.block].added;
}

}  // namespace ergode
