#include "app/session/sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/session/check.h"
#include "app/session/run.h"
#include "app/session/settable.h"
#include "core/base/text.h"
#include "core/base/unit.h"
#include "core/study/precision_goals.h"
#include "core/study/run_option.h"
#include "solvers/model/analysis_model.h"
#include "solvers/registry.h"

namespace ergode {
namespace {

Diagnostic refusal(std::string message, std::string hint = {}) {
  return {.code = "RUN040", .pointer = "vary", .message = std::move(message), .hint = std::move(hint)};
}

/// A number and what follows it.
struct End {
  double value = 0.0;
  std::string unit;
};
std::optional<End> read_end(std::string_view text) {
  text = trim(text);
  // The longest beginning that is a number: "1e-3 /h" has an e and a sign in it.
  for (std::size_t length = text.size(); length > 0; --length) {
    if (text[length - 1] == ' ') continue;
    if (const auto value = parse_number(text.substr(0, length)); value && std::isfinite(*value))
      return End{*value, std::string(trim(text.substr(length)))};
  }
  return std::nullopt;
}

const Diagnostic* first_error(const Diagnostics& list) {
  const auto found =
      std::find_if(list.begin(), list.end(), [](const Diagnostic& d) { return d.severity == Severity::error; });
  return found == list.end() ? nullptr : &*found;
}
/// Words of a choice, or all that it may be.
std::variant<SweepAxis, Diagnostic> axis_of_words(SweepAxis out, std::string_view list,
                                                  const std::vector<std::string>& allowed) {
  if (trim(list).empty()) out.words = allowed;
  else
    for (const std::string& part : split(list, ',')) out.words.emplace_back(trim(part));
  std::string all;
  for (const std::string& word : allowed) all += (all.empty() ? "" : ", ") + word;
  for (std::size_t i = 0; i < out.words.size(); ++i) {
    const auto here = out.words.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(allowed.begin(), allowed.end(), *here) == allowed.end())
      return refusal("--vary " + out.name + ": \"" + *here + "\" is not what it may be; wanted words of: " + all + ".",
                     "With commas between: " + out.name + "=" + allowed.front() + "," + allowed.back() + ".");
    if (std::find(out.words.begin(), here, *here) != here)
      return refusal("--vary " + out.name + ": \"" + *here + "\" comes twice; wanted each word once.");
    out.values.push_back(static_cast<double>(i));
  }
  return out;
}

std::string sentence(const Diagnostic& d) { return d.code.empty() ? d.message : d.code + ": " + d.message; }

}  // namespace

std::string SweepAxis::text(double value) const {
  if (!words.empty()) return words[static_cast<std::size_t>(value)];
  return number_text(value) + (unit.empty() ? "" : " " + unit);
}

namespace {

std::variant<SweepAxis, Diagnostic> parse_list(std::string name, std::string_view list, const Document& document,
                                               const RunRequest& request) {
  const auto parameters = document.of(Section::parameter);
  const auto found =
      std::find_if(parameters.begin(), parameters.end(), [&](const Element* one) { return one->name() == name; });
  if (name.find('.') == std::string::npos && found == parameters.end())
    return refusal("--vary " + name + ": there is no such parameter; wanted one of the model.");
  SweepAxis out{.name = std::move(name), .unit = {}, .values = {}, .words = {}};
  const auto varied = settable_number(document, request, out.name);
  const auto* number = std::get_if<SettableNumber>(&varied);
  for (const std::string& part : split(list, ',')) {
    std::string word(trim(part));
    if (number != nullptr && parse_number(word) && !number->unit.symbol.empty()) word += " " + number->unit.symbol;
    if (word.empty())
      return refusal("--vary " + out.name + ": value " + std::to_string(out.words.size() + 1) +
                     " is empty; wanted a list as a,b,c.");
    if (std::find(out.words.begin(), out.words.end(), word) != out.words.end())
      return refusal("--vary " + out.name + ": \"" + word + "\" is there twice; wanted each value once.");
    out.values.push_back(static_cast<double>(out.words.size()));
    out.words.push_back(word);
  }
  return out;
}

bool same_words_of(const Diagnostic& a, const Diagnostic& b) {
  return a.code == b.code && a.element == b.element && a.pointer == b.pointer && a.message == b.message;
}

}  // namespace

std::variant<SweepAxis, Diagnostic> parse_sweep_axis(std::string_view text, const Document& document,
                                                     const RunRequest& request) {
  const std::string wanted = "wanted NAME=FROM:TO[:STEPS][:log] or NAME=A,B,C";
  const auto equals = text.find('=');
  SweepAxis out;
  out.name = std::string(trim(text.substr(0, equals)));
  const auto words = settable_words(document, request, out.name);
  if (!words.empty())
    return axis_of_words(std::move(out), equals == std::string_view::npos ? "" : text.substr(equals + 1), words);
  std::vector<std::string> parts;
  if (equals != std::string_view::npos) parts = split(text.substr(equals + 1), ':');
  const bool log = parts.size() > 2 && trim(parts.back()) == "log";
  if (log) parts.pop_back();
  if (parts.size() == 1 && parts[0].find(',') != std::string::npos && !out.name.empty())
    return parse_list(std::move(out.name), parts[0], document, request);
  if (parts.size() < 2 || parts.size() > 3)
    return refusal("--vary is \"" + std::string(text) + "\"; " + wanted + ".", "lambda=\"0.1 /s:0.9 /s:9\"");
  const auto varied = settable_number(document, request, out.name);
  if (const auto* problem = std::get_if<Diagnostic>(&varied))
    return refusal("--vary " + out.name + ": " + problem->message, problem->hint);
  const auto& number = std::get<SettableNumber>(varied);
  const auto from = read_end(parts[0]), to = read_end(parts[1]);
  if (!from || !to)
    return refusal("--vary " + out.name + ": \"" + std::string(trim(parts[from ? 1 : 0])) +
                   "\" is no end; wanted a number, and its unit if it has one.");
  if (!from->unit.empty() && !to->unit.empty() && from->unit != to->unit)
    return refusal("--vary " + out.name + ": the ends are in \"" + from->unit + "\" and \"" + to->unit +
                   "\"; wanted one unit.");
  const std::string named = from->unit.empty() ? to->unit : from->unit;
  out.unit = named.empty() ? number.unit.symbol : named;
  std::uint64_t count = Sweep::usual_points;
  if (parts.size() == 3) {
    const auto asked = whole_number(trim(parts[2]));
    if (!asked || *asked == 0 || *asked > Sweep::most_points)
      return refusal("--vary " + out.name + ": so many values: \"" + std::string(trim(parts[2])) +
                     "\"; wanted 1 to 10000.");
    count = *asked;
  }
  const double a = from->value, b = to->value;
  // Of few whole numbers every one, where nobody said how many.
  const double whole_values = std::abs(b - a) + 1.0;
  const bool each = number.whole && !log && parts.size() == 2 && a == std::floor(a) && b == std::floor(b) && a != b &&
                    whole_values <= Sweep::most_whole_values;
  if (each) count = static_cast<std::uint64_t>(whole_values);
  if ((a == b) != (count == 1))
    return refusal("--vary " + out.name + ": " + std::to_string(count) + " values from " + number_text(a) + " to " +
                   number_text(b) + "; wanted two or more between ends that differ, or one where they are the same.");
  if (log && !(a > 0.0 && b > 0.0) && !(a < 0.0 && b < 0.0))
    return refusal("--vary " + out.name + ": a logarithmic axis from " + number_text(a) + " to " + number_text(b) +
                   "; wanted both ends on one side of zero.");
  for (std::uint64_t i = 0; i < count; ++i) {
    const double share = count == 1 ? 0.0 : static_cast<double>(i) / static_cast<double>(count - 1);
    // Ends are as they were given; what lies between has the digits that a person would write.
    const double inner = log ? a * std::pow(b / a, share) : a + (b - a) * share;
    out.values.push_back(i == 0 ? a : i + 1 == count ? b : *parse_number(number_text(inner, 12)));
    if (const double value = out.values.back(); number.whole && value != std::floor(value))
      return refusal("--vary " + out.name + ": " + number_text(value) + " is among the values; wanted whole numbers.",
                     "Say how many there are between the ends, both included: 1:8:8.");
  }
  return out;
}

std::variant<Sweep, Diagnostic> Sweep::of(std::vector<SweepAxis> axes) {
  if (axes.empty()) return refusal("Nothing is varied; wanted at least one --vary.");
  double count = 1.0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    count *= static_cast<double>(axes[i].values.size());
    for (std::size_t j = 0; j < i; ++j)
      if (axes[j].name == axes[i].name)
        return refusal("--vary names \"" + axes[i].name + "\" twice; wanted each parameter once.");
  }
  if (count > static_cast<double>(most_points))
    return refusal("The values make " + number_text(count) + " points; wanted at most 10000.");
  Sweep out;
  for (std::size_t p = 0; p < static_cast<std::size_t>(count); ++p) {
    SweepPoint point{.values = std::vector<double>(axes.size()), .results = nullptr, .problem = {}};
    std::size_t rest = p;
    for (std::size_t i = axes.size(); i-- > 0; rest /= axes[i].values.size())
      point.values[i] = axes[i].values[rest % axes[i].values.size()];
    out.points.push_back(std::move(point));
  }
  out.axes = std::move(axes);
  return out;
}

// What is said word for word is matched first, so that two warnings of one place stay two.
Diagnostics SweepWarnings::hear(std::size_t point, const Diagnostics& said) {
  Diagnostics fresh;
  std::vector<std::uint8_t> matched(all_.size(), 0);
  const auto match = [&](const Diagnostic& d, bool same_words) {
    for (std::size_t i = 0; i < matched.size(); ++i) {
      SweepWarning& one = all_[i];
      const bool same_place = d.element && one.what.code == d.code && one.what.element == d.element &&
                              one.what.pointer == d.pointer && !same_words;
      if (matched[i] != 0 || (!same_place && !same_words_of(one.what, d))) continue;
      matched[i] = 1;
      const auto at = std::lower_bound(one.points.begin(), one.points.end(), point);
      if (at == one.points.end() || *at != point) one.points.insert(at, point);
      return true;
    }
    return false;
  };
  Diagnostics others;
  for (const Diagnostic& d : said)
    if (d.severity != Severity::info && !match(d, true)) others.push_back(d);
  for (const Diagnostic& d : others) {
    if (match(d, false)) continue;
    fresh.push_back(d), all_.push_back({d, {point}});
  }
  return fresh;
}

void solve_point(const SweepOrder& order, const Sweep& sweep, SweepPoint& point, const std::function<bool()>& stopped,
                 const std::function<void(const Run&)>& watched) {
  try {
    RunRequest request = order.request;
    for (std::size_t i = 0; i < sweep.axes.size(); ++i)
      request.overrides[sweep.axes[i].name] = sweep.axes[i].text(point.values[i]);
    const Question question = Question::of(order.document, request);
    const Diagnostics problems = check_model(question, TriedOut::asked);
    if (const Diagnostic* error = first_error(problems)) {
      point.problem = sentence(*error);
      return;
    }
    // What another scenario is warned of is no word about this point.
    std::copy_if(problems.begin(), problems.end(), std::back_inserter(point.said),
                 [](const Diagnostic& d) { return d.scenario.empty(); });
    Run::Order ordered{.question = question, .solver = order.solver, .company = {}};
    std::vector<const Solver*> known;
    for (const auto& one : solvers()) known.push_back(one.get());
    ordered.ask_beside(order.beside, known);
    Run run;
    run.start(std::move(ordered));
    watch_to_the_end(run, stopped, watched);
    point.results = run.result();
    if (point.results != nullptr)
      for (Diagnostic& d : found_by_the_run(*point.results, problems)) point.said.push_back(std::move(d));
    if (run.state() == RunState::failed) point.problem = run.failure();
    else if (point.results == nullptr) point.problem = "It was stopped.";
    else if (point.results->status != RunStatus::complete)
      point.problem = "Stopped by " + point.results->stop_reason + ".";
    else if (const auto which = precision_not_reached(*point.results))
      point.problem = "RUN006: The precision was not reached: stopped by " + point.results->stop_reason + ". " + *which;
  } catch (const std::exception& error) {
    point.problem = error.what();
  }
}

Diagnostics unknown_measures(const SweepOrder& order, const std::vector<std::string>& asked) {
  Diagnostics out, ignored;
  const Question question = Question::of(order.document, order.request);
  if (first_error(check_model(question)) != nullptr) return out;  // each point will say why
  const auto model = model_of(question, ignored);
  if (model == nullptr) return out;
  std::vector<std::string> ids;
  for (const Measure& measure : model->measures) ids.push_back(measure.spec.id);
  for (const std::string& name : asked) {
    const bool of_a_solver = name.find('/') != std::string::npos || name.rfind("system_", 0) == 0 || name == "weight";
    if (of_a_solver || std::find(ids.begin(), ids.end(), name) != ids.end()) continue;
    const std::string near = nearest_word(name, ids);
    out.push_back({.code = "RUN010",
                   .message = "The model has no measure \"" + name + "\".",
                   .hint = near.empty() ? "" : "Did you mean " + near + "?"});
  }
  return out;
}

std::vector<std::string> sweep_measures(const Sweep& sweep, const std::vector<std::string>& asked) {
  std::vector<std::string> out;
  for (const SweepPoint& point : sweep.points) {
    if (point.results == nullptr) continue;
    for (const MeasureResult& m : point.results->measures)
      if ((asked.empty() || std::find(asked.begin(), asked.end(), m.id) != asked.end()) &&
          std::find(out.begin(), out.end(), m.id) == out.end())
        out.push_back(m.id);
  }
  return out;
}

}  // namespace ergode
