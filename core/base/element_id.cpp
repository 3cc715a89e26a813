#include "core/base/element_id.h"

#include <mutex>
#include <random>

namespace ergode {

ElementId ElementId::make() {
  static std::mutex mutex;
  static std::random_device device;
  const std::lock_guard lock(mutex);
  for (;;) {
    const std::uint64_t high = device();
    const std::uint64_t low = device();
    const std::uint64_t bits = (high << 32U) ^ low;
    if (bits != 0) return ElementId(bits);
  }
}

std::optional<ElementId> ElementId::parse(std::string_view text) {
  if (text.size() != 16) return std::nullopt;
  std::uint64_t bits = 0;
  for (const char c : text) {
    unsigned digit = 0;
    if (c >= '0' && c <= '9') digit = static_cast<unsigned>(c - '0');
    else if (c >= 'a' && c <= 'f') digit = static_cast<unsigned>(c - 'a') + 10;
    else if (c >= 'A' && c <= 'F') digit = static_cast<unsigned>(c - 'A') + 10;
    else return std::nullopt;
    bits = bits << 4U | digit;
  }
  if (bits == 0) return std::nullopt;
  return ElementId(bits);
}

std::string ElementId::text() const {
  if (bits_ == 0) return {};
  std::string out(16, '0');
  for (std::size_t i = 0; i < 16; ++i) out[15 - i] = "0123456789abcdef"[(bits_ >> (4 * i)) & 15U];
  return out;
}

}  // namespace ergode
