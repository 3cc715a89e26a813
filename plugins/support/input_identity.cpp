#include "plugins/support/input_identity.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

namespace plugin_support {

std::string input_identity(const ergode_input& input) {
  std::string out(input.json, input.json_size);
  out.append(reinterpret_cast<const char*>(input.numbers), input.number_count * sizeof(double));
  const nlohmann::json json =
      nlohmann::json::parse(input.json, input.json + input.json_size, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return out;
  for (const nlohmann::json& value : json) {
    std::error_code none;
    if (!value.is_string() || !std::filesystem::is_regular_file(value.get<std::string>(), none)) continue;
    const std::filesystem::path path = value.get<std::string>();
    const auto size = std::filesystem::file_size(path, none);
    const auto time = std::filesystem::last_write_time(path, none).time_since_epoch().count();
    out += "|" + std::to_string(size) + "@" + std::to_string(time);
  }
  return out;
}

}  // namespace plugin_support
