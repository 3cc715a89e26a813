#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/base/text_place.h"

namespace ergode {

/// What is wrong with a header that names a column twice which is read, as nobody knows which of the two is meant:
/// "column 'gpus' is there twice, as columns 3 and 5; wanted one". O(columns).
/// @param column  the first of that name, from 0; beyond the header: there is none, and nothing is wrong
inline std::optional<std::string> twice_in_header(const std::vector<std::string>& header, std::size_t column) {
  for (std::size_t c = column + 1; c < header.size(); ++c)
    if (trim(header[c]) == trim(header[column]))
      return "column '" + quotable(std::string(trim(header[column]))) + "' is there twice, as columns " +
             std::to_string(column + 1) + " and " + std::to_string(c + 1) + "; wanted one";
  return std::nullopt;
}

}  // namespace ergode
