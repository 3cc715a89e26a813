#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ergode {

/// Names one element of a document for ever: 64 random bits, written as 16 hexadecimal digits (JSON readers lose
/// bits of integers past 2^53). The null id (all zero) means "none" and is never given to an element.
/// Ids are never reused; a copy of an element gets a new one.
/// Ordered by their bits, which means nothing but that sets have an order; a document has its own. 8 bytes, passed by
/// value.
class ElementId {
 public:
  /// The null id.
  constexpr ElementId() = default;
  explicit constexpr ElementId(std::uint64_t bits) : bits_(bits) {}

  /// A fresh id from the operating system's entropy. Thread-safe.
  static ElementId make();
  /// @returns the id, or nothing when `text` is not exactly 16 hexadecimal digits or is all zero.
  static std::optional<ElementId> parse(std::string_view text);

  /// 16 lower-case hexadecimal digits; empty for the null id.
  std::string text() const;
  /// For hashes and streams of bytes; 0 is the null id.
  constexpr std::uint64_t bits() const { return bits_; }
  /// False for the null id.
  constexpr explicit operator bool() const { return bits_ != 0; }
  friend constexpr auto operator<=>(ElementId, ElementId) = default;

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace ergode

template <>
struct std::hash<ergode::ElementId> {
  std::size_t operator()(ergode::ElementId id) const noexcept { return static_cast<std::size_t>(id.bits()); }
};
