#include "tests/support/random_chart.h"

#include <algorithm>

namespace ergode::test {
namespace {

using namespace oracle;
using Kind = oracle::State::Kind;
using E = Expression::Kind;

class Generator {
 public:
  Generator(std::mt19937& random, const ChartTraits& traits) : random_(random), traits_(traits) {}

  Chart make() {
    if (traits_.data)
      chart_.variables = {{"x", 0}, {"y", 1}, {"i", 0}, {"k", 0}, {"flag", 0}}, chart_.truths = {"flag"};
    left_ = traits_.states;
    add(Kind::state, -1);
    fill(0, 0);
    // The document needs a child that is no final state alone.
    for (std::size_t s = 1; s < chart_.states.size(); ++s) decorate(static_cast<int>(s));
    initial(0);
    return std::move(chart_);
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool chance(int percent) { return below(100) < percent; }
  State& at(int s) { return chart_.states[static_cast<std::size_t>(s)]; }

  int add(Kind kind, int parent) {
    const int index = static_cast<int>(chart_.states.size());
    State made;
    made.kind = kind, made.parent = parent;
    made.id = (kind == Kind::final                           ? "f"
               : kind == Kind::shallow || kind == Kind::deep ? "h"
                                                             : "s") +
              std::to_string(index);
    chart_.states.push_back(std::move(made));
    if (parent >= 0) at(parent).children.push_back(index);
    return index;
  }

  // Preorder: a state is filled before the next one is made.
  void fill(int s, int depth) {
    const bool parallel = at(s).kind == Kind::parallel;
    const int children = parallel ? 2 + below(2) : depth == 0 ? 2 + below(3) : 1 + below(3);
    const int history_place = traits_.histories && s > 0 && chance(45) ? below(children) : -1;
    const int final_place = traits_.finals && !parallel && chance(40) ? 1 + below(children) : -1;
    for (int c = 0; c < children; ++c) {
      if (c == history_place) {
        histories_.push_back(add(chance(50) ? Kind::shallow : Kind::deep, s));
        if (chance(20)) histories_.push_back(add(chance(50) ? Kind::shallow : Kind::deep, s));
      }
      if (c == final_place) add(Kind::final, s);
      --left_;
      const bool deeper = depth < 5 && left_ > 0 && chance(depth == 0 ? 65 : 45);
      const bool both = deeper && traits_.parallels && chance(parallel ? 15 : 35);
      const int child = add(both ? Kind::parallel : Kind::state, s);
      if (deeper) fill(child, depth + 1);
    }
    if (final_place == children) add(Kind::final, s);
    while (depth == 0 && left_ > 0) {
      --left_;
      const int child = add(traits_.parallels && chance(30) ? Kind::parallel : Kind::state, s);
      fill(child, 1);
    }
  }

  std::vector<int> inside(int s, bool with_histories) {
    std::vector<int> out;
    for (int i = s + 1; i < static_cast<int>(chart_.states.size()); ++i)
      if (chart_.is_descendant(i, s) && (with_histories || !at(i).history())) out.push_back(i);
    return out;
  }

  // Two or more states in different regions of one parallel state inside `s`, or of `s` itself.
  std::vector<int> several(int s, bool with_histories) {
    std::vector<int> parallels;
    if (at(s).kind == Kind::parallel) parallels.push_back(s);
    for (const int i : inside(s, false))
      if (at(i).kind == Kind::parallel) parallels.push_back(i);
    if (parallels.empty()) return {};
    const int p = parallels[static_cast<std::size_t>(below(static_cast<int>(parallels.size())))];
    std::vector<int> out;
    for (const int region : at(p).children) {
      if (at(region).history() || (out.size() > 1 && chance(30))) continue;
      std::vector<int> choice = inside(region, with_histories);
      choice.push_back(region);
      out.push_back(choice[static_cast<std::size_t>(below(static_cast<int>(choice.size())))]);
    }
    if (out.size() == 2 && chance(20)) std::swap(out[0], out[1]);
    return out;
  }

  // A state inside, or states in several regions inside.
  std::vector<int> target_inside(int s, bool with_histories) {
    if (traits_.several_targets && chance(25))
      if (std::vector<int> many = several(s, with_histories); many.size() > 1 && !(many.front() == s)) return many;
    const std::vector<int> choice = inside(s, with_histories);
    return {choice[static_cast<std::size_t>(below(static_cast<int>(choice.size())))]};
  }

  void initial(int s) {
    if (!chart_.compound(s) || chance(45)) return;
    State& state = at(s);
    if (chance(60)) {
      std::vector<int> own;
      for (const int c : state.children)
        if (!at(c).history() || (s > 0 && chance(30))) own.push_back(c);
      state.initial.targets = {own[static_cast<std::size_t>(below(static_cast<int>(own.size())))]};
    } else {
      state.initial.targets = target_inside(s, false);
    }
    if (s > 0 && traits_.content && chance(40)) state.initial_element = true, state.initial.content = block(2, false);
  }

  void decorate(int s) {
    if (at(s).history()) {
      Transition way;
      const int parent = at(s).parent;
      std::vector<int> choice;
      for (const int i : inside(parent, true)) {
        const bool deep = at(s).kind == Kind::deep;
        const bool child = at(i).parent == parent;
        if (at(i).history() ? !deep || child : !deep && !child) continue;
        choice.push_back(i);
      }
      way.targets = {choice[static_cast<std::size_t>(below(static_cast<int>(choice.size())))]};
      if (traits_.content && chance(30)) way.content = block(2, false);
      at(s).transitions = {std::move(way)};
      return;
    }
    const bool ends = at(s).kind == Kind::final && at(s).parent == 0;
    if (traits_.content) {
      for (int i = chance(25) ? 1 + below(2) : 0; i > 0; --i) at(s).on_entry.push_back(block(2, false));
      for (int i = chance(25) && !ends ? 1 + below(2) : 0; i > 0; --i) at(s).on_exit.push_back(block(2, false));
    }
    if (at(s).kind == Kind::final) return;
    initial(s);
    for (int i = below(4); i > 0; --i) {
      Transition made = transition(s);
      at(s).transitions.push_back(std::move(made));
    }
  }

  std::string descriptor() {
    static const std::vector<std::string> plain = {"a", "b", "c", "d"};
    static const std::vector<std::string> rich = {"a", "b",   "c", "a.x", "a.x.y", "a.*",   "b.*",
                                                  "*", "b.q", "d", "d.e", "pv",    "a.x.*", "d."};
    const std::vector<std::string>& from = traits_.descriptors ? rich : plain;
    if (chance(12) && (traits_.finals || traits_.errors)) {
      std::vector<std::string> own = {"done.state", "error", "error.execution", "error.*", "done.state.*"};
      for (std::size_t s = 1; s < chart_.states.size(); ++s)
        if (!chart_.states[s].children.empty()) own.push_back("done.state." + chart_.states[s].id);
      return own[static_cast<std::size_t>(below(static_cast<int>(own.size())))];
    }
    return from[static_cast<std::size_t>(below(static_cast<int>(from.size())))];
  }

  Transition transition(int s) {
    Transition out;
    const bool eventless = traits_.eventless && chance(7);
    for (int i = chance(12) ? 2 : 1; i > 0 && !eventless; --i) out.events.push_back(descriptor());
    // Of other events the data are asked too: those that carry none raise an error.
    const bool values =
        out.events == std::vector<std::string>{"pv"} || (traits_.errors && traits_.data && !eventless && chance(10));
    // Eventless transitions without a condition lead in circles only too often.
    if (traits_.guards && chance(eventless ? 90 : 35)) out.condition = condition(2, !eventless, values);
    if (!chance(12)) {
      if (traits_.several_targets && chance(15)) out.targets = several(0, true);
      if (out.targets.size() < 2) {
        const std::vector<int> all = inside(0, true);
        out.targets = {traits_.internals && chance(25) && !inside(s, true).empty()
                           ? target_inside(s, true)
                           : std::vector<int>{all[static_cast<std::size_t>(below(static_cast<int>(all.size())))]}};
      }
      for (const int t : out.targets)
        if (at(t).history() && chart_.is_descendant(s, at(t).parent)) {
          out.targets.clear();
          break;
        }
    }
    // A transition needs one of event, condition and target (section 3.5).
    if (out.events.empty() && !out.condition && out.targets.empty()) out.condition = leaf(E::truth, 0);
    out.internal = traits_.internals && chance(35);
    if (traits_.content && chance(35)) out.content = block(3, values);
    return out;
  }

  static Expression leaf(E kind, double number, std::string word = {}) {
    Expression out;
    out.kind = kind, out.number = number, out.word = std::move(word);
    return out;
  }
  static Expression node(E kind, std::vector<Expression> of) {
    Expression out;
    out.kind = kind, out.of = std::move(of);
    return out;
  }
  std::string some_state() {
    std::vector<int> all = inside(0, false);
    return at(all[static_cast<std::size_t>(below(static_cast<int>(all.size())))]).id;
  }

  Expression number(int depth, bool values) {
    if (traits_.errors && chance(2)) return leaf(E::undeclared, 0);
    if (values && chance(40)) return leaf(E::carried, 0, "p");
    if (depth == 0 || chance(30)) {
      static const std::vector<std::string> names = {"x", "y", "i", "k"};
      if (traits_.data && chance(60)) return leaf(E::variable, 0, names[static_cast<std::size_t>(below(4))]);
      return leaf(E::number, below(7));
    }
    if (chance(15))
      return node(E::choice,
                  {condition(depth - 1, false, values), number(depth - 1, values), number(depth - 1, values)});
    static constexpr E ops[] = {E::add, E::subtract, E::multiply};
    return node(E::remainder, {node(ops[below(3)], {number(depth - 1, values), number(depth - 1, values)}),
                               leaf(E::number, 5 + below(3))});
  }

  Expression condition(int depth, bool event, bool values) {
    if (traits_.errors && chance(2)) return leaf(E::undeclared, 0);
    if (depth == 0 || chance(35)) {
      if ((event || (traits_.early_events && chance(20))) && chance(20)) {
        static const std::vector<std::string> names = {"a", "a.x", "b.q", "error.execution", "d"};
        return leaf(E::event_is, 0, names[static_cast<std::size_t>(below(5))]);
      }
      if (traits_.data && chance(20)) return leaf(E::variable, 0, "flag");
      if (chance(5)) return leaf(E::truth, below(2));
      return leaf(E::in, 0, some_state());
    }
    switch (below(traits_.data ? 6 : 3)) {
      case 0:
        return node(E::conjunction, {condition(depth - 1, event, values), condition(depth - 1, event, values)});
      case 1:
        return node(E::disjunction, {condition(depth - 1, event, values), condition(depth - 1, event, values)});
      case 2:
        return node(E::negation, {condition(depth - 1, event, values)});
      case 3:
        return node(E::equal, {number(1, values), number(1, values)});
      default:
        return node(E::less, {number(1, values), number(1, values)});
    }
  }

  Block block(int depth, bool values) {
    Block out;
    for (int i = 1 + below(2); i > 0; --i) out.push_back(content(depth, values));
    return out;
  }

  Content content(int depth, bool values) {
    Content out;
    const int what = below(100);
    if (traits_.data && what < 45) {
      out.kind = Content::Kind::assign;
      static const std::vector<std::string> names = {"x", "y", "i", "k", "flag"};
      out.name = names[static_cast<std::size_t>(below(5))];
      out.value = out.name == "flag" ? condition(1, false, values) : number(2, values);
      if (traits_.errors && chance(4)) out.name = "nowhere";
    } else if (traits_.guards && depth > 0 && what < 60) {
      out.kind = Content::Kind::choose;
      for (int i = 1 + below(3); i > 0; --i)
        out.branches.push_back({condition(1, false, values), chance(90) ? block(depth - 1, values) : Block{}});
      if (chance(50)) out.branches.push_back({std::nullopt, block(depth - 1, values)});
    } else if (traits_.data && depth > 0 && what < 68) {
      out.kind = Content::Kind::for_each;
      out.name = "i";
      if (chance(60)) out.id = "k";
      for (int i = below(4); i > 0; --i) out.array.push_back(below(9));
      out.branches.push_back({std::nullopt, block(depth - 1, values)});
    } else if (traits_.sends && what < 85) {
      out.kind = Content::Kind::send;
      out.name = sent();
      if (chance(35))
        out.delay_ms = 125 + 250 * below(8) /* exact in seconds too: equal times are equal */,
        out.id = chance(60) ? "id" + std::to_string(below(2)) : "";
      if (chance(15)) out.name = "pv", out.parameter = number(1, values);
      if (chance(12)) out.kind = Content::Kind::cancel, out.id = "id" + std::to_string(below(2)), out.parameter.reset();
    } else {
      out.kind = Content::Kind::raise;
      out.name = sent();
    }
    return out;
  }
  std::string sent() {
    static const std::vector<std::string> names = {"a", "b", "a.x", "a.x.y", "b.q", "d.e", "lost"};
    return names[static_cast<std::size_t>(below(7))];
  }

  std::mt19937& random_;
  const ChartTraits& traits_;
  Chart chart_;
  std::vector<int> histories_;
  int left_ = 0;
};

}  // namespace

ChartTraits random_traits(std::mt19937& random) {
  const auto chance = [&random](unsigned percent) { return random() % 100 < percent; };
  ChartTraits out;
  out.parallels = chance(75), out.histories = chance(55), out.finals = chance(50), out.data = chance(55);
  out.guards = chance(65), out.content = chance(65), out.sends = chance(60), out.internals = chance(75);
  out.eventless = chance(50), out.several_targets = chance(60), out.errors = chance(30), out.descriptors = chance(60);
  out.early_events = chance(30);
  out.states = chance(2) ? 70 + static_cast<int>(random() % 30) : 3 + static_cast<int>(random() % 14);
  return out;
}

oracle::Chart random_chart(std::mt19937& random, const ChartTraits& traits) { return Generator(random, traits).make(); }

std::string random_event(std::mt19937& random) {
  static const std::vector<std::string> names = {"a", "a", "b", "b", "c", "c", "d", "a.x", "a.x.y", "b.q", "a.z", "f"};
  return names[random() % names.size()];
}

}  // namespace ergode::test
