#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/des/lowering.h"
#include "core/expression/parameters.h"
#include "core/study/measure_spec.h"
#include "core/study/solver.h"
#include "solvers/reliability/ccf_group.h"
#include "statecharts/compile/compiled_model.h"
#include "statecharts/execute/chart_part.h"

namespace ergode {

/// A question with its expression compiled.
struct Measure {
  MeasureSpec spec;
  Program program;
  std::uint32_t observer = 0;  ///< number of the program in CompiledModel::observers
  double at_s = 0.0;
  int event = -1;  ///< for counts of an event
  bool counts_event = false;
  std::int32_t stream = -1;    ///< number in SlotTable::streams; -1: follows no stream
  std::int32_t of_class = -1;  ///< number of the class in the stream; -1: all observations
  double level = 0.0;          ///< of a quantile
  Program renewal;             ///< where cycles begin
  std::uint32_t renewal_observer = 0;
  std::int32_t over = -1, per = -1;  ///< of a ratio: numbers of measures
};

/// Everything the solvers share: the document lowered, checked and compiled for one set of parameter values. Immutable.
struct AnalysisModel {
  ParameterTable parameters;
  CompiledModel charts;
  std::vector<CcfGroup> groups;
  std::vector<std::shared_ptr<const LoweredPart>> others;  ///< of notations that are not compiled into the loop
  std::vector<Measure> measures;
  std::shared_ptr<const Split> split;  ///< how its measures are divided; null: they are not
  std::optional<Program> importance;   ///< of splitting, when the request has one
  double horizon_s = 0.0;
  Unit time_unit;
  OdeOptions ode;
  std::uint64_t replications = 0, seed = 0;  ///< the model's own
  std::vector<FileRead> files;               ///< data files that it was made of, as they were

  /// Parts that its charts tell apart while running: those of the split; without one, whether a failure stands.
  std::size_t parts() const { return split ? split->parts.size() : ChartPart::own_failure + 1; }
};

/// Lowers, checks and compiles. Pure. Problems are appended; with errors the model is null.
/// @param folder      of the model file; with request.allowed_folders, where the files lie that it may name.
/// @param files_read  gets the data files that were asked for, with errors too.
std::shared_ptr<const AnalysisModel> build_model(const Document& document, const RunRequest& request,
                                                 const std::string& folder, Diagnostics& problems,
                                                 std::vector<FileRead>* files_read = nullptr);

/// The model of a question: built by whoever asks first, and again when a file that it reads has changed. Problems are
/// appended for each who asks; null as above.
std::shared_ptr<const AnalysisModel> model_of(const Question& question, Diagnostics& problems);

/// For solvers that know charts and common-cause groups only: SOL004 for each thing of another notation that runs in
/// the model, naming it and the solver.
void refuse_other_notations(const AnalysisModel& model, const std::string& solver, Diagnostics& problems);

/// How often a model was built by this process, for tests.
std::uint64_t models_built();

/// Parts of build_model().
class ModelCompiler;
std::vector<Measure> lower_measures(const Document& document, const ParameterTable& parameters, ModelCompiler& compiler,
                                    double horizon_s, const Unit& time_unit, std::span<const StreamSpec> streams,
                                    Diagnostics& problems);

}  // namespace ergode
