#pragma once
#include <array>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/known_problems.h"
#include "core/document/document.h"
#include "core/expression/compile.h"
#include "core/expression/parameters.h"
#include "statecharts/compile/chart_tables.h"
#include "statecharts/compile/compiled_model.h"

namespace ergode {

/// Builds a CompiledModel from a document. Measures and common-cause groups compile their own expressions through
/// scope() before finish() closes the tables, because naming a set of states adds a slot.
///
///     ModelCompiler compiler(document, parameters, files, problems);
///     auto damaged = compile_as("in(Plant.Damaged)", ValueType::boolean(), compiler.scope());
///     compiler.observe(std::get<Program>(damaged));
///     CompiledModel model = compiler.finish();
///
/// Every stage runs whatever the earlier ones found, so that all mistakes are known at once. Instances have their
/// numbers once the constructor has returned; slots of variables and of what events carry are added by it, those of
/// counts whenever an expression names a set of states. One thread; used once.
class ModelCompiler {
 public:
  /// Lowers every chart, lays out components and variables, compiles clocks, guards, actions and flows of all of them.
  /// O(the size of all components' charts); large arrays of alike members cost little more than their second member.
  /// @param document, parameters, problems  must outlive it
  /// @param files     what empirical distributions may name.
  /// @param table     of the model, with what other notations declared; null: there are none.
  /// Problems (SCH, SYS, EXP codes) are appended; with errors the result must not be run.
  ModelCompiler(const Document& document, const ParameterTable& parameters, DataFiles files, Diagnostics& problems,
                std::shared_ptr<SlotTable> table = nullptr);
  ~ModelCompiler();
  ModelCompiler(const ModelCompiler&) = delete;
  ModelCompiler& operator=(const ModelCompiler&) = delete;

  /// Names of the model: parameters, components and their states. With an instance also what its chart declares, and
  /// its states without prefix.
  class ModelScope;
  /// Good as long as the compiler; an instance's is made when it is first asked for.
  ModelScope& scope();
  ModelScope& scope(std::uint32_t instance);
  /// Sets a running index in all scopes, from now on (families of measures); a later value replaces it.
  void set_index(const std::string& name, long value);

  const std::vector<ComponentArray>& arrays() const { return model_.arrays; }
  /// Null: there is none. Of several of one name, which is an error, the first.
  const ComponentArray* array(const std::string& name) const;
  const ComponentArray* array(ElementId component) const;
  /// In the making: tables by slot, hops and clocks' order are only made by finish().
  const CompiledModel& model() const { return model_; }
  /// The chart of an instance, as lowered.
  const StateChart& chart_of(std::uint32_t instance) const;
  /// By number of the chart, in document order; also those with errors, and those that no component has.
  const std::vector<StateChart>& lowered() const { return lowered_; }

  /// Registers a program whose changes are to be noticed while running; returns its number (SlotTable::observers()).
  std::uint32_t observe(Program program);
  /// Orders the clocks, closes the table of slots and works out who depends on which slot, and which transitions are
  /// known before the run. Once, without errors; the compiler is of no use afterwards, and scopes may name nothing
  /// more.
  CompiledModel finish();

 private:
  friend class ModelScope;
  friend class ActionCompiler;
  /// Arrays of at least so many members are compiled as one, where their members are alike: see repeat_members.cpp.
  static constexpr std::uint32_t large_array = 256;
  /// The first member that shares its tables: the ones before it are compiled by themselves, the second as a pattern.
  static constexpr std::uint32_t repeated_from = 2;
  /// Lowers every diagram of notation `statechart`, and gives their events numbers. SCH003 names, SCH004 names twice.
  void charts(const Document& document);
  /// Of a chart that was lowered; made when it is first asked for.
  const std::unordered_set<std::string>& state_names(std::uint32_t chart);
  /// Components of all system diagrams in document order: instances, arrays, then variables. SYS001 names, SYS002 no
  /// such chart, SYS003 a count that is not 1 to 1,000,000: of the last two there are no instances then.
  void components(const Document& document);
  /// Compiles what one component does: clocks, guards, roles and actions of its transitions, actions and flows of its
  /// states, in this order, so that programs, clocks and slots of alike members have alike numbers.
  void instance_tables(std::uint32_t instance);
  /// Slots of its variables, member by member; of a large array at once, unless an initial value or an argument reads
  /// `index`. SYS005 arguments, SCH009 and UNI001 types and units.
  void variables(const ComponentArray& array, const Element& component);
  /// The same for so many members from this one on. @returns false: they differ, and nothing was added.
  bool variables(std::uint32_t instance, std::uint32_t members, const Element& component);
  struct Variable;
  /// A variable or parameter of a component's chart, with the slot that this component has for it; nothing: none of
  /// that name.
  std::optional<Variable> variable(std::uint32_t instance, std::string_view name) const;
  /// How much of everything there was before a component was compiled.
  struct Sizes {
    std::size_t slots, programs, actions, parameters, timers, flows, counts;
    std::uint32_t ids;
  };
  Sizes sizes() const;
  /// Whether what was compiled for the second member of a large array since `before` holds for all later ones,
  /// moved by constants: it reads no `index`, and only slots of its own or slots that are the same for all members.
  bool repeats(const ComponentArray& array, const Sizes& before) const;
  /// Gives members from `repeated_from` on what the second has: one set of tables, programs moved to their slots.
  /// O(members * what differs from one to the next).
  void repeat(const ComponentArray& array, const Sizes& before);
  /// Who counts a state: fills state_slots_, cutting shared tables where some members are counted and others not.
  void place_count_slots();
  /// Gives each stretch of members that are counted alike tables of states and clocks of its own.
  void cut(const ComponentArray& array, const std::vector<CountSlot>& partial);
  /// Row of CompiledModel::event_slots for the instance.
  std::vector<std::uint32_t> event_slots(std::uint32_t instance);
  /// Hops of all rows and what clocks do, once for members that share them. After place_count_slots().
  void keep_hops();
  /// Appends the clock of a timed transition, or the memory of becomes(...). Refused where it is known already: SCH009
  /// delays, rates and times that are negative or infinite, periods that are not > 0.
  void timer(std::uint32_t instance, std::uint32_t transition);
  /// SCH012: the condition reads `now`, which changes all the time.
  void refuse_clock(const Program& condition, const Transition& t);
  /// What the transition asks; conditions joined, constants decided here. Branches with a probability get its program.
  void guard(std::uint32_t instance, std::uint32_t transition);
  /// Numbers of the actions made, in order; those refused (SCH011 and codes of expressions) are left out.
  std::vector<MemberNumber> actions(std::uint32_t instance, ElementId element, const char* property,
                                    const std::vector<ActionSyntax>& list);
  /// Derivatives of the states: a real variable each, in its unit per time, else SCH017.
  void flows(std::uint32_t instance);
  /// What events carry, by name: known before anything that reads it is compiled.
  void event_parameter_types();
  /// Number of the name, a new one where it is first asked for; likewise send_id() and cause().
  std::uint32_t event_parameter(const std::string& name);
  /// Of one component: the same id in two components is two.
  std::uint32_t send_id(std::uint32_t instance, const std::string& id);
  /// Texts that `event.name` is compared with become numbers of events.
  Syntax resolved(const Syntax& syntax);
  /// Numbers clocks by priority, greatest first, then as they were made; where all are alike nothing is done.
  void sort_timers();
  /// Components with a transition that may react to the event, in document order. O(states + components).
  std::vector<std::uint32_t> hearers(std::uint32_t event) const;
  /// Unknown where anything about the effect depends on the run: more than 64 states, actions, histories, delays that
  /// keep their age, final states, a source with states inside, or a parallel state on the way. Appends to
  /// hop_timers and hop_slots.
  Hop hop(std::uint32_t instance, std::uint32_t transition);
  /// Known where the clock is plain, unguarded and its hop known with at most one clock to arm and two counts to
  /// change.
  SharedClockHop clock_hop(const TimerTable::Shared& spec, std::uint32_t timer) const;
  /// By slot, components with an eventless transition that reads it: those asked whenever it changes, and those that
  /// only compare it, with their thresholds: rising, equal, falling.
  struct EventlessReaders {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> asked, comparing;  ///< slot, component
    std::array<std::vector<std::pair<std::uint32_t, Threshold>>, 3> thresholds;
  };
  /// Conditions that ask nothing but slots may be asked seldom; one draw, edge or raised event and all are asked
  /// always.
  void eventless_readers(std::uint32_t instance, EventlessReaders& into) const;
  /// Appends those of one slot. @param next  in and out: how far each kind has been read; slots come in order
  void keep_thresholds(const EventlessReaders& readers, std::uint32_t slot, SlotInfo& info,
                       std::array<std::size_t, 3>& next);
  /// Appends observers that compare the count with a constant to CompiledModel::observed, and gives the count an
  /// integral where one observes its value. @returns the others.
  std::vector<std::uint32_t> keep_observed(std::uint32_t slot, bool count, SlotInfo& info);
  /// Appends it; returns its number.
  std::int32_t keep(Program program);
  /// The slot that counts a state over these instances, a new one where nobody has asked yet.
  std::uint32_t count_slot(std::uint32_t first, std::uint32_t count, int state);
  std::uint32_t cause(const std::string& name);
  /// Once for each code, element and property: members of an array repeat their chart's mistakes.
  void complain(const ExpressionError& error, ElementId element, const char* property, const std::string& text);
  void report(const char* code, ElementId id, const char* property, std::string message, std::string hint = {},
              Severity severity = Severity::error);
  /// SCH008: constant probabilities of a choice that do not sum to one, or with `else` to more; to 1e-9. The sum of
  /// those that are no constants is looked at neither here nor while running.
  void check_branches(std::uint32_t instance);

  const Document& document_;
  const ParameterTable& parameters_;
  DataFiles files_;
  Diagnostics& problems_;
  KnownProblems known_problems_;
  CompiledModel model_;
  std::unordered_map<std::string, std::size_t> array_by_name_;  ///< of several of one name the first
  std::unordered_map<ElementId, std::size_t> array_by_element_;
  std::shared_ptr<SlotTable> table_;
  std::size_t events_of_others_ = 0;  ///< the first events are those that other notations raise
  std::vector<StateChart> lowered_;
  std::map<std::string, std::uint32_t> chart_numbers_;
  std::vector<std::unordered_set<std::string>> state_names_;  ///< by chart, of those that were asked
  struct Variable {
    ValueType type;
    ElementId element;
    bool constant = false;
    double value = 0.0;
    std::uint32_t slot = 0;  ///< of the first member that has it
    std::uint32_t first = 0, step = 0;
  };
  std::vector<std::map<std::string, Variable, std::less<>>> variables_;
  std::vector<std::uint32_t> variables_of_;       ///< by instance: place in variables_
  std::map<std::string, ValueType> event_types_;  ///< what events carry, by name
  std::unordered_map<std::uint32_t, std::map<std::string, std::uint32_t>> event_slots_;  ///< instance -> name -> slot
  std::map<std::string, std::uint32_t> send_ids_;
  std::uint32_t last_send_id_ = 0;                                   ///< from 1
  std::map<std::vector<std::uint32_t>, std::uint32_t> count_slots_;  ///< (first, count, state) -> slot
  /// By row of the table of states: what entering and leaving does.
  std::vector<std::vector<MemberNumber>> state_slots_, timers_of_state_, entry_of_state_, exit_of_state_;
  /// What expressions of the component that is being compiled read: slots of its own, and slots of one component that
  /// they name.
  struct Reading {
    bool index = false;
    std::unordered_set<std::uint32_t> own, named;
  } reading_;
  /// An array whose members from the third on are compiled as one: what they have of their own.
  struct Repeated {
    std::uint32_t first = 0, count = 0;
    std::uint32_t slots = 0;                           ///< of each member, without its variables
    std::uint32_t timers = 0, timers_end = 0;          ///< of the second member, in TimerTable::specs
    std::vector<std::pair<int, MemberNumber>> counts;  ///< state and the slot that counts it in one member
  };
  std::unordered_map<std::uint32_t, Repeated> repeated_;  ///< by array
  ModelScope* model_scope_ = nullptr;
  std::unordered_map<std::int64_t, std::unique_ptr<ModelScope>> scopes_;  ///< -1: the model's; by instance
  std::map<std::string, long> indices_;
};

/// Compiles the actions of one element of one component; see action_programs.cpp.
class ActionCompiler;

/// What names mean to the compiler's expressions. Asking for a set of states, or for what an event carries, adds a
/// slot. In the order: running indices, variables and parameters of the instance's chart, `index` (from 1), `now`,
/// parameters of the model; paths name components, then things of other notations, then states of the instance's own
/// chart.
class ModelCompiler::ModelScope : public Scope {
 public:
  ModelScope(ModelCompiler& compiler, std::int64_t instance) : compiler_(compiler), instance_(instance) {}
  std::optional<Symbol> name(std::string_view word) override;
  std::variant<Symbol, StateSet, std::string> path(const ResolvedPath& path) override;
  std::vector<std::string> names() const override;
  bool declares(std::string_view word) const override;

 private:
  std::variant<Symbol, StateSet, std::string> event_value(const std::string& word);
  ModelCompiler& compiler_;
  std::int64_t instance_;  ///< -1: the model
};

}  // namespace ergode
