#include "solvers/model/analysis_model.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cmath>
#include <set>
#include <unordered_map>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/document/property_path.h"
#include "core/expression/machine_code.h"
#include "solvers/model/unheard_events.h"
#include "solvers/reliability/ccf_report.h"
#include "statecharts/compile/compiler.h"

namespace ergode {

namespace {

// Errors that integration leaves in times and values, over the relative tolerance of a step: 1 to 110 were measured
// (tst_core_heat_up; a level that decays, with both methods). They are not bounded as a whole.
constexpr double integration_error = 200.0;

std::atomic<std::uint64_t> built = 0;

LongRunMaker& long_run_maker() {
  static LongRunMaker maker;
  return maker;
}

/// Of splitting; it is compiled with the model, because naming states adds slots.
std::string importance_of(const RunRequest& request) {
  const auto given = request.options.find("importance");
  return given != request.options.end() ? given->second : std::string();
}

/// Everything of a request that build_model() looks at.
std::string what_lowering_reads(const RunRequest& request) {
  // Each part with its length: none can be taken for another.
  std::string out;
  const auto add = [&](const std::string& part) { out += std::to_string(part.size()) + ":" + part; };
  add(request.scenario);
  add(std::to_string(request.overrides.size()));
  for (const auto& [name, value] : request.overrides) add(name), add(value);
  add(request.folder);
  for (const std::string& folder : request.allowed_folders) add(folder);
  add(importance_of(request));
  add(std::string(to_text(request.ode.method)) + " " + number_text(request.ode.relative) + " " +
      number_text(request.ode.absolute));
  return out;
}

Support support_of(const Measure& measure, std::span<const Range> slots, std::span<const StreamSpec> streams,
                   double horizon_s, bool counts) {
  const MeasureKind& kind = *measure.spec.kind;
  if (kind.meaning == MeasureKind::Meaning::events) return {.least = 0.0, .counts = true};
  if (kind.is_time) return {0.0, horizon_s};
  if (kind.meaning == MeasureKind::Meaning::observed_count) return {.least = 0.0, .counts = true};
  if (kind.meaning == MeasureKind::Meaning::observed_rate)
    return measure.stream >= 0 ? Support{.least = 0.0} : Support{};
  if (kind.meaning == MeasureKind::Meaning::observed_share) return {0.0, 1.0};
  if (measure.stream >= 0) {
    const Range range = streams[static_cast<std::size_t>(measure.stream)].range;
    return {range.lower, range.upper};
  }
  if (!kind.takes_expression()) return {};
  const Range range = measure.program.range(slots);
  return {range.lower, range.upper, counts};
}

// What a plugin would find that is not here: that was said of its element.
void leave_out_unknown_values(const Document& document, Diagnostics& own) {
  std::vector<std::string> unknown;
  for (const Diagnostic& d : own)
    if (const Element* const element = d.code == "PLG010" ? document.find(d.element) : nullptr)
      unknown.push_back('"' + element->name() + "\" has no value");
  std::erase_if(own, [&](const Diagnostic& d) {
    return d.code == "EXP002" && std::any_of(unknown.begin(), unknown.end(), [&](const std::string& words) {
             return d.message.find(words) != std::string::npos;
           });
  });
}

/// The words of a text, each with what follows it.
template <class What>
void each_word(std::string_view text, const What& what) {
  const auto part_of_name = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && part_of_name(text[end])) ++end;
    if (end > at) what(std::string(text.substr(at, end - at)), trim(text.substr(end)));
    at = std::max(end, at + 1);
  }
}

/// Whether a text names one of these parameters.
bool names_any(std::string_view text, const std::set<std::string>& names) {
  bool out = false;
  each_word(text, [&](const std::string& word, std::string_view) { out = out || names.contains(word); });
  return out;
}

/// Parameters without a good value: those that problems are about, and who names one of them in turn.
std::set<std::string> parameters_without_value(const Document& document, const Diagnostics& problems) {
  std::set<std::string> out;
  for (const Diagnostic& d : problems)
    if (const Element* element = document.find(d.element); element != nullptr && d.severity == Severity::error)
      if (element->section == Section::parameter) out.insert(element->name());
  // Who names one of them, and who names those: by a list of who names whom, for there may be very many in a row.
  std::unordered_map<std::string, std::vector<const Element*>> naming;
  if (!out.empty())
    for (const Element* one : document.of(Section::parameter))
      each_word(one->text("value"), [&](const std::string& word, std::string_view) { naming[word].push_back(one); });
  std::vector<std::string> open(out.begin(), out.end());
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    for (const Element* one : naming[name])
      if (out.insert(one->name()).second) open.push_back(one->name());
  }
  // And those of charts that components give such a value: `lambda = lambda_pump`.
  const std::set<std::string> of_the_model = out;
  for (const Element* one : document.of(Section::node))
    if (names_any(one->text("arguments"), of_the_model))
      each_word(one->text("arguments"), [&](const std::string& word, std::string_view rest) {
        if (rest.starts_with('=')) out.insert(word);
      });
  return out;
}

/// Whether what is said of a value only repeats that a parameter has none: the property of which it is said, or where
/// that is not one of the element's any of these, names such a parameter.
bool repeats(const Document& document, const Diagnostic& d, const std::set<std::string>& without_value) {
  const Element* element = document.find(d.element);
  if (element == nullptr) return true;
  if (const std::string text = element->text(d.pointer); !text.empty()) return names_any(text, without_value);
  for (const auto& [name, value] : element->properties.items())
    if (names_any(element->text(name), without_value)) return true;
  return false;
}

// Of slots that have one value in all replications, a value or a probability.
bool is_fixed(const Measure& measure, const SlotTable& table) {
  if (measure.stream >= 0 || measure.counts_event || measure.spec.kind->estimator != MeasureKind::Estimator::mean ||
      !measure.spec.kind->takes_expression())
    return false;
  const auto slots = measure.program.slots();
  return !slots.empty() &&
         std::all_of(slots.begin(), slots.end(), [&](std::uint32_t slot) { return table.is_fixed(slot); });
}

// The time of a history is a double: a delay of few of its last digits is rounded, one below half of it vanishes, and
// with it the visit to a state. A thousandth of an exponential's visits is lost at 500 of them.
void check_time_steps(const CompiledModel& charts, double horizon_s, const Unit& unit, Diagnostics& problems) {
  const double step_s = std::nextafter(horizon_s, 2 * horizon_s) - horizon_s, least_s = 512 * step_s;
  std::set<ElementId> said;
  for (const TimerSpec& spec : charts.timers.specs) {
    const bool delays = spec.kind == Trigger::Kind::after || spec.kind == Trigger::Kind::rate;
    if (!delays || !spec.constant || !(spec.value > 0.0 && spec.value < least_s)) continue;
    const Transition& t = charts.charts[charts.instances[spec.instance].chart].chart.transitions[spec.transition];
    if (!said.insert(t.element).second) continue;
    problems.push_back({.severity = Severity::warning,
                        .code = "RUN037",
                        .element = t.element,
                        .pointer = "trigger",
                        .message = "The mean delay is " + number_text(spec.value, 3) + " s, and at the end of " +
                                   number_text(unit.from_si(horizon_s), 6) + " " + unit.symbol +
                                   " time moves in steps of " + number_text(step_s, 2) +
                                   " s: a simulation loses visits that are shorter; wanted a "
                                   "mean of " +
                                   number_text(least_s, 2) + " s or more.",
                        .hint = "Shorten the mission, or ask a Markov solver, which has no steps of time."});
  }
}

// Cycles begin when the condition becomes true: it must be able to, and to be false.
void check_renewal(const Measure& measure, std::span<const Range> slots, Diagnostics& problems) {
  const Range range = measure.renewal.range(slots);
  const bool never = range.lower == 0.0 && range.upper == 0.0, always = range.lower > 0.0 || range.upper < 0.0;
  if (!never && !always) return;
  problems.push_back({.code = "MEA012",
                      .element = measure.spec.element,
                      .pointer = "renewal",
                      .message = "The condition at which cycles of \"" + measure.spec.id + "\" begin is " +
                                 (never ? "never" : "always") + " true; wanted one that becomes true again and again.",
                      .hint = "Name a state in which the model begins anew, whatever came before."});
}

/// The split is that of the groups, else that of the first part that has one: an observation has one part.
void choose_split(AnalysisModel& model, Diagnostics& problems) {
  model.split = split_by_cause(model.groups);
  for (const auto& part : model.others) {
    const LoweredPart::OwnSplit own = part->split();
    if (own.split == nullptr || own.split->empty()) continue;
    if (model.split == nullptr) {
      model.split = own.split, model.split_slot = own.slot;
      continue;
    }
    const LoweredPart::Thing thing = part->things().front();
    problems.push_back({.severity = Severity::warning,
                        .code = "MEA016",
                        .element = thing.element,
                        .message = "What measures see is divided by " + model.split->by + "; " + thing.name +
                                   " would divide it by " + own.split->by + ", which is left out.",
                        .hint = "A model of one of the two alone shows how that divides it."});
  }
}

void tell_of_slots(const AnalysisModel& model, std::span<const Range> ranges,
                   std::span<const std::shared_ptr<LoweredPart>> parts, Diagnostics& problems) {
  std::vector<std::uint32_t> flowing = {World::now_slot};
  flowing.insert(flowing.end(), model.charts.continuous_slots.begin(), model.charts.continuous_slots.end());
  // Made when somebody asks, which few models do.
  std::function<const LongRunValue*(const Program&)> values;
  const auto long_run = [&](const Program& program) -> const LongRunValue* {
    if (!long_run_maker()) return nullptr;
    if (!values) values = long_run_maker()(model);
    return values(program);
  };
  const KnownSlots known{.flowing = flowing, .ranges = ranges, .horizon_s = model.horizon_s, .long_run = long_run};
  for (const auto& part : parts) part->know_slots(known, problems);
}

// Whoever solves it evaluates these many times.
void translate(AnalysisModel& model, std::vector<Program*> programs) {
  const auto add = [&](std::vector<Program>& some) {
    for (Program& program : some) programs.push_back(&program);
  };
  add(model.charts.programs);
  for (CcfGroup& group : model.groups) add(group.exposed);
  for (Measure& measure : model.measures) programs.insert(programs.end(), {&measure.program, &measure.renewal});
  if (model.importance) programs.push_back(&*model.importance);
  make_machine_code(programs);
}

}  // namespace

std::uint64_t models_built() { return built.load(); }

void know_long_run_by(LongRunMaker maker) { long_run_maker() = std::move(maker); }

std::vector<DataSection> report_data(const AnalysisModel& model, const Document& document) {
  std::vector<DataSection> out = ccf_report_sections(document, model.groups);
  for (const auto& part : model.others)
    for (DataSection& one : part->report_data(document)) out.push_back(std::move(one));
  return out;
}

void refuse_other_notations(const AnalysisModel& model, const std::string& solver, Diagnostics& problems) {
  for (const auto& part : model.others)
    for (const LoweredPart::Thing& thing : part->things())
      problems.push_back(
          {.code = "SOL004",
           .element = thing.element,
           .message = "There is " + thing.name + "; " + solver + " answers charts and common-cause groups only.",
           .hint = "The simulation answers all of them."});
}

std::shared_ptr<const AnalysisModel> model_of(const Question& question, Diagnostics& problems) {
  struct Built {
    std::shared_ptr<const AnalysisModel> model;
    Diagnostics problems;
    std::vector<FileRead> files;
  };
  const RunRequest& request = question.request();
  const auto make = [&] {
    auto out = std::make_shared<Built>();
    out->model = build_model(question.document(), request, request.folder, out->problems, &out->files);
    return out;
  };
  // Which files it reads is known only once it is made, so they cannot be part of the key.
  const auto still_so = [](const void* kept) {
    const auto& files = static_cast<const Built*>(kept)->files;
    return std::all_of(files.begin(), files.end(), unchanged);
  };
  const auto made = std::static_pointer_cast<const Built>(
      question.once("AnalysisModel\n" + what_lowering_reads(request), make, still_so));
  problems.insert(problems.end(), made->problems.begin(), made->problems.end());
  return made->model;
}

std::shared_ptr<const AnalysisModel> build_model(const Document& drawn, const RunRequest& request,
                                                 const std::string& folder, Diagnostics& problems,
                                                 std::vector<FileRead>* files_read) {
  ++built;
  Diagnostics own;
  // A copy only where something is set: the ids, and with them all streams and places, are the same.
  const bool set = std::any_of(request.overrides.begin(), request.overrides.end(),
                               [](const auto& value) { return is_property_path(value.first); });
  const std::optional<Document> changed =
      set ? std::optional(with_properties(drawn, request.overrides, own)) : std::nullopt;
  const Document& document = changed ? *changed : drawn;
  auto out = std::make_shared<AnalysisModel>();
  const DataFiles files({folder, request.allowed_folders});
  const auto finish = [&]() -> std::shared_ptr<const AnalysisModel> {
    out->files = files.read();
    if (files_read != nullptr) *files_read = out->files;
    const bool usable = !has_errors(own);
    problems.insert(problems.end(), own.begin(), own.end());
    return usable ? out : nullptr;
  };
  out->parameters = ParameterTable::resolve(document, request.scenario, request.overrides, own);
  // With a parameter that has no good value the rest is still checked, but complaints about values that come from it
  // would only repeat it.
  const bool values_known = !has_errors(own);
  const std::set<std::string> without_value =
      values_known ? std::set<std::string>() : parameters_without_value(document, own);

  ParameterScope constants(out->parameters);
  PropertyReader read(constants, own);
  const Element& header = document.model();
  out->horizon_s = read.quantity(header, "horizon", Dimension::of_time(), 24.0 * 3600.0);
  // Its curves have steps that are some thousands of times shorter, and may not vanish.
  constexpr double least_s = 1e-300;
  if (!(out->horizon_s >= least_s && std::isfinite(out->horizon_s)))
    own.push_back({.code = "DOC003",
                   .element = header.id,
                   .pointer = "horizon",
                   .message = "The mission time is " + number_text(out->horizon_s, 6) +
                              " s; wanted a finite time of at least " + number_text(least_s) + " s."});
  const auto unit = parse_unit(header.text("time_unit", "h"));
  if (!unit || !(unit->dimension == Dimension::of_time()))
    own.push_back({.code = "UNI001",
                   .element = header.id,
                   .pointer = "time_unit",
                   .message = "\"" + header.text("time_unit") + "\" is no unit of time."});
  out->time_unit = unit.value_or(Unit{});
  out->ode = request.ode;
  const long replications = read.integer(header, "replications", 100000);
  if (replications < 1)
    own.push_back({.code = "DOC003",
                   .element = header.id,
                   .pointer = "replications",
                   .message = "The number of replications is " + std::to_string(replications) + "; wanted >= 1."});
  out->replications = static_cast<std::uint64_t>(std::max(1L, replications));
  out->seed = read.natural(header, "seed", 1);

  const std::size_t before = own.size();
  const auto table = std::make_shared<SlotTable>();
  Lowering lowering{document, out->parameters, files, *table, own};
  const auto notations = notation_lowerings();
  // Names of all notations before any expression, so that the order of registration decides nothing.
  for (const auto& notation : notations) notation->declare(lowering);
  std::vector<Program*> programs;
  std::vector<std::shared_ptr<LoweredPart>> parts;
  ModelCompiler compiler(document, out->parameters, files, own, table);
  for (const auto& notation : notations)
    if (const auto part = notation->lower(lowering, compiler.scope())) {
      for (Program* program : part->programs()) programs.push_back(program);
      out->others.push_back(part), parts.push_back(part);
    }
  if (compiler.arrays().empty() && out->others.empty() && !has_errors(own))
    own.push_back(
        {.code = "SYS004",
         .element = header.id,
         .message = "The model has nothing that runs; wanted a component of a chart, a queueing network or a cluster.",
         .hint = "Draw a component in a system diagram and give it a chart; a queueing network or a cluster "
                 "runs by itself."});
  out->groups = lower_groups(document, out->parameters, compiler, own);
  out->measures =
      lower_measures(document, out->parameters, compiler, out->horizon_s, out->time_unit, table->streams, own);
  add_own_measures(document, parts, compiler, out->horizon_s, out->time_unit, out->measures);
  warn_of_no_measure(document, out->measures, own);
  if (const std::string text = importance_of(request); !trim(text).empty()) {
    auto importance = compile(text, compiler.scope());
    const auto* compiled = std::get_if<Compiled>(&importance);
    if (const auto* error = std::get_if<ExpressionError>(&importance)) {
      Diagnostic d = to_diagnostic(*error, {}, "importance");
      d.message = said_of(text, d.message);
      own.push_back(std::move(d));
    } else if (!compiled->type.number()) {
      own.push_back({.code = "RUN020",
                     .pointer = "importance",
                     .message = "The importance is " + compiled->type.text() + "; wanted a number."});
    } else {
      out->importance = compiled->program;
    }
  }
  if (!values_known) {
    const auto about_values = [&](const Diagnostic& d) {
      static const std::set<std::string> codes = {"SCH008", "SCH009", "SYS003", "MEA004", "MEA005", "MEA007", "EXP005"};
      return (codes.contains(d.code) || d.code.rfind("CCF00", 0) == 0 || d.code == "CCF010") &&
             repeats(document, d, without_value);
    };
    own.erase(std::remove_if(own.begin() + static_cast<std::ptrdiff_t>(before), own.end(), about_values), own.end());
  }
  leave_out_unknown_values(document, own);
  if (has_errors(own)) return finish();
  // From here on no expression may name states: the tables are closed.
  out->charts = compiler.finish();
  // What flows decides when everything else happens; indicators and counts are whole numbers all the same.
  const auto whole = [](const MeasureSpec& spec) {
    using Meaning = MeasureKind::Meaning;
    return spec.proportion || spec.kind->meaning == Meaning::events || spec.kind->meaning == Meaning::observed_count;
  };
  for (Measure& measure : out->measures)
    if (out->charts.hybrid && !whole(measure.spec))
      measure.spec.numerical_error = integration_error * request.ode.relative;
  // Causes have numbers only now, those that some chart waits for.
  for (CcfGroup& group : out->groups) {
    const Element* element = document.find(group.element);
    group.cause = out->charts.cause(element->text("cause"));
  }
  check_time_steps(out->charts, out->horizon_s, out->time_unit, own);
  const std::vector<Range> slots = out->charts.slot_ranges(out->horizon_s);
  tell_of_slots(*out, slots, parts, own);
  choose_split(*out, own);
  for (Measure& measure : out->measures) {
    measure.spec.split = out->split;
    measure.spec.support = support_of(measure, slots, table->streams, out->horizon_s, measure.spec.support.counts);
    measure.spec.fixed = is_fixed(measure, *table);
    if (measure.spec.kind->renewal) check_renewal(measure, slots, own);
    if (!measure.counts_event) continue;
    const std::string name = document.find(measure.spec.element)->text("event");
    measure.event = out->charts.event(name);
    if (measure.event < 0)
      own.push_back({.code = "MEA006",
                     .element = measure.spec.element,
                     .pointer = "event",
                     .message = "Nothing raises, sends or records the event \"" + name + "\"."});
  }
  warn_of_unheard_events(document, table->events, *out, own);
  translate(*out, std::move(programs));
  return finish();
}

}  // namespace ergode
