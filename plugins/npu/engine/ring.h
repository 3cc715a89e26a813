#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace npu {

/// A queue that keeps its memory.
template <class T>
class FixedRing {
 public:
  bool empty() const { return head_ == tail_; }
  std::size_t size() const { return tail_ - head_; }
  const T& front() const { return items_[head_ & (items_.size() - 1)]; }
  const T& back() const { return items_[(tail_ - 1) & (items_.size() - 1)]; }
  void push(const T& item) {
    if (size() == items_.size()) grow();
    items_[tail_++ & (items_.size() - 1)] = item;
  }
  T pop() { return items_[head_++ & (items_.size() - 1)]; }

 private:
  void grow() {
    std::vector<T> more(items_.empty() ? 16 : 2 * items_.size());
    const std::size_t n = size();
    for (std::size_t i = 0; i < n; ++i) more[i] = items_[(head_ + i) & (items_.size() - 1)];
    items_.swap(more), head_ = 0, tail_ = n;
  }
  std::vector<T> items_;
  std::size_t head_ = 0, tail_ = 0;
};

/// A request of a core to the memory, and what becomes of it.
struct MemoryRequest {
  std::uint64_t address = 0;
  std::uint32_t block = 0;  ///< that waits for it; of a write the place among those of its core that are waited for
  std::uint16_t era = 0;    ///< of the half in which the block is
  std::uint8_t core = 0;
  std::uint8_t half : 1 = 0;
  std::uint8_t write : 1 = 0;
};

}  // namespace npu
