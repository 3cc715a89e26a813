#pragma once
#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/format/xml_text.h"
#include "statecharts/exchange/scxml_names.h"

namespace ergode {

/// Collects what an import has to say, each with the place in the SCXML document: `pointer` is "line:column", both from
/// 1, of the element that `node` is.
class ScxmlReport {
 public:
  /// @param text  the document in UTF-8, from which the nodes were parsed: their offsets count bytes of it. It must
  ///              live as long as the report.
  explicit ScxmlReport(std::string_view text) : places_(text) {}
  /// @param node     where; a null node counts as the beginning of the text.
  /// @param element  the element of the model it became; null: none.
  /// @param lost     what the chart does is not what the document says: `complete` becomes false.
  void add(Severity severity, const char* code, pugi::xml_node node, ElementId element, const std::string& message,
           bool lost, std::string hint = {});
  /// For another pass over the same text.
  void clear() { diagnostics = {}, complete = true, logs = 0; }

  Diagnostics diagnostics;
  bool complete = true;
  int logs = 0;  ///< log elements left out

 private:
  TextPlaces places_;
};

/// An element's name without its namespace prefix: a view into the parsed document. Empty for what is no element.
std::string_view local_name(pugi::xml_node node);
/// An attribute without spaces around it; empty when it is absent. A view into the parsed document.
std::string_view trimmed(pugi::xml_node node, const char* attribute);
/// The conjunction of two conditions in our language, each in brackets; an empty one always holds.
std::string both(const std::string& a, const std::string& b);
/// A file that a document in `folder` names by `src`, with or without "file:" before the path. Nothing when the path
/// leads outside the folder, which is not read (see permitted_file), or when the file cannot be read as text.
std::optional<std::string> file_text(const std::string& folder, std::string_view name);

/// Translates executable content to actions of our language, joined by "; ".
///
/// Everything may be called several times for the same node: the reader translates the document again as long as
/// `names` learns something new (ScxmlNames::changed), with restart() before each pass. Reported: SCX005 no
/// counterpart, SCX008 an expression that cannot be carried over, SCX009 an expression that is an error at run time
/// (info), SCX010 content nested deeper than 60, SCX011 scripts, files and loops (arrays of more than 1,000 numbers;
/// more than 1,000,000 characters when unrolled), SCX015 no event or no time. What is reported as a warning is left out
/// of the actions.
class ScxmlContent {
 public:
  /// @param names, report  must live as long as this.
  /// @param folder  where files named by `src` are looked for; empty: nowhere.
  ScxmlContent(ScxmlNames& names, ScxmlReport& report, std::string folder)
      : names_(names), report_(report), folder_(std::move(folder)) {}

  /// One block: the children of onentry, onexit, transition, initial's transition. An error ends it: what follows is
  /// executed only where none occurred, or left out when one always does (section 4.10).
  /// @param element  of the model, named in what is reported.
  std::string block(pugi::xml_node parent, ElementId element);
  /// What a final state leaves for handlers of done.state.`id`, and takes back of what others have left, as assignments
  /// to variables ScxmlNames::done_variable(); a param that fails is left out, the others stay (section 5.7).
  /// @param node  its donedata; null: it has none.
  std::string done_data(pugi::xml_node node, const std::string& id, ElementId element);
  /// A condition. What cannot be evaluated counts as false and raises error.execution (section 5.9.1).
  struct Condition {
    std::string text;   ///< empty: always
    std::string fails;  ///< condition that it cannot be evaluated; empty: it always can, "true": never
  };
  Condition condition(pugi::xml_node node, ElementId element);
  /// The event error.execution as a call of raise, where `fails` holds; "true": always.
  std::string execution_error(const std::string& fails);
  /// Declares the variable of an element `data` and its value. What is no expression between its tags or in its file is
  /// a text; without any value the variable is undefined at first.
  /// @returns actions needed at the start: the assignment when the value reads other variables, or the error it raises;
  ///          empty when the value is a constant, which is in Variable::initial.
  std::string data(pugi::xml_node node, ElementId element);
  /// The statements of a script at the top as actions; its functions without arguments are kept for calls until
  /// restart(). Calls are followed 8 deep.
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
  /// Unrolled, with an assignment of item and index before each round.
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
  /// What stands between the tags of `content`: a number where it reads as one, else a text.
  EcmaValue constant(const std::string& text);
  /// Arguments for those fields of _event (`type`, `name`, `sendid`, `origin`, `origintype`) that the document reads.
  std::string fields(const std::string& event, std::string_view type, const std::string& id);
  /// A time in our language, "10 ms", or an expression for it; empty: without delay. Nothing: reported, or an error
  /// ended the block.
  std::optional<std::string> delay(pugi::xml_node node);
  /// The texts an attribute `x` or `xexpr` may take, each with its condition. Nothing: an error ended it.
  std::optional<std::vector<Choice>> choices(pugi::xml_node node, const char* attribute, const char* expression);
  /// Translates; nothing when it cannot be: then the error is raised (a certain one) or reported as SCX008.
  std::optional<EcmaValue> value(pugi::xml_node node, const std::string& text);
  /// Raises an error event and ends the block, or the branch that is being translated.
  /// @param id  of the send that failed, for `_event.sendid`; empty: none
  void fail(pugi::xml_node node, const char* event, const std::string& why, const std::string& id = {});
  /// Raises the error while `fails` holds and spares what follows in the block.
  void fail_if(pugi::xml_node node, std::string fails, const std::string& why);
  /// A condition inside a block, which is evaluated where `asked` holds; the error is raised here.
  std::string judged(pugi::xml_node node, const std::string& asked);
  void report_done_data(pugi::xml_node node, const std::string& text);
  /// Appends `call(arguments, if = live(condition))`.
  void emit(const std::string& call, const std::string& arguments, const std::string& condition = {});
  void append(const std::string& action) { out_ += (out_.empty() ? "" : "; ") + action; }
  /// The condition under which the next action is executed: no error before, in the branch around, and `condition`.
  std::string live(const std::string& condition = {}) const;

  ScxmlNames& names_;
  ScxmlReport& report_;
  std::string folder_;
  std::map<std::string, std::string> functions_;  ///< name -> body, of functions without arguments
  ElementId element_;
  std::string out_;
  std::string guard_;   ///< condition of the branch of `if` around; empty: none
  std::string spared_;  ///< condition that no error ended the block; empty: none could
  bool stopped_ = false;
  int branches_ = 0, nesting_ = 0;  ///< helping variables " if N" made since restart(); levels of content
};

}  // namespace ergode
