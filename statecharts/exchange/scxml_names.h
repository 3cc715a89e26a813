#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "statecharts/exchange/ecma_expression.h"

namespace ergode {

/// The names of one SCXML document and what they mean in the model: states, variables, events, texts.
/// Types and fields are found by translating the document until nothing new turns up, so it remembers `changed`: what
/// was learned in one pass stays for the next, and the answers of a pass in which `changed` stayed false are final.
/// References it returns stay valid as long as it lives.
class ScxmlNames : public EcmaScope {
 public:
  struct Variable {
    std::string name;                      ///< in the model
    bool number = false, boolean = false;  ///< kinds of values it was seen to take
    bool text = false;
    std::set<std::string> texts;           ///< texts it was seen to take
    bool open = false;                     ///< it may take texts that are not known before the run
    bool undefined = false;                ///< it has no value at first
    bool tracked = false;                  ///< whether it has a value is asked: `bound_name` keeps it
    std::string bound_name;                ///< in the model; empty as long as nobody could ask
    bool array = false, assigned = false;  ///< an array; assigned to after the start
    std::vector<double> elements;
    std::string initial;  ///< in our language; empty: 0
    bool is_condition() const { return boolean && !number && !text; }
  };

  /// A name of letters, digits and _ that nothing else has: other characters become _, words that mean something in our
  /// expressions get a _ behind, names that are taken _2, _3 and so on, in the order in which they are asked for. An id
  /// that is changed so is noted in `names_changed`, unless it begins with a space (helping variables do).
  std::string declare(const std::string& wanted);
  /// @param name  in the model; empty: a history, which cannot be active
  void declare_state(const std::string& id, const std::string& name) { states_[id] = name; }
  /// Name in the model of the state with this SCXML id; empty for a history, nothing when there is none.
  std::optional<std::string> state(const std::string& id) const;
  /// Declares the variable when it is new: without a value at first (`undefined`), and of no kind yet.
  Variable& variable(const std::string& id);
  /// Null when it was never declared.
  Variable* find_variable(const std::string& id);
  /// Notes that a variable takes such a value. A variable that was seen with truth values alone is of type boolean in
  /// the model, any other one real.
  void widen(Variable& variable, const EcmaValue& value);
  /// By SCXML id; helping variables " if N" and what final states leave, "done ID PARAM", among them.
  std::map<std::string, Variable>& variables() { return variables_; }

  /// `foo.bar-baz` -> `foo.bar_baz`: each word between the dots becomes an identifier as in declare(), the same word
  /// everywhere the same one and different words different ones (but for `done` and `done_`), so what a descriptor
  /// matches stays; in `done.state.id` the id becomes the state's name. What is changed is noted in `names_changed`.
  std::string event_name(const std::string& name) override;
  /// A descriptor as in the attribute `event`: `foo.*`, `*`, `done.state.s1`.
  std::string descriptor(const std::string& text);
  /// Name of what an event carries: an identifier that is no word of send() and no field of events; different names
  /// become different ones. send_id(): the same for ids of sends.
  std::string parameter(const std::string& name);
  std::string send_id(const std::string& id);
  /// What already is such a name keeps it, even when it is asked for later than another one that would become the same.
  /// To be called for all names of the document first.
  void keep_event(const std::string& name);
  void keep_parameter(const std::string& name);
  void keep_send(const std::string& id);
  /// Event names as written -> in the model, of those met so far; without `done.state.id`.
  const std::map<std::string, std::string>& events() const { return events_; }
  /// Texts met so far -> the numbers that stand for them.
  const std::map<std::string, double>& texts() const { return texts_; }
  /// Fields of _event that the document reads; events made inside then carry them.
  void use_field(const std::string& field) {
    if (fields_.insert(field).second) changed = true;
  }
  /// Notes that some event carries this (a name from parameter()), and such a value.
  void carry(const std::string& parameter, const EcmaValue& value);
  /// Notes which variables a text in our language asks whether they have a value: these are `tracked` from then on.
  /// O(variables * length).
  void note_bound(const std::string& text);
  bool has_field(const std::string& field) const { return fields_.count(field) > 0; }

  /// Whether such a condition of an error (EcmaValue::fails) stays as it is until the next event: it reads no variable.
  bool asks_the_event_alone(const std::string& fails) const;

  /// Handlers of `done.state.id` read what its final states left: variables done_variable(id, x). Set while such a
  /// handler is translated; nothing: another one.
  void set_done_state(std::optional<std::string> id) { done_state_ = std::move(id); }
  /// Whether such data were asked for where they are not found, since it was asked last.
  bool take_done_data_missed() { return std::exchange(done_data_missed_, false); }
  /// Names in the model of those variables that say whether there are such data; only of those that are asked.
  std::vector<std::string> done_bounds(const std::string& id);
  /// Key of variable() for what final states inside `id` leave; `parameter` is empty for content.
  std::string done_variable(const std::string& id, const std::string& parameter);

  /// Knows `_event`, `_name`, `_sessionid`, `_ioprocessors` and the declared variables.
  std::optional<EcmaValue> name(const std::vector<std::string>& path) override;
  std::optional<std::string> in_state(const std::string& id) override;
  /// In the order in which texts are met, so the same document gives the same numbers.
  std::string text_number(const std::string& text) override;

  std::string document_name;            ///< what `_name` reads
  bool maybe_done = true;               ///< what is translated may run on a done event
  bool event_known = false;             ///< what is translated runs on an event; else there may not have been one yet
  bool changed = false;                 ///< something new turned up since it was last set to false
  int references = 0;                   ///< variables read since it was last set to 0
  std::set<std::string> names_changed;  ///< "id -> name", "event a-b -> a_b": what could not keep its name

 private:
  EcmaValue value_of(Variable& variable);
  /// Kinds of values that something carried was seen to have.
  struct Carried {
    bool number = false, boolean = false, text = false;
  };
  static EcmaValue carried_text(const std::string& parameter);
  EcmaValue carried_value(const std::string& parameter) const;
  std::optional<EcmaValue> event_field(const std::vector<std::string>& path);
  /// Names of one kind as written -> in the model, all different.
  struct Words {
    std::map<std::string, std::string> known;
    std::set<std::string> taken;
  };
  std::string unique(Words& words, const std::string& wanted, const std::string& spelt, const char* what);
  std::string word(const std::string& token);
  std::string carries(const std::string& but) const;
  EcmaValue event_data() const;
  EcmaValue event_data(const std::string& key);
  EcmaValue done_data(const std::string& key);

  std::set<std::string> taken_;
  Words words_, carried_names_, send_ids_;
  std::map<std::string, std::string> states_, events_;
  std::map<std::string, Variable> variables_;
  std::map<std::string, double> texts_;
  std::set<std::string> fields_;
  std::map<std::string, Carried> parameters_;
  std::optional<std::string> done_state_;
  bool done_data_missed_ = false;
};

}  // namespace ergode
