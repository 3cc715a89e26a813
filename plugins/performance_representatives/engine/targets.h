#pragma once
#include <cstdint>

#include "plugins/performance_representatives/engine/grid.h"

namespace performance_representatives {

/// An ideal systolic array whose weights stay: cycles of a product of I x K and K x J. Each tile of rows x columns
/// weights is loaded and streamed through by the I rows, which come in blocks:
/// T = (2 rows + columns + ceil(I / block) block - 2) ceil(K / rows) ceil(J / columns)
/// Samajdar et al., SCALE-Sim: Systolic CNN accelerator simulator, arXiv 1811.02883, 2018; the blocks are an addition.
struct GemmArray {
  std::int64_t rows = 8, columns = 8, block = 8;
  double cycles(const Point& ikj) const {
    const auto tiles = [](std::int64_t size, std::int64_t width) { return (size + width - 1) / width; };
    const std::int64_t streamed = 2 * rows + columns + tiles(ikj[0], block) * block - 2;
    return static_cast<double>(streamed) * static_cast<double>(tiles(ikj[1], rows) * tiles(ikj[2], columns));
  }
};

}  // namespace performance_representatives
