#include "core/random/trace.h"

#include "core/base/text.h"

namespace ergode {

void check_trace(CsvNumbers& numbers, const std::string& file, bool times, const std::string& unit, std::size_t most) {
  double before = 0.0;
  for (std::size_t i = 0; i < numbers.values.size(); ++i) {
    const double value = numbers.values[i];
    if (value >= 0.0 && (!times || value >= before)) {
      before = value;
      continue;
    }
    if (numbers.problems.size() >= most) {
      ++numbers.untold;
      continue;
    }
    std::string what = file + ", row " + std::to_string(numbers.rows[i]) + ": " + number_text(value) + " " + unit;
    if (value < 0.0) what += ", wanted >= 0 " + unit;
    else what += " after " + number_text(before) + " " + unit + ", wanted times that do not fall";
    numbers.problems.push_back(std::move(what));
  }
}

}  // namespace ergode
