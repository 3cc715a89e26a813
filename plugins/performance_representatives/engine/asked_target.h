#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plugins/performance_representatives/engine/study.h"

namespace performance_representatives {

/// Layers of one type as a plugin measures them.
struct AskedType {
  std::string name;                                      ///< empty: there is one
  std::string plugin;                                    ///< whose simulator is asked
  std::string output;                                    ///< what is learnt
  nlohmann::json parameters = nlohmann::json::object();  ///< that stay as they are, by name
  nlohmann::json files = nlohmann::json::object();       ///< name -> path
  std::vector<std::vector<std::string>>
      sets;                       ///< by size: the parameters that get its value; none: other types have it
  std::vector<SizeRange> ranges;  ///< by size; of those that others have alone 0 to 0

  /// The parameters of a point, as JSON. @param point  by size
  std::string parameters_at(const Point& point) const;
};

/// What a target file says: one type of layer or several, all by the same names of sizes.
struct AskedTarget {
  std::vector<std::string> names;  ///< of sizes: of the first type by letters, then what others have besides
  std::vector<AskedType> types;    ///< at least one
};

/// Reads
///     {"plugin": "npu", "output": "cycles", "parameters": {"hardware": "m8_simple"}, "files": {},
///      "swept": {"rows": {"low": 1, "high": 64, "base": 16}, "depth": {...}}}
/// where an entry of `swept` may also have width, offset, hints (a list) and sets (the parameters of the plugin that
/// get the value; left out: the one of its name). Several types: "types", a list of such objects with a "type" each,
/// which have of the whole what they do not say; parameters and files of both count. Files lie in the folder of the
/// target file or below.
/// @param path  of it, for the files
/// @throws std::invalid_argument  place, value seen, value wanted
AskedTarget parse_target(const std::string& text, const std::string& path);

}  // namespace performance_representatives
