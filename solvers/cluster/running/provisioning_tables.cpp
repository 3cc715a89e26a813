#include "solvers/cluster/running/provisioning_tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace ergode {
namespace {

constexpr double seconds_of_hour = 3600.0, no_rows = std::numeric_limits<double>::quiet_NaN();

double hours(std::int64_t time_s) { return static_cast<double>(time_s) / seconds_of_hour; }

/// A job of a chain behind the first, under three provisioners.
struct Decided {
  std::uint32_t start = 0;
  std::size_t link = 0;
  ChainLink reactive, average, own;
};

/// Every question of every start, as they are asked.
class Questions {
 public:
  Questions(const BatchModel::Service& service, const JobTrace& trace) : service_(&service), trace_(&trace) {
    table.title = "What " + service.name + " was asked";
    table.exact = true;
    table.columns = {{"sample"},      {"link"},       {"moment"},          {"left_h"}, {"queue_len"},
                     {"queue_hosts"}, {"busy_hosts"}, {estimate_column()}, {"submit"}};
  }

  /// The same provisioner, which writes down what it is asked.
  Provisioner heard(std::uint32_t start) {
    Provisioner out = service_->provisioner;
    if (out.kind != Provisioner::Kind::asked) return out;
    out.now = [this, start, link = 1.0](const ChainMoment& moment) mutable {
      const ChainAnswer answer = service_->provisioner.now(moment);
      write(start, link, moment, answer);
      if (answer.submit || moment.left_s <= service_->rules.decision_s) ++link;
      return answer;
    };
    return out;
  }

  ResultTable table;

  void finish(const std::string& suffix) {
    table.name = "questions" + suffix;
    if (later_ > 0) table.note = std::to_string(later_) + " later questions are left out.";
  }

 private:
  const char* estimate_column() const {
    return service_->decider == BatchModel::Decider::quantile          ? "quantile_h"
           : service_->decider == BatchModel::Decider::policy_gradient ? "likelihood"
                                                                       : "predicted_interruption_h";
  }
  void write(std::uint32_t start, double link, const ChainMoment& moment, const ChainAnswer& answer) {
    constexpr std::size_t most_rows = 100'000;
    if (table.rows.size() == most_rows) {
      ++later_;
      return;
    }
    double hosts = 0.0;
    for (const MinuteCluster::Waiting& one : moment.cluster.queue()) hosts += one.hosts;
    table.rows.push_back(
        {static_cast<double>(start), link, trace_->moment_text(static_cast<double>(moment.cluster.now_s())),
         moment.left_s / seconds_of_hour, static_cast<double>(moment.cluster.waiting()), hosts,
         static_cast<double>(moment.cluster.busy_hosts()), answer.estimate, std::string(answer.submit ? "yes" : "no")});
  }

  const BatchModel::Service* service_;
  const JobTrace* trace_;
  std::size_t later_ = 0;
};

std::vector<Decided> decide(const BatchModel& model, const BatchModel::Service& service, Questions& questions,
                            const std::function<void()>& look) {
  const Background& background = model.pools[service.pool].background;
  std::vector<Decided> out;
  for (std::uint32_t start = 0; start < service.starts; ++start) {
    const auto run = [&](const Provisioner& by) {
      return simulate_chain(background, service.begin_s(start), service.rules, by, look);
    };
    const std::vector<ChainLink> reactive = run({}), average = run({.kind = Provisioner::Kind::average});
    const std::vector<ChainLink> own = service.decider == BatchModel::Decider::reactive  ? reactive
                                       : service.decider == BatchModel::Decider::average ? average
                                                                                         : run(questions.heard(start));
    for (std::size_t link = 0; link < own.size(); ++link)
      out.push_back({start, link, reactive[link], average[link], own[link]});
  }
  return out;
}

ResultTable decisions_table(const BatchModel& model, const BatchModel::Service& service,
                            const std::vector<Decided>& decided, const std::string& suffix) {
  const BatchModel::Pool& pool = model.pools[service.pool];
  ResultTable out{.name = "decisions" + suffix, .title = "Starts of " + service.name, .exact = true};
  for (const char* column : {"sample", "start", "pair_nodes", "cluster_nodes", "pred_wait_h", "avg_wait_min_last100",
                             "queue_len_at_pred_start", "reactive_interruption_s", "avg_policy_signed_s", "link",
                             "submitted_before_end_s", "signed_s", "interruption_s", "overlap_s"})
    out.columns.push_back({column});
  for (const Decided& one : decided) {
    const auto x_s = static_cast<double>(one.own.interruption_s());
    constexpr double places = 1e4;  // of hours, as the published tables have them
    out.rows.push_back({static_cast<double>(one.start),
                        model.traced(pool)->trace->moment_text(static_cast<double>(service.begin_s(one.start))),
                        static_cast<double>(service.rules.hosts), static_cast<double>(pool.hosts),
                        std::round(places * hours(one.average.predecessor_wait_s)) / places,
                        static_cast<double>(one.average.mean_wait_min), static_cast<double>(one.average.queue),
                        static_cast<double>(one.reactive.interruption_s()),
                        static_cast<double>(one.average.interruption_s()), static_cast<double>(one.link + 1),
                        static_cast<double>(one.own.predecessor_end_s - one.own.submit_s), x_s, std::max(0.0, x_s),
                        std::max(0.0, -x_s)});
  }
  return out;
}

/// What became of some of them.
struct Summary {
  double jobs = 0.0, in_time = 0.0, interruption_h = 0.0, most_h = 0.0, overlap_h = 0.0, cost_h = 0.0;
  double reactive_h = 0.0;

  void add(const Decided& one, const ChainWeights& weights) {
    const double x_h = hours(one.own.interruption_s());
    ++jobs;
    in_time += x_h <= 0.0 ? 1.0 : 0.0;
    interruption_h += std::max(0.0, x_h), most_h = std::max(most_h, x_h), overlap_h += std::max(0.0, -x_h);
    cost_h -= weights.reward(one.own.interruption_s());
    reactive_h += hours(one.reactive.interruption_s());
  }
  double mean(double sum) const { return jobs > 0.0 ? sum / jobs : no_rows; }
  double less_than_reactive() const { return reactive_h > 0.0 ? 1.0 - interruption_h / reactive_h : no_rows; }
};

ResultTable provisioning_table(const BatchModel::Service& service, const std::vector<Decided>& decided,
                               const std::string& suffix) {
  ResultTable out{.name = "provisioning" + suffix,
                  .title = "What the provisioner of " + service.name + " comes to on all its " +
                           std::to_string(service.starts) + " starts",
                  .exact = true};
  out.columns = {{"Jobs of chains"},
                 {"Without interruption"},
                 {"Mean interruption", "h"},
                 {"Greatest interruption", "h"},
                 {"Mean overlap", "h"},
                 {"Wasted", "h of a host"},
                 {"Availability"},
                 {"Mean when reactive", "h"},
                 {"Less than reactive"},
                 {"Mean weighed cost", "h"},
                 {"Weighed when reactive", "h"}};
  Summary all;
  for (const Decided& one : decided) all.add(one, service.weights);
  const double limit_h = service.rules.limit_s / seconds_of_hour;
  out.rows.push_back({all.jobs, all.mean(all.in_time), all.mean(all.interruption_h), all.most_h,
                      all.mean(all.overlap_h), service.rules.hosts * all.overlap_h,
                      limit_h / (limit_h + all.mean(all.interruption_h)), all.mean(all.reactive_h),
                      all.less_than_reactive(), all.mean(all.cost_h),
                      service.weights.per_interruption * all.mean(all.reactive_h)});
  return out;
}

ResultTable load_classes_table(const BatchModel::Service& service, const std::vector<Decided>& decided,
                               const std::string& suffix) {
  ResultTable out{.name = "load_classes" + suffix,
                  .title = service.name + " by the load at all its " + std::to_string(service.starts) + " starts",
                  .exact = true};
  out.columns = {{"Load"},
                 {"Interruption when reactive"},
                 {"Jobs of chains"},
                 {"Without interruption"},
                 {"Mean interruption", "h"},
                 {"Mean overlap", "h"},
                 {"Mean when reactive", "h"},
                 {"Less than reactive"},
                 {"Mean weighed cost", "h"}};
  constexpr double low_h = 2.0, medium_h = 12.0;
  struct Class {
    const char *name, *means;
    Summary of;
  };
  std::array<Class, 3> classes{{{"low", "up to 2 h", {}}, {"medium", "2 to 12 h", {}}, {"heavy", "above 12 h", {}}}};
  for (const Decided& one : decided) {
    const double reactive_h = hours(one.reactive.interruption_s());
    classes[reactive_h <= low_h ? 0 : reactive_h <= medium_h ? 1 : 2].of.add(one, service.weights);
  }
  for (const auto& [name, means, of] : classes)
    out.rows.push_back({std::string(name), std::string(means), of.jobs, of.mean(of.in_time), of.mean(of.interruption_h),
                        of.mean(of.overlap_h), of.mean(of.reactive_h), of.less_than_reactive(), of.mean(of.cost_h)});
  return out;
}

}  // namespace

std::vector<ResultTable> provisioning_tables(const BatchModel& model, const BatchModel::Service& service,
                                             const std::string& suffix, const std::function<void()>& look) {
  Questions questions(service, *model.traced(model.pools[service.pool])->trace);
  const std::vector<Decided> decided = decide(model, service, questions, look);
  std::vector<ResultTable> out{provisioning_table(service, decided, suffix),
                               load_classes_table(service, decided, suffix),
                               decisions_table(model, service, decided, suffix)};
  questions.finish(suffix);
  if (service.provisioner.kind == Provisioner::Kind::asked) out.push_back(std::move(questions.table));
  return out;
}

}  // namespace ergode
