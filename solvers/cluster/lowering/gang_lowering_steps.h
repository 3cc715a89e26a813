#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/expression/parameters.h"
#include "solvers/cluster/lowering/gang_lowering.h"
#include "solvers/cluster/running/gang_part.h"
#include "solvers/cluster/traces/gang_trace.h"

namespace ergode {

/// The steps of gang_lowering(): names and flows in gang_lowering.cpp, values in gang_values.cpp, traces in
/// gang_trace_lowering.cpp.
class GangLowering : public NotationLowering {
 public:
  void declare(Lowering& model) override;
  std::shared_ptr<LoweredPart> lower(Lowering& model, Scope& scope) override;

 private:
  GangModel& net() { return out_->model; }
  void declare_name(Lowering& model, const Element& element, const char* what);
  void declare_cluster(Lowering& model, const Element& element);
  void declare_stream(Lowering& model, const Element& element);
  void join(Lowering& model, const Element& flow);
  void declare_observations(Lowering& model);
  void lower_stream(Lowering& model, Scope& scope, GangModel::Stream& stream);
  void lower_drawn(Lowering& model, Scope& scope, const Element& element, GangModel::Stream& stream);
  void read_trace(Lowering& model, Scope& scope, const Element& element, const std::string& file,
                  GangModel::Stream& stream);
  std::optional<GangTrace> gavel_jobs(Lowering& model, PropertyReader& read, const Element& element,
                                      const DataFiles::Text& trace);
  void lower_cluster(Lowering& model, Scope& scope, GangModel::Cluster& cluster);
  void lower_policy(Lowering& model, Scope& scope, PropertyReader& read, const Element& element, GangOptions& options);
  void lower_failures(Lowering& model, Scope& scope, PropertyReader& read, const Element& element,
                      GangModel::Cluster& cluster);
  /// Jobs of a trace that counts hosts, as jobs of GPUs on a cluster.
  void take_hosts(Lowering& model, PropertyReader& read, const GangModel::Cluster& cluster);
  void check_jobs(Lowering& model, const Element& element, const GangModel::Cluster& cluster);
  /// A number in a range; GNG002 otherwise, and the least.
  static double number(Lowering& model, PropertyReader& read, const Element& element, const char* property,
                       Dimension dimension, double otherwise, double least, double most, bool whole = false);
  static std::vector<double> list(Lowering& model, Scope& scope, const Element& element, const char* property,
                                  const char* otherwise, bool rise);
  static bool is_said(const Element& element, const char* property) { return !trim(element.text(property)).empty(); }

  std::shared_ptr<GangPart> out_ = std::make_shared<GangPart>();
  std::map<ElementId, std::uint32_t> stream_number_, cluster_number_;
};

}  // namespace ergode
