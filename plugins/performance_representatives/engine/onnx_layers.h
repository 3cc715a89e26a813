#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace performance_representatives {

/// A layer of a network that computes: a convolution or a product of matrices.
struct OnnxLayer {
  std::string name;
  bool convolves = false;
  std::map<std::string, std::int64_t> sizes = {};  ///< by its names below
};
/// Those of an ONNX file; what takes no array (sums, activations, pooling) is fused into them, as tool chains do.
/// Convolutions have batch, in_channels, out_channels, height, width, kernel, kernel_width, stride, pad, groups;
/// products I, K, J (rows, depth, columns).
/// @throws std::invalid_argument  what is no ONNX file, or names the node
std::vector<OnnxLayer> onnx_layers(std::string_view bytes);

/// A size by a name that a table of measurements may have for it, such as Ci, Co, H, stride; in any case.
std::optional<std::int64_t> size_called(const OnnxLayer& layer, std::string_view name);
/// Whether a type of layer of that name is this one's: conv, conv2d, depthwise; gemm, dense, fc, linear, matmul.
bool is_of_type(const OnnxLayer& layer, std::string_view type);

}  // namespace performance_representatives
