#pragma once
#include <string>

namespace ergode {

/// A text as one word for a POSIX shell: as it is where nothing in it is special, else in single quotes. O(size).
std::string shell_word(const std::string& text);

}  // namespace ergode
