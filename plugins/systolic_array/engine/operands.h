#pragma once
#include <cstdint>
#include <vector>

#include "plugins/systolic_array/engine/array.h"
#include "plugins/systolic_array/engine/buffers.h"

namespace systolic {

/// A layer as a product: rows of inputs (one for each output pixel) times columns of filters (one for each), with the
/// place of every element in its memory.
class Operands {
 public:
  Operands(const Array& array, const Layer& layer);
  std::uint32_t pixels() const { return static_cast<std::uint32_t>(pixel_.size()); }
  std::uint32_t filters() const { return filters_; }
  std::uint32_t input_depth() const { return static_cast<std::uint32_t>(offset_.size()); }
  /// Less than of inputs where filters are squeezed one by one.
  std::uint32_t filter_depth() const { return filter_depth_; }
  std::uint64_t input_words() const { return input_words_; }
  std::uint64_t filter_words() const { return filter_words_; }
  /// no_word where a window reaches beyond the input's edge.
  std::int32_t input(std::uint32_t pixel, std::uint32_t k) const {
    const Pixel& p = pixel_[pixel];
    const Offset& o = offset_[k];
    return p.row + o.row < height_ && p.column + o.column < width_ ? p.word + o.word : no_word;
  }
  /// no_word where a filter was squeezed.
  std::int32_t filter(std::uint32_t k, std::uint32_t f) const {
    return squeezed_.empty() ? static_cast<std::int32_t>(f * window_ + offset_[k].k)
                             : squeezed_[std::size_t{f} * filter_depth_ + k];
  }
  /// Of filters with their zeros written down, words of 4 bytes; 0: there are none.
  double metadata_words() const { return metadata_words_; }
  double stored_filter_words() const { return stored_filter_words_; }

 private:
  struct Pixel {
    std::uint32_t row, column;
    std::int32_t word;
  };
  struct Offset {
    std::uint32_t row, column, k;
    std::int32_t word;
  };
  void squeeze(const Array& array);
  void store(const Array& array, const Layer& layer, std::uint64_t values, std::uint64_t rows);
  std::vector<Pixel> pixel_;
  std::vector<Offset> offset_;
  std::vector<std::int32_t> squeezed_;
  std::uint32_t filters_, filter_depth_, height_, width_;
  std::uint64_t window_, input_words_, filter_words_;
  double metadata_words_ = 0.0, stored_filter_words_ = 0.0;
};

}  // namespace systolic
