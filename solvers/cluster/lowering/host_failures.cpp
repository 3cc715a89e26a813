// How hosts fail, and what jobs save.
#include "solvers/cluster/lowering/host_failures.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "solvers/cluster/budget/interruptions.h"
#include "solvers/cluster/lowering/batch_words.h"
#include "solvers/cluster/lowering/drawn_law.h"

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

/// Reads what one place says.
class HostReader {
 public:
  HostReader(Lowering& model, Scope& scope, PropertyReader& read, const DrawnHosts& at)
      : model_(model), scope_(scope), read_(read), at_(at), element_(*at.element) {}

  HostFailures failures() {
    HostFailures out;
    out.by_laws = says("failure");
    if (out.by_laws) {
      out.time_to_failure = law("failure", "");
      out.repair = law("repair", default_host_repair);
    }
    if (says("up_while")) conditions(out);
    if (says("checkpoint_period")) out.checkpoint_period_s = time("checkpoint_period", 3600.0, false);
    out.checkpoint_cost_s = time("checkpoint_cost", 0.0, true);
    out.restart_s = time("restart", 0.0, true);
    out.before_all = meaning_of(read_, element_, "requeue", requeue_words);
    return out;
  }

 private:
  bool says(const char* property) const { return !trim(element_.text(property)).empty(); }

  void refuse(const char* property, std::string message) {
    for (const Diagnostic& known : model_.problems)
      if (known.severity == Severity::error && known.element == element_.id && known.pointer == property) return;
    model_.refuse(element_, at_.value, property, std::move(message));
  }

  Distribution law(const char* property, const char* otherwise) {
    const auto drawn = drawn_law(model_, scope_, element_, property, otherwise, Dimension::of_time());
    if (!drawn) return Distribution::deterministic(1.0);
    const double least = least_of(*drawn);
    if (least >= 0.0 && drawn->mean() > 0.0 && std::isfinite(drawn->mean())) return *drawn;
    refuse(property, "Its mean is " + number_text(drawn->mean(), 6) + " and its least value " + number_text(least, 6) +
                         " in SI units; wanted a finite mean above 0 and nothing below.");
    return Distribution::deterministic(1.0);
  }

  double time(const char* property, double otherwise_s, bool zero) {
    constexpr double most_s = 1e10;
    const double value = read_.quantity(element_, property, Dimension::of_time(), otherwise_s);
    if ((zero ? value >= 0.0 : value > 0.0) && value <= most_s) return value;
    refuse(property, "The time is " + number_text(value, 9) + " s; wanted a time " + (zero ? "from 0 s" : "above 0 s") +
                         " to " + number_text(most_s) + " s.");
    return otherwise_s;
  }

  void conditions(HostFailures& out) {
    constexpr std::uint32_t most_conditions = 100'000;
    if (at_.hosts > most_conditions)
      return refuse("up_while", "\"" + at_.name + "\" has " + std::to_string(at_.hosts) +
                                    " hosts, each with a condition; wanted at most 1e5.");
    bool changes = false;
    for (std::uint32_t h = 0; h < at_.hosts; ++h) {
      const std::size_t before = model_.problems.size();
      ScopeOfHost here(scope_, h + 1.0);
      out.up_while.push_back(model_.program(element_, "up_while", ValueType::boolean(), here));
      // What is wrong with one is wrong with all, or with those behind the end of an array.
      if (model_.problems.size() > before) {
        model_.problems.back().message += " (Host " + std::to_string(h + 1) + " of " + std::to_string(at_.hosts) + ".)";
        return;
      }
      out.readers.push_back(model_.slots.wake(out.up_while.back()));
      changes = changes || !out.up_while.back().is_constant();
    }
    if (changes) return;
    model_.warn(
        element_, at_.never_changes, "up_while",
        "Whether hosts of \"" + at_.name + "\" are up never changes, because nothing that changes is read there.",
        "Read a state of a component array: in(node[host].Up).");
  }

  Lowering& model_;
  Scope& scope_;
  PropertyReader& read_;
  const DrawnHosts& at_;
  const Element& element_;
};

}  // namespace

HostFailures drawn_host_failures(Lowering& model, Scope& scope, PropertyReader& read, const DrawnHosts& at) {
  return HostReader(model, scope, read, at).failures();
}

void warn_of_restarts(Lowering& model, const Element& at, const char* code, const HostFailures& rules,
                      const std::string& stream, double hosts, const JobLaw& size, double speed) {
  if (!rules.by_laws || size.known() == nullptr) return;
  constexpr double many_times = 10.0;
  const InterruptedMeans mean = interrupted_means(likely_sizes(*size.known()), speed,
                                                  {.rate = hosts / rules.time_to_failure.mean(),
                                                   .restart = rules.restart_s,
                                                   .checkpoint_period = rules.checkpoint_period_s,
                                                   .checkpoint_cost = rules.checkpoint_cost_s});
  const double alone_s = size.known()->mean() / speed;
  if (!(mean.time > many_times * alone_s)) return;
  model.warn(at, code, rules.checkpoints() ? "checkpoint_period" : "failure",
             "Jobs of \"" + stream + "\" on " + number_text(hosts, 4) + (hosts == 1.0 ? " host" : " hosts") +
                 " lose one so often that they run for " +
                 (std::isinf(mean.time) ? "ever" : number_text(mean.time / 3600.0, 4) + " h") +
                 " on average instead of " + number_text(alone_s / 3600.0, 4) +
                 " h, their waiting for hosts besides; response times of a run are of those that end.",
             "Let them write checkpoints more often.");
}

}  // namespace ergode
