// What tiles load, compute and store, against sets and sums made from the definitions, over random shapes.
#include <QtTest>
#include <map>
#include <random>
#include <set>

#include "plugins/npu/engine/graph.h"
#include "plugins/npu/engine/language.h"
#include "plugins/npu/engine/single_layer.h"

namespace {

using NpuAddresses = std::set<std::uint64_t>;

constexpr std::uint64_t npu_weight_at = 1U << 24, npu_bias_at = 1U << 25, npu_output_at = 1U << 26;
constexpr npu::LayerAddresses npu_places{0, npu_weight_at, npu_bias_at, npu_output_at};

struct NpuTraffic {
  NpuAddresses loaded, stored;
  std::size_t stores = 0;
  std::uint64_t products = 0;
  explicit NpuTraffic(const npu::TileList& list) {
    for (const npu::Tile& tile : list.tiles)
      for (const npu::Instruction& one : tile.instructions) {
        if (one.op == npu::Op::preload || one.op == npu::Op::gemm) products += one.n * one.m * one.k;
        for (std::uint32_t i = 0; i < one.count; ++i) {
          (one.op == npu::Op::load ? loaded : stored).insert(tile.addresses[one.first + i]);
          stores += one.op == npu::Op::store ? 1 : 0;
        }
      }
  }
  NpuAddresses between(std::uint64_t from, std::uint64_t to) const {
    return {loaded.lower_bound(from), loaded.lower_bound(to)};
  }
};
/// Requests of 32 bytes that hold some of these bytes.
void npu_touch(NpuAddresses& to, std::uint64_t first, std::uint64_t bytes) {
  for (std::uint64_t at = first / 32 * 32; at < first + bytes; at += 32) to.insert(at);
}
npu::Hardware npu_corrected() {
  npu::Hardware h = npu::find_hardware("m8_simple").value();
  h.corrected = true;
  return h;
}
npu::GraphTensor npu_tensor(const char* name, std::vector<std::int64_t> dims, std::vector<std::string> axes = {}) {
  npu::GraphTensor out;
  out.name = name, out.dims = std::move(dims), out.axes = std::move(axes);
  out.axes.resize(out.dims.size());
  return out;
}
/// Tokens through layers of a projection and two normalisations.
npu::Graph npu_tokens(int layers) {
  npu::Graph g;
  g.inputs = {npu_tensor("x", {1, 0, 16}, {"", "seq_len", ""}), npu_tensor("mask", {1, 0}, {"", "total_seq_len"})};
  g.initializers = {npu_tensor("w", {16, 16})};
  std::string last = "x";
  for (int l = 0; l < layers; ++l)
    for (const char* op : {"MatMul", "SkipLayerNormalization", "SkipLayerNormalization"}) {
      npu::GraphNode node;
      node.op = op, node.name = std::to_string(l) + op + std::to_string(g.nodes.size());
      node.inputs = {last, std::string(op) == "MatMul" ? "w" : last}, node.outputs = {node.name};
      g.nodes.push_back(node), last = node.name;
    }
  return g;
}

/// Brings nothing, and keeps the clock from being moved on.
class NpuWatch : public npu::ModelSource {
 public:
  std::optional<npu::ModelInstance> next(std::uint64_t, bool, npu::AddressSpace&) override { return std::nullopt; }
  void finished(std::uint64_t) override { ++ended_; }
  bool left() const override { return ended_ < 2; }

 private:
  int ended_ = 0;
};

}  // namespace

class TestNpuLowering : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Corrected, tiles together read each pixel under a window, each weight, and store each output once.
  void a_convolution_reads_and_writes_what_it_is_made_of() {
    std::mt19937 random(7);
    const auto draw = [&random](std::uint64_t least, std::uint64_t most) {
      return least + random() % (most - least + 1);
    };
    const npu::Hardware h = npu_corrected();
    int pooled = 0, uneven = 0;
    for (int run = 0; run < 400; ++run) {
      npu::ConvShape s;
      for (npu::WindowAxis* axis : {&s.high, &s.wide}) {
        axis->kernel = draw(1, 4), axis->stride = draw(1, 3), axis->dilation = draw(1, 2);
        axis->pad = draw(0, 2), axis->pad_end = draw(0, 2), axis->size = axis->reach() + draw(2, 14);
      }
      s.in_channels = draw(1, 40), s.out_channels = draw(1, 40);
      if (run % 4 == 0) s.pool_high = draw(1, 3), s.pool_wide = draw(1, 3);
      if (s.high.out() * s.wide.out() == 1) continue;
      pooled += s.pool_high * s.pool_wide > 1 ? 1 : 0, uneven += s.square() ? 0 : 1;
      const NpuTraffic seen(npu::lower_conv(h, s, npu_places));
      const std::uint64_t taps = s.high.kernel * s.wide.kernel;
      QCOMPARE(seen.products, s.high.out() * s.wide.out() * s.out_channels * taps * s.in_channels);
      NpuAddresses image, weights, outputs;
      for (std::uint64_t oy = 0; oy < s.high.out(); ++oy)
        for (std::uint64_t ox = 0; ox < s.wide.out(); ++ox) {
          for (std::uint64_t ky = 0; ky < s.high.kernel; ++ky)
            for (std::uint64_t kx = 0; kx < s.wide.kernel; ++kx) {
              const auto y = static_cast<std::int64_t>(oy * s.high.stride + ky * s.high.dilation) -
                             static_cast<std::int64_t>(s.high.pad);
              const auto x = static_cast<std::int64_t>(ox * s.wide.stride + kx * s.wide.dilation) -
                             static_cast<std::int64_t>(s.wide.pad);
              if (y < 0 || x < 0 || y >= static_cast<std::int64_t>(s.high.size) ||
                  x >= static_cast<std::int64_t>(s.wide.size))
                continue;
              npu_touch(image,
                        (static_cast<std::uint64_t>(y) * s.wide.size + static_cast<std::uint64_t>(x)) * s.in_channels,
                        s.in_channels);
            }
          const std::uint64_t columns = (s.wide.out() + s.pool_wide - 1) / s.pool_wide;
          npu_touch(outputs, npu_output_at + (oy / s.pool_high * columns + ox / s.pool_wide) * s.out_channels,
                    s.out_channels);
        }
      npu_touch(weights, npu_weight_at, s.out_channels * taps * s.in_channels);
      const NpuAddresses read = seen.between(0, npu_weight_at);
      // A tile reads the rectangle under its windows; with strides or dilation some of it is under none.
      QVERIFY(std::includes(read.begin(), read.end(), image.begin(), image.end()));
      if (s.high.stride == 1 && s.wide.stride == 1 && s.high.dilation == 1 && s.wide.dilation == 1)
        QVERIFY(read == image);
      QVERIFY(read.empty() || *read.rbegin() < s.high.size * s.wide.size * s.in_channels);
      QVERIFY(seen.between(npu_weight_at, npu_bias_at) == weights);
      QVERIFY2(seen.stored == outputs, ("run " + std::to_string(run)).c_str());
    }
    QVERIFY(pooled > 30 && uneven > 300);
  }
  void groups_are_products_of_their_own() {
    npu::ConvShape s(12, 24, 48, 3, 1, 1);
    for (const std::uint64_t groups : {2U, 3U, 24U}) {
      s.groups = groups;
      const npu::Hardware h = npu_corrected();
      const NpuTraffic seen(npu::lower_conv(h, s, npu_places));
      QCOMPARE(seen.products, std::uint64_t{12 * 12 * 48 * 9 * 24} / groups);
      NpuAddresses outputs;
      npu_touch(outputs, npu_output_at, 12 * 12 * 48);
      QVERIFY(seen.stored == outputs);
      npu::AddressSpace space;
      QCOMPARE(npu::simulate(h, space, {npu::one_conv(h, space, s)}).layers.size(), std::size_t{1});
    }
  }
  /// Corrected, every key and value is read, every query once, every output stored once, and each score computed once.
  void attention_reads_and_writes_what_it_is_made_of() {
    std::mt19937 random(11);
    for (int run = 0; run < 300; ++run) {
      npu::Hardware h = npu_corrected();
      if (run % 3 == 0) h.cores[0].scratchpad_kb = 16, h.cores[0].accumulator_kb = 4;
      npu::AttentionShape s;
      s.kv_heads = 1 + random() % 4, s.heads = s.kv_heads * (1 + random() % 4), s.head_width = 4U << random() % 4;
      s.tokens = 1 + random() % 40, s.keys = s.tokens + random() % 200;
      const NpuTraffic seen(npu::lower_fused_attention(h, s, npu_places));
      QCOMPARE(seen.products, 2 * s.tokens * s.keys * s.heads * s.head_width);
      NpuAddresses queries, keys, values, outputs;
      npu_touch(queries, 0, s.tokens * s.heads * s.head_width);
      npu_touch(keys, npu_weight_at, s.keys * s.kv_heads * s.head_width);
      npu_touch(values, npu_bias_at, s.keys * s.kv_heads * s.head_width);
      npu_touch(outputs, npu_output_at, s.tokens * s.heads * s.head_width);
      QVERIFY(seen.between(0, npu_weight_at) == queries);
      QVERIFY(seen.between(npu_weight_at, npu_bias_at) == keys);
      QVERIFY(seen.between(npu_bias_at, npu_output_at) == values);
      QVERIFY2(seen.stored == outputs, ("run " + std::to_string(run)).c_str());
    }
  }
  void a_mapping_by_hand_makes_as_many_tiles_as_it_says() {
    const npu::MappingFile file(
        "\n[T] N1 C8 M16 P12 Q12 S3 R3 - [O] N1 C1 M2 P3 Q2 S1 R1 - [I] N1 C8 M8 P4 Q6 S3 R3\n"
        "[T] N64 C64 M64 P1 Q1 S1 R1 - [O] N4 C2 M2 P1 Q1 S1 R1 - [I] N16 C32 M32 P1 Q1 S1 R1\n");
    const npu::Hardware h = npu_corrected();
    const npu::ConvShape conv(12, 8, 16, 3, 1, 1);
    const npu::ConvMapping* map = file.find(npu::all_loops(conv));
    QVERIFY(map != nullptr && file.find(npu::all_loops(npu::ConvShape(13, 8, 16, 3, 1, 1))) == nullptr);
    QCOMPARE(npu::lower_conv(h, conv, npu_places, map).tiles.size(), std::size_t{12});
    QVERIFY(file.find(npu::all_loops(npu::GemmShape{64, 64, 64})) != nullptr);
    npu::Graph g;
    g.inputs = {npu_tensor("x", {64, 64})}, g.initializers = {npu_tensor("w", {64, 64})};
    g.nodes.resize(1);
    g.nodes[0].op = g.nodes[0].name = "MatMul", g.nodes[0].inputs = {"x", "w"}, g.nodes[0].outputs = {"y"};
    npu::AddressSpace space;
    npu::GraphOptions options;
    options.mapping = file;
    QCOMPARE(npu::PlacedGraph(h, space, g).instance(options).build(space)[0].tiles().tiles.size(), std::size_t{16});
    for (const char* bad :
         {"[T] N1 C8", "[T] N8 - [O] N1 - [I] N4", "N1", "[T] Nx - [O] N1 - [I] N1", "[T] N1 Z2 - [O] N1 - [I] N1"})
      QVERIFY_THROWS_EXCEPTION(std::invalid_argument, npu::MappingFile(std::string(bad)));
  }
  void a_graph_of_tokens_comes_again_until_it_is_long_enough() {
    const npu::Hardware h = npu::find_hardware("m8_simple").value();
    npu::AddressSpace space;
    npu::GraphOptions options;
    options.axes = {{"seq_len", 5}, {"total_seq_len", 5}, {"past_seq_len", 0}}, options.tokens = 9;
    const npu::PlacedGraph graph(h, space, npu_tokens(3));
    npu::NpuResult r = npu::simulate(h, space, {graph.instance(options)});
    // Lengths 5, 6, 7 and 8.
    QCOMPARE(r.models.size(), std::size_t{4});
    QCOMPARE(r.layers.size(), std::size_t{4 * 9});
    for (std::size_t i = 1; i < 4; ++i) QCOMPARE(r.models[i].start, r.models[i - 1].finish + 1);
    QVERIFY(r.models[0].finish - r.models[0].start > r.models[2].finish - r.models[2].start);
    options.tokens = 0, options.attention_layers = 2;
    QCOMPARE(npu::simulate(h, space, {graph.instance(options)}).layers.size(), std::size_t{6});
  }
  void a_memory_that_is_too_small_is_told() {
    npu::Hardware h = npu::find_hardware("m8_simple").value();
    h.dram_gb = 1e-6;
    npu::AddressSpace space;
    npu::GraphOptions options;
    options.axes = {{"seq_len", 64}, {"total_seq_len", 64}};
    const npu::PlacedGraph graph(h, space, npu_tokens(1));
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, npu::simulate(h, space, {graph.instance(options)}));
    npu::LanguageModel m;
    m.heads = m.kv_heads = 2, m.hidden = 16, m.feed_forward = 32, m.vocabulary = 100, m.layers = 3, m.max_tokens = 64;
    // A layer has four square products of 16, two of 16 x 32, biases and two normalisations.
    const double layer = 4 * 256 + 2 * 512 + (48 + 16 + 32 + 16) + 4 * 16;
    QCOMPARE(m.weight_bytes(2), 2.0 * (3 * layer + 1600));
    QCOMPARE(m.cache_bytes_per_token(2), 2.0 * 2 * 16 * 3);
    npu::LanguageRequest one;
    one.prompt = 8, one.tokens = 3;
    npu::LanguageBatching batching;
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, npu::simulate_language(h, m, {one}, batching));
    batching.must_fit = false;
    npu::LanguageResult r = npu::simulate_language(h, m, {one}, batching);
    QVERIFY(!r.fits);
    // At its largest when the last token is made: 10 tokens in the cache, one in the pass, of width 48.
    QCOMPARE(r.most_bytes,
             std::max(m.weight_bytes(1) + 10 * m.cache_bytes_per_token(1) + 48, m.weight_bytes(1) + 8 * 48.0));
    QCOMPARE(r.requests[0].tokens, std::uint64_t{3});
    QVERIFY(r.requests[0].first_token < r.requests[0].finish);
  }
  /// Tiles of a core: never more than two at a time; windows add up to the totals.
  void tiles_and_windows_agree_with_the_totals() {
    npu::Hardware h = npu::find_hardware("m8_ddr4").value();
    h.cores.resize(3, h.cores[0]);
    npu::AddressSpace space;
    const npu::NpuResult r = npu::simulate(
        h, space, {npu::one_gemm(h, space, {200, 96, 160}, true), npu::one_gemm(h, space, {64, 64, 64}, false)});
    std::map<std::uint32_t, std::map<std::uint64_t, int>> changes;
    for (const npu::TileRecord& one : r.tiles) {
      QVERIFY(one.start < one.finish && one.finish <= r.cycles && one.layer < 2);
      ++changes[one.core][one.start], --changes[one.core][one.finish];
    }
    QCOMPARE(changes.size(), std::size_t{3});
    for (const auto& core : changes) {
      int here = 0;
      for (const auto& change : core.second) {
        here += change.second;
        QVERIFY(here >= 0 && here <= 2);
      }
      QCOMPARE(here, 0);
    }
    QVERIFY(r.windows.size() > 50 && r.windows.size() <= npu::Timeline::most);
    QCOMPARE(r.windows.back().cycle, r.cycles);
    QCOMPARE(r.windows.back().served, r.requests);
    const std::uint64_t length = r.windows[0].cycle;
    for (std::size_t i = 0; i < r.windows.size(); ++i) {
      if (i + 1 < r.windows.size()) QCOMPARE(r.windows[i].cycle, (i + 1) * length);
      for (std::size_t c = 0; c < 3; ++c)
        QVERIFY(r.windows[i].systolic[c] - (i > 0 ? r.windows[i - 1].systolic[c] : 0) <= length);
    }
    for (std::size_t c = 0; c < 3; ++c) QCOMPARE(r.windows.back().systolic[c], r.cores[c].systolic);
  }
  /// Nothing is seen of a pause but its length, with every memory and whatever the clocks.
  void a_pause_is_passed_over_as_if_it_had_been_played() {
    std::mt19937 random(5);
    for (int run = 0; run < 60; ++run) {
      npu::Hardware h = npu::find_hardware(run % 3 == 0 ? "m8_ddr4" : run % 3 == 1 ? "m8_simple" : "tpu_hbm2").value();
      h.core_mhz = 400 + random() % 1200;
      npu::NpuResult results[2];
      const std::uint64_t at = 10000000 + random() % 400000000;
      for (const bool played : {false, true}) {
        npu::AddressSpace space;
        std::vector<npu::ModelInstance> models = {npu::one_gemm(h, space, {40, 24, 16}, false),
                                                  npu::one_gemm(h, space, {24, 40, 33}, true)};
        models[1].request_ps = at;
        NpuWatch watch;
        results[played ? 1 : 0] = npu::simulate(h, space, std::move(models), {}, played ? &watch : nullptr);
      }
      const npu::NpuResult &a = results[0], &b = results[1];
      QCOMPARE(a.cycles, b.cycles);
      for (std::size_t i = 0; i < 2; ++i)
        QVERIFY(a.layers[i].start == b.layers[i].start && a.layers[i].finish == b.layers[i].finish);
      QVERIFY(a.rows.hits == b.rows.hits && a.rows.misses == b.rows.misses && a.rows.conflicts == b.rows.conflicts);
      for (std::size_t c = 0; c < a.cores.size(); ++c)
        QVERIFY(a.cores[c].idle == b.cores[c].idle && a.cores[c].memory_idle == b.cores[c].memory_idle);
      QCOMPARE(a.windows.size(), b.windows.size());
      for (std::size_t i = 0; i < a.windows.size(); ++i)
        QVERIFY(a.windows[i].cycle == b.windows[i].cycle && a.windows[i].served == b.windows[i].served);
    }
    // An hour between two requests.
    npu::LanguageModel m;
    m.heads = m.kv_heads = 2, m.hidden = 16, m.feed_forward = 32, m.vocabulary = 100, m.max_tokens = 64;
    const npu::Hardware h = npu::find_hardware("m8_simple").value();
    constexpr std::uint64_t hour = 3600000000000;
    const npu::LanguageResult r = npu::simulate_language(h, m, {{0, 8, 2, 0}, {hour, 8, 2, 0}}, {});
    QVERIFY(r.requests[1].start == hour && r.requests[0].finish > 0);
    QVERIFY(r.requests[1].finish > hour && r.requests[1].finish < hour + 2 * r.requests[0].finish);
  }
  void a_roofline_is_the_slowest_of_three() {
    const npu::Hardware h = npu::find_hardware("tpu_hbm2").value();
    const npu::LayerWork large = npu::gemm_work(h, {4096, 4096, 4096}, false);
    QCOMPARE(large.array_flops, 2.0 * 4096 * 4096 * 4096);
    QCOMPARE(large.bytes, 3.0 * 2 * 4096 * 4096);
    QVERIFY(npu::roofline(h, large).limit == npu::NpuRoofline::Limit::array);
    QVERIFY(std::abs(npu::roofline(h, large).seconds - large.array_flops / 131072e9) < 1e-12);
    const npu::LayerWork thin = npu::gemm_work(h, {1, 4096, 4096}, true);
    QVERIFY(npu::roofline(h, thin).limit == npu::NpuRoofline::Limit::memory);
    QVERIFY(std::abs(npu::roofline(h, thin).seconds - thin.bytes / 614.4e9) < 1e-12);
    npu::AddressSpace space;
    for (const npu::GemmShape& shape : {npu::GemmShape{512, 512, 512}, {64, 2048, 256}, {1, 1024, 1024}}) {
      const npu::NpuResult r = npu::simulate(h, space, {npu::one_gemm(h, space, shape, false)});
      const npu::LayerRecord& one = r.layers[0];
      QVERIFY(static_cast<double>(r.cycles) * 1e-9 >= npu::roofline(h, one.work).seconds);
      QCOMPARE(one.requests, r.requests);
    }
  }
  void swapping_equal_models_leaves_the_makespan() {
    npu::Hardware h = npu::find_hardware("m8_simple").value();
    h.policy = npu::SharingPolicy::time_multiplex;
    std::vector<std::uint64_t> ends;
    for (const bool swapped : {false, true}) {
      npu::AddressSpace space;
      std::vector<npu::ModelInstance> models = {npu::one_gemm(h, space, {96, 64, 48}, false),
                                                npu::one_gemm(h, space, {96, 64, 48}, false)};
      if (swapped) std::swap(models[0], models[1]);
      ends.push_back(npu::simulate(h, space, std::move(models)).cycles);
    }
    QVERIFY(std::abs(static_cast<double>(ends[0]) - static_cast<double>(ends[1])) <=
            0.01 * static_cast<double>(ends[0]));
  }
};

QTEST_APPLESS_MAIN(TestNpuLowering)
#include "tst_npu_lowering.moc"
