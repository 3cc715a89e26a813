// Ranges of values to try within which the model gets no more work than it can do.
#include <chrono>
#include <cmath>

#include "app/session/overload.h"
#include "app/session/settable.h"
#include "core/base/text.h"
#include "solvers/model/analysis_model.h"

namespace ergode {
namespace {

class Settled {
 public:
  Settled(const Document& document, const RunRequest& request, const SettableNumber& number)
      : document_(document), request_(request), number_(number) {}

  /// Whether the model, with that value, can do the work that it gets; not where it is no model then.
  bool at(double value) const {
    RunRequest asked = request_;
    const std::string& symbol = number_.unit.symbol;
    asked.overrides[number_.name] = number_text(value) + (symbol.empty() || symbol == "1" ? "" : " " + symbol);
    Diagnostics found;
    return build_model(document_, asked, asked.folder, found) != nullptr && overloads_among(found).empty();
  }
  /// The end of a range that begins at `now`, where all is well.
  double end(double now, double end) const {
    if (at(end)) return end;
    double good = now, bad = end;
    constexpr int halvings = 14;
    for (int i = 0; i < halvings && !late(); ++i) {
      double middle = 0.5 * (good + bad);
      if (number_.whole) middle = std::trunc(middle);
      if (middle == good || middle == bad) break;
      (at(middle) ? good : bad) = middle;
    }
    if (number_.whole) return good;
    constexpr double share = 0.9;
    const double near = now + share * (good - now);
    for (const int digits : {2, 3, 6})
      if (const double written = *parse_number(number_text(near, digits));
          std::abs(written - near) < 0.05 * std::abs(good - now))
        return written;
    return near;
  }

 private:
  bool late() const { return std::chrono::steady_clock::now() - began_ > std::chrono::milliseconds(330); }
  const Document& document_;
  const RunRequest& request_;
  const SettableNumber& number_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace

std::optional<UsualRange> usual_range(const Document& document, const RunRequest& request,
                                      const SettableNumber& number) {
  auto range = usual_range(number);
  if (!range) return range;
  const double now = parse_number(number.value.substr(0, number.value.find(' '))).value_or(range->from);
  const Settled settled(document, request, number);
  if (!(range->from <= now && now <= range->to) || !settled.at(now)) return range;
  const double from = settled.end(now, range->from), to = settled.end(now, range->to);
  if (number.whole && range->values > 1) {
    const double step = (range->to - range->from) / static_cast<double>(range->values - 1);
    const double down = std::floor((now - from) / step), up = std::floor((to - now) / step);
    return UsualRange{now - down * step, now + up * step, static_cast<std::uint64_t>(down + up) + 1};
  }
  range->from = from, range->to = to;
  if (from == to) range->values = 1;
  return range;
}

}  // namespace ergode
