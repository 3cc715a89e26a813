#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "core/base/text.h"
#include "core/expression/parameters.h"
#include "solvers/cluster/lowering/round_lowering.h"
#include "solvers/cluster/running/round_part.h"

namespace ergode {

/// The steps of round_lowering(): names and flows in round_lowering.cpp, values of schedulers in round_values.cpp, of
/// streams in round_streams.cpp, traces and throughputs in round_trace_lowering.cpp.
class RoundLowering : public NotationLowering {
 public:
  void declare(Lowering& model) override;
  std::shared_ptr<LoweredPart> lower(Lowering& model, Scope& scope) override;

 private:
  using Scheduler = RoundModel::Scheduler;
  using Stream = RoundModel::Stream;

  RoundModel& net() { return out_->model; }
  void declare_name(Lowering& model, const Element& element, const char* what);
  void declare_stream(Lowering& model, const Element& element);
  void declare_scheduler(Lowering& model, const Element& element);
  void join(Lowering& model, const Element& flow);
  void declare_observations(Lowering& model, Scheduler& one);

  void lower_options(Lowering& model, PropertyReader& read, const Element& element, Scheduler& one);
  void lower_failures(Lowering& model, Scope& scope, PropertyReader& read, const Element& element, Scheduler& one);
  void lower_plans(Lowering& model, PropertyReader& read, const Element& element, Scheduler& one);
  void lower_stream(Lowering& model, Scope& scope, Stream& stream);
  void lower_drawn(Lowering& model, Scope& scope, const Element& element, Stream& stream);
  void lower_training(Lowering& model, Scope& scope, PropertyReader& read, const Element& element, Stream& stream);
  /// RND007, RND012: what drawn jobs may be that train a model of the table.
  void check_training(Lowering& model, const Element& element, const Stream& stream);
  /// RND018: a policy that compares steps of one sort with those of another.
  void check_steps(Lowering& model, const Scheduler& one);
  /// RND019: jobs that lose hosts too often.
  void check_restarts(Lowering& model, const Scheduler& one);

  /// The scheduler's own trace, where it has one, and the table of throughputs, where anybody needs it.
  void read_files(Lowering& model, PropertyReader& read, const Element& element, Scheduler& one);
  std::shared_ptr<const RoundModel::Workload> read_trace(Lowering& model, PropertyReader& read, const Element& element,
                                                         const DataFiles::Text& trace, const std::string& table,
                                                         const Scheduler& one, std::uint64_t most);
  bool wants_table(Lowering& model, const Scheduler& one);
  /// The text of the file that a property names; RND003 and nothing.
  static std::optional<DataFiles::Text> file(Lowering& model, PropertyReader& read, const Element& element,
                                             const char* property);
  /// The throughputs that belong to the trace: those named, or, where a trace of the user's own for this run comes from
  /// elsewhere without a table, the only one beside it. RND013 tells of the latter, or warns that there is none.
  /// @param trace  name of its file; empty: there is none
  std::optional<DataFiles::Text> throughputs_of(Lowering& model, PropertyReader& read, const Element& element,
                                                const std::string& trace);
  /// Jobs without a throughput, where they may be left out (RND015).
  static void leave_out(Lowering& model, PropertyReader& read, const Element& element, const Throughputs& speeds,
                        RoundModel::Workload& work, const std::string& trace, const std::string& table);
  /// RND014: a trace whose listed durations say that it was made with other throughputs.
  static void check_twins(Lowering& model, const Element& element, const RoundModel::Workload& made);
  static void check_durations(Lowering& model, const Element& element, const RoundModel::Workload& made,
                              const Throughputs& speeds, const DataFiles::Text& table);

  /// What is refused of an element already: what follows from it would be told a second time.
  static bool refused(const Lowering& model, const Element& element);
  static void refuse_rows(Lowering& model, const Element& element, const char* property, const Diagnostics& found);
  static bool is_said(const Element& element, const char* property) { return !trim(element.text(property)).empty(); }
  /// A number in a range, in SI units; RND002 otherwise, and the least.
  static double number(Lowering& model, PropertyReader& read, const Element& element, const char* property,
                       const char* unit, double otherwise, double least, double most, bool whole = false);

  std::shared_ptr<RoundPart> out_ = std::make_shared<RoundPart>();
  std::map<ElementId, std::uint32_t> stream_number_, scheduler_number_;
  std::map<ElementId, std::string> table_name_;  ///< by scheduler
};

}  // namespace ergode
