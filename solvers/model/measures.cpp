#include <algorithm>
#include <chrono>
#include <set>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/catalogue/model_kinds.h"
#include "core/study/run_option.h"
#include "solvers/model/analysis_model.h"
#include "statecharts/compile/compiler.h"

namespace ergode {
namespace {

constexpr long longest_family = 1000;
constexpr long most_curve_points = 2000;

std::string with_index(std::string text, const std::string& index, long value) {
  const std::string mark = "{" + index + "}";
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark))
    text.replace(at, mark.size(), std::to_string(value));
  return text;
}

class MeasureLowering {
 public:
  MeasureLowering(const Document& document, const ParameterTable& parameters, ModelCompiler& compiler, double horizon_s,
                  const Unit& time_unit, std::span<const StreamSpec> streams, Diagnostics& problems)
      : document_(document),
        constants_(parameters),
        compiler_(compiler),
        horizon_s_(horizon_s),
        time_unit_(time_unit),
        streams_(streams),
        problems_(problems),
        read_(constants_, problems) {}

  void lower(const Element& element, std::vector<Measure>& out) {
    const std::string index = element.text("index");
    if (index.empty()) return one(element, index, 0, out);
    const long from = read_.integer(element, "from", 0), to = read_.integer(element, "to", 0);
    if (!is_identifier(index))
      return report(element, "MEA005", "index",
                    "The index is \"" + index + "\"; wanted a name of letters, digits and _.");
    if (from > to || to - from >= longest_family)
      return report(element, "MEA005", "to",
                    "The index runs from " + std::to_string(from) + " to " + std::to_string(to) + "; wanted 1 to " +
                        std::to_string(longest_family) + " values.");
    for (long value = from; value <= to; ++value) one(element, index, value, out);
  }

 private:
  void report(const Element& element, const char* code, const char* property, std::string message,
              std::string hint = {}) {
    problems_.push_back({.code = code,
                         .element = element.id,
                         .pointer = property,
                         .message = std::move(message),
                         .hint = std::move(hint)});
  }

  /// "raw+done": how solvers call what is of classes that become each other.
  static bool joined(const std::vector<std::string>& parts) {
    return std::all_of(parts.begin(), parts.end(), [](const std::string& part) {
      const std::vector<std::string> names = split(part, '+');
      return std::all_of(names.begin(), names.end(), [](const std::string& name) { return is_identifier(name); });
    });
  }

  /// A property that names something, of the present member of a family.
  std::string words(const Element& element, const char* property) const {
    const std::string text(trim(element.text(property)));
    return index_.empty() ? text : with_index(text, index_, value_);
  }

  void one(const Element& element, const std::string& index, long value, std::vector<Measure>& out) {
    Measure m;
    MeasureSpec& spec = m.spec;
    spec.element = element.id;
    index_ = index, value_ = value;
    spec.id = index.empty() ? element.name() : with_index(element.name(), index, value);
    spec.label = with_index(element.text("label", spec.id), index.empty() ? "\n" : index, value);
    if (const std::vector<std::string> parts = split(spec.id, '/');
        !std::all_of(parts.begin(), parts.end(), [](const std::string& part) { return is_identifier(part); }))
      return report(
          element, "MEA001", "name",
          "The name is \"" + spec.id + "\"; wanted letters, digits and _, in parts between /" +
              (index.empty() ? "" : ", with {" + index + "} for the index") +
              (joined(parts) ? "; names with + are those of what solvers answer unasked." : "."),
          joined(parts) ? "Leave it out: it is among the results of solvers that know it. Or call it otherwise." : "");
    if (!names_.insert(spec.id).second)
      return report(element, "MEA001", "name", "Two measures are called \"" + spec.id + "\".",
                    index.empty() ? "" : "Put {" + index + "} into the name.");
    const MeasureKind* kind =
        find_measure_kind(read_.choice(element, "type", std::string(measure_kinds().front().word), measure_types()));
    if (kind == nullptr) return;  // reported by the reader
    spec.kind = kind;
    spec.headline = read_.boolean(element, "headline", false);
    if (!precision(element, spec)) return;
    spec.time_unit = time_unit_.symbol, spec.time_scale = time_unit_.scale;
    if (!index.empty()) compiler_.set_index(index, value), constants_.set_index(index, value);

    m.counts_event = kind->source == MeasureKind::Source::events && !trim(element.text("event")).empty();
    ValueType type = ValueType::boolean();
    const bool of_stream = kind->takes_stream() && (!kind->takes_expression() || !trim(element.text("of")).empty());
    if (of_stream) {
      if (!stream(element, m, type)) return;
    } else if (kind->source == MeasureKind::Source::measures) {
      if (!ratio(element, out, m, type)) return;
    } else if (!m.counts_event) {
      const std::string text = element.text("expression");
      if (trim(text).empty())
        return kind->source == MeasureKind::Source::events
                   ? report(element, "MEA002", "event",
                            "The measure \"" + spec.id + "\" says neither which event nor which condition it counts.",
                            "Name an event, or give an expression: then it counts how often that becomes true.")
                   : report(element, "MEA002", "expression", "The measure \"" + spec.id + "\" has no expression.");
      auto compiled = compile(text, compiler_.scope());
      if (auto* error = std::get_if<ExpressionError>(&compiled)) {
        Diagnostic d = to_diagnostic(*error, element.id, "expression");
        d.message = said_of(text, d.message);
        problems_.push_back(std::move(d));
        return;
      }
      type = std::get<Compiled>(compiled).type;
      if (kind->wants_condition() && type.base != ValueType::Base::boolean) {
        report(
            element, "MEA002", "expression",
            "The expression is " + type.text() + "; the type \"" + std::string(kind->label) + "\" wants a condition.");
        if (type.number()) problems_.back().wanted = type.base == ValueType::Base::real ? type.dimension : Dimension{};
        return;
      }
      if (type.base == ValueType::Base::choice)
        return report(element, "MEA002", "expression", "The expression is a choice; wanted a value or condition.");
      if (kind->meaning == MeasureKind::Meaning::observed_rate && !growth(element, type)) return;
      m.program = std::get<Compiled>(compiled).program;
      if (reads_clock(element, "expression", m.program)) return;
      m.observer = compiler_.observe(m.program);
    }
    if (kind->renewal && !renewal(element, m)) return;
    if (kind->level) {
      m.level = read_.quantity(element, "level", Dimension{}, 0.95);
      if (!(m.level > 0.0 && m.level < 1.0))
        return report(element, "MEA011", "level",
                      "The level is " + number_text(m.level, 6) + "; wanted a number between 0 and 1.");
    }
    units(element, type, m);
    spec.proportion = kind->proportion;
    if (kind->at) {
      m.at_s = read_.quantity(element, "at", Dimension::of_time(), horizon_s_);
      if (!(m.at_s >= 0.0 && m.at_s <= horizon_s_))
        return report(element, "MEA004", "at",
                      "The time is " + number_text(time_unit_.from_si(m.at_s), 9) + " " + time_unit_.symbol +
                          "; wanted 0 to the mission time, " + number_text(time_unit_.from_si(horizon_s_), 9) + " " +
                          time_unit_.symbol + ".");
    } else {
      m.at_s = horizon_s_;
    }
    spec.samples = (kind->samples && (kind->is_time || type.base != ValueType::Base::boolean)) ||
                   (kind->may_sample && read_.boolean(element, "distribution", false));
    spec.lasting = spec.samples && (kind->lasting || (kind->meaning == MeasureKind::Meaning::long_run && m.stream < 0));
    if (kind->curve) {
      const long points = read_.integer(element, "curve", 48);
      if (points < 0 || points > most_curve_points)
        return report(element, "MEA007", "curve",
                      "The curve has " + std::to_string(points) + " points; wanted 0 to " +
                          std::to_string(most_curve_points) + ".");
      for (long i = 0; points > 0 && i <= points; ++i)
        spec.grid_s.push_back(horizon_s_ * static_cast<double>(i) / static_cast<double>(points));
    }
    out.push_back(std::move(m));
    dimensions_.push_back(dimension_);
  }

  /// From the type of what grows to that of how fast it does.
  bool growth(const Element& element, ValueType& type) {
    if (!type.number()) {
      report(element, "MEA002", "expression",
             "The expression is " + type.text() + ", which does not grow; wanted a number.",
             "A count: how many customers were lost, how many items were made.");
      return false;
    }
    const auto over_time =
        product(type.base == ValueType::Base::real ? type.dimension : Dimension{}, Dimension::of_time(), -1);
    if (!over_time) {
      report(element, "MEA003", "expression", "The rate's unit has a power that no quantity has.");
      return false;
    }
    type = ValueType::real(*over_time);
    return true;
  }

  bool precision(const Element& element, MeasureSpec& spec) {
    if (trim(element.text("precision")).empty()) return true;
    constexpr double good = 0.5;  // what is no number was reported already
    spec.precision = read_.quantity(element, "precision", Dimension{}, good);
    if (between_0_and_1(spec.precision)) return true;
    report(element, "MEA015", "precision",
           "The precision is " + number_text(spec.precision, 6) + "; wanted a number between 0 and 1.",
           "It is relative: 0.01 or 1 % of the value. Without one the precision of the run holds.");
    return false;
  }

  /// A measure looks when something has changed, and `now` changes all the time: what it saw would be stale.
  bool reads_clock(const Element& element, const char* property, const Program& program) {
    const auto slots = program.slots();
    if (!std::binary_search(slots.begin(), slots.end(), World::now_slot)) return false;
    report(element, "MEA013", property,
           "The expression reads `now`, and a measure looks only when something changes; wanted states and variables.",
           "Draw what is meant: a state that at(5 h) or after(2 h) enters.");
    return true;
  }

  bool renewal(const Element& element, Measure& m) {
    const std::string text = element.text("renewal");
    if (trim(text).empty()) {
      report(element, "MEA012", "renewal", "The measure \"" + m.spec.id + "\" does not say where its cycles begin.",
             "Name a state in which the model begins anew, whatever came before.");
      return false;
    }
    auto compiled = compile(text, compiler_.scope());
    if (auto* error = std::get_if<ExpressionError>(&compiled)) {
      Diagnostic d = to_diagnostic(*error, element.id, "renewal");
      d.message = said_of(text, d.message);
      problems_.push_back(std::move(d));
      return false;
    }
    const Compiled& found = std::get<Compiled>(compiled);
    if (found.type.base != ValueType::Base::boolean) {
      report(element, "MEA012", "renewal", "Cycles begin at " + found.type.text() + "; wanted a condition.");
      return false;
    }
    m.renewal = found.program;
    if (reads_clock(element, "renewal", m.renewal)) return false;
    m.renewal_observer = compiler_.observe(m.renewal);
    return true;
  }

  /// What the measure observes is told while running, not computed: it has no expression, or one that never changes.
  void nothing_to_follow(Measure& m) {
    // Observed all the same: whoever follows measures need not tell them apart by having an observer.
    m.program = std::get<Compiled>(compile("0", constants_)).program;
    m.observer = compiler_.observe(m.program);
  }

  /// What a plugin would observe that is not here: that was said of its station.
  bool of_missing_plugin(const std::string& name) const {
    return std::any_of(problems_.begin(), problems_.end(), [&](const Diagnostic& d) {
      const Element* const element = d.code == "PLG010" ? document_.find(d.element) : nullptr;
      return element != nullptr && element->name() == name.substr(0, name.find('.'));
    });
  }

  bool stream(const Element& element, Measure& m, ValueType& type) {
    const std::string name = words(element, "of");
    const auto number = stream_number(streams_, name);
    if (!number) {
      if (of_missing_plugin(name)) return false;
      std::string known;
      for (const StreamSpec& s : streams_) known += (known.empty() ? "" : ", ") + s.name;
      report(element, "MEA009", "of",
             name.empty() ? "The measure \"" + m.spec.id + "\" names no stream of observations."
                          : "Nothing makes observations called \"" + name + "\".",
             known.empty() ? "No part of this model makes observations." : "There are: " + known + ".");
      return false;
    }
    const StreamSpec& found = streams_[*number];
    m.stream = static_cast<std::int32_t>(*number);
    if (const std::string of_class = words(element, "class"); !of_class.empty()) {
      const auto place = class_number(found, of_class);
      if (!place) {
        std::string known;
        for (const std::string& one : found.classes) known += (known.empty() ? "" : ", ") + one;
        report(element, "MEA009", "class", "\"" + name + "\" has no class \"" + of_class + "\".",
               known.empty() ? "Its observations are all alike." : "There are: " + known + ".");
        return false;
      }
      m.of_class = static_cast<std::int32_t>(*place);
    }
    using Meaning = MeasureKind::Meaning;
    const Meaning meaning = m.spec.kind->meaning;
    const auto time = product(Dimension{}, Dimension::of_time(), -1);
    const Dimension dimension = parse_unit(found.unit).value_or(Unit{}).dimension;
    if (m.spec.kind->threshold && !threshold(element, dimension, m)) return false;
    type = ValueType::real(meaning == Meaning::observed_count || meaning == Meaning::observed_share ? Dimension{}
                           : meaning == Meaning::observed_rate ? time.value_or(Dimension{})
                                                               : dimension);
    nothing_to_follow(m);
    return true;
  }

  bool threshold(const Element& element, Dimension dimension, Measure& m) {
    if (trim(element.text("at_most")).empty()) {
      report(element, "MEA014", "at_most",
             "The measure \"" + m.spec.id + "\" does not say which observations count; wanted " +
                 ValueType::real(dimension).text() + ".",
             "Give the greatest value that counts, as in 20 s.");
      return false;
    }
    m.level = read_.quantity(element, "at_most", dimension, 0.0);
    return true;
  }

  bool ratio(const Element& element, const std::vector<Measure>& above, Measure& m, ValueType& type) {
    const auto find = [&](const char* property, std::int32_t& number) {
      const std::string name = words(element, property);
      for (std::size_t i = 0; i < above.size(); ++i) {
        if (above[i].spec.id != name) continue;
        number = static_cast<std::int32_t>(i);
        if (above[i].spec.kind->each) return true;
        report(element, "MEA010", property,
               "\"" + name + "\" (" + std::string(above[i].spec.kind->word) +
                   ") need not be observed in every replication; wanted a measure that is.");
        return false;
      }
      if (name != m.spec.id && names_.contains(name))
        report(element, "MEA010", property, "The measure \"" + name + "\" has an error, so there is no ratio with it.",
               "Mend that measure first.");
      else
        report(element, "MEA010", property,
               name.empty() ? "The ratio \"" + m.spec.id + "\" does not say of what."
                            : "No measure above this one is called \"" + name + "\".",
               "A ratio is made of two measures that stand before it.");
      return false;
    };
    if (!find("of", m.over) || !find("per", m.per)) return false;
    const auto over = static_cast<std::size_t>(m.over), per = static_cast<std::size_t>(m.per);
    const auto quotient = product(dimensions_[over], dimensions_[per], -1);
    if (!quotient) {
      report(element, "MEA003", "of", "The ratio's unit has a power that no quantity has.");
      return false;
    }
    type = ValueType::real(*quotient);
    nothing_to_follow(m);
    return true;
  }

  // The estimate is value * scale; it must have the dimension of the unit it is shown in.
  void units(const Element& element, const ValueType& type, Measure& m) {
    MeasureSpec& spec = m.spec;
    Dimension dimension = spec.kind->is_time                   ? Dimension::of_time()
                          : type.base == ValueType::Base::real ? type.dimension
                                                               : Dimension{};
    if (const std::string scale = element.text("scale"); !trim(scale).empty()) {
      const auto compiled = compile(scale, constants_);
      if (const auto* error = std::get_if<ExpressionError>(&compiled))
        return problems_.push_back(to_diagnostic(*error, element.id, "scale"));
      const Compiled& factor = std::get<Compiled>(compiled);
      if (!factor.type.number() || !factor.program.is_constant() || !(factor.program.value() > 0.0))
        return report(element, "MEA003", "scale", "The factor is not a number greater than zero.");
      spec.factor = factor.program.value();
      const auto scaled = product(dimension, factor.type.dimension, 1);
      if (!scaled) return report(element, "MEA003", "scale", "The factor's unit has a power that no quantity has.");
      dimension = *scaled;
    }
    dimension_ = dimension;
    std::string text(trim(element.text("unit")));
    // Times go by the model's unit of time; a stream of anything else has chosen its own.
    const bool counts = spec.kind->meaning == MeasureKind::Meaning::observed_count ||
                        spec.kind->meaning == MeasureKind::Meaning::observed_share;
    if (text.empty() && m.stream >= 0 && !counts && spec.factor == 1.0) {
      const std::string& own = streams_[static_cast<std::size_t>(m.stream)].unit;
      if (dimension != Dimension::of_time() && parse_unit(own).value_or(Unit{}).dimension == dimension) text = own;
    }
    if (text.empty() && dimension == Dimension::of_time()) text = time_unit_.symbol;
    if (text.empty() && spec.kind->meaning == MeasureKind::Meaning::observed_rate &&
        parse_unit("/" + time_unit_.symbol).value_or(Unit{}).dimension == dimension)
      text = "/" + time_unit_.symbol;
    const auto unit = parse_unit(text);
    if (!unit) return report(element, "UNI001", "unit", "\"" + quotable(text) + "\" is no unit.");
    if (!(unit->dimension == dimension)) {
      const std::string has = "the measure is " + ValueType::real(dimension).text() + ".";
      report(element, "MEA003", "unit",
             text.empty() ? "There is no unit, but " + has : "The unit is \"" + quotable(text) + "\", but " + has);
      problems_.back().wanted = dimension;
      return;
    }
    spec.unit = text == "1" || text == "-" ? "" : text;
    spec.unit_scale = unit->scale;
  }

  const Document& document_;
  ParameterScope constants_;
  ModelCompiler& compiler_;
  double horizon_s_;
  Unit time_unit_;
  std::span<const StreamSpec> streams_;
  Diagnostics& problems_;
  PropertyReader read_;
  Dimension dimension_;                ///< of the measure being lowered, its factor included
  std::vector<Dimension> dimensions_;  ///< of those before it
  std::set<std::string> names_;
  std::string index_;  ///< of the family that is lowered; empty: a single measure
  long value_ = 0;
};

}  // namespace

std::vector<Measure> lower_measures(const Document& document, const ParameterTable& parameters, ModelCompiler& compiler,
                                    double horizon_s, const Unit& time_unit, std::span<const StreamSpec> streams,
                                    Diagnostics& problems) {
  std::vector<Measure> out;
  MeasureLowering lowering(document, parameters, compiler, horizon_s, time_unit, streams, problems);
  for (const Element* element : document.of(Section::measure)) lowering.lower(*element, out);
  return out;
}

void warn_of_no_measure(const Document& document, const std::vector<Measure>& out, Diagnostics& problems) {
  if (out.empty() && !has_errors(problems))
    problems.push_back({.severity = Severity::warning,
                        .code = "MEA008",
                        .element = document.model().id,
                        .message = "The model asks nothing: it has no measures.",
                        .hint = "Add a measure."});
}

void add_own_measures(const Document& document, std::span<const std::shared_ptr<LoweredPart>> parts,
                      ModelCompiler& compiler, double horizon_s, const Unit& time_unit, std::vector<Measure>& out) {
  std::set<std::string> drawn;
  for (const Element* element : document.of(Section::measure))
    for (const char* property : {"expression", "of", "name"}) drawn.insert(std::string(trim(element->text(property))));
  const bool headline = std::any_of(out.begin(), out.end(), [](const Measure& m) { return m.spec.headline; });
  for (const auto& part : parts)
    for (const LoweredPart::OwnMeasure& one : part->own_measures()) {
      if (drawn.contains(one.id)) continue;
      const Unit unit = parse_unit(one.unit).value_or(Unit{});
      Measure m;
      m.own = true;
      m.spec.id = one.id, m.spec.label = one.label, m.spec.element = one.element;
      m.spec.kind = find_measure_kind(one.kind);
      m.spec.unit = one.unit, m.spec.unit_scale = unit.scale;
      m.spec.proportion = m.spec.kind->proportion, m.spec.samples = m.spec.kind->samples;
      m.spec.headline = one.headline && !headline;
      m.spec.time_unit = time_unit.symbol, m.spec.time_scale = time_unit.scale;
      m.at_s = horizon_s;
      m.stream = static_cast<std::int32_t>(one.stream);
      m.spec.support.counts = one.counts;
      const std::string text = one.stream < 0 ? one.id : "0";
      auto compiled = compile(text, compiler.scope());
      if (std::holds_alternative<ExpressionError>(compiled)) continue;  // its name is refused already
      m.program = std::get<Compiled>(compiled).program;
      m.observer = compiler.observe(m.program);
      out.push_back(std::move(m));
    }
}

Diagnostics unknown_precisions(const AnalysisModel& model, const RunRequest& request) {
  if (request.precision_of.empty()) return {};
  std::vector<std::string> names;
  for (const Measure& measure : model.measures) names.push_back(measure.spec.id);
  return unknown_precisions(names, request);
}

PrecisionGoals precision_goals(const AnalysisModel& model, const RunRequest& request) {
  std::vector<MeasureSpec> specs;
  for (const Measure& measure : model.measures)
    specs.push_back({.id = measure.spec.id, .headline = measure.spec.headline, .precision = measure.spec.precision});
  return precision_goals(specs, request);
}

std::function<bool()> patience_for_tables(const RunControl& control, std::optional<double> left_s) {
  using Clock = std::chrono::steady_clock;
  constexpr double least_s = 0.5;
  return [stop = control.stop.get_token(), begun = Clock::now(), left_s] {
    const double gone_s = std::chrono::duration<double>(Clock::now() - begun).count();
    return gone_s >= least_s && (stop.stop_requested() || (left_s && gone_s >= *left_s));
  };
}

void add_tables_of_parts(const AnalysisModel& model, const std::function<bool()>& give_up, ResultSet& out) {
  using Meaning = MeasureKind::Meaning;
  std::vector<MeanOverTime> means;
  for (std::size_t m = 0; m < std::min(model.measures.size(), out.measures.size()); ++m) {
    const Measure& measure = model.measures[m];
    const MeasureResult& result = out.measures[m];
    const Meaning meaning = measure.spec.kind->meaning;
    const bool over_time =
        meaning == Meaning::average || meaning == Meaning::long_run || meaning == Meaning::regenerative;
    if (!over_time || measure.stream >= 0 || result.id != measure.spec.id || !result.answered()) continue;
    const double scale = measure.spec.unit_scale / measure.spec.factor;
    means.push_back({&measure.program, scale * result.estimate, scale * result.lower, scale * result.upper});
  }
  for (const auto& part : model.others) {
    for (Diagnostic& one : part->told()) out.diagnostics.push_back(std::move(one));
    for (const auto& [name, identity] : part->sources()) out.provenance.options[name] = identity;
  }
  for (const auto& part : model.others) {
    if (!part->work_out_tables(give_up)) {
      const auto things = part->things();
      out.diagnostics.push_back({.severity = Severity::warning,
                                 .code = "RUN045",
                                 .element = things.empty() ? ElementId() : things.front().element,
                                 .message = "The run was stopped before the tables of " +
                                            (things.empty() ? "a part" : things.front().name) +
                                            " were worked out: they are left out.",
                                 .hint = "Give it more time: --wall-time counts them."});
    }
    for (ResultTable& table : part->tables(means, out.provenance.solver)) out.tables.push_back(std::move(table));
  }
}

}  // namespace ergode
