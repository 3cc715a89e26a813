#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/session/sweep.h"
#include "core/base/value.h"
#include "core/results/result_set.h"
#include "core/results/result_table.h"

namespace ergode {

/// What a measure is under one choice, and how far it is from the first.
struct PairedDifference {
  std::string measure, unit, choice;
  double mean = 0.0;
  double difference = 0.0;          ///< mean of this choice less the first, of runs with one seed each
  double lower = 0.0, upper = 0.0;  ///< Student's interval of the difference; NaN with one pair alone
  std::size_t pairs = 0;            ///< in which both answered; 0: nothing is known
};

/// Choices of a parameter compared on the same random numbers.
struct PairedComparison {
  SweepAxis axis;
  std::size_t pairs = 0;  ///< runs of each choice
  double confidence = 0.95;
  bool same = false;                   ///< nothing is random: two runs of each choice were alike, and no more were made
  std::vector<PairedDifference> rows;  ///< by measure, then by choice
  std::vector<std::string> problems;   ///< of points, each once
  SweepWarnings warnings;              ///< by place of the choice
  /// The first run of the first choice that answered: what a record of the comparison stands with; null: none did.
  std::shared_ptr<const ResultSet> base;
};

/// Runs every choice `pairs` times, each time all of them with one seed: that of the order, the next one, and so on.
/// What is drawn by the name of what draws it (arrivals, sizes) is then the same for all choices, so that differences
/// are known better than values. Where two runs of every choice have the same answers to the last bit, no more are
/// made.
///
/// @param pairs     >= 2
/// @param measures  that are compared; empty: all
/// @param stopped   asked often
/// @param paired    told how many pairs are made, after each, on the calling thread
/// Law, Simulation Modeling and Analysis, 5th ed., 2015, sections 10.2 and 11.2 (paired-t, common random numbers).
PairedComparison compare_choices(const SweepOrder& order, const SweepAxis& axis, std::size_t pairs,
                                 const std::vector<std::string>& measures, const std::function<bool()>& stopped,
                                 const std::function<void(std::size_t)>& paired = {});

/// The comparison as a run to be kept, reported and shown: its `base` with the table below before the others; null
/// without one.
std::shared_ptr<const ResultSet> comparison_record(const PairedComparison& comparison);
/// What runs that are kept of it are labelled: "compared: policy = fifo, srtf".
std::string comparison_label(const PairedComparison& comparison);
ResultTable comparison_table(const PairedComparison& comparison);
/// With a head line: measure,unit,NAME,mean,difference,lower,upper,pairs.
std::string comparison_csv(const PairedComparison& comparison);
/// {"compare", "pairs", "confidence", "deterministic", "rows": [{measure, unit, choice, mean, difference, lower, upper,
/// pairs}], "problems"}
Value comparison_json(const PairedComparison& comparison);

}  // namespace ergode
