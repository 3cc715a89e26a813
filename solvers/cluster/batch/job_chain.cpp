#include "solvers/cluster/batch/job_chain.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ergode {
ServiceRun::ServiceRun(const Background& background, std::int64_t begin_s, const ChainRules& rules,
                       const Provisioner& provisioner)
    : rules_(&rules),
      provisioner_(&provisioner),
      jobs_(&background.jobs),
      cluster_(rules.cluster, begin_s),
      last_s_(std::numeric_limits<double>::infinity()) {
  const auto first = std::lower_bound(jobs_->begin(), jobs_->end(), begin_s, [](const BatchJob& job, std::int64_t at) {
    return job.submit_s < static_cast<double>(at);
  });
  next_ = static_cast<std::size_t>(first - jobs_->begin());
  if (rules.jobs > 0) {
    submit_at_s_ = begin_s + static_cast<std::int64_t>(rules.warm_up_s);
    last_s_ = static_cast<double>(begin_s) + rules.window_s + (rules.jobs - 2.0) * rules.limit_s;
  }
  skip_late();
}

// Within a minute jobs stand in the order of their names, so that one who comes too late may stand before one who does
// not.
void ServiceRun::skip_late() {
  while (next_ < jobs_->size() && (comes_late((*jobs_)[next_]) || !fits((*jobs_)[next_]))) {
    if (static_cast<double>(MinuteCluster::minute_of((*jobs_)[next_].submit_s)) > last_s_) next_ = jobs_->size();
    else ++next_;
  }
}

const std::vector<std::uint32_t>& ServiceRun::minute() {
  const std::int64_t now_s = cluster_.now_s();
  if (asks() && provisioner_->now(moment()).submit) submit_now();
  if (now_s == submit_at_s_) submit();
  bool came = false;
  for (; next_ < jobs_->size() && MinuteCluster::minute_of((*jobs_)[next_].submit_s) == now_s; skip_late()) {
    cluster_.submit(static_cast<std::uint32_t>(next_), (*jobs_)[next_]);
    ++next_, came = true;
  }
  if (to_read_ && (came || next_ == jobs_->size())) read();
  const std::vector<std::uint32_t>& out = cluster_.minute();
  for (const std::uint32_t number : out)
    if (number >= of_the_chain) started(now_s);
  return out;
}

bool ServiceRun::asked() const {
  return provisioner_->kind == Provisioner::Kind::asked && running_ && submit_at_s_ > cluster_.now_s();
}

bool ServiceRun::asks() const {
  return asked() && (cluster_.now_s() - link_.predecessor_start_s) % static_cast<std::int64_t>(rules_->decision_s) == 0;
}

ChainMoment ServiceRun::moment() const {
  return {cluster_, static_cast<double>(link_.predecessor_end_s - cluster_.now_s()),
          static_cast<double>(link_.predecessor_wait_s)};
}

void ServiceRun::submit() {
  if (submitted_ == rules_->jobs) return;
  link_.submit_s = cluster_.now_s();
  cluster_.submit(of_the_chain + submitted_++, {.submit_s = static_cast<double>(cluster_.now_s()),
                                                .run_s = rules_->limit_s,
                                                .limit_s = rules_->limit_s,
                                                .hosts = rules_->hosts});
}

void ServiceRun::started(std::int64_t now_s) {
  if (running_) {
    link_.start_s = now_s;
    links_.push_back(link_);
  }
  const std::int64_t wait_s = now_s - link_.submit_s;
  running_ = true;
  link_ = {.predecessor_wait_s = wait_s,
           .predecessor_start_s = now_s,
           .predecessor_end_s = now_s + static_cast<std::int64_t>(rules_->limit_s)};
  submit_at_s_ = provisioner_->kind == Provisioner::Kind::average ? undecided : link_.predecessor_end_s;
  to_read_ = true;
}

// What `average` decides by: at the first minute behind the start at which somebody has come, if anybody will.
void ServiceRun::read() {
  to_read_ = false;
  link_.mean_wait_min = static_cast<std::int64_t>(std::floor(cluster_.recent_wait_s() / 60));
  link_.queue = cluster_.waiting();
  if (provisioner_->kind != Provisioner::Kind::average) return;
  submit_at_s_ = std::max(link_.predecessor_end_s - 60 * link_.mean_wait_min, cluster_.now_s());
  if (submit_at_s_ == cluster_.now_s()) submit();
}

bool ServiceRun::at_rest() const {
  return next_ == jobs_->size() && cluster_.waiting() == 0 && cluster_.running().empty() && submitted_ == rules_->jobs;
}

std::int64_t ServiceRun::next_s() const {
  const std::int64_t now_s = cluster_.now_s();
  if (cluster_.waiting() > 0 || (to_read_ && next_ == jobs_->size())) return now_s;
  std::int64_t out = std::min(submitted_ < rules_->jobs ? submit_at_s_ : undecided, cluster_.next_end_minute_s());
  if (next_ < jobs_->size()) out = std::min(out, MinuteCluster::minute_of((*jobs_)[next_].submit_s));
  if (asked()) {
    const auto every_s = static_cast<std::int64_t>(rules_->decision_s);
    out = std::min(out, now_s + (every_s - (now_s - link_.predecessor_start_s) % every_s) % every_s);
  }
  return std::max(now_s, out);
}

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
  for (const std::size_t at : order) out.jobs.push_back(jobs[at]), out.places.push_back(static_cast<std::uint32_t>(at));
  return out;
}

Provisioner Provisioner::quantile(double level) {
  return {.kind = Kind::asked, .now = [level](const ChainMoment& moment) {
            const double quantile_s = moment.cluster.done_wait_quantile_s(level);
            return ChainAnswer{moment.left_s <= quantile_s, quantile_s / 3600.0};
          }};
}

std::vector<ChainLink> simulate_chain(const Background& background, std::int64_t begin_s, const ChainRules& rules,
                                      const Provisioner& provisioner, const std::function<void()>& look) {
  constexpr std::uint64_t minutes_between_looks = 256;
  ServiceRun run(background, begin_s, rules, provisioner);
  for (std::uint64_t minutes = 1; run.links().size() + 1 < rules.jobs; ++minutes) {
    if (look && minutes % minutes_between_looks == 0) look();
    run.pass_to(run.next_s());
    run.minute();
  }
  return run.links();
}

}  // namespace ergode
