#include "statecharts/lower/common_cause.h"

namespace ergode {
namespace {

std::string between_parentheses(const std::string& text, std::size_t open) {
  const std::size_t close = text.find(')', open);
  std::string inner = text.substr(open + 1, close == std::string::npos ? std::string::npos : close - open - 1);
  std::erase(inner, ' ');
  return inner;
}

}  // namespace

std::string common_cause_of(const Element& transition) {
  for (const char* property : {"trigger", "guard"}) {
    const std::string text = transition.text(property);
    const std::size_t at = text.find("ccf(");
    if (at != std::string::npos) return between_parentheses(text, at + 3);
  }
  return {};
}

}  // namespace ergode
