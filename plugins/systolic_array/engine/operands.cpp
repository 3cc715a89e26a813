#include "plugins/systolic_array/engine/operands.h"

#include <bit>
#include <random>

namespace systolic {

Operands::Operands(const Array& array, const Layer& layer)
    : filters_(layer.filters),
      height_(layer.input_height),
      width_(layer.input_width),
      window_(layer.window()),
      input_words_(std::uint64_t{layer.input_height} * layer.input_width * layer.channels),
      filter_words_(layer.window() * layer.filters) {
  pixel_.reserve(layer.pixels());
  for (std::uint32_t y = 0; y < layer.output_height(); ++y)
    for (std::uint32_t x = 0; x < layer.output_width(); ++x) {
      const std::uint32_t row = y * layer.stride_down, column = x * layer.stride_across;
      pixel_.push_back(
          {row, column, static_cast<std::int32_t>((std::uint64_t{row} * layer.input_width + column) * layer.channels)});
    }
  std::uint32_t k = 0;
  for (std::uint32_t y = 0; y < layer.filter_height; ++y)
    for (std::uint32_t x = 0; x < layer.filter_width; ++x)
      for (std::uint32_t c = 0; c < layer.channels; ++c, ++k)
        if (array.sparsity != Sparsity::layer_wise || k % layer.block < layer.kept)
          offset_.push_back(
              {y, x, k, static_cast<std::int32_t>((std::uint64_t{y} * layer.input_width + x) * layer.channels + c)});
  filter_depth_ = static_cast<std::uint32_t>(offset_.size());
  if (array.sparsity == Sparsity::layer_wise)
    store(array, layer, std::uint64_t{filter_depth_} * filters_, filter_depth_);
  if (array.sparsity == Sparsity::row_wise) {
    squeeze(array);
    std::uint64_t values = 0;
    for (const std::int32_t word : squeezed_) values += word != no_word ? 1U : 0U;
    store(array, layer, values, filter_depth_);
  }
}

/// Of each block a filter keeps its first values, as many as it drew; two blocks then share the room of one.
void Operands::squeeze(const Array& array) {
  const std::uint32_t block = array.sparse_block, half = block / 2, mask = std::bit_ceil(half) - 1;
  const auto window = static_cast<std::uint32_t>(window_);
  filter_depth_ = (window + 2 * block - 1) / (2 * block) * block;
  squeezed_.assign(std::size_t{filters_} * filter_depth_, no_word);
  std::mt19937 generator(array.sparse_seed);
  for (std::uint32_t f = 0; f < filters_; ++f) {
    std::uint32_t kept = 0;
    do kept = static_cast<std::uint32_t>(generator()) & mask;
    while (kept >= half);
    ++kept;
    for (std::uint32_t k = 0; k < window; ++k)
      if (k % block < kept)
        squeezed_[std::size_t{f} * filter_depth_ + k / block * half + k % block] =
            static_cast<std::int32_t>(f * window_ + k);
  }
}

/// @param values  that are kept  @param rows  of the squeezed filters
void Operands::store(const Array& array, const Layer& layer, std::uint64_t values, std::uint64_t rows) {
  constexpr double bits = 32.0;
  const double kept = static_cast<double>(values);
  switch (array.format) {
    case SparseFormat::csr:
      metadata_words_ = kept + static_cast<double>(window_ + 1);
      stored_filter_words_ = kept + metadata_words_;
      break;
    case SparseFormat::csc:
      metadata_words_ = kept + static_cast<double>(filters_ + 1);
      stored_filter_words_ = kept + metadata_words_;
      break;
    case SparseFormat::ellpack_block: {
      const double places = static_cast<double>(rows) * filters_;
      metadata_words_ = places * std::bit_width(layer.block - 1U) / bits;
      stored_filter_words_ = places + metadata_words_;
      break;
    }
  }
}

}  // namespace systolic
