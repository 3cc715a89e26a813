// The code goes by the numbers of parameters that plugin.json lists by name: they are the same. Bad input is told.
#include <QtTest>

#include "plugins/systolic_array/setup.h"
#include "tests/plugins/asked_input.h"

namespace {

systolic::ArraySetup array_setup(const nlohmann::json& changed = nlohmann::json::object()) {
  return systolic::read_array_setup(ergode::test::AskedInput("systolic_array", changed).input());
}

}  // namespace

class TestSystolicArraySetup : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void every_parameter_goes_where_its_name_says() {
    const nlohmann::json manifest = ergode::test::manifest_of("systolic_array");
    QCOMPARE(manifest["parameters"].size(), static_cast<std::size_t>(systolic::ArrayParameter::as_reference) + 1);
    const systolic::ArraySetup s = array_setup({{"rows", 2},
                                                {"columns", 3},
                                                {"dataflow", "outputs"},
                                                {"input_memory", 4},
                                                {"filter_memory", 5},
                                                {"output_memory", 6},
                                                {"bandwidth", 7},
                                                {"workload", "convolution"},
                                                {"height", 11},
                                                {"width", 12},
                                                {"filter_height", 8},
                                                {"filter_width", 9},
                                                {"channels", 10},
                                                {"filters", 13},
                                                {"stride", 14},
                                                {"sparsity", "layer_wise"},
                                                {"kept", 15},
                                                {"block", 16},
                                                {"sparse_block", 18},
                                                {"sparse_seed", 19},
                                                {"sparse_format", "csc"},
                                                {"as_reference", true}});
    const systolic::Array& a = s.array;
    QVERIFY(a.rows == 2 && a.columns == 3 && a.dataflow == systolic::Dataflow::output_stationary);
    QVERIFY(a.input_bytes == 4096 && a.filter_bytes == 5120 && a.output_bytes == 6144 && a.output_bandwidth == 7);
    QVERIFY(a.sparsity == systolic::Sparsity::layer_wise && a.format == systolic::SparseFormat::csc && a.as_reference);
    QVERIFY(a.sparse_block == 18 && a.sparse_seed == 19 && !s.product);
    const systolic::Layer& l = s.layers.at(0);
    QVERIFY(l.input_height == 11 && l.input_width == 12 && l.filter_height == 8 && l.filter_width == 9);
    QVERIFY(l.channels == 10 && l.filters == 13 && l.stride_down == 14 && l.stride_across == 14 && l.kept == 15 &&
            l.block == 16);
    const systolic::ArraySetup product = array_setup({{"m", 20}, {"n", 21}, {"k", 22}, {"dataflow", "inputs"}});
    QVERIFY(product.product && product.array.dataflow == systolic::Dataflow::input_stationary);
    QVERIFY(product.layers[0].pixels() == 20 && product.layers[0].filters == 21 && product.layers[0].window() == 22);
    QCOMPARE(product.clock_mhz, 1000.0);
  }
  void bad_input_is_told() {
    using plugin_support::BadInput;
    QVERIFY_THROWS_EXCEPTION(BadInput, array_setup({{"workload", "file"}}));
    QVERIFY_THROWS_EXCEPTION(BadInput, array_setup({{"workload", "file"}, {"layers", "/nowhere.csv"}}));
    QVERIFY_THROWS_EXCEPTION(BadInput, array_setup({{"workload", "convolution"}, {"height", 1}}));
    QVERIFY_THROWS_EXCEPTION(BadInput, array_setup({{"kept", 5}}));
    QVERIFY_THROWS_EXCEPTION(BadInput, array_setup({{"sparsity", "row_wise"}, {"dataflow", "outputs"}}));
  }
  /// Equal layers are simulated once; a customer's rows stand for those of the product.
  void layers_follow_one_another() {
    systolic::ArraySetup s = array_setup({{"m", 20}, {"n", 21}, {"k", 22}});
    const double one = systolic::layers_take_s(s, systolic::run_layers(s));
    s.layers.push_back(s.layers[0]);
    QCOMPARE(systolic::layers_take_s(s, systolic::run_layers(s)), 2.0 * one);
    QVERIFY(systolic::layers_take_s(s, systolic::run_layers(s, 200)) > 2.0 * one);
    s.clock_mhz = 500.0;
    QCOMPARE(systolic::layers_take_s(s, systolic::run_layers(s)), 4.0 * one);
  }
};

QTEST_APPLESS_MAIN(TestSystolicArraySetup)
#include "tst_systolic_array_setup.moc"
