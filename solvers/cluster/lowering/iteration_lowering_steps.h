#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/expression/parameters.h"
#include "solvers/cluster/lowering/iteration_lowering.h"
#include "solvers/cluster/running/iteration_part.h"

namespace ergode {

/// The steps of iteration_lowering(): names and flows in iteration_lowering.cpp, values and jobs in
/// iteration_values.cpp.
class IterationLowering : public NotationLowering {
 public:
  void declare(Lowering& model) override;
  std::shared_ptr<LoweredPart> lower(Lowering& model, Scope& scope) override;

 private:
  using Scheduler = IterationModel::Scheduler;
  using Stream = IterationModel::Stream;

  IterationModel& net() { return out_->model; }
  void declare_name(Lowering& model, const Element& element, const char* what);
  void declare_stream(Lowering& model, const Element& element);
  void declare_scheduler(Lowering& model, const Element& element);
  void join(Lowering& model, const Element& flow);
  void declare_observations(Lowering& model, Scheduler& one);

  void lower_options(Lowering& model, PropertyReader& read, const Element& element, Scheduler& one);
  void lower_failures(Lowering& model, Scope& scope, PropertyReader& read, const Element& element, Scheduler& one);
  void lower_costs(Lowering& model, PropertyReader& read, const Element& element, Scheduler& one);
  void lower_stream(Lowering& model, Scope& scope, Stream& stream);
  void check_drawn(Lowering& model, const Element& element, const Stream& stream);
  /// Jobs of a file, those that a stream or the scheduler itself names; null where they are wrong, which is told.
  std::shared_ptr<const IterationTrace> read_jobs(Lowering& model, PropertyReader& read, const Element& at,
                                                  const std::string& file, const Scheduler& one, std::uint64_t most);
  /// Where jobs are drawn or hosts fail, its own trace is a stream beside them.
  void trace_as_stream(std::uint32_t scheduler);
  /// ITR002 where it is out of its range, and `otherwise`.
  static double number(Lowering& model, PropertyReader& read, const Element& element, const char* property,
                       const char* unit, double otherwise, double least, double most, bool whole = false);

  std::shared_ptr<IterationPart> out_ = std::make_shared<IterationPart>();
  std::map<ElementId, std::uint32_t> stream_number_, scheduler_number_;
};

}  // namespace ergode
