#include "solvers/cluster/batch/job_chain.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ergode {
namespace {

constexpr std::uint32_t of_the_chain = 1U << 31;  // numbers of its jobs begin here

/// One chain on its way: the cluster, what comes to it from the background, and the link that is being decided.
class ChainRun {
 public:
  ChainRun(const Background& background, std::int64_t begin_s, const ChainRules& rules, const Provisioner& provisioner)
      : rules_(rules),
        provisioner_(provisioner),
        jobs_(background.jobs),
        cluster_(rules.cluster, begin_s),
        last_s_(static_cast<double>(begin_s) + rules.window_s + (rules.jobs - 2.0) * rules.limit_s) {
    next_ = static_cast<std::size_t>(
        std::lower_bound(jobs_.begin(), jobs_.end(), begin_s,
                         [](const BatchJob& job, std::int64_t at) { return job.submit_s < static_cast<double>(at); }) -
        jobs_.begin());
    submit_at_s_ = begin_s + static_cast<std::int64_t>(rules.warm_up_s);
    skip();
  }

  std::vector<ChainLink> links() {
    while (out_.size() + 1 < rules_.jobs) minute();
    return std::move(out_);
  }

 private:
  static constexpr std::int64_t undecided = std::numeric_limits<std::int64_t>::max();

  /// To the next job of the background that comes at all.
  void skip() {
    while (next_ < jobs_.size() && (jobs_[next_].hosts > rules_.cluster.hosts || jobs_[next_].submit_s > last_s_) &&
           static_cast<double>(MinuteCluster::minute_of(jobs_[next_].submit_s)) <= last_s_)
      ++next_;
    if (next_ < jobs_.size() && jobs_[next_].submit_s > last_s_) next_ = jobs_.size();
  }

  void minute() {
    const std::int64_t now_s = cluster_.now_s();
    if (asked() && (now_s - link_.predecessor_start_s) % static_cast<std::int64_t>(rules_.decision_s) == 0) ask();
    if (now_s == submit_at_s_) submit();
    bool came = false;
    for (; next_ < jobs_.size() && MinuteCluster::minute_of(jobs_[next_].submit_s) == now_s;
         ++next_, skip(), came = true)
      cluster_.submit(static_cast<std::uint32_t>(next_), jobs_[next_]);
    if (to_read_ && (came || next_ == jobs_.size())) read();
    for (const std::uint32_t number : cluster_.minute())
      if (number >= of_the_chain) started(now_s);
  }

  bool asked() const {
    return provisioner_.kind == Provisioner::Kind::asked && running_ && submit_at_s_ > cluster_.now_s();
  }
  void ask() {
    const double left_s = static_cast<double>(link_.predecessor_end_s - cluster_.now_s());
    if (provisioner_.now({cluster_, left_s, static_cast<double>(link_.predecessor_wait_s)}))
      submit_at_s_ = cluster_.now_s();
  }

  void submit() {
    link_.submit_s = cluster_.now_s();
    cluster_.submit(of_the_chain + submitted_++, {.submit_s = static_cast<double>(cluster_.now_s()),
                                                  .run_s = rules_.limit_s,
                                                  .limit_s = rules_.limit_s,
                                                  .hosts = rules_.hosts});
  }

  void started(std::int64_t now_s) {
    if (running_) {
      link_.start_s = now_s;
      out_.push_back(link_);
    }
    const std::int64_t wait_s = now_s - (running_ ? link_.submit_s : submit_at_s_);
    running_ = true;
    link_ = {.predecessor_wait_s = wait_s,
             .predecessor_start_s = now_s,
             .predecessor_end_s = now_s + static_cast<std::int64_t>(rules_.limit_s)};
    submit_at_s_ = provisioner_.kind == Provisioner::Kind::average ? undecided : link_.predecessor_end_s;
    to_read_ = true;
  }

  /// What `average` decides by: at the first minute behind the start at which somebody has come, if anybody will.
  void read() {
    to_read_ = false;
    link_.mean_wait_min = static_cast<std::int64_t>(std::floor(cluster_.recent_wait_s() / 60));
    link_.queue = cluster_.waiting();
    if (provisioner_.kind != Provisioner::Kind::average) return;
    submit_at_s_ = std::max(link_.predecessor_end_s - 60 * link_.mean_wait_min, cluster_.now_s());
    if (submit_at_s_ == cluster_.now_s()) submit();
  }

  const ChainRules& rules_;
  const Provisioner& provisioner_;
  const std::vector<BatchJob>& jobs_;
  MinuteCluster cluster_;
  double last_s_;
  std::size_t next_ = 0;
  std::uint32_t submitted_ = 0;
  bool running_ = false, to_read_ = false;
  std::int64_t submit_at_s_ = undecided;  ///< of the next job of the chain
  ChainLink link_;
  std::vector<ChainLink> out_;
};

}  // namespace

Background Background::of(std::vector<BatchJob> jobs, const std::vector<std::string>& names) {
  std::vector<std::size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const std::int64_t at_a = MinuteCluster::minute_of(jobs[a].submit_s),
                       at_b = MinuteCluster::minute_of(jobs[b].submit_s);
    return at_a != at_b ? at_a < at_b : names[a] < names[b];
  });
  Background out;
  out.jobs.reserve(jobs.size());
  for (const std::size_t at : order) out.jobs.push_back(jobs[at]);
  return out;
}

Provisioner Provisioner::quantile(double level) {
  return {.kind = Kind::asked, .now = [level](const ChainMoment& moment) {
            return moment.left_s <= moment.cluster.done_wait_quantile_s(level);
          }};
}

std::vector<ChainLink> simulate_chain(const Background& background, std::int64_t begin_s, const ChainRules& rules,
                                      const Provisioner& provisioner) {
  return ChainRun(background, begin_s, rules, provisioner).links();
}

}  // namespace ergode
