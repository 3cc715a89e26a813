#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>

#include "core/expression/parameters.h"
#include "core/expression/written_unit.h"
#include "solvers/cluster/lowering/rental_lowering.h"
#include "solvers/cluster/running/rental_part.h"

namespace ergode {

/// The steps of rental_lowering(): names and flows in rental_lowering.cpp, values in rental_values.cpp, what GPUs are
/// rented by in rental_contracts.cpp, and what a budget buys in rental_plans.cpp.
class RentalLowering : public NotationLowering {
 public:
  void declare(Lowering& model) override;
  std::shared_ptr<LoweredPart> lower(Lowering& model, Scope& scope) override;

 private:
  RentalModel& net() { return out_->model; }
  void declare_name(Lowering& model, const Element& element, const char* what);
  std::uint32_t slot(Lowering& model, const Element& element, const char* word, ValueType type, double scale = 1.0,
                     const char* unit = "");
  void declare_stream(Lowering& model, const Element& element);
  void declare_rental(Lowering& model, const Element& element);
  void join(Lowering& model, const Element& flow);
  void declare_observations(Lowering& model);

  void lower_stream(Lowering& model, Scope& scope, RentalModel::Stream& stream);
  void lower_arrivals(Lowering& model, Scope& scope, const Element& element, RentalModel::Stream& stream);
  Distribution law(Lowering& model, Scope& scope, const Element& at, const char* property, const char* otherwise);
  void lower_rental(Lowering& model, Scope& scope, RentalModel::Rental& rental);
  void lower_failures(Lowering& model, Scope& scope, PropertyReader& read, const Element& element,
                      RentalModel::Rental& rental);
  void lower_contract(Lowering& model, Scope& scope, PropertyReader& read, const Element& element,
                      RentalModel::Rental& rental);
  void lower_interruptions(Lowering& model, Scope& scope, PropertyReader& read, const Element& element,
                           RentalModel::Rental& rental);
  void lower_budget(Lowering& model, PropertyReader& read, const Element& element, RentalModel::Rental& rental);
  /// A finite number >= 0 of this dimension; RNT002 and `otherwise` for others.
  static double from_zero(Lowering& model, PropertyReader& read, const Element& element, const char* property,
                          const char* what, Dimension dimension, const char* unit, double otherwise = 0.0);
  /// Puts a budget in GPUs in the place of one in money. @returns false: there is none
  bool spend_money(Lowering& model, const Element& element, RentalModel::Rental& rental);
  void lower_exponent(Lowering& model, PropertyReader& read, const Element& element, RentalModel::Rental& rental);
  /// RNT008 where they are not.
  bool rates_are_known(Lowering& model, const RentalModel::Rental& rental);
  void plan(Lowering& model, const Element& element, RentalModel::Rental& rental);
  /// RNT011: jobs that take ten times as long, or more, by what they do over again.
  void warn_of_restarts(Lowering& model, const Element& element, const RentalModel::Rental& rental);
  void compare_load(Lowering& model, const Element& element, const RentalModel::Rental& rental);
  /// RNT002. Nothing where its text is refused already: what stands for its value is nobody's then.
  static void refuse_value(Lowering& model, const Element& at, const std::string& property, std::string message);
  /// The unit in which a property is written, for what is said of its value.
  static Unit unit_of(const Lowering& model, const Element& at, const char* property, const char* usual);

  std::shared_ptr<RentalPart> out_ = std::make_shared<RentalPart>();
  std::map<ElementId, std::uint32_t> stream_number_, rental_number_;
  std::set<ElementId> misled_;  ///< streams with a flow that was refused
};

/// USD per time.
Dimension money_per_time();
/// Whether a property says anything.
bool is_given(const Element& element, const char* property);

}  // namespace ergode
