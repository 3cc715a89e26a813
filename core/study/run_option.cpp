#include "core/study/run_option.h"

#include <charconv>
#include <cmath>

namespace ergode {

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t exact = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exact);
  if (error == std::errc() && end == text.data() + text.size()) return exact;
  const auto value = parse_number(text);
  if (!value || !(*value >= 0 && *value <= 9e15) || *value != std::floor(*value)) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

std::string listed_words(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i)
    out += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return out;
}

const char* to_text(OdeMethod method) {
  return method == OdeMethod::automatic ? "automatic" : method == OdeMethod::stiff ? "stiff" : "nonstiff";
}

}  // namespace ergode
