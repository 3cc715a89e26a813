#include "plugins/performance_representatives/engine/onnx_layers.h"

#include <algorithm>
#include <cctype>

#include "plugins/support/onnx_shapes.h"

namespace performance_representatives {
namespace {

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// What tables call the sizes of a convolution.
const std::map<std::string, std::string>& convolution_names() {
  static const std::map<std::string, std::string> names = {
      {"n", "batch"},           {"ci", "in_channels"}, {"cin", "in_channels"}, {"co", "out_channels"},
      {"cout", "out_channels"}, {"h", "height"},       {"hw", "height"},       {"size", "height"},
      {"w", "width"},           {"r", "kernel"},       {"s", "kernel_width"},  {"kernel_size", "kernel"},
      {"padding", "pad"},       {"strides", "stride"}};
  return names;
}
const std::map<std::string, std::string>& product_names() {
  static const std::map<std::string, std::string> names = {
      {"rows", "i"}, {"batch", "i"}, {"tokens", "i"}, {"depth", "k"}, {"in", "k"}, {"columns", "j"}, {"out", "j"}};
  return names;
}

}  // namespace

std::vector<OnnxLayer> onnx_layers(std::string_view bytes) {
  std::vector<OnnxLayer> out;
  const auto whole = [](std::uint64_t x) { return static_cast<std::int64_t>(x); };
  for (const plugin_support::ShapedLayer& layer : plugin_support::shaped_layers(plugin_support::read_onnx(bytes))) {
    OnnxLayer one{.name = layer.name, .convolves = layer.conv.has_value()};
    if (layer.conv) {
      const plugin_support::ConvShape& c = *layer.conv;
      one.sizes = {{"batch", whole(c.batch)},
                   {"in_channels", whole(c.in_channels)},
                   {"out_channels", whole(c.out_channels)},
                   {"height", whole(c.high.size)},
                   {"width", whole(c.wide.size)},
                   {"kernel", whole(c.high.kernel)},
                   {"kernel_width", whole(c.wide.kernel)},
                   {"stride", whole(c.high.stride)},
                   {"pad", whole(c.high.pad)},
                   {"groups", whole(c.groups)}};
    } else {
      const plugin_support::GemmShape& g = *layer.product;
      one.sizes = {{"i", whole(g.rows)}, {"k", whole(g.depth)}, {"j", whole(g.columns)}};
    }
    out.push_back(std::move(one));
  }
  return out;
}

std::optional<std::int64_t> size_called(const OnnxLayer& layer, std::string_view name) {
  std::string wanted = lower_case(name);
  const auto& others = layer.convolves ? convolution_names() : product_names();
  if (const auto other = others.find(wanted); other != others.end()) wanted = other->second;
  const auto at = layer.sizes.find(wanted);
  return at == layer.sizes.end() ? std::nullopt : std::optional(at->second);
}

bool is_of_type(const OnnxLayer& layer, std::string_view type) {
  const std::string name = lower_case(type);
  if (!layer.convolves)
    return name == "gemm" || name == "dense" || name == "fc" || name == "linear" || name == "matmul";
  const std::int64_t groups = layer.sizes.at("groups");
  if (groups > 1 && groups == layer.sizes.at("in_channels")) return name == "depthwise";
  return name == "conv" || name == "conv2d" || name == "convolution";
}

}  // namespace performance_representatives
