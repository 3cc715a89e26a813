#include "solvers/simulation/rare/biased_chances.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "solvers/reliability/member_subset.h"

namespace ergode {
namespace {

constexpr double rare_probability = 0.1;

/// Draws a place with these probabilities, which sum to one up to rounding.
std::size_t draw(std::span<const double> probabilities, RandomStream& stream) {
  double left = stream.uniform();
  std::size_t last = 0;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    if (!(probabilities[i] > 0.0)) continue;
    last = i;
    if ((left -= probabilities[i]) < 0.0) break;
  }
  return last;
}

/// Half equal, half in proportion to `weights`; zero where the weight is.
void share_out(std::span<const double> weights, std::vector<double>& out) {
  double sum = 0.0, many = 0.0;
  for (const double w : weights) sum += w, many += w > 0.0 ? 1.0 : 0.0;
  out.clear();
  for (const double w : weights) out.push_back(w > 0.0 ? 0.5 / many + 0.5 * w / sum : 0.0);
}

}  // namespace

BiasedChances::BiasedChances(const AnalysisModel& model, CcfRuntime& groups, PathVisits& visits, std::uint64_t seed,
                             const char* purpose)
    : model_(model), groups_(groups), visits_(visits), key_(stream_key(seed, std::string(purpose) + "/chances")) {
  for (const CcfGroup& group : model.groups) {
    Joint joint;
    joint.asked.resize(group.members.size()), joint.outcome.resize(group.members.size());
    joint_.push_back(std::move(joint));
  }
}

void BiasedChances::start(std::uint64_t path, PathWeight& weight, std::size_t law) {
  stream_.restart(key_, path);
  again_.clear(), again_at_ = 0, again_made_ = 0;
  weight_ = &weight, law_ = &weight.laws()[law];
  biased_ = true;
  for (Joint& joint : joint_) joint.time = -1.0;
  begin_step();
}

RandomStream& BiasedChances::decide() {
  if (watcher_) watcher_();
  if (again_at_ < again_.size()) {
    Decisions& old = again_[again_at_];
    if (again_made_ == 0) made_.push_back({old.stream, 0});
    ++made_.back().count;
    if (++again_made_ == old.count) ++again_at_, again_made_ = 0;
    return old.stream;
  }
  // The stream is copied where the run of decisions begins: whoever repeats them starts there.
  if (!fresh_) made_.push_back({stream_, 0});
  fresh_ = true;
  ++made_.back().count;
  return stream_;
}

std::size_t BiasedChances::choose(std::uint32_t instance, std::span<const std::uint32_t> branches,
                                  std::span<const double> probabilities) {
  RandomStream& stream = decide();
  const Instance& owner = model_.charts.instances[instance];
  const std::uint32_t base = owner.transition_base;
  double rare = 0.0;
  expected_.clear();
  for (std::size_t i = 0; i < branches.size(); ++i) {
    const double p = probabilities[i];
    const TransitionRole role = model_.charts.roles[owner.rows + branches[i]];
    const bool counts = role == TransitionRole::failure || (p < rare_probability && role != TransitionRole::repair);
    expected_.push_back(counts ? p : 0.0);
    rare += expected_.back();
  }
  const bool biased = biased_ && rare > 0.0 && rare < rare_probability;
  if (biased) share_out(expected_, shares_);
  // Whether a rare outcome is taken is drawn only where there is a choice of laws, so unbiased steps draw one number.
  const std::size_t taken = biased && takes_rare(stream) ? draw(shares_, stream) : draw(probabilities, stream);
  const double weight = weight_->now();
  for (std::size_t i = 0; i < branches.size(); ++i) visits_.expect(base + branches[i], weight * probabilities[i]);
  if (biased) weight_->chance(shares_[taken] / probabilities[taken]);
  visits_.take(base + branches[taken], weight_->now());
  return taken;
}

SplitPart BiasedChances::demand(std::uint32_t instance, std::uint32_t cause, double now_s) {
  const auto [g, member, group] = groups_.asked(instance, cause);
  if (group == nullptr) return Cause::none;
  Joint& joint = joint_[g];
  if (joint.time != now_s) {
    joint.time = now_s;
    std::fill(joint.asked.begin(), joint.asked.end(), std::uint8_t{0});
    std::fill(joint.outcome.begin(), joint.outcome.end(), Cause::none);
  }
  if (joint.asked[member] == 0) {
    demand_of(*group, member, joint, decide());
    joint.asked[member] = 1;
  }
  return joint.outcome[member];
}

// Every set of members has an event of its own, all of them independent. Those that concern somebody asked before are
// decided; of order k there remain the sets of this member and k - 1 of those not asked yet.
void BiasedChances::demand_of(const CcfGroup& group, std::size_t member, Joint& joint, RandomStream& stream) {
  const auto& q = group.orders.specific;
  others_.clear();
  for (std::size_t i = 0; i < joint.asked.size(); ++i)
    if (i != member && joint.asked[i] == 0) others_.push_back(static_cast<std::uint32_t>(i));
  const int rest = static_cast<int>(others_.size());
  const auto orders = static_cast<std::size_t>(rest) + 1;
  sets_.clear(), expected_.clear();
  ranks_.resize(std::max(ranks_.size(), orders));
  double rare = 0.0;
  for (std::size_t k = 0; k < orders; ++k) {
    sets_.push_back(binomial(rest, static_cast<int>(k)));
    expected_.push_back(sets_[k] * q[k]);
    rare += expected_[k];
    // From event to event: the gaps between those that occur are geometric.
    ranks_[k].clear();
    const double log_miss = std::log1p(-q[k]);
    for (double rank = -1.0; log_miss < 0.0;) {
      rank += 1.0 + std::floor(std::log(stream.uniform()) / log_miss);
      if (rank >= sets_[k]) break;
      ranks_[k].push_back(rank);
    }
  }
  const bool biased = biased_ && rare > 0.0 && rare < rare_probability;
  if (biased) {
    share_out(expected_, shares_);
    if (takes_rare(stream)) {
      const std::size_t k = draw(shares_, stream);
      const double rank = std::min(sets_[k] - 1.0, std::floor(stream.uniform() * sets_[k]));
      if (std::find(ranks_[k].begin(), ranks_[k].end(), rank) == ranks_[k].end()) ranks_[k].push_back(rank);
    }
    double ratio = 0.0;
    for (std::size_t k = 0; k < orders; ++k)
      if (!ranks_[k].empty()) ratio += shares_[k] * static_cast<double>(ranks_[k].size()) / expected_[k];
    weight_->chance(ratio);
  }
  for (std::size_t k = 0; k < orders; ++k) {
    const SplitPart reason = k == 0                        ? Cause::independent
                             : k + 1 == joint.asked.size() ? Cause::lethal
                                                           : Cause::non_lethal;
    const auto fails = [&](std::size_t i) { joint.outcome[i] = std::max(joint.outcome[i], reason); };
    for (const double rank : ranks_[k]) {
      fails(member);
      take_ranked_subset(rank, rest, static_cast<int>(k), [&](int i) { fails(others_[static_cast<std::size_t>(i)]); });
    }
  }
}

bool BiasedChances::spread() {
  RandomStream& stream = decide();
  return biased_ && takes_rare(stream);
}

void BiasedChances::drawn(double ratio) {
  if (biased_) weight_->chance(ratio);
}

}  // namespace ergode
