#pragma once
#include <map>
#include <string>

#include "core/expression/parameters.h"
#include "solvers/cluster/lowering/batch_lowering.h"
#include "solvers/cluster/running/batch_part.h"

namespace ergode {

/// The steps of batch_lowering(): names and flows in batch_lowering.cpp, values in batch_values.cpp.
class BatchLowering : public NotationLowering {
 public:
  void declare(Lowering& model) override;
  std::shared_ptr<LoweredPart> lower(Lowering& model, Scope& scope) override;

 private:
  BatchModel& net() { return out_->model; }
  void declare_name(Lowering& model, const Element& element, const char* what);
  std::uint32_t slot(Lowering& model, const Element& element, const char* word);
  void declare_stream(Lowering& model, const Element& element);
  void declare_pool(Lowering& model, const Element& element);
  void join(Lowering& model, const Element& flow);
  void declare_observations(Lowering& model);

  void lower_stream(Lowering& model, Scope& scope, BatchModel::Stream& stream);
  void read_trace(Lowering& model, const Element& element, const std::string& file, BatchModel::Stream& stream);
  void lower_drawn(Lowering& model, Scope& scope, const Element& element, BatchModel::Stream& stream);
  void lower_pool(Lowering& model, Scope& scope, BatchModel::Pool& pool);
  void lower_minutes(Lowering& model, PropertyReader& read, const Element& element, BatchModel::Pool& pool);
  void lower_variation(Lowering& model, PropertyReader& read, const Element& element, BatchModel::Pool& pool);
  void lower_failures(Lowering& model, Scope& scope, PropertyReader& read, const Element& element,
                      BatchModel::Pool& pool);
  void check_jobs(Lowering& model, Scope& scope, const Element& element, BatchModel::Pool& pool);
  /// [bytes]; BAT002 where it is below 0.
  static double memory(Lowering& model, PropertyReader& read, const Element& element, const char* property);
  void lower_service(Lowering& model, Scope& scope, BatchModel::Service& service);
  void lower_lessons(Lowering& model, PropertyReader& read, const Element& element, BatchModel::Service& service);
  /// A whole number in a range; BAT002 otherwise.
  std::uint32_t count(Lowering& model, PropertyReader& read, const Element& element, const char* property,
                      double otherwise, double least, double most);
  double time(Lowering& model, PropertyReader& read, const Element& element, const char* property, double otherwise_s,
              bool zero, bool minutes);
  static void refuse_value(Lowering& model, const Element& at, const std::string& property, std::string message);

  std::shared_ptr<BatchPart> out_ = std::make_shared<BatchPart>();
  std::map<ElementId, std::uint32_t> stream_number_, pool_number_, service_number_;
};

}  // namespace ergode
