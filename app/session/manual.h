#pragma once
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/document/document.h"

namespace ergode {

/// A page of the offline help, in Markdown. Links name other pages: `[Measures](5_measures)`.
struct HelpPage {
  /// "3_time_and_events", "kind.state", "run_options", "solvers"; "kind.queueing.transition" where another notation has
  /// a kind of that name
  std::string name;
  std::string title;    ///< "What makes a transition happen"
  std::string chapter;  ///< Where it stands in the contents: "Guide", "Elements", "Reference", "Plugins".
  std::string text;
};

/// The guide (app/session/help), a page for each kind of element and pages for solvers, run options and problem codes.
/// All but the guide are made from the tables that the inspector, the checks and the command line use, so none of
/// them can be out of date. Made once.
const std::vector<HelpPage>& help_pages();
/// Null when there is none.
const HelpPage* find_help(const std::string& name);
/// The page of a kind; null when there is none. @param notation  it belongs to; null: to the model
const HelpPage* help_of(const NotationSpec* notation, const KindSpec& kind);
/// The page that explains an element: that of its kind; of an unknown kind the first page. Lives as long as the
/// program.
const HelpPage& help_for(const Document& document, const Element& element);

}  // namespace ergode
