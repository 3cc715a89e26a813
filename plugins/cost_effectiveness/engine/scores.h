#pragma once
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace cost_effectiveness {

/// The one or two digits behind the first "Total score: ", where they are a number from 0 to 24; nothing of every other
/// answer.
std::optional<int> total_score(std::string_view answer);
struct MeanError {
  double mean = 0.0;  ///< of |truth - answer| over the answers that parse; NaN of none
  std::size_t parsed = 0, dropped = 0;
};
/// @param truths, answers  of one length
MeanError mean_absolute_error(const std::vector<int>& truths, const std::vector<std::optional<int>>& answers);

/// Answers to questions with two classes; what is of neither counts as wrong.
struct Confusion {
  /// By truth: answered the first class, the second, neither.
  double first_as_first = 0, first_as_second = 0, first_unparsed = 0;
  double second_as_first = 0, second_as_second = 0, second_unparsed = 0;
  double size() const;
};
/// The class that an answer begins with, whatever its case: entail is 0, contradict is 1.
std::optional<int> entailment(std::string_view answer);
struct Classified {
  double accuracy = 0.0;
  double f1_weighted = 0.0;  ///< by the classes' numbers
  double f1_macro = 0.0;     ///< plain mean
};
/// 2 TP / (2 TP + FP + FN) of each class, what was not parsed being among its FN.
Classified classified(const Confusion& counts);

}  // namespace cost_effectiveness
