#pragma once
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace ergode::test {

using Numbers = std::vector<double>;

/// A number, or one that is none where the file has null.
inline Numbers numbers(const nlohmann::json& data) {
  Numbers result;
  for (const auto& each : data) result.push_back(each.is_null() ? std::nan("") : each.get<double>());
  return result;
}

/// A test of another package: its variables as they were at the end, inputs and outputs, and what was asserted of them.
struct OctaveCase {
  struct Assert {
    std::string of;  ///< Variable that was compared; empty: an expression.
    Numbers observed, expected;
    double tolerance = 0;  ///< Above 0 absolute, below relative.
  };
  std::string name;
  std::map<std::string, Numbers> variables;  ///< Column by column.
  std::map<std::string, std::vector<std::size_t>> dimensions;
  std::vector<Assert> asserts;

  const Numbers& operator[](const std::string& variable) const { return variables.at(variable); }
  double value(const std::string& variable) const { return variables.at(variable).at(0); }
  bool has(const std::string& variable) const { return variables.contains(variable); }
};

/// All cases of a file, by name.
inline std::map<std::string, OctaveCase> octave_cases(const std::string& path) {
  std::ifstream file(path);
  std::map<std::string, OctaveCase> cases;
  for (const auto& each : nlohmann::json::parse(file)) {
    OctaveCase c;
    c.name = each["name"];
    for (const auto& [name, value] : each["vars"].items()) {
      if (!value.is_object() || !value.contains("data")) continue;
      c.variables[name] = numbers(value["data"]);
      c.dimensions[name] = value["dims"].get<std::vector<std::size_t>>();
    }
    for (const auto& a : each["asserts"])
      if (a["kind"] == "equal" && a["expected"].is_object())
        c.asserts.push_back({a.value("of", ""), numbers(a["observed"]["data"]), numbers(a["expected"]["data"]),
                             a["tol"].get<double>()});
    cases[c.name] = c;
  }
  return cases;
}

/// Where ours, but what is no number, is further from theirs than that; empty: nowhere.
inline std::string first_difference(const Numbers& ours, const Numbers& theirs, double absolute, double relative) {
  if (ours.size() != theirs.size())
    return "sizes " + std::to_string(ours.size()) + ", " + std::to_string(theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i)
    if (!std::isnan(ours[i]) && !(std::abs(ours[i] - theirs[i]) <= absolute + relative * std::abs(theirs[i])))
      return "entry " + std::to_string(i + 1) + ": " + std::to_string(ours[i]) + ", " + std::to_string(theirs[i]);
  return {};
}

}  // namespace ergode::test
