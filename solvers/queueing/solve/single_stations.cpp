// Which formula fits a station: the discipline decides, then capacity, servers and laws.
#include "solvers/queueing/solve/single_stations.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "solvers/queueing/exact/birth_death_stations.h"
#include "solvers/queueing/exact/general_service_stations.h"
#include "solvers/queueing/exact/impatient_customers.h"
#include "solvers/queueing/exact/size_based_stations.h"

namespace ergode {
namespace {

using Discipline = NetworkModel::Discipline;
using Family = Distribution::Family;
using Interruption = NetworkModel::Interruption;
using Kind = NetworkModel::Kind;
using M = NetworkModel;
using Priorities = NetworkModel::Priorities;

/// Thrown inside this file: why no formula fits.
struct NoFormula {
  std::string why;
};

class SingleStation {
 public:
  SingleStation(const NetworkModel& model, std::uint32_t node, const std::vector<StationTraffic>& traffic)
      : model_(model), node_(model.nodes[node]), traffic_(traffic), out_(traffic.size()) {}

  std::vector<PlaceMeans> solve() {
    for (const StationTraffic& t : traffic_) {
      const M::Duration& time = node_.time[t.of_class];
      if (!time.drawn) fail("Times at " + name() + " change while the model runs.");
      if (!(time.mean_s > 0.0)) fail("Times at " + name() + " are 0 s.");
      if (!std::isfinite(time.mean_s)) fail("Times at " + name() + " have no finite mean.");
      rate_ += t.arrival_rate, work_ += t.arrival_rate * time.mean_s;
      moment_ += t.arrival_rate * second_moment(time.law);
    }
    if (node_.kind == Kind::delay) return delay(), std::move(out_);
    refuse_rules();
    servers_ = static_cast<int>(node_.servers.value());
    if (node_.has(M::patient)) impatient();
    else if (node_.capacity != M::unlimited) limited();
    else unlimited();
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(std::string why) const { throw NoFormula{std::move(why)}; }
  std::string name() const { return "\"" + node_.name + "\""; }
  double mean(std::size_t i) const { return node_.time[traffic_[i].of_class].mean_s; }
  const Distribution& law(std::size_t i) const { return node_.time[traffic_[i].of_class].law; }
  static double second_moment(const Distribution& law) { return law.variance() + law.mean() * law.mean(); }
  template <class Result>
  Result must(Solved<Result> found) const {
    if (auto* bad = std::get_if<Diagnostic>(&found)) fail("At " + name() + ": " + bad->message);
    return std::get<Result>(std::move(found));
  }

  // What no formula here knows of.
  void refuse_rules() const {
    if (!node_.servers.is_constant()) fail("The servers of " + name() + " change while the model runs.");
    for (const M::Leaving leaving : {M::Leaving::refused, M::Leaving::reneged})
      for (const M::Ways& ways : node_.ways_of(leaving))
        if (!ways.target.empty()) fail("Customers who are not served at " + name() + " go on elsewhere.");
  }

  bool in_order_of_arrival_or_any() const {
    return node_.discipline == Discipline::fcfs || node_.discipline == Discipline::lcfs ||
           node_.discipline == Discipline::siro;
  }
  bool ranked() const { return node_.discipline == Discipline::sept || node_.discipline == Discipline::lept; }
  bool exponential() const {
    for (std::size_t i = 0; i < traffic_.size(); ++i)
      if (law(i).family() != Family::exponential) return false;
    return true;
  }
  bool one_mean() const {
    for (std::size_t i = 1; i < traffic_.size(); ++i)
      if (mean(i) != mean(0)) return false;
    return true;
  }
  void need_one_exponential(const char* when) const {
    if (!exponential())
      fail("Service times at " + name() + " are not exponential; " + when + " they would have to be.");
    if (!one_mean()) fail("Service times at " + name() + " differ between classes; " + when + " they may not.");
  }
  /// Classes in groups that go before one another, the first one first.
  std::vector<std::vector<std::size_t>> ranks() const {
    std::map<std::pair<std::uint32_t, double>, std::vector<std::size_t>> by_rank;
    for (std::size_t i = 0; i < traffic_.size(); ++i) {
      const double key = node_.discipline == Discipline::sept   ? mean(i)
                         : node_.discipline == Discipline::lept ? -mean(i)
                                                                : 0.0;
      const std::uint32_t level =
          node_.priorities == Priorities::ignored ? 0 : model_.classes[traffic_[i].of_class].level;
      by_rank[{level, key}].push_back(i);
    }
    std::vector<std::vector<std::size_t>> out;
    for (auto& [key, members] : by_rank) out.push_back(std::move(members));
    return out;
  }

  /// Everybody who is let in is served; `share` of those who come.
  void fill(std::size_t i, double share, double response_s, double waiting_s, double waiting) {
    PlaceMeans& here = out_[i];
    const double rate = traffic_[i].arrival_rate;
    here.served = rate * share, here.lost = rate * (1 - share);
    here.response_s = response_s, here.waiting_s = waiting_s;
    here.number = here.served * response_s, here.busy = here.served * mean(i), here.waiting = waiting;
  }
  /// The same where nobody is turned away and the wait ends with the service's beginning.
  void wait_and_serve(std::size_t i, double waiting_s) {
    const double rate = traffic_[i].arrival_rate;
    fill(i, 1.0, waiting_s + mean(i), waiting_s, rate * waiting_s);
  }

  void delay() {
    for (std::size_t i = 0; i < traffic_.size(); ++i) {
      fill(i, 1.0, mean(i), 0.0, 0.0);
      out_[i].busy = 0.0;
    }
  }

  void impatient() {
    if (node_.discipline != Discipline::fcfs || (node_.priorities != Priorities::ignored && ranks().size() > 1))
      fail("Where customers give up the closed form is for the order of arrival, which " + name() + " does not keep.");
    need_one_exponential("where customers give up");
    const std::vector<M::Duration>& patience = model_.rules[node_.rules].patience;
    const M::Duration& first = patience[traffic_[0].of_class];
    for (const StationTraffic& t : traffic_) {
      const M::Duration& one = patience[t.of_class];
      if (!one.drawn || one.law.family() != Family::exponential) fail("Patience at " + name() + " is not exponential.");
      if (one.mean_s != first.mean_s) fail("Patience at " + name() + " differs between classes.");
    }
    std::optional<int> capacity;
    int servers = servers_;
    if (node_.capacity != M::unlimited)
      capacity = static_cast<int>(std::min<std::uint32_t>(node_.capacity, 1000000000)),
      servers = std::min(servers, *capacity);
    const auto m = must(impatient_customers(rate_, 1 / mean(0), servers, 1 / first.mean_s, capacity));
    for (std::size_t i = 0; i < traffic_.size(); ++i) {
      const double rate = traffic_[i].arrival_rate, share = rate / rate_;
      out_[i] = {.number = m.number * share,
                 .waiting = m.waiting_number * share,
                 .busy = m.utilisation * servers * share,
                 .served = m.throughput * share,
                 .response_s = m.response_s,
                 .waiting_s = m.waiting_s,
                 .lost = rate * m.loss_probability,
                 .gave_up = rate * m.abandonment_probability};
    }
  }

  // Means depend on laws by their means alone: shared servers; a single one that always takes the last who came; as
  // many as there is room (Sevastyanov, "An ergodic theorem for Markov processes and its application to telephone
  // systems with refusals", Theory of Probability 2, 1957; Kelly, "Reversibility and stochastic networks", 1979).
  bool insensitive() const {
    if (node_.discipline == Discipline::ps) return true;
    const bool resumes = node_.interruption == Interruption::finish || node_.interruption == Interruption::resume;
    return node_.discipline == Discipline::lcfs_pr && servers_ == 1 && resumes && ranks().size() == 1;
  }

  void limited() {
    constexpr std::uint32_t most = 100'000'000;
    if (node_.capacity > most) fail("The capacity of " + name() + " is more than 100 million.");
    const int capacity = static_cast<int>(node_.capacity), servers = std::min(servers_, capacity);
    const bool loss = capacity <= servers_ && (in_order_of_arrival_or_any() || ranked());
    const bool shares = insensitive();
    if (!loss && !shares) {
      if (!in_order_of_arrival_or_any() || ranks().size() > 1)
        fail("No closed form is known for the order of service at " + name() + " with a limited capacity.");
      need_one_exponential("with a limited capacity");
    }
    const double mean_s = work_ / rate_;
    const StationMeans m = must(mmck(rate_, 1 / mean_s, servers, capacity));
    const double let_in = 1 - m.loss_probability;
    for (std::size_t i = 0; i < traffic_.size(); ++i) {
      // Where all wait alike, the same wait; where laws do not matter, in proportion to what each asks for.
      const double served = traffic_[i].arrival_rate * let_in;
      if (loss) fill(i, let_in, mean(i), 0.0, 0.0);
      else if (!shares) fill(i, let_in, m.waiting_s + mean(i), m.waiting_s, served * m.waiting_s);
      else fill_shared(i, let_in, m.response_s / mean_s);
    }
  }
  void fill_shared(std::size_t i, double share, double stretch) {
    const double response = mean(i) * stretch;
    const bool last_first = node_.discipline == Discipline::lcfs_pr;
    fill(i, share, response, 0.0, last_first ? traffic_[i].arrival_rate * share * (response - mean(i)) : 0.0);
  }

  void unlimited() {
    if (!(work_ < servers_))
      fail(name() + " gets " + std::to_string(work_ / servers_) + " times the work that its servers can do.");
    if (insensitive()) {
      const StationMeans m = must(mmc(rate_, rate_ / work_, servers_));
      for (std::size_t i = 0; i < traffic_.size(); ++i) fill_shared(i, 1.0, m.response_s * rate_ / work_);
      return;
    }
    if (node_.discipline == Discipline::lcfs_pr)
      fail("No closed form is known for " + name() +
           ": the last who came interrupts others, and there are several servers, priorities or services that begin "
           "again.");
    const bool by_rank = in_order_of_arrival_or_any() || ranked();
    if (!by_rank) return by_size();
    const std::vector<std::vector<std::size_t>> groups = ranks();
    const bool preempts = node_.priorities == Priorities::preemptive && groups.size() > 1;
    if (servers_ > 1) return several_servers(groups, preempts);
    if (preempts) check_interruptions();
    if (moment_ == std::numeric_limits<double>::infinity())
      fail("Service times at " + name() + " have no finite variance: customers wait without end.");
    // Cobham 1954; White and Christie 1958: see general_service_stations.h. Classes of one rank are one.
    double above = 0.0, moment_so_far = 0.0;
    for (const auto& group : groups) {
      double upto = above;
      for (const std::size_t i : group) {
        upto += traffic_[i].arrival_rate * mean(i);
        moment_so_far += traffic_[i].arrival_rate * second_moment(law(i));
      }
      const double residual = (preempts ? moment_so_far : moment_) / 2;
      const double waiting = residual / ((1 - above) * (1 - upto));
      for (const std::size_t i : group) {
        if (!preempts) {
          wait_and_serve(i, waiting);
          continue;
        }
        const double response = waiting + mean(i) / (1 - above);
        fill(i, 1.0, response, waiting, traffic_[i].arrival_rate * (response - mean(i)));
      }
      above = upto;
    }
  }

  void check_interruptions() const {
    if (node_.discipline != Discipline::fcfs)
      fail("Classes interrupt each other at " + name() + "; the closed form is for the order of arrival.");
    const bool again =
        node_.interruption == Interruption::repeat || (node_.interruption == Interruption::resample && !exponential());
    if (again) fail("Services at " + name() + " begin again after an interruption.");
  }

  void several_servers(const std::vector<std::vector<std::size_t>>& groups, bool preempts) {
    need_one_exponential("with several servers");
    if (preempts) check_interruptions();
    const double service = 1 / mean(0), all_busy = must(erlang_c(servers_, work_));
    double above = 0.0, number_above = 0.0;
    for (const auto& group : groups) {
      double rate = 0.0;
      for (const std::size_t i : group) rate += traffic_[i].arrival_rate;
      const double upto = above + rate / service / servers_;
      if (!preempts) {
        for (const std::size_t i : group)
          wait_and_serve(i, all_busy / (servers_ * service) / ((1 - above) * (1 - upto)));
      } else {
        // Who comes later in rank is not seen: the first groups together are a queue of their own.
        const StationMeans m = must(mmc(upto * servers_ * service, service, servers_));
        const double response = (m.number - number_above) / rate;
        for (const std::size_t i : group)
          fill(i, 1.0, response, above == 0.0 ? response - mean(i) : NetworkMeans::none,
               traffic_[i].arrival_rate * (response - mean(i)));
        number_above = m.number;
      }
      above = upto;
    }
  }

  void by_size() {
    if (servers_ > 1) fail("No closed form is known for the order of service at " + name() + " with several servers.");
    if (node_.priorities != Priorities::ignored && ranks().size() > 1)
      fail("No closed form is known for priorities beside the order of service at " + name() + ".");
    if (node_.discipline == Discipline::srpt && node_.interruption != Interruption::finish &&
        node_.interruption != Interruption::resume)
      fail("Services at " + name() + " begin again after an interruption.");
    std::vector<SizedClass> classes;
    for (std::size_t i = 0; i < traffic_.size(); ++i) {
      const Distribution& one = law(i);
      if (one.family() == Family::deterministic || one.family() == Family::empirical)
        fail("Service times at " + name() + " have no density; by size the closed form integrates over one.");
      if (!std::isfinite(one.variance())) fail("Service times at " + name() + " have no finite variance.");
      classes.push_back({traffic_[i].arrival_rate,
                         {.density = [&one](double x) { return one.pdf(x); },
                          .mean_s = mean(i),
                          .lower_s = one.quantile(0.0),
                          .upper_s = one.quantile(1.0)}});
    }
    const bool las = node_.discipline == Discipline::las;
    const SizeOrder order = node_.discipline == Discipline::sjf   ? SizeOrder::shortest_first
                            : node_.discipline == Discipline::ljf ? SizeOrder::longest_first
                            : las                                 ? SizeOrder::least_attained_first
                                                                  : SizeOrder::shortest_remaining_first;
    const auto found = must(mg1_by_size(order, classes));
    for (std::size_t i = 0; i < traffic_.size(); ++i)
      fill(i, 1.0, found[i].response_s, found[i].waiting_s, las ? 0.0 : found[i].waiting_number);
  }

  const NetworkModel& model_;
  const NetworkModel::Node& node_;
  const std::vector<StationTraffic>& traffic_;
  std::vector<PlaceMeans> out_;
  double rate_ = 0.0, work_ = 0.0, moment_ = 0.0;  ///< of all classes: [1/s], [servers], [s]
  int servers_ = 1;
};

}  // namespace

std::variant<std::vector<PlaceMeans>, std::string> closed_form_of(const NetworkModel& model, std::uint32_t node,
                                                                  const std::vector<StationTraffic>& traffic) {
  try {
    return SingleStation(model, node, traffic).solve();
  } catch (NoFormula& no) {
    return std::move(no.why);
  }
}

}  // namespace ergode
