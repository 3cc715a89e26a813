#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/des/lowering.h"
#include "core/expression/parameters.h"
#include "core/study/measure_spec.h"
#include "core/study/precision_goals.h"
#include "core/study/solver.h"
#include "solvers/reliability/ccf_group.h"
#include "statecharts/compile/compiled_model.h"
#include "statecharts/execute/chart_part.h"

namespace ergode {

/// A question with its expression compiled. Which members mean something follows from MeasureSpec::kind; numbers are
/// places in tables of the AnalysisModel that it belongs to.
struct Measure {
  MeasureSpec spec;
  /// Over the slots of the model; SI, a condition 0 or 1. Constant 0 where what is observed is told and not computed
  /// (streams, ratios) and for counts of an event.
  Program program;
  std::uint32_t observer = 0;  ///< number of the program in SlotTable::observers(); not for counts of an event
  double at_s = 0.0;           ///< time that is asked for, 0 to the mission time [s]; else the mission time
  int event = -1;              ///< for counts of an event: its number in CompiledModel::event_names
  bool counts_event = false;
  bool own = false;            ///< Nobody drew it: a part asked for it (LoweredPart::own_measures()).
  std::int32_t stream = -1;    ///< number in SlotTable::streams; -1: follows no stream
  std::int32_t of_class = -1;  ///< number of the class in the stream; -1: all observations
  double level = 0.0;          ///< of a quantile, in (0, 1); of a share the greatest observation that counts [SI]
  Program renewal;             ///< condition: cycles begin when it becomes true; neither always true nor never
  std::uint32_t renewal_observer = 0;
  std::int32_t over = -1, per = -1;  ///< of a ratio: numbers of measures, both less than its own
};

/// Everything the solvers share: the document lowered, checked and compiled for one set of parameter values. Immutable,
/// so any number of threads may read it. Programs that are evaluated while running went through make_machine_code().
/// What runs it (ModelHistory, StateSpace, ...) refers to it.
struct AnalysisModel {
  ParameterTable parameters;
  CompiledModel charts;
  std::vector<CcfGroup> groups;  ///< in document order; also those whose cause no chart waits for
  std::vector<std::shared_ptr<const LoweredPart>> others;  ///< of notations that are not compiled into the loop
  std::vector<Measure> measures;                           ///< in document order, members of a family by index
  std::shared_ptr<const Split> split;                      ///< how its measures are divided; null: they are not
  std::int64_t split_slot = -1;              ///< that tells the part in force (part_in_force.h); -1: the charts do
  std::optional<Program> importance;         ///< of splitting, when the request has one
  double horizon_s = 0.0;                    ///< mission time [s], > 0 and finite
  Unit time_unit;                            ///< in which times and rates are shown
  OdeOptions ode;                            ///< of the request
  std::uint64_t replications = 0, seed = 0;  ///< the model's own, replications >= 1; a request may ask for others
  std::vector<FileRead> files;               ///< data files that it was made of, as they were
  /// Of a copy from which measures were taken away: its charts still observe what those asked, and nobody wants it.
  /// Numbers of measures in what is left mean nothing.
  bool part = false;

  /// Parts that its charts tell apart while running: those of the split; without one, whether a failure stands.
  std::size_t parts() const { return split ? split->parts.size() : ChartPart::own_failure + 1; }
};

/// Lowers, checks and compiles. Pure but for the data files it reads. Problems are appended; with errors the model is
/// null. Everything is checked that can be, so one call finds as many as there are; where a parameter has no good
/// value, complaints about values that follow from it are left out. O(components and what their tables say); large
/// arrays of alike members are compiled once.
///
/// Codes: PAR009 of properties that the request sets, DOC003 and UNI001 of the model's own properties, SYS004 nothing
/// runs, RUN020 an importance that is no number, MEA016 several who would divide what measures see, EXP of expressions,
/// CCF of groups, MEA of measures, SCH and SYS of charts and components, those of other notations.
/// @param request     scenario, overrides, folders, the option importance and OdeOptions count, nothing else
/// @param folder      of the model file; with request.allowed_folders, where the files lie that it may name.
/// @param files_read  gets the data files that were asked for, with errors too.
std::shared_ptr<const AnalysisModel> build_model(const Document& document, const RunRequest& request,
                                                 const std::string& folder, Diagnostics& problems,
                                                 std::vector<FileRead>* files_read = nullptr);

/// The model of a question: built by whoever asks first, and again when a file that it reads has changed. Problems are
/// appended for each who asks; null as above. For any thread; who asks while another builds waits. Questions of one
/// model that differ in nothing that build_model() looks at share one.
std::shared_ptr<const AnalysisModel> model_of(const Question& question, Diagnostics& problems);

/// For solvers that know charts and common-cause groups only: SOL004 for each thing of another notation that runs in
/// the model, naming it and the solver. Appended.
/// @param solver  as it begins the rest of the sentence: "a Markov solver"
void refuse_other_notations(const AnalysisModel& model, const std::string& solver, Diagnostics& problems);

/// unknown_precisions() of the measures of a model.
Diagnostics unknown_precisions(const AnalysisModel& model, const RunRequest& request);
/// precision_goals() of its measures, by number.
PrecisionGoals precision_goals(const AnalysisModel& model, const RunRequest& request);

/// Adds to the results of a simulation what the parts of other notations say of the run in tables. What they would have
/// to work out after a stop is left out, which RUN045 says.
/// @param give_up  asked now and then while tables are worked out
/// @param out      with the measures of the model in its order; others may follow, or those in front alone be there
void add_tables_of_parts(const AnalysisModel& model, const std::function<bool()>& give_up, ResultSet& out);
/// For that: true once somebody has stopped the run or its time is over, but not before half a second has gone by,
/// which is enough for most tables and nobody minds.
/// @param left_s  of the time that the run may take; nothing: it may take any
std::function<bool()> patience_for_tables(const RunControl& control, std::optional<double> left_s);

/// What the model says of its elements in the data of a report: groups, then parts of other notations in their order.
/// @param document  that it was built of
std::vector<DataSection> report_data(const AnalysisModel& model, const Document& document);

/// Works out KnownSlots::long_run of one model, of which its charts, groups and mission time count.
using LongRunMaker = std::function<std::function<const LongRunValue*(const Program&)>(const AnalysisModel&)>;
/// All models that are built from now on are told of by this, when somebody asks; for the start of a program, before
/// other threads: there is no lock. Without it nobody knows (register_long_run_values()).
void know_long_run_by(LongRunMaker maker);

/// How often a model was built by this process, for tests. Any thread.
std::uint64_t models_built();

class ModelCompiler;

/// Parts of build_model(): the measures of the document, their expressions compiled in the compiler's scope before it
/// closes its tables. Families are written out, at most 1,000 members each; curves have up to 2,000 points.
///
/// Measures with errors are left out and reported: MEA001 names, MEA002 expression, MEA003 and UNI001 scale and unit,
/// MEA004 time, MEA005 index, MEA007 curve, MEA009 stream or class, MEA010 ratio, MEA011 level, MEA012 renewal, MEA015
/// precision, EXP. What a count's event is, support and split are filled in by
/// build_model().
/// @param horizon_s  mission time [s]
/// @param time_unit  of results that are times, and of axes
/// @param streams    of the model, by number
std::vector<Measure> lower_measures(const Document& document, const ParameterTable& parameters, ModelCompiler& compiler,
                                    double horizon_s, const Unit& time_unit, std::span<const StreamSpec> streams,
                                    Diagnostics& problems);

/// MEA008 where there is none and no error either.
void warn_of_no_measure(const Document& document, const std::vector<Measure>& measures, Diagnostics& problems);

/// The measures that parts ask for of their own accord, of which none is drawn already: one drawn of the same
/// expression or stream stands for it. Those of the document come first; headline ones are so where the document has
/// none. Appended.
void add_own_measures(const Document& document, std::span<const std::shared_ptr<LoweredPart>> parts,
                      ModelCompiler& compiler, double horizon_s, const Unit& time_unit, std::vector<Measure>& out);

}  // namespace ergode
