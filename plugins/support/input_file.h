#pragma once
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace plugin_support {

/// The bytes of a regular file: no folder, device or pipe, which may have no end. @param most_bytes  2 GiB
/// @throws std::invalid_argument  what it is, or its size, and what is wanted; the path is the caller's to say
std::string regular_file_content(const std::string& path, std::uint64_t most_bytes = std::uint64_t{1} << 31);

/// The file that another one names, relative to its folder. Links are followed.
/// @throws std::invalid_argument  where it lies outside that folder
std::string path_beside(const std::string& file, const std::string& named);

/// JSON whose depth is looked at before it is parsed: what is nested without end would exhaust the stack of those who
/// go through it. O(bytes).
/// @throws std::invalid_argument  with line and column, of a level too many or of what is no JSON
nlohmann::json parse_json_file(std::string_view text, std::size_t most_depth = 64);

/// A value as a message shows it: its beginning where it is long.
std::string seen_json(const nlohmann::json& value);

}  // namespace plugin_support
