#pragma once
#include <optional>

#include "core/study/exact_answers.h"
#include "solvers/queueing/solve/product_form.h"

namespace ergode {

/// Between what throughputs and response times of the classes of a product-form network lie, without solving it: the
/// table "bounds" with a row per class and kind of bound; measures `system_throughput/CLASS` and
/// `system_response_time/CLASS` (per passage: of closed classes from one visit of the reference station to the next,
/// delays left out), whose ends are the tightest of them; and the table "demands": what a passage asks of every
/// station, and from which population on the one with the greatest demand, the bottleneck, is what limits the class. Of
/// two closed classes the table "bottlenecks" too: which stations saturate at which share of the first
/// (saturation_sectors()).
///
/// @returns why there are none: stations with several servers (QUE105), open and closed classes or several open ones.
std::optional<Diagnostic> answer_bounds(const NetworkModel& model, const ProductForm& form, ExactAnswers& answers);

}  // namespace ergode
