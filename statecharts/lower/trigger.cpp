// Triggers and guards: from the text of an edge to what they mean.
#include <algorithm>
#include <cctype>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "statecharts/lower/chart_lowering.h"

namespace ergode {
namespace {

/// "a", "a.b", "a.*", "*" without the ".*", which adds nothing to a prefix; empty: not a descriptor.
std::string descriptor_of(std::string_view text) {
  text = trim(text);
  if (text == "*") return "*";
  if (text.size() > 2 && text.substr(text.size() - 2) == ".*") text.remove_suffix(2);
  bool fresh = true;
  for (const char c : text) {
    const auto letter = static_cast<unsigned char>(c);
    const bool good =
        std::isalnum(letter) != 0 || c == '_' || ((c == '-' || c == ':') && !fresh) || (c == '.' && !fresh);
    if (!good) return {};
    fresh = c == '.';
  }
  const bool starts = !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) != 0 || text[0] == '_');
  return starts && !fresh ? std::string(text) : std::string();
}

}  // namespace

bool ChartLowering::read_events(const std::string& text, int source, Trigger& trigger) {
  std::vector<std::string> events;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    std::string descriptor = descriptor_of(std::string_view(text).substr(at, comma - at));
    if (descriptor.empty()) return false;
    if (trim(std::string_view(text).substr(at, comma - at)) == "done") {
      descriptor = done_event_name(chart_, source);
    } else if (descriptor.rfind("done.state.", 0) == 0) {
      std::vector<std::string> words;
      for (std::size_t w = 11; w <= descriptor.size();) {
        const std::size_t dot = std::min(descriptor.find('.', w), descriptor.size());
        words.push_back(descriptor.substr(w, dot - w));
        w = dot + 1;
      }
      const int state = chart_.find(words, 0);
      if (state > 0) descriptor = done_event_name(chart_, state);
    }
    events.push_back(std::move(descriptor));
    at = comma + 1;
  }
  trigger.kind = Trigger::Kind::event;
  trigger.events = std::move(events);
  return true;
}

void ChartLowering::read_trigger(const Element& edge, int source, Transition& t) {
  const std::string text(trim(edge.text("trigger")));
  t.trigger.text = text;
  if (text.empty() || read_events(text, source, t.trigger)) return;
  const auto parsed = parse_expression(text);
  if (const auto* error = std::get_if<SyntaxError>(&parsed)) {
    report(error->code == "EXP001" ? "SCH006" : error->code.c_str(), edge.id, "trigger",
           "The trigger \"" + quotable(text) + "\": " + error->message, {}, Severity::error, error->column);
    return;
  }
  static const std::pair<const char*, Trigger::Kind> calls[] = {
      {"after", Trigger::Kind::after}, {"rate", Trigger::Kind::rate},       {"at", Trigger::Kind::at},
      {"every", Trigger::Kind::every}, {"when", Trigger::Kind::when},       {"becomes", Trigger::Kind::becomes},
      {"p", Trigger::Kind::branch},    {"ccf", Trigger::Kind::common_cause}};
  const Syntax& s = std::get<Syntax>(parsed);
  if (s.kind == Syntax::Kind::call) {
    for (const auto& [word, kind] : calls) {
      if (s.word != word) continue;
      if (s.children.size() != 1)
        return report("SCH006", edge.id, "trigger",
                      s.word + "(...) has " + std::to_string(s.children.size()) + " arguments; wanted one.");
      t.trigger.kind = kind;
      t.trigger.argument = s.children.front();
      if (kind == Trigger::Kind::common_cause) {
        if (!s.children.front().is_word())
          return report("SCH006", edge.id, "trigger", "ccf(...) wants the name of a cause.");
        t.trigger.cause = s.children.front().segments.front().word;
      }
      return;
    }
  }
  report("SCH006", edge.id, "trigger",
         "The trigger \"" + quotable(text) +
             "\" is not understood; wanted after(), rate(), at(), every(), when(), becomes(), ccf(), p() or events' "
             "names.");
}

void ChartLowering::read_guard(const Element& edge, Transition& t) {
  const std::string text(trim(edge.text("guard")));
  t.guard_text = text;
  if (text.empty()) return;
  if (text == "else") {
    t.otherwise = true;
    return;
  }
  auto parsed = parse_expression(text);
  if (const auto* error = std::get_if<SyntaxError>(&parsed)) {
    report(error->code.c_str(), edge.id, "guard",
           "The guard \"" + quotable(text) + "\" does not parse: " + error->message, {}, Severity::error,
           error->column);
    return;
  }
  Syntax guard = std::get<Syntax>(std::move(parsed));
  if (guard.kind == Syntax::Kind::call && guard.word == "raise") {
    t.fault.push_back({std::nullopt, std::move(guard)});
    return;
  }
  const bool negated = guard.kind == Syntax::Kind::unary && guard.word == "not";
  const Syntax& inner = negated ? guard.children.front() : guard;
  if (inner.kind == Syntax::Kind::call && inner.word == "ccf") {
    if (inner.children.size() != 1 || !inner.children.front().is_word())
      return report("SCH006", edge.id, "guard", "ccf(...) wants the name of a cause.");
    if (t.trigger.kind == Trigger::Kind::when || t.trigger.kind == Trigger::Kind::becomes)
      return report("SCH006", edge.id, "guard",
                    "when(...) and a demand ccf(...) stand on one transition; wanted one of them.",
                    "Lead the transition to a choice with the demand.");
    t.demand_cause = inner.children.front().segments.front().word;
    t.demand_negated = negated;
    return;
  }
  t.guard.push_back(std::move(guard));
}

}  // namespace ergode
