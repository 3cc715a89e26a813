#pragma once
#include <functional>
#include <string>

#include "core/study/exact_answers.h"
#include "solvers/model/analysis_model.h"
#include "solvers/queueing/model/known_elements.h"
#include "solvers/queueing/solve/network_means.h"

namespace ergode {

/// What solvers of networks share: how a model is asked whether it is one, and how means per station and class become
/// answers and tables. Each solver adds only its own way to the means.

/// The networks of a model that holds nothing else; null, or with reasons (SOL001 at each element), where it does.
/// @param solver  its name, for the reasons
const NetworkModel* networks_of(const AnalysisModel& model, const std::string& solver, Diagnostics& reasons);

/// How answers are marked.
struct AnswerMarks {
  const char* method = "";   ///< "mean value analysis"
  bool approximate = false;  ///< then no answer has ends, and nothing is called exact
  /// Bound on the numerical error of a value [the value's unit], or of a sum of values, by the sum of their magnitudes;
  /// empty: that of rounding where a load is so near 1 that digits are lost, and else none to speak of.
  std::function<double(double value)> error = {};
};

/// Answers the model's measures as far as means know them (averages of a number at a station, means and rates of what
/// is observed, by class), with SOL002 for the others; then adds the table "stations" and, for every station and class
/// that anybody comes to, measures `queue_length/STATION/CLASS`, `response_time/...`, `waiting_time/...`,
/// `utilisation/...`, `throughput/...`, `residence_time/...` (all visits of one passage); where customers may be turned
/// away or give up `loss_probability/...` and `abandonment_probability/...`, the shares of all who come. From end to
/// end there are the table "passages" and measures `system_number/CLASS`, `system_throughput/CLASS`,
/// `system_response_time/CLASS`, `system_waiting_time/CLASS` (in all lines): of closed classes a passage ends at their
/// reference, and the stay there is no part of it where it is a delay; classes that become others have one passage,
/// under their names joined by +, as have its residence times (then also in the table "residences"). A measure of the
/// model asks for passages by the class as which they end, as simulation tells it; response and waiting times are of
/// the class that visits. Times of passages and residences are left out where customers are turned away or give up.
/// Last comes the table "utilisation" (utilisation_table()), which names the bottleneck.
/// @param known  asked first for each of the model's measures: whether it answered; may be empty
void answer_networks(const AnalysisModel& model, const NetworkModel& networks, const NetworkMeans& means,
                     const AnswerMarks& style, ExactAnswers& answers, ResultSet& out,
                     const std::function<bool(const Measure&)>& known = {});

}  // namespace ergode
