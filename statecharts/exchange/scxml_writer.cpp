#include "statecharts/exchange/scxml_writer.h"

#include <algorithm>

#include "core/base/escape_xml.h"
#include "core/base/text.h"
#include "statecharts/exchange/chart_export.h"

namespace ergode {
namespace {

using Kind = Trigger::Kind;

class ScxmlText {
 public:
  ScxmlText(const Document& document, const Element& diagram) : export_(document, diagram) {
    spelling_.active = [this](int state) { return "In('" + export_.id(state) + "')"; };
    spelling_.carried = [this](const std::string& name) { return carried(name); };
    spelling_.carries = [this](const std::string& name) {
      const std::string value = carried(name), bound = "typeof " + value + " !== 'undefined'";
      // Of an event that carries anything else its data are an object.
      return name == "content" && carries_fields_ ? bound + " && typeof " + value + " !== 'object'" : bound;
    };
    spelling_.event_is = [](const std::string& event) { return "_event.name == '" + event + "'"; };
    spelling_.event_seen = "typeof _event !== 'undefined'";
    spelling_.variable = [](const std::string& name) { return name; };
    for (const char* word :
         {"min", "max", "abs", "exp", "log", "sqrt", "floor", "ceil", "round", "pow", "sin", "cos", "tan"})
      spelling_.functions[word] = std::string("Math.") + word;
    spelling_.functions["^"] = "Math.pow";
  }

  ExportedText write() {
    ExportedText out;
    if (!has_errors(export_.diagnostics())) {
      for (std::size_t t = 0; t < chart().transitions.size(); ++t)
        ways_[chart().transitions[t].source].push_back(static_cast<int>(t));
      for (const Transition& way : chart().transitions) note_fields(way.actions);
      for (const State& s : chart().states) note_fields(s.entry), note_fields(s.exit);
      document();
    }
    out.diagnostics = export_.diagnostics();
    if (!has_errors(out.diagnostics)) out.text = std::move(text_);
    return out;
  }

 private:
  const StateChart& chart() const { return export_.chart(); }
  void line(int depth, const std::string& text) {
    text_ += std::string(static_cast<std::size_t>(2 * depth), ' ') + text + "\n";
  }
  static std::string attribute(const char* name, const std::string& value) {
    return std::string(" ") + name + "=\"" + escape_xml(value, XmlSpace::as_references) + "\"";
  }
  void note_fields(const std::vector<ActionSyntax>& actions) {
    for (const ActionSyntax& action : actions)
      if (!action.target && (action.value.word == "raise" || action.value.word == "send"))
        for (const std::string& name : action.value.names)
          carries_fields_ = carries_fields_ || (!name.empty() && name != "content" && !is_argument(name));
  }
  static bool is_argument(const std::string& name) {
    return name == "id" || name == "if" || name == "delay" || name == "to";
  }

  // What is not carried is undefined; looking for it is no error, whatever the event and before the first one.
  std::string carried(const std::string& name) const {
    const std::string event = event_known_ ? "_event" : "typeof _event !== 'undefined' && _event";
    if (name != "content") return "(" + event + ".data || {})." + name;
    return event_known_ ? "_event.data" : "(" + event + " || {}).data";
  }
  std::string expression(const Syntax& syntax, ElementId element, const char* property) {
    return export_.write(syntax, spelling_, "SCX101", element, property).value_or("0");
  }

  void document() {
    const State& root = export_.state(0);
    const Transition* start = root.initial < 0 ? nullptr : &transition(root.initial);
    line(0, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    line(0, "<!-- written by Ergode " ERGODE_VERSION " -->");
    line(0, "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\" datamodel=\"ecmascript\"" +
                attribute("name", chart().name) + (start == nullptr ? "" : attribute("initial", ids(start->targets))) +
                ">");
    if (!chart().variables.empty()) {
      line(1, "<datamodel>");
      for (const ChartVariable& v : chart().variables) {
        const double value = export_.initial(v);
        if (v.parameter)
          export_.note("SCX103", v.element, "role",
                       "The parameter \"" + v.name + "\" is written with its default value.");
        line(2, "<data" + attribute("id", v.name) +
                    attribute("expr", v.type == "boolean" ? (value != 0.0 ? "true" : "false") : plain_number(value)) +
                    "/>");
      }
      line(1, "</datamodel>");
    }
    if (start != nullptr && !start->actions.empty()) start_script(*start);
    for (const int child : root.children) state(child, 1);
    line(0, "</scxml>");
  }

  // What is done before the first state is entered can only be said by a script.
  void start_script(const Transition& start) {
    std::string script;
    for (const ActionSyntax& action : start.actions) {
      if (!action.target) {
        export_.refuse("SCX101", start.element, "action",
                       "An event made before the first state is entered has no counterpart there.");
        continue;
      }
      script += action.target->segments.front().word + " = " + expression(action.value, start.element, "action") + "; ";
    }
    line(1, "<script>" + escape_xml(script) + "</script>");
  }

  const Transition& transition(int index) const { return chart().transitions[static_cast<std::size_t>(index)]; }
  std::string ids(const std::vector<int>& states) const {
    std::string out;
    for (const int s : states) out += (out.empty() ? "" : " ") + export_.id(s);
    return out;
  }

  void state(int index, int depth) {
    const State& s = export_.state(index);
    static const std::map<State::Kind, const char*> tags = {{State::Kind::parallel, "parallel"},
                                                            {State::Kind::final, "final"},
                                                            {State::Kind::history_shallow, "history"},
                                                            {State::Kind::history_deep, "history"}};
    const std::string tag = tags.count(s.kind) > 0 ? tags.at(s.kind) : "state";
    std::string open = "<" + tag + attribute("id", export_.id(index));
    if (s.kind == State::Kind::history_deep) open += " type=\"deep\"";
    if (!s.flow.empty()) export_.refuse("SCX101", s.element, "flow", "A derivative has no counterpart there.");
    const Transition* start = s.initial < 0 ? nullptr : &transition(s.initial);
    const bool plain = start != nullptr && start->actions.empty() && !s.history();
    if (plain) open += attribute("initial", ids(start->targets));
    line(depth, open + ">");
    if (start != nullptr && !plain) {
      if (!s.history()) line(depth + 1, "<initial>");
      way(*start, depth + (s.history() ? 1 : 2), "", "");
      if (!s.history()) line(depth + 1, "</initial>");
    }
    block("onentry", s.entry, s.element, "entry", depth + 1, delays(index, true));
    block("onexit", s.exit, s.element, "exit", depth + 1, delays(index, false));
    transitions(index, depth + 1);
    for (const int child : s.children) state(child, depth + 1);
    line(depth, "</" + tag + ">");
  }

  // Delays: an event of its own name, sent on entry and cancelled on leaving.
  std::string delays(int state, bool entry) {
    std::string out;
    for (const int t : ways_[state]) {
      const Transition& way = transition(t);
      if (way.trigger.kind != Kind::after || way.alternative) continue;
      const std::string name = "after." + std::to_string(t);
      if (!entry) {
        out += "<cancel" + attribute("sendid", name) + "/>\n";
        continue;
      }
      if (const auto delay = export_.constant_time(way.trigger.argument))
        out += "<send" + attribute("event", name) + attribute("id", name) +
               attribute("delay", plain_number(*delay) + "s") + "/>\n";
      else
        export_.refuse(
            "SCX101", way.element, "trigger",
            "\"" + way.trigger.text + "\" has no counterpart there; wanted a delay that is known before the run.");
    }
    return out;
  }

  void block(const char* tag, const std::vector<ActionSyntax>& actions, ElementId element, const char* property,
             int depth, const std::string& more) {
    if (actions.empty() && more.empty()) return;
    line(depth, std::string("<") + tag + ">");
    for (const std::string& one : split(more, '\n'))
      if (!one.empty()) line(depth + 1, one);
    for (const ActionSyntax& action : actions) this->action(action, element, property, depth + 1);
    line(depth, std::string("</") + tag + ">");
  }

  void transitions(int state, int depth) {
    std::vector<int> order = ways_[state];
    const State& s = export_.state(state);
    std::erase_if(order, [&](int t) { return t == s.initial || s.history(); });
    // `else` holds when nothing before it does.
    std::stable_partition(order.begin(), order.end(), [&](int t) { return !transition(t).otherwise; });
    std::string last_delay;
    for (const int t : order) {
      const Transition& way = transition(t);
      std::string event, condition;
      event_known_ = way.trigger.kind == Kind::event || way.trigger.kind == Kind::after;
      switch (way.trigger.kind) {
        case Kind::none:
          break;
        case Kind::event:
          for (const std::string& one : way.trigger.events) event += (event.empty() ? "" : " ") + event_text(one);
          break;
        case Kind::after:
          if (!way.alternative) last_delay = "after." + std::to_string(t);
          event = last_delay;
          break;
        case Kind::when:
          condition = expression(way.trigger.argument, way.element, "trigger");
          break;
        default:
          export_.refuse("SCX101", way.element, "trigger", "\"" + way.trigger.text + "\" has no counterpart there.");
      }
      if (!way.demand_cause.empty())
        export_.refuse("SCX101", way.element, "guard", "A demand on a common-cause group has no counterpart there.");
      if (way.resume)
        export_.refuse("SCX101", way.element, "memory", "A delay that keeps its age has no counterpart there.");
      if (way.role != TransitionRole::none)
        export_.note("SCX103", way.element, "role", "Failures and repairs are written as plain transitions.");
      for (const Syntax& guard : way.guard) {
        const std::string one = expression(guard, way.element, "guard");
        condition = condition.empty() ? one : "(" + condition + ") && (" + one + ")";
      }
      if (!way.fault.empty()) condition = fault(way);
      this->way(way, depth, event, condition);
      event_known_ = false;
    }
  }

  // What raises an error when it is asked: a condition that reads a name nobody declares.
  std::string fault(const Transition& way) {
    const Syntax& call = way.fault.front().value;
    if (call.children.empty() || event_text_of(call.children.front()) != "error.execution")
      export_.refuse("SCX101", way.element, "guard", "A condition there can raise error.execution and nothing else.");
    std::string condition = "nobody_declares_this";
    for (std::size_t i = 1; i < call.children.size(); ++i)
      if (call.names[i] == "if")
        condition = "(" + expression(call.children[i], way.element, "guard") + ") && " + condition;
    return condition;
  }
  static std::string event_text_of(const Syntax& value) {
    std::string event;
    for (const Syntax::Segment& segment : value.segments) event += (event.empty() ? "" : ".") + segment.word;
    return value.kind == Syntax::Kind::text ? value.word : event;
  }

  // `done.state.Chart.5` is how the tables call the event of state 5.
  std::string event_text(const std::string& event) const {
    for (std::size_t s = 1; s < chart().states.size(); ++s)
      if (done_event_name(chart(), static_cast<int>(s)) == event)
        return "done.state." + export_.id(static_cast<int>(s));
    return event;
  }

  void way(const Transition& way, int depth, const std::string& event, const std::string& condition) {
    std::string open = "<transition";
    if (!event.empty()) open += attribute("event", event);
    if (!condition.empty()) open += attribute("cond", condition);
    if (!way.targets.empty()) open += attribute("target", ids(way.targets));
    if (way.internal && !way.targets.empty()) open += " type=\"internal\"";
    if (way.actions.empty()) return line(depth, open + "/>");
    line(depth, open + ">");
    for (const ActionSyntax& action : way.actions) this->action(action, way.element, "action", depth + 1);
    line(depth, "</transition>");
  }

  void action(const ActionSyntax& action, ElementId element, const char* property, int depth) {
    const Syntax& call = action.value;
    if (action.target) {
      line(depth, "<assign" + attribute("location", action.target->segments.front().word) +
                      attribute("expr", expression(call, element, property)) + "/>");
      return;
    }
    std::string event, id, delay, condition, parameters, content;
    for (std::size_t i = 0; i < call.children.size(); ++i) {
      const Syntax& value = call.children[i];
      const std::string& name = call.names[i];
      if (i == 0) {
        event = event_text_of(value);
      } else if (name == "id") {
        id = value.is_word() ? value.segments.front().word : value.word;
      } else if (name == "if") {
        condition = expression(value, element, property);
      } else if (call.word == "send" && (name == "delay" || (name.empty() && export_.constant_time(value)))) {
        const auto constant = export_.constant_time(value);
        delay = constant ? attribute("delay", plain_number(*constant) + "s")
                         : attribute("delayexpr", "(" + expression(value, element, property) + ") + 's'");
      } else if (name == "to" || name.empty()) {
        export_.refuse("SCX101", element, property, "An event for other components has no counterpart there.");
      } else if (name == "content") {
        content = "<content" + attribute("expr", expression(value, element, property)) + "/>";
      } else {
        parameters +=
            "<param" + attribute("name", name) + attribute("expr", expression(value, element, property)) + "/>";
      }
    }
    if (!content.empty() && !parameters.empty())
      export_.refuse("SCX101", element, property, "An event there carries content or named values, not both.");
    parameters += content;
    if (!condition.empty()) line(depth++, "<if" + attribute("cond", condition) + ">");
    const std::string rest = parameters.empty() ? "/>" : ">" + parameters + "</send>";
    if (call.word == "cancel") line(depth, "<cancel" + attribute("sendid", event) + "/>");
    else if (call.word == "record") line(depth, "<log" + attribute("label", event) + "/>");
    else if (call.word == "raise" && parameters.empty()) line(depth, "<raise" + attribute("event", event) + "/>");
    else if (call.word == "raise") line(depth, "<send target=\"#_internal\"" + attribute("event", event) + rest);
    else line(depth, "<send" + attribute("event", event) + (id.empty() ? "" : attribute("id", id)) + delay + rest);
    if (!condition.empty()) line(depth - 1, "</if>");
  }

  ChartExport export_;
  ChartExport::Spelling spelling_;
  std::map<int, std::vector<int>> ways_;
  bool event_known_ = false;     ///< what is written runs on an event; else there may not have been one yet
  bool carries_fields_ = false;  ///< some event carries more than content
  std::string text_;
};

}  // namespace

std::vector<const Element*> statechart_diagrams(const Document& document) {
  std::vector<const Element*> out;
  for (const Element* diagram : document.of(Section::diagram))
    if (diagram->text("notation") == "statechart") out.push_back(diagram);
  return out;
}

ExportedText write_scxml(const Document& document, const Element& diagram) {
  return ScxmlText(document, diagram).write();
}

}  // namespace ergode
