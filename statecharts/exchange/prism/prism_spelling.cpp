#include "statecharts/exchange/prism/prism_spelling.h"

#include <algorithm>

#include "core/base/text.h"

namespace ergode {

using E = PrismExpression::Kind;

PrismSpelling::PrismSpelling(const PrismProgram& program) : program_(program) {
  // Words that mean something in our expressions, triggers and actions; and the unit of time that is written.
  taken_ = {program.time_unit, "and", "or",     "not", "true", "false", "event", "done", "else", "now", "in",
            "index",           "if",  "Globals"};
  const auto declare = [this](const std::string& word) { names_[word] = fresh(word); };
  for (const PrismConstant& c : program.constants) declare(c.name);
  for (const PrismModule& m : program.modules)
    for (const PrismVariable& v : m.variables) declare(v.name), owner_[v.name] = v.module;
  for (const PrismVariable& v : program.globals) declare(v.name), owner_[v.name] = v.module;
  for (const PrismModule& m : program.modules) modules_.push_back(fresh(m.name));
  modules_.emplace_back("Globals");
}

std::string PrismSpelling::fresh(const std::string& wanted) {
  std::string name = wanted;
  if (taken_.count(name) > 0) name += "_";
  // Goes on where the last one stopped: many events are called after one module.
  for (int& i = tried_.emplace(wanted, 2).first->second; !taken_.insert(name).second; ++i)
    name = wanted + "_" + std::to_string(i);
  return name;
}

std::string PrismSpelling::name(const std::string& word) const { return names_.at(word); }

std::string PrismSpelling::expression(const PrismExpression& e, std::size_t inside,
                                      const std::map<std::string, std::string>& instead) const {
  const auto write = [&](std::size_t i) { return expression(e.of[i], inside, instead); };
  // With brackets around everything that is no word, number or call.
  const auto operand = [&](std::size_t i) {
    const E kind = e.of[i].kind;
    const bool plain = kind == E::number || kind == E::truth || kind == E::name || kind == E::call;
    return plain ? write(i) : "(" + write(i) + ")";
  };
  switch (e.kind) {
    case E::number:
      return e.whole ? e.word : number_text(*parse_number(e.word), 17);
    case E::truth:
      return e.word;
    case E::name: {
      if (const auto other = instead.find(e.word); other != instead.end()) return other->second;
      const auto owner = owner_.find(e.word);
      const std::string& own = names_.at(e.word);
      return owner == owner_.end() || owner->second == inside ? own : modules_[owner->second] + "." + own;
    }
    case E::label:
      return "false";  // refused before
    case E::unary:
      return (e.word == "!" ? "not " : "-") + operand(0);
    case E::conditional:
      return operand(0) + " ? " + operand(1) + " : " + operand(2);
    case E::call: {
      if (e.word == "log") return "(log(" + write(0) + ") / (log(" + write(1) + ")))";
      // Never negative, unlike ours.
      if (e.word == "mod") return "mod(mod(" + write(0) + ", " + write(1) + ") + " + operand(1) + ", " + write(1) + ")";
      std::string arguments;
      for (std::size_t i = 0; i < e.of.size(); ++i) arguments += (i == 0 ? "" : ", ") + write(i);
      const std::string out = e.word + "(" + arguments + ")";
      Diagnostics none;
      const bool whole = e.word == "pow" && prism_type(program_, e, none) == PrismType::integer;
      return whole ? "round(" + out + ")" : out;
    }
    case E::binary:
      break;
  }
  if (e.word == "=>") return "(not " + operand(0) + ") or " + operand(1);
  // In brackets: `3 / h` would be three per hour.
  if (e.word == "/") return operand(0) + " / (" + write(1) + ")";
  static const std::map<std::string, std::string> ours = {{"&", "and"}, {"|", "or"}, {"=", "=="}, {"<=>", "=="}};
  const auto op = ours.find(e.word);
  return operand(0) + " " + (op == ours.end() ? e.word : op->second) + " " + operand(1);
}

bool reads(const PrismExpression& e, const std::string& variable) {
  if (e.kind == E::name && e.word == variable) return true;
  return std::any_of(e.of.begin(), e.of.end(), [&](const PrismExpression& child) { return reads(child, variable); });
}

}  // namespace ergode
