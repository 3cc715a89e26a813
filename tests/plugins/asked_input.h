#pragma once
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plugins/abi/ergode_plugin.h"

namespace ergode::test {

/// The manifest of a plugin that comes with the program.
inline nlohmann::json manifest_of(const std::string& plugin) {
  std::ifstream in(ERGODE_SOURCE_DIR "/plugins/" + plugin + "/plugin.json");
  return nlohmann::json::parse(in);
}

/// JSON whose quotes were written as single ones, which are easier to read in a program; moc of Qt 6.4 loses its way in
/// raw texts.
inline std::string json_of(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  return text;
}

/// What the host gives a plugin of which nothing was set but these: by name, in the units of its manifest.
struct AskedInput {
  explicit AskedInput(const std::string& plugin, const nlohmann::json& changed = nlohmann::json::object()) {
    const nlohmann::json manifest = manifest_of(plugin);
    nlohmann::json values = nlohmann::json::object();
    for (const auto& p : manifest["parameters"]) {
      const std::string name = p["name"], type = p["type"];
      const nlohmann::json value = changed.contains(name) ? changed[name] : p["default"];
      values[name] = value;
      double number = 0.0;
      if (type == "number" || type == "integer") number = value.get<double>();
      if (type == "boolean") number = value.get<bool>() ? 1.0 : 0.0;
      if (type == "choice")
        while (p["choices"].at(static_cast<std::size_t>(number))["name"] != value) number += 1.0;
      numbers.push_back(number);
    }
    json = values.dump();
  }
  /// Holds while this does.
  ergode_input input() const {
    ergode_input out{};
    out.size = sizeof out, out.seed = 1;
    out.number_count = static_cast<std::uint32_t>(numbers.size()), out.numbers = numbers.data();
    out.json = json.c_str(), out.json_size = json.size();
    return out;
  }
  std::vector<double> numbers;
  std::string json;
};

}  // namespace ergode::test
