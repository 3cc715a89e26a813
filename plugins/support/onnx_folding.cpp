// Arithmetic with shapes that a graph does before any weight is read: which numbers are known before the run, and which
// shapes follow from them. Semantics: ONNX operator specification, opsets 1 to 18.
#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "plugins/support/onnx_shapes.h"

namespace plugin_support {
namespace {

using Numbers = std::vector<std::int64_t>;

constexpr std::size_t most_numbers = 4096;  ///< of a tensor whose numbers are kept
/// Where an axis of batch, channels, height, width lies in batch, height, width, channels.
constexpr std::array<std::size_t, 4> image_axes = {0, 3, 1, 2};

/// As axes of whole numbers, the last one -1. @throws std::invalid_argument
std::size_t axis_of(const GraphNode& node, std::int64_t axis, std::size_t rank) {
  const auto axes = static_cast<std::int64_t>(rank);
  if (axis < -axes || axis >= axes)
    refuse_node(node, "its axis is " + std::to_string(axis) + "; there are " + std::to_string(rank));
  return static_cast<std::size_t>(axis < 0 ? axis + axes : axis);
}
std::uint64_t size_of(const GraphNode& node, std::int64_t size) {
  if (size < 0) refuse_node(node, "an axis would be " + std::to_string(size));
  return static_cast<std::uint64_t>(size);
}
std::int64_t signed_attribute(const GraphNode& node, const char* name, std::int64_t otherwise) {
  const auto at = node.attributes.find(name);
  return at == node.attributes.end() || at->second.empty() ? otherwise : at->second[0];
}
/// Each axis as large as the larger of both, of which one may be 1; nothing where they do not fit.
std::optional<TensorShape> broadcast(const TensorShape& a, const TensorShape& b) {
  TensorShape out(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return std::nullopt;
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

const std::map<std::string, std::function<std::int64_t(std::int64_t, std::int64_t)>>& arithmetic() {
  static const std::map<std::string, std::function<std::int64_t(std::int64_t, std::int64_t)>> all = {
      {"Add", [](std::int64_t a, std::int64_t b) { return a + b; }},
      {"Sub", [](std::int64_t a, std::int64_t b) { return a - b; }},
      {"Mul", [](std::int64_t a, std::int64_t b) { return a * b; }},
      {"Div", [](std::int64_t a, std::int64_t b) { return b == 0 ? 0 : a / b; }},
      {"Equal", [](std::int64_t a, std::int64_t b) { return a == b ? 1 : 0; }},
      {"Min", [](std::int64_t a, std::int64_t b) { return std::min(a, b); }},
      {"Max", [](std::int64_t a, std::int64_t b) { return std::max(a, b); }}};
  return all;
}

}  // namespace

const Numbers* OnnxShapes::numbers(const GraphNode& node, std::size_t i) const {
  if (i >= node.inputs.size()) return nullptr;
  const auto at = numbers_.find(node.inputs[i]);
  return at == numbers_.end() ? nullptr : &at->second;
}
/// Those that a node must have to have a shape: of an input, or of an attribute as older opsets have it.
Numbers OnnxShapes::wanted_numbers(const GraphNode& node, std::size_t i, const char* attribute) const {
  if (const auto at = node.attributes.find(attribute); at != node.attributes.end() && !at->second.empty())
    return at->second;
  if (const Numbers* found = numbers(node, i)) return *found;
  refuse_node(node, i < node.inputs.size()
                        ? "its input " + node.inputs[i] + " is not known before the run, and its shape depends on it"
                        : "it has no " + std::string(attribute));
}
/// Of an input as the graph has it: images as batch, channels, height, width; scalars without axes.
TensorShape OnnxShapes::written(const GraphNode& node, std::size_t i) const {
  if (i >= node.inputs.size()) refuse_node(node, "it has no input " + std::to_string(i + 1));
  const auto at = shapes_.find(node.inputs[i]);
  if (at == shapes_.end()) refuse_node(node, "nothing before it produces its input " + node.inputs[i]);
  if (images_.count(node.inputs[i]) == 0) return at->second;
  TensorShape out(image_axes.size());
  for (std::size_t axis = 0; axis < out.size(); ++axis) out[axis] = at->second[image_axes[axis]];
  return out;
}
void OnnxShapes::put(const std::string& tensor, TensorShape shape, bool image) {
  if (image) {
    TensorShape laid(image_axes.size());
    for (std::size_t axis = 0; axis < laid.size(); ++axis) laid[image_axes[axis]] = shape[axis];
    shape = std::move(laid);
    images_.insert(tensor);
  }
  add(tensor, std::move(shape));
}
void OnnxShapes::put(const std::string& tensor, const TensorShape& shape, Numbers known) {
  if (known.size() <= most_numbers && known.size() == elements(shape)) numbers_[tensor] = std::move(known);
  add(tensor, shape);
}

bool OnnxShapes::fold_number(const GraphNode& node, const std::string& out) {
  if (node.op == "Constant") {
    if (node.value) {
      TensorShape shape;
      for (const std::int64_t dim : node.value->dims) shape.push_back(size_of(node, dim));
      put(out, shape, node.value->values);
    } else if (const auto one = node.attributes.find("value_int"); one != node.attributes.end()) {
      put(out, {}, one->second);
    } else if (const auto all = node.attributes.find("value_ints"); all != node.attributes.end()) {
      put(out, {all->second.size()}, all->second);
    } else {
      add(out, {});
    }
    return true;
  }
  if (node.op == "ConstantOfShape") {
    TensorShape shape;
    for (const std::int64_t dim : wanted_numbers(node, 0, "shape")) shape.push_back(size_of(node, dim));
    const std::uint64_t count = elements(shape);
    if (node.value && node.value->values.size() == 1 && count <= most_numbers)
      put(out, shape, Numbers(static_cast<std::size_t>(count), node.value->values[0]));
    else add(out, shape);
    return true;
  }
  if (node.op == "Shape") {
    Numbers dims;
    for (const std::uint64_t dim : written(node, 0)) dims.push_back(static_cast<std::int64_t>(dim));
    const auto rank = static_cast<std::int64_t>(dims.size());
    const auto place = [rank](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank); };
    const std::int64_t from = place(signed_attribute(node, "start", 0)),
                       to = place(signed_attribute(node, "end", rank));
    const Numbers some = from < to ? Numbers(dims.begin() + from, dims.begin() + to) : Numbers{};
    put(out, {some.size()}, some);
    return true;
  }
  if (node.op == "Range") {
    const Numbers *first = numbers(node, 0), *limit = numbers(node, 1), *step = numbers(node, 2);
    if (first == nullptr || limit == nullptr || step == nullptr || step->at(0) == 0)
      refuse_node(node, "its limits are not known before the run, and its shape depends on them");
    Numbers all;
    for (std::int64_t x = first->at(0); step->at(0) > 0 ? x < limit->at(0) : x > limit->at(0); x += step->at(0)) {
      if (all.size() == most_numbers)
        refuse_node(node, "it has more than " + std::to_string(most_numbers) + " numbers");
      all.push_back(x);
    }
    put(out, {all.size()}, all);
    return true;
  }
  // Of each pair, one of which may stand for all; of shapes alone where the numbers are not known.
  const auto pair = arithmetic().find(node.op);
  if (pair != arithmetic().end() && node.inputs.size() == 2) {
    const Numbers *a = numbers(node, 0), *b = numbers(node, 1);
    const bool images = images_.count(node.inputs[0]) > 0 || images_.count(node.inputs[1]) > 0;
    const auto shape = images ? std::nullopt : broadcast(written(node, 0), written(node, 1));
    if (!shape) return false;
    if (a == nullptr || b == nullptr || (a->size() != b->size() && a->size() != 1 && b->size() != 1)) {
      add(out, *shape);
      return true;
    }
    Numbers all(std::max(a->size(), b->size()));
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = pair->second((*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]);
    put(out, *shape, all);
    return true;
  }
  const Numbers *which = numbers(node, 0), *yes = numbers(node, 1), *no = numbers(node, 2);
  if (node.op == "Where" && which != nullptr && yes != nullptr && no != nullptr) {
    const std::size_t count = std::max({which->size(), yes->size(), no->size()});
    const auto of = [count](const Numbers& all, std::size_t i) { return all.size() == count ? all[i] : all.at(0); };
    Numbers all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = of(*which, i) != 0 ? of(*yes, i) : of(*no, i);
    put(out, {count}, all);
    return true;
  }
  return false;
}

bool OnnxShapes::fold_shape(const GraphNode& node, const std::string& out) {
  static const std::set<std::string> known = {"Identity", "Cast",   "Dropout", "Reshape", "Squeeze",  "Unsqueeze",
                                              "Gather",   "Concat", "Expand",  "Slice",   "Transpose"};
  if (known.count(node.op) == 0) return false;
  TensorShape shape = written(node, 0);
  const bool image = images_.count(node.inputs[0]) > 0;
  const Numbers* const from = numbers(node, 0);
  if (node.op == "Identity" || node.op == "Cast" || node.op == "Dropout") {
    if (from != nullptr) put(out, shape, *from);
    else put(out, shape, image);
  } else if (node.op == "Reshape") {
    const Numbers wanted = wanted_numbers(node, 1, "shape");
    TensorShape to;
    std::optional<std::size_t> rest;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i] == -1) rest = i;
      if (wanted[i] == 0 && i >= shape.size()) refuse_node(node, "there is no axis " + std::to_string(i) + " to keep");
      to.push_back(wanted[i] == -1 ? 1 : wanted[i] == 0 ? shape[i] : size_of(node, wanted[i]));
    }
    if (const std::uint64_t some = elements(to); rest && some > 0) to[*rest] = elements(shape) / some;
    if (elements(to) != elements(shape))
      refuse_node(node,
                  "it has " + std::to_string(elements(shape)) + " elements; wanted " + std::to_string(elements(to)));
    if (from != nullptr) put(out, to, *from);
    else add(out, to);
  } else if (node.op == "Squeeze" || node.op == "Unsqueeze") {
    const bool drops = node.op == "Squeeze";
    TensorShape to;
    std::set<std::size_t> axes;
    if (!drops || node.inputs.size() > 1 || node.attributes.count("axes") > 0) {
      const Numbers wanted = wanted_numbers(node, 1, "axes");
      for (const std::int64_t axis : wanted)
        axes.insert(axis_of(node, axis, shape.size() + (drops ? 0 : wanted.size())));
    } else {
      for (std::size_t i = 0; i < shape.size(); ++i)
        if (shape[i] == 1) axes.insert(i);
    }
    if (drops) {
      for (std::size_t i = 0; i < shape.size(); ++i)
        if (axes.count(i) == 0) to.push_back(shape[i]);
        else if (shape[i] != 1) refuse_node(node, "axis " + std::to_string(i) + " is " + std::to_string(shape[i]));
    } else {
      for (std::size_t i = 0, next = 0; i < shape.size() + axes.size(); ++i)
        to.push_back(axes.count(i) > 0 ? 1 : shape.at(next++));
    }
    if (from != nullptr) put(out, to, *from);
    else add(out, to);
  } else if (node.op == "Gather") {
    const std::size_t axis = axis_of(node, signed_attribute(node, "axis", 0), shape.size());
    const TensorShape which = written(node, 1);
    TensorShape to(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis));
    to.insert(to.end(), which.begin(), which.end());
    to.insert(to.end(), shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, shape.end());
    const Numbers* const places = numbers(node, 1);
    if (from != nullptr && places != nullptr && shape.size() == 1) {
      Numbers some;
      for (const std::int64_t place : *places) some.push_back((*from)[axis_of(node, place, from->size())]);
      put(out, to, some);
    } else {
      add(out, to);
    }
  } else if (node.op == "Concat") {
    const std::size_t axis = axis_of(node, signed_attribute(node, "axis", 0), shape.size());
    Numbers all;
    bool known_all = true;
    shape[axis] = 0;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const TensorShape one = written(node, i);
      if (one.size() != shape.size())
        refuse_node(node, node.inputs[i] + " has " + std::to_string(one.size()) + " axes");
      shape[axis] += one[axis];
      const Numbers* const some = numbers(node, i);
      known_all = known_all && some != nullptr && one.size() == 1;
      if (known_all) all.insert(all.end(), some->begin(), some->end());
    }
    if (known_all) put(out, shape, all);
    else put(out, shape, image);
  } else if (node.op == "Expand") {
    TensorShape wanted;
    for (const std::int64_t dim : wanted_numbers(node, 1, "shape")) wanted.push_back(size_of(node, dim));
    const auto to = broadcast(shape, wanted);
    if (!to) refuse_node(node, "its input does not fit into the shape that is asked for");
    add(out, *to);
  } else if (node.op == "Transpose") {
    Numbers order(shape.size());
    std::iota(order.rbegin(), order.rend(), 0);
    if (const auto at = node.attributes.find("perm"); at != node.attributes.end()) order = at->second;
    if (order.size() != shape.size()) refuse_node(node, "it orders " + std::to_string(order.size()) + " axes");
    TensorShape to;
    for (const std::int64_t axis : order) to.push_back(shape[axis_of(node, axis, shape.size())]);
    add(out, to);
  } else {
    const Numbers starts = wanted_numbers(node, 1, "starts"), ends = wanted_numbers(node, 2, "ends");
    Numbers axes(starts.size()), steps(starts.size(), 1);
    std::iota(axes.begin(), axes.end(), 0);
    if (node.inputs.size() > 3 || node.attributes.count("axes") > 0) axes = wanted_numbers(node, 3, "axes");
    if (node.inputs.size() > 4) steps = wanted_numbers(node, 4, "steps");
    if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
      refuse_node(node, "its starts, ends, axes and steps are not equally many");
    std::optional<Numbers> some;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const std::size_t axis = axis_of(node, axes[i], shape.size());
      const auto size = static_cast<std::int64_t>(shape[axis]), step = steps[i];
      if (step == 0) refuse_node(node, "a step is 0");
      const std::int64_t least = step > 0 ? 0 : -1, most = step > 0 ? size : size - 1;
      const auto place = [&](std::int64_t at) { return std::clamp(at < 0 ? at + size : at, least, most); };
      const std::int64_t first = step > 0 ? place(starts[i]) : std::max<std::int64_t>(0, place(starts[i]));
      const std::int64_t last = ends[i] < -size ? least : place(ends[i]);
      const std::int64_t way = step > 0 ? last - first : first - last, stride = step > 0 ? step : -step;
      shape[axis] = way > 0 ? static_cast<std::uint64_t>((way - 1) / stride + 1) : 0;
      if (from == nullptr || shape.size() != 1) continue;
      some.emplace();
      for (std::int64_t k = 0, at = first; k < static_cast<std::int64_t>(shape[axis]); ++k, at += step)
        some->push_back((*from)[static_cast<std::size_t>(at)]);
    }
    if (some) put(out, shape, *some);
    else put(out, shape, image);
  }
  return true;
}

bool OnnxShapes::fold_split(const GraphNode& node) {
  if (node.op != "Split") return false;
  const TensorShape shape = written(node, 0);
  const bool image = images_.count(node.inputs[0]) > 0;
  const std::size_t axis = axis_of(node, signed_attribute(node, "axis", 0), shape.size());
  const std::size_t parts = node.outputs.size();
  Numbers sizes;
  if (node.inputs.size() > 1 || node.attributes.count("split") > 0) sizes = wanted_numbers(node, 1, "split");
  // Equal ones; the last is smaller where they do not divide it.
  const std::uint64_t each = (shape[axis] + parts - 1) / parts;
  for (std::size_t i = 0; i < parts; ++i) {
    TensorShape part = shape;
    const std::uint64_t before = std::min<std::uint64_t>(shape[axis], i * each);
    part[axis] = i < sizes.size() ? size_of(node, sizes[i]) : std::min(each, shape[axis] - before);
    put(node.outputs[i], part, image);
  }
  return true;
}

void OnnxShapes::add_outputs(const GraphNode& node) {
  if (node.outputs.empty() || fold_split(node)) return;
  const std::string& first = node.outputs[0];
  const bool folded = fold_number(node, first) || fold_shape(node, first);
  if (!folded) add(first, out(node));
  const bool pools = node.op == "MaxPool" || node.op == "AveragePool" || node.op == "GlobalAveragePool";
  // What has windows is an image, and what is made of one stays it.
  const bool image = convolves(node) || (!node.inputs.empty() && of(first).size() == image_axes.size() &&
                                         (pools || images_.count(node.inputs[0]) > 0));
  if (!folded && image) images_.insert(first);
  for (std::size_t i = 1; i < node.outputs.size(); ++i)
    if (!node.outputs[i].empty()) add(node.outputs[i], of(first));
}

bool OnnxShapes::is_known(const GraphNode& node) const {
  static const std::set<std::string> of_shapes = {"Constant", "ConstantOfShape", "Shape",   "Range",   "Identity",
                                                  "Cast",     "Reshape",         "Squeeze", "Dropout", "Unsqueeze"};
  if (of_shapes.count(node.op) > 0) return true;
  return !node.outputs.empty() && numbers_.count(node.outputs[0]) > 0;
}

}  // namespace plugin_support
