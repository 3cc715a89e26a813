#include "solvers/reliability/solve/ccf_closed_form.h"

#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/study/exact_answers.h"
#include "solvers/model/exact_frame.h"
#include "solvers/reliability/bfr_closed_form.h"

namespace ergode {
namespace {

/// What the closed form needs to know of a model.
struct Recognised {
  const CcfGroup* group = nullptr;
  std::uint32_t first = 0;
  int n = 0;
  int working = 0, failed = 0;  ///< states of the members' chart
  double lambda = 0.0;          ///< independent failures [1/s]
  std::vector<double> exposure_at(double t_s) const {
    if (group->model != "bfr") {
      std::vector<double> exposure = set_exposures(group->orders, group->delay, t_s);
      exposure.front() += lambda * t_s;  // the chart's own failures are nobody's shock: no law delays them
      return exposure;
    }
    BfrRates rates = group->bfr;
    rates.lambda_ind = lambda;
    return set_exposures(rates, group->delay, n, t_s);
  }
};

class CcfRecogniser {
 public:
  CcfRecogniser(const AnalysisModel& model, Diagnostics& reasons) : model_(model), reasons_(reasons) {}

  Recognised look() {
    Recognised out;
    refuse_other_notations(model_, "the closed form", reasons_);
    // That there are no groups in what it does not answer anyway would be the same reason again.
    if (model_.groups.empty() && !reasons_.empty()) return out;
    std::vector<const CcfGroup*> rates;
    for (const CcfGroup& group : model_.groups) {
      if (group.demand)
        refuse(group.element,
               "The group \"" + group.name + "\" fails on demand; the closed form covers failures in operation.");
      else rates.push_back(&group);
    }
    if (rates.size() != 1) {
      refuse(rates.size() > 1 ? rates[1]->element : ElementId(),
             "The model has " + std::to_string(rates.size()) +
                 " common-cause groups of failures in operation; the closed form wants one.");
      return out;
    }
    out.group = rates.front();
    const CcfGroup& group = *out.group;
    out.n = static_cast<int>(group.members.size());
    out.first = group.members.front();
    for (std::size_t i = 0; i < group.members.size(); ++i)
      if (group.members[i] != out.first + i ||
          model_.charts.instances[group.members[i]].chart != model_.charts.instances[out.first].chart)
        refuse(group.element, "The members of \"" + group.name + "\" are not one array of alike components.");
    for (const Program& exposed : group.exposed)
      if (!exposed.is_constant() || exposed.value() == 0.0) {
        refuse(group.element, "Members of \"" + group.name +
                                  "\" are exposed only at times; the closed form wants them always exposed.");
        break;
      }
    if (reasons_.empty()) chart(out);
    for (std::size_t i = 1; i < group.members.size() && reasons_.empty(); ++i) {
      Recognised other = out;
      other.lambda = 0.0;
      member(other, group.members[i]);
      if (other.lambda != out.lambda)
        refuse(group.element,
               "The members of \"" + group.name + "\" have different failure rates; the closed form wants the same.");
    }
    return out;
  }

 private:
  void refuse(ElementId element, std::string why) {
    for (const Diagnostic& known : reasons_)
      if (known.element == element) return;
    reasons_.push_back({.code = "SOL001", .element = element, .message = std::move(why)});
  }

  void chart(Recognised& out) {
    const ChartTables& tables = model_.charts.charts[model_.charts.instances[out.first].chart];
    const StateChart& chart = tables.chart;
    for (const State& state : chart.states)
      if (state.kind == State::Kind::parallel)
        return refuse(state.element, "The members' chart has regions that are active together.");
    out.working = -1;
    const std::uint32_t* end = tables.entries.end(tables.start_row);
    for (const std::uint32_t* s = tables.entries.begin(tables.start_row); s != end; ++s)
      if ((*s & ChartTables::initial_flag) == 0) out.working = static_cast<int>(*s);
    if (chart.states[static_cast<std::size_t>(out.working)].kind == State::Kind::choice)
      return refuse(chart.states[static_cast<std::size_t>(out.working)].element,
                    "Members begin in a choice; the closed form wants them working at time zero.");
    out.failed = -1;
    member(out, out.first);
  }

  // Looks at everything that can happen to one member from its working and from its failed state.
  void member(Recognised& out, std::uint32_t instance) {
    const Instance& owner = model_.charts.instances[instance];
    const StateChart& chart = model_.charts.charts[owner.chart].chart;
    for (std::uint32_t t = 0; t < chart.transitions.size(); ++t) {
      const Transition& transition = chart.transitions[t];
      if (is_initial(chart, t) || !chart.inside(out.working, transition.source)) continue;
      if (impossible(owner, t)) continue;
      const bool ccf =
          transition.trigger.kind == Trigger::Kind::common_cause &&
          transition.trigger.cause == model_.charts.cause_names[static_cast<std::size_t>(out.group->cause)];
      const bool plain = model_.charts.guards[owner.rows + t].kind == GuardSpec::Kind::always;
      double rate = 0.0;
      if (!ccf && !constant_rate(owner, t, rate)) {
        refuse(transition.element,
               "\"" + transition.trigger.text +
                   "\" is no constant rate; the closed form wants exponential independent failures.");
        continue;
      }
      if (!plain) refuse(transition.element, "The failure has a guard.");
      out.lambda += rate;
      const int target = deepest(chart, only_target(transition));
      if (target < 0) {
        refuse(transition.element, "The failure leads to several states or to none; the closed form wants one.");
        continue;
      }
      if (out.failed >= 0 && out.failed != target)
        refuse(transition.element, "Failures lead to different states; the closed form wants one failed state.");
      out.failed = target;
    }
    if (out.failed < 0) return refuse(chart.element, "Nothing fails in the members' chart.");
    if (chart.states[static_cast<std::size_t>(out.failed)].kind == State::Kind::choice)
      return refuse(chart.states[static_cast<std::size_t>(out.failed)].element, "The failure leads to a choice.");
    for (std::uint32_t t = 0; t < chart.transitions.size(); ++t) {
      if (is_initial(chart, t) || !chart.inside(out.failed, chart.transitions[t].source) || impossible(owner, t))
        continue;
      refuse(chart.transitions[t].element, "A failed member can leave \"" + state_path(chart, out.failed) +
                                               "\" (repair); the closed form has no repair.");
    }
  }

  static bool is_initial(const StateChart& chart, std::uint32_t t) {
    for (const State& state : chart.states)
      if (state.initial == static_cast<int>(t)) return true;
    return false;
  }
  static int only_target(const Transition& transition) {
    return transition.targets.size() == 1 ? transition.targets.front() : -1;
  }
  static int deepest(const StateChart& chart, int state) {
    while (state >= 0 && chart.states[static_cast<std::size_t>(state)].initial >= 0) {
      const int initial = chart.states[static_cast<std::size_t>(state)].initial;
      state = only_target(chart.transitions[static_cast<std::size_t>(initial)]);
    }
    return state;
  }

  bool constant_rate(const Instance& owner, std::uint32_t t, double& rate) const {
    for (const TimerSpec& timer : model_.charts.timers) {
      if (&model_.charts.instances[timer.instance] != &owner || timer.transition != t) continue;
      if (timer.kind == Trigger::Kind::rate && timer.constant) {
        rate = 1.0 / timer.value;
        return true;
      }
      const bool exponential =
          timer.random && model_.charts.distributions[static_cast<std::size_t>(timer.distribution)].family() ==
                              Distribution::Family::exponential;
      if (timer.kind == Trigger::Kind::after && exponential) {
        rate = 1.0 / model_.charts.distributions[static_cast<std::size_t>(timer.distribution)].mean();
        return true;
      }
    }
    return false;
  }

  // Proven never to happen: a rate of zero, a guard whose range over all configurations is {false}, an event nobody
  // sends.
  bool impossible(const Instance& owner, std::uint32_t t) const {
    const Transition& transition = model_.charts.charts[owner.chart].chart.transitions[t];
    const GuardSpec guard = model_.charts.guards[owner.rows + t].of(owner.member);
    if (guard.kind == GuardSpec::Kind::never) return true;
    if (transition.trigger.kind == Trigger::Kind::rate) {
      double rate = 1.0;
      if (constant_rate(owner, t, rate) && rate == 0.0) return true;
    }
    if (transition.trigger.kind == Trigger::Kind::event) {
      const auto matches = [&](std::string_view event) {
        return std::any_of(transition.trigger.events.begin(), transition.trigger.events.end(),
                           [&](const std::string& descriptor) { return event_matches(descriptor, event); });
      };
      bool sent = std::any_of(transition.trigger.events.begin(), transition.trigger.events.end(),
                              [](const std::string& d) { return d == "*" || d.rfind("done", 0) == 0; });
      for (const ActionSpec& action : model_.charts.actions)
        sent = sent || ((action.kind == ActionSpec::Kind::raise || action.kind == ActionSpec::Kind::send) &&
                        matches(model_.charts.event_names[action.event]));
      if (!sent) return true;
    }
    if (guard.kind != GuardSpec::Kind::program) return false;
    const Range range = model_.charts.programs[static_cast<std::size_t>(guard.program)].range(
        model_.charts.slot_ranges(model_.horizon_s));
    return range.lower == 0.0 && range.upper == 0.0;
  }

  const AnalysisModel& model_;
  Diagnostics& reasons_;
};

/// The values that a measure's expression takes when 0, 1, ..., n members are failed; empty when it depends on more.
std::vector<double> values_of(const AnalysisModel& model, const Recognised& found, const Measure& measure) {
  if (measure.counts_event) return {};
  const StateChart& chart = model.charts.charts[model.charts.instances[found.first].chart].chart;
  std::vector<double> slots = model.charts.table->initial();
  std::vector<double> out;
  for (int m = 0; m <= found.n; ++m) {
    for (const std::uint32_t used : measure.program.slots()) {
      const CountSlot* count = nullptr;
      for (const CountSlot& slot : model.charts.count_slots)
        if (slot.slot == used) count = &slot;
      const bool group =
          count != nullptr && count->first == found.first && count->count == static_cast<std::uint32_t>(found.n);
      if (!group) return {};
      slots[used] = (chart.inside(found.failed, count->state) ? m : 0) +
                    (chart.inside(found.working, count->state) ? found.n - m : 0);
    }
    out.push_back(measure.program.evaluate(slots.data()));
  }
  return out;
}

bool rises(const std::vector<double>& values) {
  for (std::size_t m = 1; m < values.size(); ++m)
    if (values[m] < values[m - 1]) return false;
  return true;
}

/// The whole distribution, of which measures ask single numbers.
ResultTable failed_members(const CcfGroup& group, const std::vector<double>& exactly) {
  ResultTable out;
  out.name = "failed_members";
  out.title = "How many members of " + group.name + " are failed at the end of the mission";
  out.columns = {{"Failed members"}, {"Probability of exactly so many"}, {"Probability of at least so many"}};
  double more = 0.0;
  for (std::size_t m = exactly.size(); m-- > 0;) {
    more += exactly[m];  // from the rare end, where every digit counts
    out.rows.insert(out.rows.begin(), {static_cast<double>(m), exactly[m], std::min(more, 1.0)});
  }
  return out;
}

constexpr const char* closed_form_name = "ccf-closed-form";

/// @returns "cancelled", or nothing
std::string answer_group(const AnalysisModel& model, const Recognised& found, const RunControl& control,
                         ResultSet& out) {
  const FailedCountCurve curve = [&found](double t_s) { return failed_count_distribution(found.exposure_at(t_s)); };
  const auto expected = [&](const std::vector<double>& values, double t_s) {
    double sum = 0.0;
    const std::vector<double> p = curve(t_s);
    for (std::size_t m = 0; m < p.size(); ++m) sum += values[m] * p[m];
    return sum;
  };
  ExactAnswers answers(out, closed_form_name, "The closed form");
  using Meaning = MeasureKind::Meaning;
  for (const Measure& measure : model.measures) {
    if (control.stop.stop_requested()) return "cancelled";
    const MeasureSpec& asked = measure.spec;
    const std::vector<double> values = values_of(model, found, measure);
    // What has held once holds at the end only where more failed members never make it false again.
    const bool by = asked.kind->first_passage() || asked.kind->meaning == Meaning::events;
    std::string why(asked.kind->simulated_only);
    if (!why.empty()) {
    } else if (measure.stream >= 0 || asked.kind->without_end()) why = "it asks for the long run, not for the mission";
    else if (values.empty()) why = "it depends on more than the number of failed members";
    else if (by && !rises(values)) why = "its condition can become false again as more members fail";
    if (!why.empty()) {
      answers.not_answered(asked, why);
      continue;
    }
    if (asked.kind->meaning == Meaning::average) {
      answers.answer(asked, time_average(curve, values, found.group->delay, model.horizon_s), 0.0, "exact");
    } else if (asked.kind->meaning == Meaning::first_time) {
      // Mean time given that it happens within the mission, as a simulation sees it: integral of P(T) - P(t), over
      // P(T).
      const double reached = expected(values, model.horizon_s);
      if (reached > 0.0) {
        const double before = time_average(curve, values, found.group->delay, model.horizon_s);
        answers.answer(asked, model.horizon_s * (1.0 - before / reached), 0.0, "exact");
      } else {
        answers.no_answer(asked, "the condition cannot come true within the mission", "exact");
      }
    } else {
      answers.answer(asked, expected(values, measure.at_s), 0.0, "exact");
    }
    if (asked.grid_s.empty()) continue;
    std::vector<double> at;
    for (const double t : asked.grid_s) at.push_back(expected(values, t));
    answers.curve(asked, "curve", asked.grid_s, std::move(at));
  }
  answers.table(failed_members(*found.group, curve(model.horizon_s)));
  return {};
}

}  // namespace

const SolverSpec& CcfClosedFormSolver::spec() const {
  static const SolverSpec spec{
      .name = closed_form_name,
      .label = "Closed form of common-cause failures",
      .description =
          "Exact probabilities of how many members of a group are failed, without repair, for any delay law.",
      .reference = "Atwood, The Binomial Failure Rate Common Cause Model, 1986; Kingman, Poisson Processes, 1993",
      .exact = true,
      .takes_long = false};
  return spec;
}

Diagnostics CcfClosedFormSolver::fits(const Question& question) const {
  return fits_exactly(question,
                      [](const AnalysisModel& model, Diagnostics& reasons) { CcfRecogniser(model, reasons).look(); });
}

ResultSet CcfClosedFormSolver::solve(const Question& question, RunControl& control) const {
  Recognised found;
  const auto look = [&](const AnalysisModel& model, Diagnostics& reasons) {
    found = CcfRecogniser(model, reasons).look();
  };
  return solve_exactly(*this, question, "The closed form", look, [&](const AnalysisModel& model, ResultSet& out) {
    return answer_group(model, found, control, out);
  });
}

}  // namespace ergode
