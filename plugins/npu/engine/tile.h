#pragma once
#include <cstdint>
#include <vector>

namespace npu {

enum class Op : std::uint8_t {
  load,
  store,
  preload,  ///< a product for which weights are loaded into the array first
  gemm,     ///< with the weights that are there
  add,
  mul,
  mac,
  div,
  exp,
  gelu,
  swish,
  comp,
  add_tree,
  softmax,
  layer_norm
};

constexpr std::uint32_t no_block = UINT32_MAX;
/// Blocks of a tile are numbered within its layer; the highest bit says that it lies in the accumulator.
constexpr std::uint32_t in_accumulator = 0x80000000U;

struct Instruction {
  Op op = Op::load;
  std::uint32_t dst = no_block;                 ///< of a store: what it stores
  std::uint32_t src[2] = {no_block, no_block};  ///< of computations
  std::uint32_t first = 0, count = 0;           ///< addresses of loads and stores, in the tile's list
  std::uint64_t n = 0;                          ///< length of the stream, or bytes of vector operators
  std::uint32_t rows = 1;
  std::uint32_t m = 0, k = 0;  ///< of the array that are used, for statistics
  std::uint64_t counted = 0;   ///< stream length for statistics, where it is not n
};

struct Tile {
  std::uint32_t layer = 0;   ///< number of the layer in this run
  std::uint64_t fused = 0;   ///< part of a fused operator
  bool accumulates = false;  ///< goes on with the accumulator of the tile before
  bool skip = false;         ///< costs nothing
  std::int32_t core = -1;    ///< index that the scheduler turns into a core; -1: whose turn it is
  std::vector<Instruction> instructions;
  std::vector<std::uint64_t> addresses;
};

/// Blocks and tiles of a layer.
struct TileList {
  std::vector<Tile> tiles;
  std::uint32_t scratchpad_blocks = 0, accumulator_blocks = 0;
};

}  // namespace npu
