// Arithmetic with shapes within graphs: what is known before the run, against the shapes that ONNX says.
#include <QtTest>

#include "plugins/npu/engine/graph.h"
#include "plugins/npu/engine/hardware.h"
#include "plugins/npu/engine/simulator.h"

namespace {

using plugin_support::Graph, plugin_support::GraphNode, plugin_support::GraphTensor, plugin_support::OnnxShapes,
    plugin_support::TensorShape;
using FoldNumbers = std::vector<std::int64_t>;

GraphTensor fold_tensor(const std::string& name, FoldNumbers dims, FoldNumbers values = {}) {
  GraphTensor out{name, std::move(dims), {}, std::move(values)};
  out.axes.resize(out.dims.size());
  return out;
}
GraphNode fold_node(const std::string& op, std::vector<std::string> inputs, const std::string& output,
                    std::map<std::string, FoldNumbers> attributes = {}) {
  return {"n_" + output, op, std::move(inputs), {output}, std::move(attributes), {}};
}
/// A protobuf field of bytes, and of a number; fewer than 128 of either.
std::string fold_bytes(int field, const std::string& bytes) {
  return std::string(1, static_cast<char>(field << 3 | 2)) + static_cast<char>(bytes.size()) + bytes;
}
std::string fold_number(int field, int value) {
  return std::string(1, static_cast<char>(field << 3)) + static_cast<char>(value);
}

/// Shapes of a graph whose inputs have these, node after node.
struct Folded {
  Graph graph;
  OnnxShapes shapes{graph};
  Folded(std::vector<GraphTensor> inputs, std::vector<GraphTensor> initializers, std::vector<GraphNode> nodes)
      : graph{std::move(inputs), std::move(initializers), std::move(nodes)}, shapes(graph) {
    shapes.add_inputs(graph, {});
    for (const GraphNode& one : graph.nodes) shapes.add_outputs(one);
  }
};
std::string fold_fault(std::vector<GraphTensor> inputs, std::vector<GraphTensor> initializers, const GraphNode& node) {
  try {
    Folded(std::move(inputs), std::move(initializers), {node});
  } catch (const std::invalid_argument& bad) {
    return bad.what();
  }
  return {};
}

}  // namespace

class TestOnnxFolding : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // What exporters write for x.view(x.size(0), x.size(1), heads, -1).transpose(1, 2).
  void a_view_by_heads() {
    GraphNode heads = fold_node("Constant", {}, "heads");
    heads.value = fold_tensor("", {1}, {4});
    const Folded f(
        {fold_tensor("x", {2, 7, 24})}, {fold_tensor("zero", {}, {0}), fold_tensor("one", {}, {1})},
        {fold_node("Shape", {"x"}, "s"), fold_node("Gather", {"s", "zero"}, "batch"),
         fold_node("Gather", {"s", "one"}, "tokens"), fold_node("Unsqueeze", {"batch"}, "b", {{"axes", {0}}}),
         fold_node("Unsqueeze", {"tokens"}, "t", {{"axes", {0}}}), heads,
         fold_node("Constant", {}, "rest", {{"value_ints", {-1}}}),
         fold_node("Concat", {"b", "t", "heads", "rest"}, "to", {{"axis", {0}}}),
         fold_node("Reshape", {"x", "to"}, "y"), fold_node("Transpose", {"y"}, "z", {{"perm", {0, 2, 1, 3}}})});
    QCOMPARE(f.shapes.of("to"), (TensorShape{4}));
    QCOMPARE(f.shapes.of("y"), (TensorShape{2, 7, 4, 6}));
    QCOMPARE(f.shapes.of("z"), (TensorShape{2, 4, 7, 6}));
  }
  // Each operator's shape by its definition; numbers as the shape of what is reshaped by them.
  void each_operator_by_its_definition() {
    struct Row {
      GraphNode node;
      TensorShape wanted;
    };
    const std::vector<GraphTensor> inputs = {fold_tensor("x", {2, 3, 4}), fold_tensor("y", {2, 5, 4})};
    const std::vector<GraphTensor> known = {fold_tensor("v", {4}, {10, 20, 30, 40}),
                                            fold_tensor("i", {2, 2}, {0, 1, 1, -1}),
                                            fold_tensor("k0", {1}, {0}),
                                            fold_tensor("k1", {1}, {1}),
                                            fold_tensor("k3", {1}, {3}),
                                            fold_tensor("km1", {1}, {-1}),
                                            fold_tensor("far", {1}, {-1000}),
                                            fold_tensor("e", {3}, {2, 3, 4}),
                                            fold_tensor("r", {2}, {0, -1})};
    const std::vector<Row> rows = {
        {fold_node("Gather", {"x", "i"}, "o"), {2, 2, 3, 4}},
        {fold_node("Gather", {"x", "i"}, "o", {{"axis", {-1}}}), {2, 3, 2, 2}},
        {fold_node("Concat", {"x", "y"}, "o", {{"axis", {1}}}), {2, 8, 4}},
        {fold_node("Squeeze", {"v"}, "o"), {4}},
        {fold_node("Unsqueeze", {"x", "k1"}, "o"), {2, 1, 3, 4}},
        {fold_node("Unsqueeze", {"x"}, "o", {{"axes", {0, -1}}}), {1, 2, 3, 4, 1}},
        {fold_node("Slice", {"x", "k1", "k3", "km1"}, "o"), {2, 3, 2}},
        {fold_node("Slice", {"x", "km1", "far", "k1", "km1"}, "o"), {2, 3, 4}},
        {fold_node("Slice", {"x"}, "o", {{"starts", {0, -2}}, {"ends", {9, 9}}, {"axes", {0, 2}}}), {2, 3, 2}},
        {fold_node("Reshape", {"x", "r"}, "o"), {2, 12}},
        {fold_node("Expand", {"k1", "e"}, "o"), {2, 3, 4}},
        {fold_node("Transpose", {"x"}, "o"), {4, 3, 2}},
        {fold_node("ConstantOfShape", {"e"}, "o"), {2, 3, 4}},
        {fold_node("Add", {"k1", "x"}, "o"), {2, 3, 4}},
        {fold_node("Relu", {"x"}, "o"), {2, 3, 4}},
        {fold_node("Shape", {"x"}, "o", {{"start", {1}}}), {2}},
        {fold_node("Range", {"k0", "k3", "k1"}, "o"), {3}},
    };
    for (const Row& row : rows) {
      const Folded f(inputs, known, {row.node});
      QVERIFY2(f.shapes.of("o") == row.wanted, row.node.op.c_str());
    }
    GraphNode split = fold_node("Split", {"y"}, "a", {{"axis", {1}}, {"split", {1, 4}}});
    split.outputs.push_back("b");
    const Folded parts(inputs, known, {split});
    QVERIFY(parts.shapes.of("a") == (TensorShape{2, 1, 4}) && parts.shapes.of("b") == (TensorShape{2, 4, 4}));
    // 24 elements as (10 + 20 - 30 + 4, 40 / 10, 3): numbers through slices backwards, sums and quotients.
    const Folded sums(
        inputs, known,
        {fold_node("Slice", {"v", "km1", "far", "k0", "km1"}, "back"), fold_node("Gather", {"back", "k3"}, "ten"),
         fold_node("Gather", {"v", "k3"}, "forty"), fold_node("Div", {"forty", "ten"}, "four"),
         fold_node("Equal", {"four", "k3"}, "same"), fold_node("Where", {"same", "forty", "four"}, "chosen"),
         fold_node("Sub", {"chosen", "k1"}, "three"),
         fold_node("Concat", {"three", "chosen", "km1"}, "to", {{"axis", {0}}}),
         fold_node("Reshape", {"x", "to"}, "o")});
    QCOMPARE(sums.shapes.of("o"), (TensorShape{3, 4, 2}));
  }
  // Graphs count channels first, and images lie with them last.
  void axes_of_images_are_the_graph_s() {
    const Folded f({fold_tensor("x", {1, 3, 8, 8})},
                   {fold_tensor("w", {16, 3, 3, 3}), fold_tensor("u", {4, 3, 3, 3}), fold_tensor("c", {1}, {1}),
                    fold_tensor("flat", {2}, {0, -1})},
                   {fold_node("Conv", {"x", "w"}, "a", {{"kernel_shape", {3, 3}}, {"strides", {2, 2}}}),
                    fold_node("Relu", {"a"}, "r"),
                    fold_node("Conv", {"x", "u"}, "b", {{"kernel_shape", {3, 3}}, {"strides", {2, 2}}}),
                    fold_node("Concat", {"r", "b"}, "d", {{"axis", {1}}}), fold_node("Shape", {"d"}, "s"),
                    fold_node("Gather", {"s", "c"}, "channels"), fold_node("Reshape", {"d", "flat"}, "f"),
                    fold_node("Transpose", {"d"}, "t", {{"perm", {0, 2, 3, 1}}})});
    QCOMPARE(f.shapes.of("d"), (TensorShape{1, 3, 3, 20}));
    QCOMPARE(f.shapes.of("f"), (TensorShape{1, 180}));
    QCOMPARE(f.shapes.of("t"), (TensorShape{1, 3, 3, 20}));
    const Folded next({fold_tensor("x", {1, 20, 3, 3})}, {fold_tensor("c", {1}, {1})},
                      {fold_node("Shape", {"x"}, "s"), fold_node("Gather", {"s", "c"}, "n"),
                       fold_node("ConstantOfShape", {"n"}, "as_many")});
    QCOMPARE(next.shapes.of("as_many"), (TensorShape{20}));
  }
  void what_does_not_fit_is_told() {
    const std::vector<GraphTensor> x = {fold_tensor("x", {2, 3})};
    const auto says = [](const std::string& seen, const char* word) {
      if (seen.find(word) == std::string::npos) qWarning("\"%s\" does not say \"%s\"", seen.c_str(), word);
      return seen.find(word) != std::string::npos;
    };
    QVERIFY(says(fold_fault(x, {fold_tensor("to", {1}, {7})}, fold_node("Reshape", {"x", "to"}, "y")), "wanted 7"));
    QVERIFY(
        says(fold_fault(x, {}, fold_node("Reshape", {"x", "x"}, "y")), "node n_y (Reshape): its input x is not known"));
    QVERIFY(says(fold_fault(x, {}, fold_node("Transpose", {"x"}, "y", {{"perm", {0, 2}}})), "its axis is 2"));
    QVERIFY(says(fold_fault(x, {}, fold_node("Squeeze", {"x"}, "y", {{"axes", {0}}})), "axis 0 is 2"));
    QVERIFY(says(fold_fault(x, {}, fold_node("Concat", {"x", "q"}, "y", {{"axis", {0}}})), "produces its input q"));
    QVERIFY(says(fold_fault(x, {}, fold_node("Relu", {}, "y")), "it has no input 1"));
  }
  // int64 as bytes and as numbers, int32, and none of floats.
  void numbers_are_read_from_files() {
    const auto tensor = [](const std::string& name, int type, const std::string& data) {
      return fold_bytes(5, fold_number(1, 2) + fold_number(2, type) + data + fold_bytes(8, name));
    };
    const std::string wide("\x03\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", 16),
        narrow("\x05\0\0\0\xfe\xff\xff\xff", 8);
    const std::string constant =
        fold_bytes(2, "k") + fold_bytes(4, "Constant") +
        fold_bytes(5, fold_bytes(1, "value") + fold_bytes(5, fold_number(2, 7) + fold_number(7, 9)));
    const Graph g = plugin_support::read_onnx(fold_bytes(
        7, fold_bytes(1, constant) + tensor("a", 7, fold_bytes(9, wide)) + tensor("b", 6, fold_bytes(9, narrow)) +
               tensor("c", 7, fold_bytes(7, std::string("\x04\x06"))) + tensor("d", 1, fold_bytes(9, narrow))));
    QCOMPARE(g.initializers.size(), std::size_t{4});
    QCOMPARE(g.initializers[0].values, (FoldNumbers{3, -1}));
    QCOMPARE(g.initializers[1].values, (FoldNumbers{5, -2}));
    QCOMPARE(g.initializers[2].values, (FoldNumbers{4, 6}));
    QCOMPARE(g.initializers[3].values, FoldNumbers());
    QVERIFY(g.nodes[0].value.has_value());
    QCOMPARE(g.nodes[0].value->values, (FoldNumbers{9}));
  }
  // A product behind such arithmetic takes as long as one alone, with a cycle or two for each node that costs nothing.
  void a_graph_with_arithmetic_runs() {
    const npu::Hardware h = npu::find_hardware("m8_simple").value();
    const Graph plain{
        {fold_tensor("x", {16, 24})}, {fold_tensor("w", {24, 8})}, {fold_node("MatMul", {"x", "w"}, "y")}};
    const Graph folded{
        {fold_tensor("x", {4, 4, 24})},
        {fold_tensor("w", {24, 8}), fold_tensor("two", {}, {2})},
        {fold_node("Shape", {"x"}, "s"), fold_node("Gather", {"s", "two"}, "n"),
         fold_node("Constant", {}, "rest", {{"value_ints", {-1}}}), fold_node("Unsqueeze", {"n"}, "m", {{"axes", {0}}}),
         fold_node("Concat", {"rest", "m"}, "to", {{"axis", {0}}}), fold_node("Reshape", {"x", "to"}, "v"),
         fold_node("MatMul", {"v", "w"}, "y")}};
    const auto last = [&h](const Graph& graph) {
      npu::AddressSpace space;
      return npu::simulate(h, space, {npu::one_graph(h, space, graph)}).layers.back();
    };
    const npu::LayerRecord alone = last(plain), behind = last(folded);
    QCOMPARE(behind.finish - behind.start, alone.finish - alone.start);
    QVERIFY(behind.start <= 20);
    QVERIFY(npu::uncounted_operators(folded, {}, false).empty());
    npu::Hardware corrected = h;
    corrected.corrected = true;
    npu::AddressSpace space;
    QVERIFY(!npu::simulate(corrected, space, {npu::one_graph(corrected, space, folded)}).cancelled);
  }
  void operators_that_take_no_time_are_named() {
    const Graph g{{fold_tensor("x", {16, 24})},
                  {fold_tensor("w", {24, 8})},
                  {fold_node("MatMul", {"x", "w"}, "y"), fold_node("Relu", {"y"}, "r"), fold_node("Relu", {"r"}, "q"),
                   fold_node("Erf", {"q"}, "e"), fold_node("Transpose", {"e"}, "t"), fold_node("Flatten", {"t"}, "f")}};
    using Counts = std::map<std::string, std::size_t>;
    QVERIFY(npu::uncounted_operators(g, {}, false) == (Counts{{"Relu", 2}, {"Erf", 1}, {"Transpose", 1}}));
    QVERIFY(npu::uncounted_operators(g, {}, true) == (Counts{{"Erf", 1}, {"Transpose", 1}}));
  }
};

QTEST_APPLESS_MAIN(TestOnnxFolding)
#include "tst_onnx_folding.moc"
