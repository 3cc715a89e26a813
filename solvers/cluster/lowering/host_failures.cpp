// How hosts of a pool fail, and what jobs save.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "solvers/cluster/budget/interruptions.h"
#include "solvers/cluster/lowering/batch_lowering_steps.h"
#include "solvers/cluster/lowering/batch_words.h"

namespace ergode {
namespace {

/// A scope in which `host` is a number.
class ScopeOfHost : public Scope {
 public:
  ScopeOfHost(Scope& outer, double host) : outer_(outer), host_(host) {}
  std::optional<Symbol> name(std::string_view word) override {
    if (word != "host") return outer_.name(word);
    return Symbol{.type = ValueType::integer(), .element = {}, .constant = host_, .choice = {}};
  }
  std::variant<Symbol, StateSet, std::string> path(const ResolvedPath& path) override { return outer_.path(path); }
  std::vector<std::string> names() const override {
    std::vector<std::string> out = outer_.names();
    out.emplace_back("host");
    return out;
  }
  bool declares(std::string_view word) const override { return word == "host" || outer_.declares(word); }

 private:
  Scope& outer_;
  double host_;
};

bool pool_says(const Element& element, const char* property) { return !trim(element.text(property)).empty(); }

}  // namespace

void BatchLowering::lower_failures(Lowering& model, Scope& scope, PropertyReader& read, const Element& element,
                                   BatchModel::Pool& pool) {
  BatchModel::HostFailures& out = pool.failures;
  out.by_laws = pool_says(element, "failure");
  if (out.by_laws) {
    out.time_to_failure = law(model, scope, element, "failure", "", Dimension::of_time());
    out.repair = law(model, scope, element, "repair", default_host_repair, Dimension::of_time());
  }
  if (pool_says(element, "up_while")) lower_conditions(model, scope, element, pool);
  if (pool_says(element, "checkpoint_period"))
    out.checkpoint_period_s = time(model, read, element, "checkpoint_period", 3600.0, false, false);
  out.checkpoint_cost_s = time(model, read, element, "checkpoint_cost", 0.0, true, false);
  out.restart_s = time(model, read, element, "restart", 0.0, true, false);
  out.before_all = meaning_of(read, element, "requeue", requeue_words);
  if (pool.provisioner != BatchModel::none && pool.drawn())
    model.refuse(element, "BAT012",
                 out.by_laws ? "failure"
                 : out.any() ? "up_while"
                             : "checkpoint_period",
                 "A provisioner keeps a service alive on \"" + pool.name +
                     "\", whose hosts then do not fail and whose jobs write no checkpoints; wanted none of these.",
                 "Take the provisioner away.");
}

// As if a host were always there to take the place of one that fails.
void BatchLowering::warn_of_restarts(Lowering& model, const Element& element, const BatchModel::Pool& pool) {
  const BatchModel::HostFailures& rules = pool.failures;
  if (!rules.by_laws) return;
  constexpr double many_times = 10.0;
  for (const std::uint32_t s : pool.streams) {
    const BatchModel::Stream& one = net().streams[s];
    if (one.trace) continue;
    const double hosts = std::max(1.0, std::ceil(one.hosts.mean()));
    const InterruptedMeans mean = interrupted_means(likely_sizes(one.size), pool.speed,
                                                    {.rate = hosts / rules.time_to_failure.mean(),
                                                     .restart = rules.restart_s,
                                                     .checkpoint_period = rules.checkpoint_period_s,
                                                     .checkpoint_cost = rules.checkpoint_cost_s});
    const double alone_s = one.size.mean() / pool.speed;
    if (!(mean.time > many_times * alone_s)) continue;
    warn(model, element, "BAT014", rules.checkpoints() ? "checkpoint_period" : "failure",
         "Jobs of \"" + one.name + "\" on " + number_text(hosts, 4) + " hosts lose one so often that they take " +
             (std::isinf(mean.time) ? "for ever" : number_text(mean.time / 3600.0, 4) + " h") +
             " on average instead of " + number_text(alone_s / 3600.0, 4) +
             " h; response times of a run are of those that end.",
         "Let them write checkpoints more often.");
  }
}

void BatchLowering::lower_conditions(Lowering& model, Scope& scope, const Element& element, BatchModel::Pool& pool) {
  BatchModel::HostFailures& out = pool.failures;
  constexpr std::uint32_t most_conditions = 100'000;
  if (pool.hosts > most_conditions)
    return refuse_value(
        model, element, "up_while",
        "The pool has " + std::to_string(pool.hosts) + " hosts, each with a condition; wanted at most 1e5.");
  bool changes = false;
  for (std::uint32_t h = 0; h < pool.hosts; ++h) {
    const std::size_t before = model.problems.size();
    ScopeOfHost here(scope, h + 1.0);
    out.up_while.push_back(model.program(element, "up_while", ValueType::boolean(), here));
    // What is wrong with one is wrong with all, or with those behind the end of an array.
    if (model.problems.size() > before) {
      model.problems.back().message += " (Host " + std::to_string(h + 1) + " of " + std::to_string(pool.hosts) + ".)";
      return;
    }
    out.readers.push_back(model.slots.wake(out.up_while.back()));
    changes = changes || !out.up_while.back().is_constant();
  }
  if (!changes)
    warn(model, element, "BAT013", "up_while",
         "Whether hosts of \"" + pool.name + "\" are up never changes, because nothing that changes is read there.",
         "Read a state of a component array: in(node[host].Up).");
}

}  // namespace ergode
