#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/catalogue/choice.h"
#include "core/catalogue/declared_name.h"
#include "core/catalogue/edge_look.h"
#include "core/document/document.h"

namespace ergode {

class Edit;
struct ElementFigure;
class NodePen;
struct ReportSection;
struct RunRequest;

/// How a property's text is read.
/// It decides the editor of the inspector, the check, the page of the manual and which words a renaming looks at.
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

/// One property of a kind of element. The table of these feeds the inspector, the checks, the command line and the
/// manual.
/// In an element's JSON the property is a text, a number or a boolean under `name`; absent, it is `default_text`.
///
/// Which fields count for which type: `dimension` for quantities, `choices` for
/// choices, `reference` for references, `scope` for everything that holds expressions. `default_text` is written as the
/// user would write it.
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
  /// For references: kinds of the element named, separated by blanks ("chart", "component"). Of texts and, on the left
  /// sides, of arguments that name elements: their kinds, separated by blanks; "measure" for a measure or a stream of
  /// observations, observed_sort for a sort of these. Renaming goes by it.
  std::string reference;
  std::string help;  ///< One or two sentences: symbol, meaning, range.
  bool required = false;
  /// What misses it is told where it is used, in better words than "wanted a value".
  bool absence_told_elsewhere = false;
  /// Shown only when property `when_property` has one of `when_values` (empty: always).
  std::string when_property;
  std::vector<std::string> when_values;
  /// Not read where one of these other properties of the element is written, separated by blanks: a rate instead of a
  /// time between two. Its default does not apply then.
  std::string instead{};
  /// The diagram whose names an expression here means, where that is not the one its owner is drawn in.
  std::function<ElementId(const Document&, const Element& owner)> scope{};
  std::string empty_hint{};  ///< Shown in an empty field where there is no default: "unlimited".
  /// Of arguments: each is what this other property of the element would be, for one only ("service" of times by
  /// class).
  std::string each_as{};
  /// Its default does not apply where one of these other properties is written, separated by blanks, though it is read
  /// there where it is written itself: a size of jobs whose trace has sizes.
  std::string no_default_with{};
};

/// The property that is written instead of this one, which then is not read; empty: none.
std::string replaced_by(const PropertySpec& property, const Element& element);
/// Whether there is one.
bool is_replaced(const PropertySpec& property, const Element& element);
/// What an absent property means of an element: its default, or nothing where another is written instead or brings it.
std::string default_of(const PropertySpec& property, const Element& element);
/// What most kinds begin with: the name, required, under the heading Identity.
PropertySpec name_property(std::string help);
/// A property under the heading Behaviour, with the fields that most have.
PropertySpec behaviour_property(std::string name, std::string label, PropertyType type, std::string help,
                                std::string default_text = {}, std::string dimension = {});

/// Where edges attach to a node.
enum class Ports {
  sides,   ///< anywhere along its sides
  centres  ///< only in the middle of a side: circles, diamonds
};

/// Names of properties and their new texts; an empty text is an empty text, not absence.
using PropertyTexts = std::vector<std::pair<std::string, std::string>>;

/// How the report tells of the nodes of a kind among the data of a model, under a heading of their own: what the run
/// says of each (ReportInput::data), else all properties as they are given.
struct DataInReport {
  std::string data;           ///< What the section holds besides: "common-cause parameters".
  std::string heading;        ///< "Common-cause groups"
  std::string given_caption;  ///< Of the table of all properties: "Common-cause groups as given".
  std::string given_note{};   ///< A sentence below it: what it lacks; empty: none.
  std::string none{};         ///< A sentence where a model has none and might have some; empty: nothing is said.
  /// Such a model has a diagram of one of these notations.
  std::vector<std::string> expected_in{};
};

/// One kind of element: what it is called, what it is made of, how it is drawn and labelled. What is left out has a
/// default that draws and edits: a box with its name, a plain arrow.
///
/// Functions are called on the thread that draws, checks or edits, possibly several threads at once; they read the
/// document that they are given and keep nothing of it. Texts are in the language of the screen, unless they are keys
/// of the file.
///
///     KindSpec{.kind = "tank",
///              .label = "Tank",
///              .width = 100,
///              .help = "Holds what flows into it.",
///              .properties = {name_property("Letters, digits and _."),
///                             behaviour_property("capacity", "Capacity", PropertyType::quantity, "> 0", "1 m", "m")},
///              .draw = [](NodePen& pen) { pen.draw_box(); }};
struct KindSpec {
  std::string kind;   ///< "state"
  std::string label;  ///< "State"
  Section section = Section::node;
  std::string shortcut;             ///< Single key in the palette: "S"; empty: none.
  std::string icon;                 ///< Name of a bundled icon.
  double width = 120, height = 60;  ///< Default size of a node [pixels at 100 %].
  bool container = false;           ///< May contain other nodes.
  bool named = true;                ///< Must have a name that people see and expressions use.
  std::string help;
  std::vector<PropertySpec> properties;
  std::string stem{};      ///< A new one is called STEM1; empty: made of the label.
  bool free_name = false;  ///< The name is for people only, any text; else letters, digits and _.

  // Drawing.
  Ports ports = Ports::sides;
  bool compartment = false;  ///< Divides the node it stands in; dashed lines part it from the others of its kind.
  /// Draws a node at its place; null: a box with its label (core/drawing/node_pen.h).
  std::function<void(NodePen&)> draw{};
  /// How an edge looks; null: a plain arrow without label. Cost: it is asked for every edge whenever a diagram changes.
  std::function<EdgeLook(const Element&)> edge_look{};
  std::string pill_property{};  ///< Edges that name the text of this property carry this element's name on a pill.
  /// Elements of it are sorts of what runs, as classes of customers are: told apart by colour and dash, by their order
  /// in the diagram; edges may be drawn like one (EdgeLook::like), and measures may ask for one of a stream
  /// (observed_sort).
  bool told_apart = false;
  bool binds = false;  ///< An edge that says its ends belong together: with one selected, the other is marked.

  // The label that is edited in place.
  /// What it is: a name, a text, or an expression, which is checked for syntax and unit. Without `write_label` and this
  /// property there is no label.
  std::string label_property = "name";
  std::string label_hint{};  ///< Shown in an empty field: "trigger [guard] / actions"; empty: "name".
  std::function<std::string(const Element&)> write_label{};  ///< Where it is more than one property, or not as it is.
  /// Reads what `write_label` writes. @returns the properties it sets; or why not, with the column (1-based) and the
  /// text wanted in `hint`. Precondition: `text` has no blanks around it.
  std::function<std::variant<PropertyTexts, Diagnostic>(const Document&, const Element&, const std::string& text)>
      read_label{};

  /// Properties that the report lists in a table of all elements of a diagram that set one of them (of edges: of all).
  /// `*` is a column "Parameters" of all else that an element sets of its behaviour.
  std::vector<std::string> report_columns{};
  /// Of that table, "Transitions of *"; `*` is the diagram. Kinds with the same caption share a table, with the columns
  /// of the first. Without columns there is the one of all else. Empty: no table, and what is set of such nodes stands
  /// with that of all others.
  std::string report_caption{};
  /// Nodes of it are told of among the data of the model, and in no table of their diagram.
  std::optional<DataInReport> report_data{};
  /// What an element comes to, shown below its properties, with the values a run asked for like this would have.
  std::function<ReportSection(const Document&, ElementId, const RunRequest&)> preview{};
  /// Numbers that a run can give of one element, in the order in which they are written at it
  /// (core/catalogue/element_figure.h); null: none.
  std::function<std::vector<ElementFigure>(const Document&, const Element&)> figures{};

  /// Null: the kind has no such property. Valid as long as the kind stays where it is. O(properties), as first().
  const PropertySpec* property(std::string_view name) const;
  /// First property of a type, or null.
  const PropertySpec* first(PropertyType type) const;
  /// Whether it has a label at all, be it empty.
  bool labelled() const { return write_label || property(label_property) != nullptr; }
  /// The label as it is drawn and edited: what `write_label` makes, or the text of `label_property` with its default.
  std::string label_of(const Element& element) const;
  bool free_label() const;        ///< It is free text of any length.
  bool expression_label() const;  ///< It holds expressions, which can be checked while they are typed.
};

/// A diagram that users may begin: an entry of the menu, and of the command `diagram.add_NAME`.
struct DiagramKind {
  std::string name;   ///< "chart": the command is "diagram.add_chart"
  std::string label;  ///< "Statechart"; for people
  std::string menu;   ///< "New &statechart"; & marks the key
  std::string stem;   ///< The first one is called Chart1.
  std::string icon;
  std::string help_page{};    ///< Explains it while nothing is selected; empty: that of the first kind in its palette.
  bool in_new_model = false;  ///< A new model has one, called as the stem.
  /// What a model says in its header, where it says nothing of its own, when its first diagram in which anything will
  /// be drawn is one of these: texts of properties. A replication of a queue costs more than one of a chart.
  PropertyTexts header{};
  /// The start page offers a model of one such diagram alone: title and a line of what it is for; empty: it does not.
  std::string start_title{}, start_text{};
  /// Puts in what a new one holds; null: it is empty.
  std::function<void(Edit&, ElementId diagram)> fill{};
};

class NotationLowering;  // core/des/lowering.h

/// A way of drawing: its palette, rules of what may stand where and what may be connected, and what it means to the
/// panels around it. A notation is one room and one registration.
/// Functions as of KindSpec. All may be left out: nodes are then joined by nothing and stand in the diagram itself.
///
/// A notation that is registered under the name of a known one extends it: its kinds keep the rules that come with
/// them, its names, fixes and diagrams are added (Catalogue::add()).
struct NotationSpec {
  std::string name;   ///< "statechart"
  std::string label;  ///< "Statechart"
  std::string help;
  std::vector<KindSpec> kinds;
  std::vector<DiagramKind> diagrams{};
  /// Why a node of `kind` may not stand inside `parent` (null: directly in the diagram); empty: it may. Left out:
  /// everything stands directly in the diagram.
  std::function<std::string(const Document&, const std::string& kind, const Element* parent)> refuse_parent;
  /// Kind of the edge that joins two nodes of one diagram, in this direction; empty: there is none, and `why_not` gets
  /// the reason, a sentence for the user. Asked of many pairs while a line is pulled, so O(1) or little more.
  std::function<std::string(const Document&, const Element& source, const Element& target, std::string& why_not)>
      edge_kind;
  /// The names that a diagram declares. O(elements of the diagram).
  std::function<std::vector<DeclaredName>(const Document&, const Element& diagram)> names{};
  /// Ready-made steps that mend a problem this notation knows, made for this document; empty: it knows none.
  std::function<std::vector<QuickFix>(const Document&, const Diagnostic&)> fixes{};
  /// Adds what would use the diagrams that nothing uses yet, so that they can be checked. @returns those diagrams.
  std::function<std::vector<ElementId>(Edit&)> use_unused{};
  /// How its diagrams become something that runs; null: nothing of it does, or the program runs it itself. One of each
  /// is made for every model that is built.
  std::function<std::unique_ptr<NotationLowering>()> lowering{};
  bool reports_unknown_kinds = false;  ///< Its own checks report nodes and edges of kinds that nobody knows.
  const KindSpec* kind(std::string_view kind) const;
};

/// All notations and the kinds that belong to the model itself (parameter, measure, scenario, diagram, model header).
/// Filled at the start of the program, then const and for any thread. Every look-up walks through the notations and
/// kinds, of which there are some dozens.
///
///     const KindSpec* kind = catalogue().kind_of(document, element);
///     if (kind == nullptr) return;                              // of a newer version: kept, drawn, not understood
///     const std::string text = property_text(*kind, element, "trigger");
class Catalogue {
 public:
  /// A notation of a known name adds its kinds and rules to that one. Adding moves kinds: no pointer to one outlives
  /// it.
  void add(NotationSpec notation);
  /// A kind of a section that is neither node nor edge; not checked against those that are there.
  void add(KindSpec model_kind);
  /// In the order in which they were added; addresses of notations stay, those of their kinds do not while rooms are
  /// added.
  const std::deque<NotationSpec>& notations() const { return notations_; }
  const std::vector<KindSpec>& model_kinds() const { return model_kinds_; }
  /// By name; null: there is none.
  const NotationSpec* notation(std::string_view name) const;
  /// The notation in which a diagram is drawn, or null.
  const NotationSpec* notation_of(const Document& document, ElementId diagram) const;
  /// The kind of diagram called "chart", with the notation that has it; nulls: there is none.
  std::pair<const NotationSpec*, const DiagramKind*> diagram_kind(std::string_view name) const;
  /// The spec of an element's kind, or null when nobody knows it (the element is then an opaque placeholder).
  const KindSpec* kind_of(const Document& document, const Element& element) const;

 private:
  std::deque<NotationSpec> notations_;
  std::vector<KindSpec> model_kinds_;
};

/// The unit of the dimension that a property of this element wants, as in PropertySpec::dimension: "" dimensionless,
/// "*" any.
std::string wanted_unit(const KindSpec& kind, const Element& element, const PropertySpec& property);

/// Value of a property as text: what the element says, or the default of its spec; empty for a property that the kind
/// does not know.
std::string property_text(const KindSpec& kind, const Element& element, std::string_view property);

}  // namespace ergode
