#include "plugins/cost_effectiveness/engine/scores.h"

#include <cctype>
#include <cmath>
#include <limits>

namespace cost_effectiveness {

std::optional<int> total_score(std::string_view answer) {
  constexpr std::string_view mark = "Total score: ";
  constexpr int most = 24;
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t at = answer.find(mark); at != std::string_view::npos; at = answer.find(mark, at + 1)) {
    const std::string_view rest = answer.substr(at + mark.size());
    if (rest.empty() || !digit(rest[0])) continue;  // the first match is the first with digits
    int value = rest[0] - '0';
    if (rest.size() > 1 && digit(rest[1])) value = 10 * value + (rest[1] - '0');
    return value <= most ? std::optional<int>(value) : std::nullopt;
  }
  return std::nullopt;
}

MeanError mean_absolute_error(const std::vector<int>& truths, const std::vector<std::optional<int>>& answers) {
  MeanError out;
  double sum = 0.0;
  for (std::size_t i = 0; i < truths.size(); ++i) {
    if (!answers[i]) ++out.dropped;
    else ++out.parsed, sum += std::abs(truths[i] - *answers[i]);
  }
  out.mean = out.parsed > 0 ? sum / static_cast<double>(out.parsed) : std::numeric_limits<double>::quiet_NaN();
  return out;
}

double Confusion::size() const {
  return first_as_first + first_as_second + first_unparsed + second_as_first + second_as_second + second_unparsed;
}

std::optional<int> entailment(std::string_view answer) {
  const auto begins = [answer](std::string_view word) {
    if (answer.size() < word.size()) return false;
    for (std::size_t i = 0; i < word.size(); ++i)
      if (std::tolower(static_cast<unsigned char>(answer[i])) != word[i]) return false;
    return true;
  };
  if (begins("entail")) return 0;
  if (begins("contradict")) return 1;
  return std::nullopt;
}

Classified classified(const Confusion& n) {
  const auto f1 = [](double true_positive, double false_positive, double false_negative) {
    const double all = 2.0 * true_positive + false_positive + false_negative;
    return all > 0.0 ? 2.0 * true_positive / all : 0.0;
  };
  const double first = f1(n.first_as_first, n.second_as_first, n.first_as_second + n.first_unparsed),
               second = f1(n.second_as_second, n.first_as_second, n.second_as_first + n.second_unparsed);
  const double firsts = n.first_as_first + n.first_as_second + n.first_unparsed, all = n.size();
  Classified out;
  if (!(all > 0.0)) return out;
  out.accuracy = (n.first_as_first + n.second_as_second) / all;
  out.f1_weighted = (firsts * first + (all - firsts) * second) / all;
  out.f1_macro = (first + second) / 2.0;
  return out;
}

}  // namespace cost_effectiveness
