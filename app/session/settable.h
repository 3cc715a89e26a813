#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/unit.h"
#include "core/document/document.h"
#include "core/study/run_request.h"

namespace ergode {

/// A number of the model that can be given another value for one run: a parameter, or a property of an element by its
/// path ("desk.servers", core/document/property_path.h).
struct SettableNumber {
  std::string name;
  std::string value;  ///< as people read it, with its unit: "0.9 /s"; empty: a property that says nothing (unlimited)
  Unit unit;          ///< in which a number without one is meant
  bool whole = false;
  std::optional<double> minimum = {}, maximum = {};  ///< of a parameter that has them, in its unit
  bool drawn = false;                                ///< a property of a node or an edge
  bool written = false;                              ///< a property that is written there: no default
};

/// Values to try where nobody says which: equally far apart, both ends among them, in the number's unit.
struct UsualRange {
  double from = 0.0, to = 1.0;
  std::uint64_t values = 11;
};
/// Around what the number is: from half of it to half as much again; of what has no unit and is between 0 and 1, which
/// is a share more often than not, no nearer to 1 than halfway. Of few whole numbers each up to twice what it is, of
/// greater ones some, each a whole number. Never beyond minimum or maximum. Nothing where it says nothing.
std::optional<UsualRange> usual_range(const SettableNumber& number);

/// The same, but no farther than nine tenths of the way to where the model gets more work than it can do (QN010), where
/// it does not as it stands: a curve of what grows without end tells nothing. Builds the model some dozen times, or as
/// often as fits into a third of a second.
std::optional<UsualRange> usual_range(const Document& document, const RunRequest& request,
                                      const SettableNumber& number);

/// Parameters that are numbers, then numeric properties in document order: whole numbers and quantities, and
/// expressions that are constant numbers as they stand, laws not. Values are those of the request. O(elements log
/// elements).
std::vector<SettableNumber> settable_numbers(const Document& document, const RunRequest& request);
/// The one of this name.
/// @returns PAR006 no such parameter, PAR009 no such element, PAR010 no such property, or one that is no number: with
/// what there is
std::variant<SettableNumber, Diagnostic> settable_number(const Document& document, const RunRequest& request,
                                                         const std::string& name);

/// A parameter that is one of several words.
struct SettableWords {
  std::string name;
  std::vector<std::string> words;
};
/// Parameters of type choice and boolean, in document order.
std::vector<SettableWords> settable_choices(const Document& document, const RunRequest& request);
/// The words that a parameter of type choice or boolean may be, or a property of such a type; empty: it has none.
std::vector<std::string> settable_words(const Document& document, const RunRequest& request, const std::string& name);

/// PAR010 for each path among the values that are set whose element is known and has no such property, or one that says
/// nothing of what runs (names, notes, references), with what there is; PAR012 for each that is set to nothing though
/// something is written, or its default is not nothing.
Diagnostics unknown_properties(const Document& document, const RunRequest& request);

/// PAR011 (warning) for each value that is set and read by nothing, so that the run is the same without it: a parameter
/// that nothing in the model names; a property that another one decides about (the exponent of a speedup that is no
/// power), instead of which another is written (a rate instead of a time between arrivals), or that the run's own seed
/// or number of replications replaces. All as the other values of the request have it. No error, because in a sweep a
/// value may count at some points only.
/// O(text of the model) for each parameter that is set.
Diagnostics values_without_effect(const Document& document, const RunRequest& request);

}  // namespace ergode
