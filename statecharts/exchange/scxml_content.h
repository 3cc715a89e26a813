#pragma once
#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "core/base/diagnostic.h"
#include "statecharts/exchange/scxml_names.h"
#include "statecharts/exchange/xml_text.h"

namespace ergode {

/// Collects what an import has to say, each with the place in the SCXML document.
class ScxmlReport {
 public:
  explicit ScxmlReport(std::string_view text) : places_(text) {}
  /// @param lost  what the chart does is not what the document says: the import is not complete.
  void add(Severity severity, const char* code, pugi::xml_node node, ElementId element, const std::string& message,
           bool lost, std::string hint = {});
  void clear() { diagnostics = {}, complete = true, logs = 0; }

  Diagnostics diagnostics;
  bool complete = true;
  int logs = 0;  ///< log elements left out

 private:
  TextPlaces places_;
};

/// An element's name without its namespace prefix.
std::string_view local_name(pugi::xml_node node);
/// An attribute without spaces around it; empty when it is absent.
std::string_view trimmed(pugi::xml_node node, const char* attribute);
/// The conjunction of two conditions; an empty one always holds.
std::string both(const std::string& a, const std::string& b);
/// A file that a document in `folder` names by `src`; nothing outside its folder is read.
std::optional<std::string> file_text(const std::string& folder, std::string_view name);

/// Translates executable content to actions of our language.
class ScxmlContent {
 public:
  ScxmlContent(ScxmlNames& names, ScxmlReport& report, std::string folder)
      : names_(names), report_(report), folder_(std::move(folder)) {}

  /// One block: the children of onentry, onexit, transition, initial's transition. An error ends it.
  std::string block(pugi::xml_node parent, ElementId element);
  /// What a final state leaves for handlers of done.state.`id`, and takes back of what others have left.
  /// @param node  its donedata; null: it has none.
  std::string done_data(pugi::xml_node node, const std::string& id, ElementId element);
  /// A condition. What cannot be evaluated counts as false and raises error.execution (section 5.9.1).
  struct Condition {
    std::string text;   ///< empty: always
    std::string fails;  ///< condition that it cannot be evaluated; empty: it always can, "true": never
  };
  Condition condition(pugi::xml_node node, ElementId element);
  /// The event error.execution as a call of raise, where `fails` holds.
  std::string execution_error(const std::string& fails);
  /// Declares a variable and its value; @returns actions needed at the start.
  std::string data(pugi::xml_node node, ElementId element);
  /// Functions of a script at the top, for calls without arguments.
  std::string script(pugi::xml_node node, ElementId element);
  /// Names of branch variables start again.
  void restart() { branches_ = 0, functions_.clear(); }

 private:
  struct Choice {
    std::string condition;  ///< empty: always
    std::string value;
  };
  /// Starts a block of actions.
  void begin(ElementId element) {
    element_ = element;
    out_.clear(), guard_.clear(), spared_.clear(), stopped_ = false;
  }
  void execute(pugi::xml_node node);
  void log(pugi::xml_node node);
  void assign(pugi::xml_node node, const std::string& location, const EcmaValue& value);
  void assign_text(pugi::xml_node node, const std::string& location, const std::string& expression);
  void branch(pugi::xml_node node);
  bool plain_branch(pugi::xml_node node);
  bool single_event(pugi::xml_node node);
  void for_each(pugi::xml_node node);
  void raise(pugi::xml_node node);
  void send(pugi::xml_node node);
  void cancel(pugi::xml_node node);
  void statements(pugi::xml_node node, std::string_view script, int depth);
  void statement(pugi::xml_node node, std::string_view text, int depth);
  std::string script_text(pugi::xml_node node);
  /// Arguments of an event made here: parameters and the fields that the document reads. Nothing: an error ended it.
  std::optional<std::string> parameters(pugi::xml_node node, const std::string& event, std::string_view type,
                                        const std::string& id);
  EcmaValue constant(const std::string& text);
  std::string fields(const std::string& event, std::string_view type, const std::string& id);
  std::optional<std::string> delay(pugi::xml_node node);
  /// The texts an attribute `x` or `xexpr` may take, each with its condition. Nothing: an error ended it.
  std::optional<std::vector<Choice>> choices(pugi::xml_node node, const char* attribute, const char* expression);
  /// Translates; nothing when it cannot be: the error is raised or reported.
  std::optional<EcmaValue> value(pugi::xml_node node, const std::string& text);
  void fail(pugi::xml_node node, const char* event, const std::string& why, const std::string& id = {});
  /// Raises the error while `fails` holds and spares what follows in the block.
  void fail_if(pugi::xml_node node, std::string fails, const std::string& why);
  /// A condition inside a block, which is evaluated where `asked` holds; the error is raised here.
  std::string judged(pugi::xml_node node, const std::string& asked);
  void report_done_data(pugi::xml_node node, const std::string& text);
  void emit(const std::string& call, const std::string& arguments, const std::string& condition = {});
  void append(const std::string& action) { out_ += (out_.empty() ? "" : "; ") + action; }
  std::string live(const std::string& condition = {}) const;

  ScxmlNames& names_;
  ScxmlReport& report_;
  std::string folder_;
  std::map<std::string, std::string> functions_;
  ElementId element_;
  std::string out_;
  std::string guard_;   ///< condition of the branch of `if` around; empty: none
  std::string spared_;  ///< condition that no error ended the block; empty: none could
  bool stopped_ = false;
  int branches_ = 0, nesting_ = 0;
};

}  // namespace ergode
