#include "solvers/queueing/chain/network_state.h"

#include <algorithm>

namespace ergode {
namespace {

void write(std::u32string& key, const std::vector<AlikeCustomers>& crowds) {
  key.push_back(static_cast<char32_t>(crowds.size()));
  for (const AlikeCustomers& one : crowds) {
    key.push_back(static_cast<char32_t>(std::uint32_t{one.of_class} << 16U | one.phase));
    key.push_back(static_cast<char32_t>(one.count));
  }
}

std::size_t read_crowds(const std::u32string& key, std::size_t at, std::vector<AlikeCustomers>& crowds) {
  crowds.resize(key[at++]);
  for (AlikeCustomers& one : crowds) {
    const std::uint32_t word = key[at++];
    one.of_class = static_cast<std::uint16_t>(word >> 16U), one.phase = static_cast<std::uint16_t>(word & 0xffffU);
    one.count = key[at++];
  }
  return at;
}

}  // namespace

std::u32string NetworkState::key() const {
  std::u32string out;
  for (const StationState& station : stations) {
    write(out, station.served);
    for (const auto& line : station.lines) write(out, line);
  }
  for (const std::uint32_t phase : phases) out.push_back(static_cast<char32_t>(phase));
  for (const std::uint32_t turn : turns) out.push_back(static_cast<char32_t>(turn));
  for (const std::uint32_t count : tokens) out.push_back(static_cast<char32_t>(count));
  for (const auto& line : before) write(out, line);
  return out;
}

void NetworkState::read(const std::u32string& key) {
  std::size_t at = 0;
  for (StationState& station : stations) {
    at = read_crowds(key, at, station.served);
    for (auto& line : station.lines) at = read_crowds(key, at, line);
  }
  for (std::uint32_t& phase : phases) phase = key[at++];
  for (std::uint32_t& turn : turns) turn = key[at++];
  for (std::uint32_t& count : tokens) count = key[at++];
  for (auto& line : before) at = read_crowds(key, at, line);
}

std::uint32_t count_of(const std::vector<AlikeCustomers>& crowds) {
  std::uint32_t sum = 0;
  for (const AlikeCustomers& one : crowds) sum += one.count;
  return sum;
}

void push_last(std::vector<AlikeCustomers>& crowds, AlikeCustomers one) {
  one.count = 1;
  if (!crowds.empty() && crowds.back().alike(one)) ++crowds.back().count;
  else crowds.push_back(one);
}

void push_first(std::vector<AlikeCustomers>& crowds, AlikeCustomers one) {
  one.count = 1;
  if (!crowds.empty() && crowds.front().alike(one)) ++crowds.front().count;
  else crowds.insert(crowds.begin(), one);
}

void insert_sorted(std::vector<AlikeCustomers>& crowds, AlikeCustomers one) {
  one.count = 1;
  const auto rank = [](const AlikeCustomers& c) { return std::uint32_t{c.of_class} << 16U | c.phase; };
  const auto place =
      std::lower_bound(crowds.begin(), crowds.end(), one,
                       [&](const AlikeCustomers& a, const AlikeCustomers& b) { return rank(a) < rank(b); });
  if (place != crowds.end() && place->alike(one)) ++place->count;
  else crowds.insert(place, one);
}

void take(std::vector<AlikeCustomers>& crowds, std::size_t at) {
  if (--crowds[at].count > 0) return;
  crowds.erase(crowds.begin() + static_cast<std::ptrdiff_t>(at));
  if (at > 0 && at < crowds.size() && crowds[at - 1].alike(crowds[at])) {
    crowds[at - 1].count += crowds[at].count;
    crowds.erase(crowds.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

}  // namespace ergode
