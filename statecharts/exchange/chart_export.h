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
/// and a list of what the format cannot say.
class ChartExport {
 public:
  /// Lowers the diagram. With errors in diagnostics() there is nothing to write.
  ChartExport(const Document& document, const Element& diagram);

  const StateChart& chart() const { return chart_; }
  const State& state(int index) const { return chart_.states[static_cast<std::size_t>(index)]; }
  /// The states' ids outside: `scxml_id`, else the name where it is unique, else the path; never empty or alike.
  const std::string& id(int state) const { return ids_[static_cast<std::size_t>(state)]; }
  const Diagnostics& diagnostics() const { return diagnostics_; }
  /// The format cannot say it: names the element.
  void refuse(const char* code, ElementId element, const char* property, std::string message);
  /// Said otherwise or left out without changing what the chart does.
  void note(const char* code, ElementId element, const char* property, std::string message);

  /// Initial value of a variable of the chart, or the value of a parameter: SI; booleans 0 or 1.
  double initial(const ChartVariable& variable);
  /// A delay that is known before the run [s]; nothing when it is random or depends on variables.
  std::optional<double> constant_time(const Syntax& syntax);
  const ChartVariable* variable(const std::string& name) const;
  /// The state that a path within this chart names; -1: none.
  int state_of(const Syntax& path) const;

  /// How expressions are spelled outside. Every function gets operands already written and in brackets where needed.
  struct Spelling {
    std::function<std::string(int state)> active;
    std::function<std::string(const std::string& name)> carried;    ///< event.x
    std::function<std::string(const std::string& name)> carries;    ///< event.x == event.x; none: written as it stands
    std::function<std::string(const std::string& event)> event_is;  ///< event.name == "..."
    std::string event_seen;                                         ///< there has been an event
    std::function<std::string(const std::string& name)> variable;
    std::map<std::string, std::string> functions;  ///< ours -> theirs; `^` and `mod` too
    const char* equal = "==";
  };
  /// The expression in the other spelling; nothing when it has none: then it was refused.
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

/// A number as programming languages read it: 5, 0.25, 1e-06.
std::string plain_number(double value);

}  // namespace ergode
