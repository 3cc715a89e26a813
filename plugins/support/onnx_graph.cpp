#include "plugins/support/onnx_graph.h"

#include <stdexcept>

namespace plugin_support {
namespace {

/// Fields of one message, each within its bounds.
class Wire {
 public:
  Wire(std::string_view bytes, std::size_t offset) : bytes_(bytes), offset_(offset) {}
  bool next() {
    if (at_ == bytes_.size()) return false;
    const std::uint64_t key = varint();
    field = key >> 3, kind = static_cast<unsigned>(key & 7), text = {}, value = 0;
    constexpr unsigned number = 0, eight = 1, counted = 2, four = 5;
    if (field == 0) fail("a field has the number 0");
    if (kind == number) value = varint();
    else if (kind == eight || kind == four) take(kind == eight ? 8 : 4);
    else if (kind == counted) take(varint());
    else fail("a field is of a kind that there is not");
    return true;
  }
  Wire message() const { return {text, offset_ + at_ - text.size()}; }
  /// Repeated numbers, packed or one by one.
  void numbers(std::vector<std::int64_t>& to) const {
    if (kind == 0) return to.push_back(static_cast<std::int64_t>(value));
    Wire packed = message();
    while (packed.at_ < packed.bytes_.size()) to.push_back(static_cast<std::int64_t>(packed.varint()));
  }
  std::string string() const { return std::string(text); }
  std::uint64_t field = 0, value = 0;
  unsigned kind = 0;
  std::string_view text;

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::invalid_argument("byte " + std::to_string(offset_ + at_) + ": " + what + "; wanted an ONNX model");
  }
  std::uint64_t varint() {
    std::uint64_t out = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (at_ == bytes_.size()) fail("the file ends within a number");
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      if (shift < 64) out |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return out;
    }
    fail("a number has more than ten bytes");
  }
  void take(std::uint64_t length) {
    if (length > bytes_.size() - at_) fail("a field goes beyond the end");
    text = bytes_.substr(at_, static_cast<std::size_t>(length)), at_ += static_cast<std::size_t>(length);
  }
  std::string_view bytes_;
  std::size_t offset_ = 0, at_ = 0;
};

/// Whole numbers of little-endian bytes.
std::vector<std::int64_t> numbers_of_bytes(std::string_view raw, std::size_t width) {
  std::vector<std::int64_t> out;
  for (std::size_t at = 0; at + width <= raw.size(); at += width) {
    std::uint64_t x = 0;
    for (std::size_t i = width; i-- > 0;) x = x << 8U | static_cast<unsigned char>(raw[at + i]);
    out.push_back(width == 4 ? static_cast<std::int32_t>(static_cast<std::uint32_t>(x)) : static_cast<std::int64_t>(x));
  }
  return out;
}

GraphTensor read_initializer(Wire in) {
  constexpr std::uint64_t int32 = 6, int64 = 7;
  constexpr std::size_t most = 4096;
  GraphTensor out;
  std::uint64_t type = 0;
  std::string_view raw;
  while (in.next()) {
    if (in.field == 1) in.numbers(out.dims);
    if (in.field == 2) type = in.value;
    if ((in.field == 5 || in.field == 7) && in.text.size() <= 10 * most && out.values.size() <= most)
      in.numbers(out.values);
    if (in.field == 8) out.name = in.string();
    if (in.field == 9) raw = in.text;
  }
  if (type != int32 && type != int64) out.values.clear();
  else if (!raw.empty() && raw.size() <= 8 * most) out.values = numbers_of_bytes(raw, type == int32 ? 4 : 8);
  if (out.values.size() > most) out.values.clear();
  out.axes.resize(out.dims.size());
  return out;
}

GraphTensor read_input(Wire in) {
  GraphTensor out;
  while (in.next()) {
    if (in.field == 1) out.name = in.string();
    if (in.field != 2) continue;
    for (Wire type = in.message(); type.next();)
      if (type.field == 1)
        for (Wire tensor = type.message(); tensor.next();)
          if (tensor.field == 2)
            for (Wire shape = tensor.message(); shape.next();)
              if (shape.field == 1) {
                out.dims.push_back(0), out.axes.emplace_back();
                for (Wire dim = shape.message(); dim.next();) {
                  if (dim.field == 1) out.dims.back() = static_cast<std::int64_t>(dim.value);
                  if (dim.field == 2) out.axes.back() = dim.string();
                }
              }
  }
  return out;
}

GraphNode read_node(Wire in) {
  GraphNode out;
  while (in.next()) {
    if (in.field == 1) out.inputs.push_back(in.string());
    if (in.field == 2) out.outputs.push_back(in.string());
    if (in.field == 3) out.name = in.string();
    if (in.field == 4) out.op = in.string();
    if (in.field != 5) continue;
    std::string name;
    std::vector<std::int64_t> values;
    std::optional<GraphTensor> tensor;
    for (Wire attribute = in.message(); attribute.next();) {
      if (attribute.field == 1) name = attribute.string();
      if (attribute.field == 3 || attribute.field == 8) attribute.numbers(values);
      if (attribute.field == 5 && attribute.kind == 2) tensor = read_initializer(attribute.message());
    }
    if (name == "value") out.value = tensor;
    out.attributes[name] = values;
  }
  return out;
}

}  // namespace

Graph read_onnx(std::string_view bytes) {
  Graph out;
  bool found = false;
  for (Wire model(bytes, 0); model.next();) {
    if (model.field != 7 || model.kind != 2) continue;
    found = true;
    for (Wire graph = model.message(); graph.next();) {
      if (graph.field == 1) out.nodes.push_back(read_node(graph.message()));
      if (graph.field == 5) out.initializers.push_back(read_initializer(graph.message()));
      if (graph.field == 11) out.inputs.push_back(read_input(graph.message()));
    }
  }
  if (!found || out.nodes.empty()) throw std::invalid_argument("there is no graph with nodes; wanted an ONNX model");
  // Older files list weights among the inputs too.
  std::map<std::string_view, bool> weights;
  for (const GraphTensor& one : out.initializers) weights[one.name] = true;
  std::erase_if(out.inputs, [&weights](const GraphTensor& one) { return weights.count(one.name) > 0; });
  if (const std::string fault = graph_fault(out); !fault.empty()) throw std::invalid_argument(fault);
  return out;
}

}  // namespace plugin_support
