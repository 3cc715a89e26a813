#pragma once
#include <QtTest>
#include <map>
#include <string>
#include <vector>

#include "core/expression/compile.h"

/// A scope of constants, choices, slots and sets of states, for tests.
struct TestScope : ergode::Scope {
  std::map<std::string, ergode::Symbol> symbols;
  std::map<std::string, ergode::StateSet> states;  ///< key as shown(): "EDG[*].Failed"
  std::vector<std::string> things;                 ///< names of what has values and is none

  void constant(const std::string& name, double value, ergode::ValueType type = ergode::ValueType::real()) {
    symbols[name] = {.type = type, .constant = value};
  }
  void slot(const std::string& name, std::uint32_t number, ergode::ValueType type = ergode::ValueType::real()) {
    symbols[name] = {.type = type, .slot = number};
  }
  std::map<std::string, std::vector<std::string>> words;
  void choice(const std::string& name, const std::string& value, std::vector<std::string> known = {}) {
    words[name] = std::move(known);
    symbols[name] = {.type = ergode::ValueType::choice(), .choice = value, .choices = words[name]};
  }

  static std::string shown(const ergode::ResolvedPath& path) {
    std::string out = path.words.front();
    if (path.all) out += "[*]";
    else if (path.indexed)
      out += "[" + std::to_string(path.first) + (path.last != path.first ? ".." + std::to_string(path.last) : "") + "]";
    for (std::size_t i = 1; i < path.words.size(); ++i) out += "." + path.words[i];
    return out;
  }
  std::optional<ergode::Symbol> name(std::string_view word) override {
    const auto found = symbols.find(std::string(word));
    return found == symbols.end() ? std::nullopt : std::optional(found->second);
  }
  std::variant<ergode::Symbol, ergode::StateSet, std::string> path(const ergode::ResolvedPath& path) override {
    const auto found = states.find(shown(path));
    if (found != states.end()) return found->second;
    return "There is no " + shown(path) + ".";
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> out = things;
    for (const auto& [name, symbol] : symbols) out.push_back(name);
    return out;
  }
};

inline QString shown_error(const ergode::ExpressionError& error) {
  return QString::fromStdString(error.code + " at " + std::to_string(error.column) + ": " + error.message);
}
