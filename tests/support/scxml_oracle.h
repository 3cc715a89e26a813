#pragma once
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// A plain interpreter of SCXML, written straight from "State Chart XML", W3C Recommendation (2015), appendix D: sets,
/// trees and queues, no tables. It shares no code with what it checks.
///
/// Differences from the appendix: exit actions are not executed when the interpreter ends, and there is no invoke.
/// Times are in milliseconds; truth values are 0 and 1.
namespace ergode::test::oracle {

/// An expression over numbers and truth values, as ECMAScript has them.
struct Expression {
  enum class Kind {
    number,
    truth,
    variable,
    in,         ///< In('word')
    event_is,   ///< _event.name === 'word'
    carried,    ///< _event.data.word
    undeclared  ///< a name that nobody declared: evaluating it is an error
    ,
    add,
    subtract,
    multiply,
    remainder,
    less,
    equal,
    conjunction,
    disjunction,
    negation,
    choice  ///< a ? b : c
  };
  Kind kind = Kind::number;
  double number = 0;           ///< of a number or truth value
  std::string word;            ///< of variable, in, event_is, carried
  std::vector<Expression> of;  ///< operands: 1 of negation, 3 of choice, else 2
};

struct Content;
/// A way through `if`, or what a loop repeats.
struct Branch {
  std::optional<Expression> condition;  ///< none: else
  std::vector<Content> block;
};
/// Executable content.
struct Content {
  enum class Kind { raise, send, cancel, assign, choose, for_each };
  Kind kind = Kind::raise;
  std::string name;                     ///< event; variable assigned to; variable of the loop
  std::string id;                       ///< of a send, or of the one cancelled; of a loop: its index
  Expression value;                     ///< assigned
  double delay_ms = 0;                  ///< of a send
  std::optional<Expression> parameter;  ///< sent along as `p`
  std::vector<double> array;
  std::vector<Branch> branches;  ///< if, elseif ..., else; a loop has one
};
/// One onentry, onexit or transition: an error ends it and no other one (section 4.10).
using Block = std::vector<Content>;

struct Transition {
  std::vector<std::string> events;  ///< descriptors; none: eventless
  std::optional<Expression> condition;
  std::vector<int> targets;
  bool internal = false;
  Block content;
};

/// States are numbered in document order (parents before children, siblings from the first on); number 0 is the
/// document.
struct State {
  enum class Kind { state, parallel, final, shallow, deep };
  Kind kind = Kind::state;
  std::string id;
  int parent = -1;
  std::vector<int> children;  ///< in document order, histories among them
  std::vector<Block> on_entry, on_exit;
  std::vector<Transition> transitions;  ///< of a history: its default
  Transition initial;                   ///< without targets: the first child
  bool initial_element = false;         ///< written as an element, with content
  bool history() const { return kind == Kind::shallow || kind == Kind::deep; }
};

/// A legal chart: nothing of it is checked. Numbers are those of `states`.
struct Chart {
  std::vector<State> states;
  std::map<std::string, double> variables;  ///< initial values
  std::set<std::string> truths;             ///< which of them are truth values

  bool is_descendant(int state, int ancestor) const;  ///< properly inside
  /// From the parent outwards, without `up_to`; -1: up to and with the document.
  std::vector<int> proper_ancestors(int state, int up_to) const;
  /// A state with children that are no histories; the document too. Not a parallel one.
  bool compound(int s) const;
  /// A state without such children, or a final one.
  bool atomic(int s) const;
};

/// The chart as an SCXML document called "Random". Numbers are written with 6 significant digits.
std::string scxml_text(const Chart& chart);

/// Whether one of the descriptors matches the event: `*`, or its words are the event's first ones; `.*` or a dot at the
/// end changes nothing (section 3.12.1).
bool name_match(const std::vector<std::string>& descriptors, const std::string& event);

/// Runs one chart. start() first, then until() and give() in any order. Not to be copied or moved: it keeps pointers
/// into itself and into the chart.
class Interpreter {
 public:
  /// @param chart  must live as long as this and must not change.
  explicit Interpreter(const Chart& chart) : chart_(chart), values_(chart.variables) {}
  /// Enters the document and comes to rest. Any call gives up after `patience` steps (searches for transitions), or
  /// with so many delayed events waiting: the chart may never come to rest. gave_up() then stays true.
  void start();
  /// What was sent with a delay until then, each followed by everything it causes; by time, and of equal times in the
  /// order of sending. It is `time_ms` afterwards.
  /// @param time_ms  not before the time of the last call; the chart starts at 0.
  void until(double time_ms);
  /// An event of the outside, without data, now. Nothing happens when the chart has ended or was given up.
  void give(const std::string& event);

  bool gave_up() const { return gave_up_; }
  bool running() const { return running_; }  ///< started, and no final state of the document entered
  /// Active states, without the document.
  const std::set<int>& configuration() const { return configuration_; }
  /// Variables now, also those that a foreach declared.
  const std::map<std::string, double>& values() const { return values_; }
  /// Transition sets taken since the start; entering the document is none.
  long microsteps() const { return microsteps_; }
  static constexpr int patience = 200;

 private:
  struct Event {
    std::string name;
    std::optional<double> parameter;
  };
  struct Delayed {
    double time;
    long order;
    Event event;
    std::string id;
  };
  using Enabled = std::vector<const Transition*>;

  // Procedures of appendix D under their names there; `select` is selectTransitions, `domain` getTransitionDomain,
  // `lcca` findLCCA, `entry_set` computeEntrySet.
  void main_event_loop();
  void macrostep();
  Enabled select(const std::string* event);
  Enabled remove_conflicting(const Enabled& enabled) const;
  void microstep(const Enabled& enabled);
  void exit_states(const Enabled& enabled);
  void enter_states(const Enabled& enabled);
  std::set<int> exit_set(const Transition& t) const;
  int domain(const Transition& t) const;
  int lcca(int source, const std::vector<int>& states) const;
  std::vector<int> effective_targets(const Transition& t) const;
  struct Entry {
    std::set<int> states, defaults;
    std::map<int, const Block*> history_content;
  };
  void entry_set(const Transition& t, Entry& entry) const;
  void add_descendants(int s, Entry& entry) const;
  void add_ancestors(int s, int ancestor, Entry& entry) const;
  Transition initial_of(int s) const;
  bool in_final_state(int s) const;
  bool condition_match(const Transition& t);
  double evaluate(const Expression& e) const;
  bool holds(const Expression& e);
  void run(const Block& block);
  void execute(const Content& content);
  void process(const Event& event);
  int source_of(const Transition& t) const { return sources_.at(&t); }

  const Chart& chart_;
  std::map<const Transition*, int> sources_;  ///< the state that each transition leaves
  std::map<std::string, double> values_;
  std::set<int> configuration_;
  std::map<int, std::set<int>> history_;  ///< history -> states remembered; absent: its state was never left
  std::deque<Event> internal_, external_;
  std::vector<Delayed> delayed_;
  std::optional<Event> event_;
  Transition start_;
  long order_ = 0, microsteps_ = 0;
  int steps_now_ = 0;  ///< since the call began
  double now_ = 0;     ///< [ms]
  bool running_ = false, gave_up_ = false;
};

}  // namespace ergode::test::oracle
