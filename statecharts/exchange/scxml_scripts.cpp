// Scripts, as far as they assign: statements are cut apart and become assignments.
#include <algorithm>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "statecharts/exchange/scxml_content.h"

namespace ergode {

std::string ScxmlContent::script_text(pugi::xml_node node) {
  const auto src = trimmed(node, "src");
  if (src.empty()) return node.child_value();
  const auto content = file_text(folder_, src);
  if (content) return *content;
  report_.add(Severity::warning, "SCX011", node, element_, "the file \"" + quotable(src) + "\" cannot be read.", true);
  return {};
}

std::string ScxmlContent::script(pugi::xml_node node, ElementId element) {
  begin(element);
  statements(node, script_text(node), 0);
  return out_;
}

// Cuts a script into statements: at `;` and line ends outside brackets. Comments are dropped.
void ScxmlContent::statements(pugi::xml_node node, std::string_view script, int depth) {
  std::string now;
  int brackets = 0;
  char quote = 0;
  for (std::size_t i = 0; i < script.size() && !stopped_; ++i) {
    const char c = script[i];
    if (quote == 0 && script.substr(i, 2) == "//") {
      while (i + 1 < script.size() && script[i + 1] != '\n') ++i;
      continue;
    }
    if (quote == 0 && script.substr(i, 2) == "/*") {
      const auto end = script.find("*/", i + 2);
      i = end == std::string_view::npos ? script.size() : end + 1;
      continue;
    }
    if (quote != 0 && c == '\\' && i + 1 < script.size()) {
      now += c, now += script[++i];
      continue;
    }
    if (quote != 0 ? c == quote : (c == '"' || c == '\'')) quote = quote != 0 ? '\0' : c;
    if (quote == 0) brackets += (c == '{' || c == '(' || c == '[') - (c == '}' || c == ')' || c == ']');
    if (quote == 0 && brackets == 0 && (c == ';' || c == '\n' || c == '}')) {
      if (c == '}') now += c;
      statement(node, trim(now), depth);
      now.clear();
    } else {
      now += c;
    }
  }
  if (!stopped_) statement(node, trim(now), depth);
}

void ScxmlContent::statement(pugi::xml_node node, std::string_view text, int depth) {
  if (text.empty()) return;
  const auto refuse = [&] {
    report_.add(Severity::warning, "SCX011", node, element_,
                "the statement \"" + quotable(text, 60) + "\" is left out.", true,
                "Only assignments, and functions of assignments without arguments, are carried over.");
  };
  if (depth > 8) return refuse();
  const auto word_end = text.find_first_of(" \t\r\n=+-*/(.[");
  std::string word(text.substr(0, word_end));
  if (word == "var" && word_end != std::string_view::npos) {
    text = trim(text.substr(word_end));
    word = std::string(text.substr(0, text.find_first_of(" \t=+-*/(.[")));
    if (is_identifier(word)) names_.variable(word);
  }
  if (word == "function") {
    const auto open = text.find('('), close = text.find(')'), body = text.find('{');
    if (body == std::string_view::npos || !trim(text.substr(open + 1, close - open - 1)).empty()) return refuse();
    functions_[std::string(trim(text.substr(9, open - 9)))] =
        std::string(text.substr(body + 1, text.rfind('}') - body - 1));
    return;
  }
  const std::string_view rest = trim(text.substr(std::min(word.size(), text.size())));
  if (rest == "()" && functions_.count(word) > 0) return statements(node, functions_[word], depth + 1);
  if (!is_identifier(word)) return refuse();
  if (rest == "++" || rest == "--") return assign_text(node, word, word + " " + rest[0] + " 1");
  if (rest.size() > 1 && rest[0] == '=' && rest[1] != '=') {
    if (is_ecma_location(word)) names_.variable(word);  // assigning declares it
    return assign_text(node, word, std::string(trim(rest.substr(1))));
  }
  if (rest.size() > 2 && rest[1] == '=' && std::string_view("+-*/%").find(rest[0]) != std::string_view::npos)
    return assign_text(node, word, word + " " + rest[0] + " (" + std::string(trim(rest.substr(2))) + ")");
  if (rest.empty() && names_.find_variable(word) != nullptr) return;
  refuse();
}

}  // namespace ergode
