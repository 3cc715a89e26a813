#pragma once
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

#include "plugins/npu/engine/hardware.h"
#include "plugins/npu/engine/layer_size.h"
#include "plugins/npu/engine/tile.h"

namespace npu {

/// Numbers the blocks of a layer by the addresses within the cores' memories that they have.
class TileWriter {
 public:
  explicit TileWriter(const Hardware& hardware) : request_(hardware.request_bytes) {}
  Tile tile;
  std::uint32_t block(std::uint64_t key) {
    const bool accumulator = key >= accumulator_base;
    auto& known = accumulator ? accumulator_ : scratchpad_;
    const auto number = static_cast<std::uint32_t>(known.size());
    return known.try_emplace(key, number).first->second | (accumulator ? in_accumulator : 0);
  }
  std::uint64_t down(std::uint64_t address) const { return address & ~(request_ - 1); }
  void one(std::uint64_t address) { tile.addresses.push_back(down(address)); }
  /// Every request that has a byte of first .. end - 1.
  void span(std::uint64_t first, std::uint64_t end) {
    if (first < end) bound(static_cast<double>(end - first) / static_cast<double>(request_) * sizeof(std::uint64_t));
    for (std::uint64_t at = down(first); at < end; at += request_) tile.addresses.push_back(at);
  }
  void begin() { first_ = tile.addresses.size(); }
  void memory(Op op, std::uint64_t key, bool in_order = true) {
    const auto first = tile.addresses.begin() + static_cast<std::ptrdiff_t>(first_);
    if (in_order) {
      if (!std::is_sorted(first, tile.addresses.end())) std::sort(first, tile.addresses.end());
      tile.addresses.erase(std::unique(first, tile.addresses.end()), tile.addresses.end());
    }
    Instruction out;
    out.op = op, out.dst = block(key), out.first = static_cast<std::uint32_t>(first_);
    out.count = static_cast<std::uint32_t>(tile.addresses.size() - first_);
    add(out);
  }
  void product(Op op, std::uint64_t dst, std::uint64_t a, std::uint64_t b, std::uint64_t n, std::uint64_t m,
               std::uint64_t k) {
    Instruction out;
    out.op = op, out.dst = block(dst), out.src[0] = block(a), out.src[1] = block(b), out.n = n;
    out.m = static_cast<std::uint32_t>(m), out.k = static_cast<std::uint32_t>(k);
    add(out);
  }
  void range(Op op, std::uint64_t key, std::uint64_t first, std::uint64_t end) {
    begin();
    span(first, end);
    memory(op, key);
  }
  void vector(Op op, std::uint64_t dst, std::uint64_t a, std::uint64_t b, std::uint64_t bytes, std::uint64_t rows) {
    Instruction out;
    out.op = op, out.dst = block(dst), out.n = bytes;
    if (a != 0) out.src[0] = block(a);
    if (b != 0) out.src[1] = block(b);
    out.rows = static_cast<std::uint32_t>(rows);
    add(out);
  }
  void finish_tile() {
    bytes_ += tile_bytes();
    if (!tile.instructions.empty()) list_.tiles.push_back(std::move(tile));
    tile = Tile();
  }
  TileList take() {
    list_.scratchpad_blocks = static_cast<std::uint32_t>(scratchpad_.size());
    list_.accumulator_blocks = static_cast<std::uint32_t>(accumulator_.size());
    return std::move(list_);
  }
  static constexpr std::uint64_t scratchpad_base = 0x10000000, accumulator_base = std::uint64_t{1} << 48;

 private:
  double tile_bytes() const {
    return static_cast<double>(sizeof(Tile) + tile.instructions.size() * sizeof(Instruction) +
                               tile.addresses.size() * sizeof(std::uint64_t));
  }
  /// What cannot be told from a layer's shape is refused while it is made. @throws std::invalid_argument
  void bound(double more) const {
    if (bytes_ + tile_bytes() + more > most_layer_bytes)
      throw std::invalid_argument("a layer's tiles take more than " + std::to_string(most_layer_bytes / 1e9) +
                                  " GB of memory; wanted a smaller layer");
  }
  void add(const Instruction& one) {
    bound(0.0);
    tile.instructions.push_back(one);
  }
  std::uint64_t request_;
  double bytes_ = 0.0;  // of the tiles that are finished
  std::size_t first_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> scratchpad_, accumulator_;
  TileList list_;
};

}  // namespace npu
