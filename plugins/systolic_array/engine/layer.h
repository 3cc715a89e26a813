#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace systolic {

/// A convolution, or a product M x K by K x N as one: an input of M x K, N filters of 1 x K. Sizes in elements, at
/// least 1.
struct Layer {
  std::string name;
  std::uint32_t input_height = 1, input_width = 1;    ///< padding included
  std::uint32_t filter_height = 1, filter_width = 1;  ///< at most the input's
  std::uint32_t channels = 1, filters = 1;
  std::uint32_t stride_down = 1, stride_across = 1;
  /// Of each `block` values of a filter the first `kept` are not zero; 1 of 1: all.
  std::uint32_t kept = 1, block = 1;

  /// Windows that begin inside; the last may reach beyond the edge, where nothing is read.
  std::uint32_t output_height() const { return (input_height - filter_height + stride_down - 1) / stride_down + 1; }
  std::uint32_t output_width() const { return (input_width - filter_width + stride_across - 1) / stride_across + 1; }
  std::uint64_t pixels() const { return std::uint64_t{output_height()} * output_width(); }
  std::uint64_t window() const { return std::uint64_t{filter_height} * filter_width * channels; }
  /// Multiplications and additions with all weights.
  std::uint64_t operations() const { return pixels() * window() * filters; }
};

/// Layers in a table as SCALE-Sim reads them: "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width,
/// Channels, Num Filter, Strides" and perhaps "Sparsity" (2:4), or "Layer name, M, N, K". A name with "DP" in it is
/// depth-wise there: one layer of one channel for each channel.
/// @throws std::invalid_argument  "line 3: Channels is 0; wanted a whole number from 1"
std::vector<Layer> read_layers(const std::string& text);

/// What is wrong with a layer; empty when nothing is.
std::string layer_fault(const Layer& layer);

}  // namespace systolic
