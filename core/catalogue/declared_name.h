#pragma once
#include <string>
#include <vector>

#include "core/base/element_id.h"

namespace ergode {

/// A name that expressions may use, as a notation declares it. Renaming, finding uses and hiding of outer names all
/// go by these, so that nobody else has to know the kinds that declare them.
///
///     a parameter lambda                  path {lambda}, value; scope null
///     a component EDG of a chart Diesel   path {EDG}, no value; scope null, members the chart
///     a state Running of that chart       path {Running}, no value; scope the chart
///     a slot level of a tank              path {tank, level}, no element; scope null
struct DeclaredName {
  /// The words as written with dots, outermost first: {"Running", "FirstHour"}, {"tank", "level"}.
  std::vector<std::string> path;
  ElementId element;  ///< Has the last word as its name; null: a fixed word, such as the slot `level` of a tank.
  /// Where it is known: in the texts of this diagram, and behind a name with these `members`; null: everywhere.
  ElementId scope;
  ElementId members;  ///< Names with this scope may follow after a dot; null: none may.
  /// A variable, parameter or slot: it is named whole, and hides the same word further out. Else a state, a component:
  /// any beginning of a longer path may mean it.
  bool value = true;
  /// May be named without the words before its last one, or some of them, where only one name fits.
  bool shortened = false;
  /// A stream of observations: measures name it, expressions do not.
  bool stream = false;
};

}  // namespace ergode
