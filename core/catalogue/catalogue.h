#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/document/document.h"

namespace ergode {

/// How a property's text is read.
enum class PropertyType {
  text,        ///< free text (name, label, source)
  notes,       ///< several lines of free text
  boolean,     ///< true or false
  integer,     ///< whole number, or an expression giving one
  quantity,    ///< expression with a unit: "8 h", "2*T_repair"
  predicate,   ///< expression that is true or false
  expression,  ///< expression of any type
  choice,      ///< one of `choices`, or the name of a choice parameter
  trigger,     ///< "after(8 h)", "rate(lambda)", "demand", ...
  actions,     ///< "x := x + 1; send(demand, EDG)"
  arguments,   ///< "lambda = 2*lambda_ind, mttr = 8 h": values for a chart's own parameters
  reference    ///< name of another element: `reference` says of which kind
};

/// One of the words that a property may be.
struct Choice {
  std::string name;   ///< In the file and on the command line: "alpha_staggered".
  std::string label;  ///< For people: "Alpha factors, staggered".
};

/// What people read for a word; the word itself when it is none of these (the name of a choice parameter).
std::string choice_label(const std::vector<Choice>& choices, std::string_view name);
/// The word for what people read; the text itself when it is none of these.
std::string choice_name(const std::vector<Choice>& choices, std::string_view text);

/// One property of a kind of element. The table of these feeds the inspector, the checks, the command line and the
/// manual.
struct PropertySpec {
  std::string name;   ///< Key in the file: "delay_mean".
  std::string label;  ///< For people: "Mean delay".
  PropertyType type = PropertyType::text;
  std::string group;         ///< Heading in the inspector: "Identity", "Behaviour", "Reliability", ...
  std::string default_text;  ///< What absence means.
  std::string dimension;     ///< Quantities: a unit of the right dimension ("h", "/h"), "" dimensionless, "*" any.
  /// Where the dimension depends on another property (then `dimension` is "*"): which, and the unit for its values.
  std::string dimension_of{};
  std::vector<std::pair<std::string, std::string>> dimensions{};
  std::vector<Choice> choices;
  std::string reference;  ///< For references: kind of the element named ("chart", "component").
  std::string help;       ///< One or two sentences: symbol, meaning, range.
  bool required = false;
  /// Shown only when property `when_property` has one of `when_values` (empty: always).
  std::string when_property;
  std::vector<std::string> when_values;
};

enum class Shape { none, state, point, note, component, group, transition, membership };

struct KindSpec {
  std::string kind;   ///< "state"
  std::string label;  ///< "State"
  Section section = Section::node;
  Shape shape = Shape::none;
  std::string shortcut;             ///< Single key in the palette: "S"; empty: none.
  std::string icon;                 ///< Name of a bundled icon.
  double width = 120, height = 60;  ///< Default size of a node.
  bool container = false;           ///< May contain other nodes.
  bool named = true;                ///< Has a name that people see and expressions use.
  std::string help;
  std::vector<PropertySpec> properties;
  const PropertySpec* property(std::string_view name) const;
};

/// A way of drawing: its palette, and rules of what may stand where and what may be connected.
struct NotationSpec {
  std::string name;   ///< "statechart"
  std::string label;  ///< "Statechart"
  std::string help;
  std::vector<KindSpec> kinds;
  /// Why a node of `kind` may not stand inside `parent` (null: directly in the diagram); empty: it may.
  std::function<std::string(const Document&, const std::string& kind, const Element* parent)> refuse_parent;
  /// Kind of the edge that joins two nodes, or the reason why there is none.
  std::function<std::string(const Document&, const Element& source, const Element& target, std::string& why_not)>
      edge_kind;
  const KindSpec* kind(std::string_view kind) const;
};

/// All notations and the kinds that belong to the model itself (parameter, measure, scenario, diagram, model header).
class Catalogue {
 public:
  void add(NotationSpec notation);
  void add(KindSpec model_kind);
  const std::vector<NotationSpec>& notations() const { return notations_; }
  const std::vector<KindSpec>& model_kinds() const { return model_kinds_; }
  const NotationSpec* notation(std::string_view name) const;
  /// The spec of an element's kind, or null when nobody knows it (the element is then an opaque placeholder).
  const KindSpec* kind_of(const Document& document, const Element& element) const;

 private:
  std::vector<NotationSpec> notations_;
  std::vector<KindSpec> model_kinds_;
};

/// The unit of the dimension that a property of this element wants, as in PropertySpec::dimension.
std::string wanted_unit(const KindSpec& kind, const Element& element, const PropertySpec& property);

/// Value of a property as text: what the element says, or the default of its spec.
std::string property_text(const KindSpec& kind, const Element& element, std::string_view property);

}  // namespace ergode
