// What is known before a run: values of constants, ranges, the initial state.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "statecharts/exchange/prism/prism_syntax.h"

namespace ergode {
namespace {

using E = PrismExpression::Kind;
using Known = std::optional<double>;

constexpr double largest_integer = 2147483647;
constexpr double most_evaluations = 2e7;  // of nodes, looking for initial states

void names_in(const PrismExpression& e, std::vector<std::string>& out) {
  if (e.kind == E::name) out.push_back(e.word);
  for (const PrismExpression& child : e.of) names_in(child, out);
}

std::string shown(double value) {
  return value == std::floor(value) && std::abs(value) < 1e15 ? std::to_string(static_cast<long long>(value))
                                                              : number_text(value);
}

class Values {
 public:
  Values(PrismProgram& program, Diagnostics& problems) : program_(program), problems_(problems) {}

  void check() {
    constants();
    if (has_errors(problems_)) return;
    if (program_.init) find_initial_state();
    each_variable([&](PrismVariable& v) { range(v); });
  }

 private:
  struct Open {
    std::size_t constant;
    std::vector<std::string> reads;
    std::size_t next = 0;
  };
  enum class Mark { untouched, open, done };

  void report(const char* code, PrismPlace place, std::string message, std::string hint = {}) {
    problems_.push_back(prism_problem(code, place, std::move(message), std::move(hint)));
  }
  template <class Visit>
  void each_variable(Visit visit) {
    for (PrismModule& m : program_.modules)
      for (PrismVariable& v : m.variables) visit(v);
    for (PrismVariable& v : program_.globals) visit(v);
  }

  // Depth first with a stack of its own: chains may be as long as the text.
  void constants() {
    std::map<std::string, std::size_t> index;
    for (std::size_t i = 0; i < program_.constants.size(); ++i) index.emplace(program_.constants[i].name, i);
    std::vector<Mark> marks(program_.constants.size(), Mark::untouched);
    std::vector<Open> open;
    const auto enter = [&](std::size_t i) {
      marks[i] = Mark::open;
      open.push_back({i, {}});
      if (program_.constants[i].value) names_in(*program_.constants[i].value, open.back().reads);
    };
    for (std::size_t i = 0; i < marks.size(); ++i) {
      if (marks[i] != Mark::untouched) continue;
      enter(i);
      while (!open.empty()) {
        Open& top = open.back();
        if (top.next == top.reads.size()) {
          settle(program_.constants[top.constant]);
          marks[top.constant] = Mark::done;
          open.pop_back();
          continue;
        }
        const auto read = index.find(top.reads[top.next++]);
        if (read == index.end()) continue;
        if (marks[read->second] == Mark::untouched) enter(read->second);
        else if (marks[read->second] == Mark::open) return circle(open, read->second);
      }
    }
  }
  void circle(const std::vector<Open>& open, std::size_t again) {
    const PrismConstant& c = program_.constants[again];
    std::string names;
    auto at = std::find_if(open.begin(), open.end(), [&](const Open& o) { return o.constant == again; });
    for (int n = 0; at != open.end() && n < 12; ++at, ++n) names += program_.constants[at->constant].name + " → ";
    report("PRI004", c.place,
           "The constant is defined by itself: " + names + (at == open.end() ? "" : "... → ") + c.name + ".");
  }
  void settle(const PrismConstant& c) {
    if (!c.value) return;
    const Known value = evaluate(*c.value);
    if (!value) return;
    if (!std::isfinite(*value))
      report("PRI007", c.value->place, "The constant \"" + c.name + "\" is not finite; wanted a number.");
    else if (c.type == PrismType::integer && std::abs(*value) > largest_integer)
      report("PRI007", c.value->place,
             "The constant \"" + c.name + "\" is " + shown(*value) + "; wanted at most 2147483647, either way.");
    else values_[c.name] = *value;
  }

  void range(const PrismVariable& v) {
    const bool bounded = v.low.has_value();
    const Known low = bounded ? evaluate(*v.low) : Known(0.0), high = bounded ? evaluate(*v.high) : Known(1.0);
    if (bounded && low && high && !(*low <= *high))
      return report("PRI007", v.place,
                    "The range of \"" + v.name + "\" is empty: " + shown(*low) + " to " + shown(*high) + ".");
    for (const auto& [bound, e] : {std::pair(low, &v.low), {high, &v.high}})
      if (bounded && bound && !(std::abs(*bound) <= largest_integer))
        return report("PRI007", (*e)->place,
                      "A bound of \"" + v.name + "\" is " + shown(*bound) + "; wanted at most 2147483647, either way.");
    if (!bounded || !v.initial) return;
    const Known initial = evaluate(*v.initial);
    if (initial && ((low && !(*initial >= *low)) || (high && !(*initial <= *high))))
      report("PRI007", v.initial->place,
             "The initial value of \"" + v.name + "\" is " + shown(*initial) + "; wanted " +
                 (low ? shown(*low) : "the lower bound") + " to " + (high ? shown(*high) : "the upper bound") + ".");
  }

  // `init e endinit`: the states in which e holds. Conditions joined by & that pin one variable are used at once, the
  // rest is tried out.
  struct Domain {
    PrismVariable* variable;
    double low, high;
  };
  void find_initial_state() {
    const PrismPlace place = program_.init_place;
    std::vector<Domain> domains;
    bool known = true;
    each_variable([&](PrismVariable& v) {
      if (v.initial)
        report("PRI002", v.initial->place,
               "\"" + v.name + "\" has an initial value beside `init`; wanted one of them.");
      const Known low = v.low ? evaluate(*v.low) : Known(0.0), high = v.high ? evaluate(*v.high) : Known(1.0);
      known = known && low && high;
      domains.push_back({&v, low.value_or(0.0), high.value_or(0.0)});
    });
    if (has_errors(problems_)) return;
    pin(domains);
    double states = 1.0;
    for (const Domain& d : domains) states *= std::max(0.0, d.high - d.low + 1.0);
    if (!known || !evaluated_all())
      return report("PRI002", place, "`init` depends on constants without value.",
                    "Give each variable its initial value.");
    if (!(states * static_cast<double>(program_.init->nodes()) <= most_evaluations))
      return report("PRI002", place, "`init` leaves too many states to try; wanted one initial state.",
                    "Give each variable its initial value.");
    std::vector<std::vector<double>> found;
    if (states > 0.0)
      for (bool more = begin(domains); more && found.size() < 2; more = next(domains)) {
        if (evaluate(*program_.init).value_or(0.0) == 0.0) continue;
        found.emplace_back();
        for (const Domain& d : domains) found.back().push_back(values_[d.variable->name]);
      }
    for (const Domain& d : domains) values_.erase(d.variable->name);
    if (found.empty()) return report("PRI002", place, "`init` holds in no state; wanted one.");
    if (found.size() > 1)
      return report("PRI002", place,
                    "`init` allows several initial states, such as " + state_text(domains, found[0]) + " and " +
                        state_text(domains, found[1]) + "; wanted one.");
    const std::vector<double>& state = found.front();
    for (std::size_t i = 0; i < domains.size(); ++i)
      domains[i].variable->initial = literal(*domains[i].variable, state[i], place);
    program_.init.reset();
  }
  static std::string state_text(const std::vector<Domain>& domains, const std::vector<double>& state) {
    std::string text;
    for (std::size_t i = 0; i < domains.size(); ++i)
      text += (i == 0 ? "" : ", ") + domains[i].variable->name + "=" + shown(state[i]);
    return quotable(text, 80);
  }
  bool evaluated_all() const {
    std::vector<std::string> names;
    names_in(*program_.init, names);
    return std::all_of(names.begin(), names.end(),
                       [&](const std::string& n) { return program_.variable(n) != nullptr || values_.contains(n); });
  }
  void pin(std::vector<Domain>& domains) {
    std::map<std::string, Domain*> by_name;
    for (Domain& d : domains) by_name[d.variable->name] = &d;
    std::vector<const PrismExpression*> open = {&*program_.init};
    const auto hold = [&](const PrismExpression& name, Known value) {
      const auto found = name.kind == E::name ? by_name.find(name.word) : by_name.end();
      if (found == by_name.end() || !value) return;
      Domain& d = *found->second;
      if (*value < d.low || *value > d.high) d.high = d.low - 1.0;
      else d.low = d.high = *value;
    };
    while (!open.empty()) {
      const PrismExpression& e = *open.back();
      open.pop_back();
      if (e.kind == E::binary && e.word == "&") open.push_back(&e.of[0]), open.push_back(&e.of[1]);
      else if (e.kind == E::binary && e.word == "=") hold(e.of[0], evaluate(e.of[1])), hold(e.of[1], evaluate(e.of[0]));
      else if (e.kind == E::unary && e.word == "!") hold(e.of[0], 0.0);
      else hold(e, 1.0);
    }
  }
  bool begin(const std::vector<Domain>& domains) {
    for (const Domain& d : domains) values_[d.variable->name] = d.low;
    return true;
  }
  // Counts on like the digits of a number, the first variable fastest.
  bool next(const std::vector<Domain>& domains) {
    for (const Domain& d : domains) {
      double& value = values_[d.variable->name];
      if (++value <= d.high) return true;
      value = d.low;
    }
    return false;
  }
  static PrismExpression literal(const PrismVariable& v, double value, PrismPlace place) {
    PrismExpression out;
    out.place = place;
    if (v.type == PrismType::boolean) {
      out.kind = E::truth, out.word = value != 0.0 ? "true" : "false";
      return out;
    }
    out.word = shown(std::abs(value)), out.whole = true;
    if (value >= 0) return out;
    PrismExpression minus;
    minus.kind = E::unary, minus.word = "-", minus.place = place, minus.height = 1;
    minus.of.push_back(std::move(out));
    return minus;
  }

  /// Nothing where it depends on what is not known.
  Known evaluate(const PrismExpression& e) const {
    switch (e.kind) {
      case E::number:
        return parse_number(e.word);
      case E::truth:
        return e.word == "true" ? 1.0 : 0.0;
      case E::name: {
        const auto found = values_.find(e.word);
        return found == values_.end() ? Known() : Known(found->second);
      }
      case E::label:
        return std::nullopt;
      default:
        break;
    }
    std::vector<double> of;
    for (const PrismExpression& child : e.of) {
      const Known one = evaluate(child);
      if (!one) return std::nullopt;
      of.push_back(*one);
    }
    return apply(e, of);
  }
  static double apply(const PrismExpression& e, const std::vector<double>& of) {
    const std::string& op = e.word;
    if (e.kind == E::conditional) return of[0] != 0.0 ? of[1] : of[2];
    if (e.kind == E::unary) return op == "!" ? (of[0] == 0.0 ? 1.0 : 0.0) : -of[0];
    if (op == "min") return *std::min_element(of.begin(), of.end());
    if (op == "max") return *std::max_element(of.begin(), of.end());
    if (op == "floor") return std::floor(of[0]);
    if (op == "ceil") return std::ceil(of[0]);
    if (op == "round") return std::floor(of[0] + 0.5);
    const double a = of[0], b = of.size() > 1 ? of[1] : 0.0;
    if (op == "pow") return std::pow(a, b);
    if (op == "mod") return a - b * std::floor(a / b);
    if (op == "log") return std::log(a) / std::log(b);
    const bool truth = op == "&"                  ? a != 0.0 && b != 0.0
                       : op == "|"                ? a != 0.0 || b != 0.0
                       : op == "=>"               ? a == 0.0 || b != 0.0
                       : op == "=" || op == "<=>" ? a == b
                       : op == "!="               ? a != b
                       : op == "<"                ? a < b
                       : op == "<="               ? a <= b
                       : op == ">"                ? a > b
                                                  : a >= b;
    if (op == "+") return a + b;
    if (op == "-") return a - b;
    if (op == "*") return a * b;
    if (op == "/") return a / b;
    return truth ? 1.0 : 0.0;
  }

  PrismProgram& program_;
  Diagnostics& problems_;
  std::map<std::string, double> values_;
};

}  // namespace

void check_prism_values(PrismProgram& program, Diagnostics& problems) { Values(program, problems).check(); }

}  // namespace ergode
