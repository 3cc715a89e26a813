// Times that have memory, or are given one by one: between arrivals, of services, of stays.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/expression/data_column.h"
#include "core/random/correlated_arrivals.h"
#include "core/random/fit_laws.h"
#include "core/random/trace.h"
#include "solvers/queueing/lowering/gaps_seen.h"
#include "solvers/queueing/lowering/lowering_steps.h"

namespace ergode {
namespace {

constexpr std::size_t most_told = 10;  ///< rows of a trace that are wrong

/// The arguments of one call, and what is wrong with them: the first finding ends it, but rows of a trace are told
/// together.
class ProcessReader {
 public:
  /// @param problems  appended to
  ProcessReader(const Syntax& call, const DataFiles& files, Diagnostics& problems, Scope& scope, ElementId element,
                const char* property)
      : call_(call), files_(files), problems_(problems), scope_(scope), element_(element), property_(property) {}

  /// @returns nothing: it was refused
  std::optional<ArrivalProcess> read() {
    ArrivalProcess out;
    const bool fine = call_.word == "map"     ? markovian(out)
                      : call_.word == "mmpp"  ? modulated(out)
                      : call_.word == "burst" ? burst(out)
                      : call_.word == "trace" ? trace(out)
                                              : schedule(out);
    return fine ? std::optional(std::move(out)) : std::nullopt;
  }

  /// Of services and all times else: values one after the other, as they are.
  std::optional<NetworkModel::List> list_of(Dimension dimension) {
    NetworkModel::List out;
    DataColumn column;
    if (!takes({"file"}, {"column", "unit", "at_end"}) || !one_word("at_end", "stop", "repeat", out.repeats) ||
        !rows_of(dimension, false, column))
      return std::nullopt;
    out.time_s = std::move(column.numbers.values);
    if (!out.time_s.empty()) return out;
    refuse("there is no value; wanted at least one.", call_.begin);
    return std::nullopt;
  }

 private:
  bool refuse(std::string message, int begin) {
    problems_.push_back({.code = "QN015",
                         .element = element_,
                         .pointer = property_,
                         .message = call_.word + ": " + std::move(message),
                         .column = begin + 1});
    return false;
  }
  bool refuse(const ExpressionError& error) {
    problems_.push_back(to_diagnostic(error, element_, property_));
    return false;
  }
  const Syntax* argument(std::string_view name) const {
    for (std::size_t i = 0; i < call_.children.size(); ++i)
      if (call_.names[i] == name) return &call_.children[i];
    return nullptr;
  }
  /// Every argument is known and comes once, and those that must be there are.
  bool takes(std::vector<std::string_view> needed, std::vector<std::string_view> more) {
    const std::size_t all = needed.size();
    more.insert(more.begin(), needed.begin(), needed.end());
    std::string form;
    for (std::size_t i = 0; i < more.size(); ++i)
      form += (i > 0 ? ", " : "") + std::string(more[i]) + (i < all ? "" : "?");
    const std::string wanted = "; wanted " + call_.word + "(" + form + ").";
    for (std::size_t i = 0; i < call_.names.size(); ++i) {
      const auto known = std::find(more.begin(), more.end(), call_.names[i]);
      if (known == more.end())
        return refuse(call_.names[i].empty() ? "an argument has no name" + wanted
                                             : "there is no argument \"" + call_.names[i] + "\"" + wanted,
                      call_.children[i].begin);
      if (std::count(call_.names.begin(), call_.names.end(), call_.names[i]) > 1)
        return refuse("\"" + call_.names[i] + "\" comes twice" + wanted, call_.children[i].begin);
    }
    for (const std::string_view name : needed)
      if (argument(name) == nullptr) return refuse("\"" + std::string(name) + "\" is missing" + wanted, call_.begin);
    return true;
  }
  std::optional<std::vector<double>> numbers(std::string_view name, Dimension dimension) {
    const Syntax& list = *argument(name);
    // A matrix is read row after row: rows must not make up for each other.
    for (const Syntax& row : list.children)
      if (list.kind == Syntax::Kind::list && row.kind == Syntax::Kind::list &&
          row.children.size() != list.children.size()) {
        refuse("a row of " + std::string(name) + " has " + std::to_string(row.children.size()) + " values; wanted " +
                   std::to_string(list.children.size()) + ", as many as there are rows.",
               row.begin);
        return {};
      }
    auto read = compile_list(list, dimension, scope_);
    if (const auto* error = std::get_if<ExpressionError>(&read)) {
      refuse(*error);
      return {};
    }
    return std::get<std::vector<double>>(std::move(read));
  }
  bool take(std::variant<MarkovianArrivalProcess, std::string> made, ArrivalProcess& out) {
    if (const auto* why = std::get_if<std::string>(&made)) return refuse(*why + ".", call_.begin);
    out.markovian = std::get<MarkovianArrivalProcess>(std::move(made));
    return true;
  }
  std::optional<double> number(std::string_view name, Dimension dimension) {
    const auto read = numbers(name, dimension);
    if (read && read->size() == 1) return read->front();
    if (read)
      refuse(std::string(name) + " has " + std::to_string(read->size()) + " values; wanted one.",
             argument(name)->begin);
    return std::nullopt;
  }
  bool of_moments(ArrivalProcess& out) {
    const bool any = call_.word == "map", by_decay = any || argument("decay") != nullptr,
               by_correlation = any || !by_decay;
    if (any && !takes({"mean", "scv", "correlation", "decay"}, {})) return false;
    if (!any && !takes({"mean", "scv", by_decay ? "decay" : "correlation"}, {})) return false;
    const auto mean = number("mean", Dimension::of_time()), scv = number("scv", Dimension());
    const auto correlation = by_correlation ? number("correlation", Dimension()) : 0.0;
    const auto decay = by_decay ? number("decay", Dimension()) : 0.0;
    if (!mean || !scv || !correlation || !decay) return false;
    return take(any        ? arrivals_of_moments(*mean, *scv, *correlation, *decay)
                : by_decay ? modulated_of_moments(*mean, *scv, *decay)
                           : modulated_of_correlation(*mean, *scv, *correlation),
                out);
  }
  bool markovian(ArrivalProcess& out) {
    if (argument("mean") != nullptr || argument("scv") != nullptr) return of_moments(out);
    if (!takes({"d0", "d1"}, {})) return false;
    auto d0 = numbers("d0", Dimension::per_time());
    auto d1 = numbers("d1", Dimension::per_time());
    return d0 && d1 && take(MarkovianArrivalProcess::make(*std::move(d0), *std::move(d1)), out);
  }
  bool modulated(ArrivalProcess& out) {
    if (argument("mean") != nullptr || argument("scv") != nullptr) return of_moments(out);
    if (!takes({"rates", "switching"}, {})) return false;
    const auto rates = numbers("rates", Dimension::per_time());
    const auto switching = numbers("switching", Dimension::per_time());
    return rates && switching && take(MarkovianArrivalProcess::modulated(*rates, *switching), out);
  }

  bool laws(std::string_view name, std::array<Distribution, 2>& out) {
    const Syntax& list = *argument(name);
    if (list.kind != Syntax::Kind::list || list.children.size() != 2)
      return refuse(std::string(name) +
                        " is no list of two; wanted one for each kind of interval, as in [1 s, "
                        "exponential(mean = 9 s)].",
                    list.begin);
    for (std::size_t i = 0; i < 2; ++i) {
      auto made = compile_random(list.children[i], Dimension::of_time(), scope_, files_);
      if (const auto* error = std::get_if<ExpressionError>(&made)) return refuse(*error);
      if (auto* program = std::get_if<Program>(&std::get<RandomQuantity>(made))) {
        if (!program->is_constant())
          return refuse("a time changes while the model runs; wanted a law or a constant.", list.children[i].begin);
        out[i] = Distribution::deterministic(program->value());
      } else {
        out[i] = std::get<Distribution>(std::get<RandomQuantity>(std::move(made)));
      }
      if (!(out[i].quantile(0.0) >= 0.0 && out[i].mean() > 0.0))
        return refuse("a time may be " + number_text(out[i].quantile(0.0)) + " s; wanted >= 0 s, and not always 0 s.",
                      list.children[i].begin);
    }
    return true;
  }
  bool burst(ArrivalProcess& out) {
    if (!takes({"gaps", "lengths"}, {"probability"})) return false;
    auto made = std::make_shared<ArrivalProcess::Burst>();
    if (!laws("gaps", made->gap) || !laws("lengths", made->length)) return false;
    if (const Syntax* probability = argument("probability")) {
      const auto first = numbers("probability", Dimension());
      if (!first) return false;
      if (first->size() != 1 || !((*first)[0] >= 0.0 && (*first)[0] <= 1.0))
        return refuse("the probability is " + (first->empty() ? "nothing" : number_text((*first)[0])) +
                          "; wanted 0 to 1, that the next interval is of the first kind.",
                      probability->begin);
      made->alternates = false, made->first = (*first)[0];
    }
    const auto comes = [&](std::size_t kind) {
      return made->gap[kind].quantile(0.0) < made->length[kind].quantile(1.0);
    };
    const bool one = made->alternates || made->first > 0.0, other = made->alternates || made->first < 1.0;
    if (!(one && comes(0)) && !(other && comes(1)))
      return refuse("no gap is ever as short as its interval: nobody would come.", call_.begin);
    out.burst = std::move(made);
    return true;
  }

  bool one_word(std::string_view name, std::string_view one, std::string_view other, bool& is_other) {
    const Syntax* word = argument(name);
    if (word == nullptr) return true;
    const std::string seen = word->is_word()                    ? word->segments[0].word
                             : word->kind == Syntax::Kind::text ? word->word
                                                                : "";
    if (seen != one && seen != other)
      return refuse(
          std::string(name) + " is \"" + seen + "\"; wanted " + std::string(one) + " or " + std::string(other) + ".",
          word->begin);
    is_other = seen == other;
    return true;
  }
  /// Every row that is wrong is told.
  bool rows_of(Dimension dimension, bool times, DataColumn& column) {
    auto read = read_column(call_, dimension, files_, {"as", "at_end"}, most_told);
    if (const auto* error = std::get_if<ExpressionError>(&read)) return refuse(*error);
    column = std::get<DataColumn>(std::move(read));
    check_trace(column.numbers, column.file, times, dimension == Dimension::of_time() ? "s" : "", most_told);
    const std::vector<std::string>& problems = column.numbers.problems;
    const std::size_t untold = column.numbers.untold;
    for (std::size_t i = 0; i < problems.size(); ++i)
      refuse(problems[i] +
                 (i + 1 == problems.size() && untold > 0 ? "; and " + std::to_string(untold) + " more rows" : "") + ".",
             call_.begin);
    return problems.empty();
  }
  bool trace(ArrivalProcess& out) {
    if (!takes({"file"}, {"column", "unit", "as", "at_end"})) return false;
    bool times = false;
    DataColumn column;
    if (!one_word("as", "gaps", "times", times) || !one_word("at_end", "stop", "repeat", out.repeats) ||
        !rows_of(Dimension::of_time(), times, column))
      return false;
    double sum = 0.0;
    for (double& value : column.numbers.values)
      if (!times) value = sum += value;
    return list(std::move(column.numbers.values), out);
  }
  bool schedule(ArrivalProcess& out) {
    if (!takes({"times"}, {"at_end"}) || !one_word("at_end", "stop", "repeat", out.repeats)) return false;
    auto times = numbers("times", Dimension::of_time());
    if (!times) return false;
    double before = 0.0;
    for (std::size_t i = 0; i < times->size(); ++i) {
      if (!((*times)[i] >= before))
        return refuse("time " + std::to_string(i + 1) + " is " + number_text((*times)[i]) + " s after " +
                          number_text(before) + " s; wanted times from 0 s on that do not fall.",
                      argument("times")->begin);
      before = (*times)[i];
    }
    return list(*std::move(times), out);
  }
  bool list(std::vector<double> times, ArrivalProcess& out) {
    if (times.empty()) return refuse("there is no time; wanted at least one.", call_.begin);
    if (out.repeats && !(times.back() > 0.0))
      return refuse("all times are 0 s: customers would come without end at one moment.", call_.begin);
    out.times_s = std::make_shared<const std::vector<double>>(std::move(times));
    return true;
  }

  const Syntax& call_;
  const DataFiles& files_;
  Diagnostics& problems_;
  Scope& scope_;
  ElementId element_;
  const char* property_;
};

constexpr std::string_view process_words[] = {"map", "mmpp", "burst", "trace", "schedule"};
constexpr const char* gaps_key = "interarrival";

bool is_process(const Syntax& syntax) {
  return syntax.kind == Syntax::Kind::call && syntax.unit.empty() &&
         std::find(std::begin(process_words), std::end(process_words), syntax.word) != std::end(process_words);
}
bool is_trace(const Syntax& syntax) { return is_process(syntax) && syntax.word == "trace"; }
bool is_markovian(const Syntax& syntax) {
  return is_process(syntax) && (syntax.word == "map" || syntax.word == "mmpp");
}

Distribution made_law(const char* family, const std::vector<NamedArgument>& arguments) {
  auto law = make_distribution(family, arguments);
  const auto* known = std::get_if<Distribution>(&law);
  return known != nullptr ? *known : Distribution();
}

/// One time in the long run.
Distribution law_of(const MarkovianArrivalProcess& process) {
  const auto after = process.after_arrival();
  return made_law("phase_type", {{"initial", {after.begin(), after.end()}}, {"generator", process.without()}});
}
GapsSeen seen_of(const MarkovianArrivalProcess& process) { return {law_of(process), process.autocorrelation(1)}; }
GapsSeen seen_of(std::vector<double> times) {
  const TraceMoments moments = moments_of(times, 1);
  return {made_law("empirical", {{"values", std::move(times)}}),
          moments.autocorrelation.empty() ? 0.0 : moments.autocorrelation.front()};
}
std::vector<double> first_gaps(const ArrivalProcess& process) {
  const std::size_t most = process.times_s ? process.times_s->size() : 20'000;
  RandomStream stream(1, 0);
  ArrivalProcess::Place place;
  std::vector<double> out;
  double last_s = 0.0, now_s = 0.0;
  // Intervals in which nobody comes must not be waited for without end.
  for (std::size_t i = 0; i < 2 * most && out.size() < most; ++i) {
    now_s = process.next_s(place, now_s, stream);
    if (!std::isfinite(now_s)) break;
    if (place.nobody == 0) out.push_back(now_s - last_s), last_s = now_s;
  }
  return out;
}

}  // namespace

TimesWithMemory times_with_memory(const Element& element, std::string_view property) {
  if (element.kind == "source" && property == gaps_key) return TimesWithMemory::arrivals;
  if (element.kind != "station" && element.kind != "delay") return TimesWithMemory::none;
  const auto kinds = node_kinds();
  const NodeKind& kind =
      *std::find_if(kinds.begin(), kinds.end(), [&](const NodeKind& one) { return element.kind == one.word; });
  return property == kind.law || property == kind.laws ? TimesWithMemory::services : TimesWithMemory::traces;
}

std::optional<std::variant<GapsSeen, Diagnostics>> gaps_seen(const Syntax& call, TimesWithMemory taken, Scope& scope,
                                                             const DataFiles& files) {
  const bool arrivals = taken == TimesWithMemory::arrivals, services = taken == TimesWithMemory::services,
             lists = services || taken == TimesWithMemory::traces;
  if (!(arrivals && is_process(call)) && !(services && is_markovian(call)) && !(lists && is_trace(call)))
    return std::nullopt;
  Diagnostics problems;
  ProcessReader reader(call, files, problems, scope, {}, gaps_key);
  if (!arrivals && is_trace(call)) {
    if (auto list = reader.list_of(Dimension::of_time())) return seen_of(std::move(list->time_s));
    return problems;
  }
  const auto process = reader.read();
  if (!process) return problems;
  if (process->markovian) return seen_of(*process->markovian);
  std::vector<double> gaps = first_gaps(*process);
  if (!gaps.empty()) return seen_of(std::move(gaps));
  return Diagnostics{{.code = "QN015", .message = call.word + ": nobody comes for a long time."}};
}

bool NetworkLowering::lower_list(Lowering& model, Scope& scope, const Element& at, const char* property,
                                 const Syntax& syntax, Dimension dimension, Duration& out) {
  if (!is_trace(syntax)) return false;
  out.drawn = false;
  if (auto list = ProcessReader(syntax, model.files, model.problems, scope, at.id, property).list_of(dimension)) {
    out.list = static_cast<std::uint32_t>(net().lists.size());
    for (const double time_s : list->time_s) out.mean_s += time_s / static_cast<double>(list->time_s.size());
    net().lists.push_back(*std::move(list));
  }
  return true;
}

bool NetworkLowering::lower_time_with_memory(Lowering& model, Scope& scope, const Element& at, const char* property,
                                             const Syntax& syntax, Duration& out) {
  if (!is_process(syntax)) return false;
  if (!is_markovian(syntax) || times_with_memory(at, property) != TimesWithMemory::services) {
    out.drawn = false;
    model.refuse(at, "QN015", property,
                 syntax.word + " stands " +
                     (is_markovian(syntax) ? "between arrivals, for services of a station and for stays at a delay"
                                           : "between arrivals") +
                     "; wanted a distribution, a trace or a value here.");
    return true;
  }
  auto process = ProcessReader(syntax, model.files, model.problems, scope, at.id, property).read();
  if (!process) return out.drawn = false, true;
  out.process = static_cast<std::uint32_t>(net().processes.size());
  out.law = law_of(*process->markovian), out.mean_s = process->markovian->mean_s();
  net().processes.push_back(*std::move(process));
  return true;
}

bool NetworkLowering::lower_process(Lowering& model, Scope& scope, const Element& element, Node& node) {
  const auto parsed = parse_expression(element.text(gaps_key));
  const auto* call = std::get_if<Syntax>(&parsed);
  if (call == nullptr || !is_process(*call)) return false;
  // Whoever does not know of processes must not take it for a law.
  node.time.emplace_back().drawn = false;
  if (auto process = ProcessReader(*call, model.files, model.problems, scope, element.id, gaps_key).read()) {
    node.process = static_cast<std::uint32_t>(net().processes.size());
    if (const auto rate = process->rate()) node.time[0].mean_s = 1.0 / *rate;
    net().processes.push_back(*std::move(process));
  }
  return true;
}

}  // namespace ergode
