#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/document/document.h"
#include "core/expression/parameters.h"
#include "core/expression/syntax.h"
#include "statecharts/model/state_chart.h"

namespace ergode {

/// What writers of other formats share: the lowered chart, what its states are called outside, constants worked out,
/// and a list of what the format cannot say. It keeps nothing of the document it is made from. Nothing in it throws.
class ChartExport {
 public:
  /// Lowers the diagram and works out the document's parameters, without a scenario. With errors in diagnostics() there
  /// is nothing to write, and chart() must not be read.
  /// @param diagram  of notation `statechart` in this document.
  ChartExport(const Document& document, const Element& diagram);

  const StateChart& chart() const { return chart_; }
  /// @param index  0 .. chart().states.size() - 1; 0 is the chart itself
  const State& state(int index) const { return chart_.states[static_cast<std::size_t>(index)]; }
  /// The states' ids outside: `scxml_id`, else the name where it is unique, else the path; never empty or alike: what
  /// has no name is called after its kind, and a name that is taken gets _2, _3 and so on. The chart itself, 0, has
  /// none.
  const std::string& id(int state) const { return ids_[static_cast<std::size_t>(state)]; }
  const Diagnostics& diagnostics() const { return diagnostics_; }
  /// The format cannot say it: an error that names the element.
  /// @param property  of the element, which becomes `pointer`; empty: the element itself
  void refuse(const char* code, ElementId element, const char* property, std::string message);
  /// Said otherwise or left out without changing what the chart does: an entry of severity info.
  void note(const char* code, ElementId element, const char* property, std::string message);

  /// Initial value of a variable of the chart, or the value of a parameter: SI; booleans 0 or 1.
  /// Not a constant: refused as SCX102, and 0.
  double initial(const ChartVariable& variable);
  /// A delay that is known before the run [s]; nothing when it is random or depends on variables.
  std::optional<double> constant_time(const Syntax& syntax);
  /// Of the chart; null: none of that name. Valid as long as this. O(variables).
  const ChartVariable* variable(const std::string& name) const;
  /// The state that a path within this chart names; -1: none, several, or a state of another component.
  int state_of(const Syntax& path) const;

  /// How expressions are spelled outside. Operators are those of C (`&&`, `||`, `!`, `?:`), quantities are numbers in
  /// SI, parameters their values; `if`, `clamp` and `table` are written out with `?:`. All functions but `carries` must
  /// be set.
  struct Spelling {
    std::function<std::string(int state)> active;
    std::function<std::string(const std::string& name)> carried;    ///< event.x
    std::function<std::string(const std::string& name)> carries;    ///< event.x == event.x; none: written as it stands
    std::function<std::string(const std::string& event)> event_is;  ///< event.name == "..."
    std::string event_seen;                                         ///< there has been an event
    std::function<std::string(const std::string& name)> variable;
    /// Ours -> theirs; `^` and `mod` too, called with two arguments. Without an entry `mod` is written as the operator
    /// `%`; any other function without one has no spelling.
    std::map<std::string, std::string> functions;
    const char* equal = "==";  ///< the operator for `==`
  };
  /// The expression in the other spelling; nothing when it has none (texts, lists, other components, units that are not
  /// known): then it was refused, with this code, element and property. Recursive by the height of the expression.
  std::optional<std::string> write(const Syntax& syntax, const Spelling& spelling, const char* code, ElementId element,
                                   const char* property);

 private:
  std::string written(const Syntax& syntax, const Spelling& spelling);
  std::string path(const Syntax& syntax, const Spelling& spelling);
  std::string table(const Syntax& syntax, const Spelling& spelling);

  Diagnostics diagnostics_;
  StateChart chart_;
  ParameterTable parameters_;
  std::vector<std::string> ids_;
};

/// A number as programming languages read it: 5, 0.25, 1e-06. Whole numbers below 1e15 have neither a fraction nor an
/// exponent; every finite number reads back as the same double.
std::string plain_number(double value);

}  // namespace ergode
