#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ergode {

/// Records of equal length, each once, numbered 0, 1, 2, ... in the order in which they are added. Open addressing over
/// one array of words: no allocation per record, 4 bytes a record beside its words (8 at most, just after growing).
/// Fewer than 2^32 records, which is not checked. Numbers stay, addresses do not.
/// @tparam Word  an unsigned integer; records are equal when all their words are
template <class Word>
class RecordSet {
 public:
  /// @param width  words of a record, >= 1
  explicit RecordSet(std::size_t width) : width_(width), table_(64, empty) {}

  /// The number of the record, which is added when it is new. Amortised O(width).
  std::uint32_t add(const Word* record) {
    if ((size_ + 1) * 4 > table_.size() * 3) grow();
    const std::size_t mask = table_.size() - 1;
    for (std::size_t at = hash(record) & mask;; at = (at + 1) & mask) {
      if (table_[at] == empty) {
        table_[at] = static_cast<std::uint32_t>(size_);
        words_.insert(words_.end(), record, record + width_);
        return static_cast<std::uint32_t>(size_++);
      }
      if (std::equal(record, record + width_, (*this)[table_[at]])) return table_[at];
    }
  }
  /// The words of a record that was added; until the next add().
  const Word* operator[](std::uint32_t number) const { return words_.data() + std::size_t{number} * width_; }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::uint32_t empty = ~std::uint32_t{0};

  std::size_t hash(const Word* record) const {
    std::uint64_t h = 0x9e3779b97f4a7c15ULL;
    for (std::size_t i = 0; i < width_; ++i) {
      h = (h ^ static_cast<std::uint64_t>(record[i])) * 0xff51afd7ed558ccdULL;
      h ^= h >> 32U;
    }
    return static_cast<std::size_t>(h);
  }
  void grow() {
    table_.assign(table_.size() * 2, empty);
    const std::size_t mask = table_.size() - 1;
    for (std::uint32_t number = 0; number < size_; ++number) {
      std::size_t at = hash((*this)[number]) & mask;
      while (table_[at] != empty) at = (at + 1) & mask;
      table_[at] = number;
    }
  }

  std::size_t width_, size_ = 0;
  std::vector<Word> words_;
  std::vector<std::uint32_t> table_;
};

}  // namespace ergode
