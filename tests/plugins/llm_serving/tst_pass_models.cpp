// Times of passes that are no line: sums of measured operators, rooflines, experts over replicas that step together.
// Oracles: plain programs that look up, add up and play everything once more, request by request.
#include <QtTest>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "plugins/llm_serving/engine/operator_times.h"
#include "plugins/llm_serving/engine/roofline.h"
#include "plugins/llm_serving/engine/service.h"

using namespace llm_serving;

namespace {

void close_to(double seen, double wanted, const QString& what) {
  QVERIFY2(std::fabs(seen - wanted) <= 1e-9 * std::max(1.0, std::fabs(wanted)),
           qPrintable(QString("%1: %2, wanted %3").arg(what).arg(seen, 0, 'g', 15).arg(wanted, 0, 'g', 15)));
}
std::string told_by(const std::function<void()>& read) {
  try {
    read();
  } catch (const std::invalid_argument& bad) {
    return bad.what();
  }
  return "";
}

/// Straight between the neighbours of a number, the first value below them, the last slope above.
double plain_between(const std::vector<std::pair<double, double>>& points, double at) {
  if (points.size() == 1 || at <= points[0].first) return points[0].second;
  std::size_t high = 1;
  while (high + 1 < points.size() && points[high].first <= at) ++high;
  const auto [x0, y0] = points[high - 1];
  const auto [x1, y1] = points[high];
  return y0 + (y1 - y0) * (at - x0) / (x1 - x0);
}

struct PlainRow {
  double chunk = 0.0, before = 0.0, decoding = 0.0, context = 0.0, us = 0.0;
};
/// Attention from the rows themselves, axis by axis.
double plain_attention(const std::vector<PlainRow>& rows, double chunk, double before, double decoding,
                       double context) {
  std::set<double> chunks, decodings;
  for (const PlainRow& r : rows) chunks.insert(r.chunk), decodings.insert(r.decoding);
  std::vector<std::pair<double, double>> by_chunk;
  for (const double c : chunks) {
    std::vector<std::pair<double, double>> by_decoding;
    for (const double d : decodings) {
      std::map<double, std::vector<std::pair<double, double>>> slice;
      for (const PlainRow& r : rows)
        if (r.chunk == c && r.decoding == d) slice[r.before].emplace_back(r.context, r.us);
      std::vector<std::pair<double, double>> by_before;
      for (auto& [b, line] : slice) {
        std::sort(line.begin(), line.end());
        by_before.emplace_back(b, plain_between(line, context));
      }
      by_decoding.emplace_back(d, plain_between(by_before, before));
    }
    by_chunk.emplace_back(c, plain_between(by_decoding, decoding));
  }
  return plain_between(by_chunk, chunk);
}

/// Takes longer with the tokens of all replicas that step together.
class SharedPass final : public PassModel {
 public:
  double ms(const Pass& p) const override {
    return 3.0 + 0.01 * std::max(p.padded_tokens, p.tokens) + 0.002 * p.rank_tokens + 1e-4 * p.context;
  }
  double least_ms() const override { return 3.0; }
};

struct LockstepOne {
  Request asked;
  std::uint32_t emitted = 0;
  double first_s = 0.0;
};
/// Replicas that step together, prompts first, each in the order of arrival; no limits.
std::map<std::uint64_t, std::pair<double, double>> plain_lockstep(const std::vector<Request>& requests,
                                                                  std::size_t replicas, bool padded) {
  std::map<std::uint64_t, std::pair<double, double>> out;
  std::vector<std::vector<LockstepOne>> waiting(replicas), running(replicas);
  const SharedPass model;
  std::size_t next = 0;
  double now_s = 0.0;
  for (;;) {
    bool busy = false;
    for (std::size_t r = 0; r < replicas; ++r) busy = busy || !waiting[r].empty() || !running[r].empty();
    if (!busy) {
      if (next == requests.size()) return out;
      now_s = std::max(now_s, requests[next].arrival_s);
    }
    for (; next < requests.size() && requests[next].arrival_s <= now_s; ++next)
      waiting[next % replicas].push_back({requests[next]});
    std::vector<Pass> passes(replicas);
    std::vector<std::size_t> fresh(replicas, 0);
    double sum = 0.0, most = 0.0, ms = 0.0;
    for (std::size_t r = 0; r < replicas; ++r) {
      Pass& p = passes[r];
      if (!waiting[r].empty()) {
        fresh[r] = waiting[r].size();
        for (const LockstepOne& one : waiting[r]) p.tokens += one.asked.prompt, p.requests += 1.0;
      } else {
        for (const LockstepOne& one : running[r])
          p.tokens += 1.0, p.requests += 1.0, p.context += one.asked.prompt + one.emitted;
      }
      sum += p.tokens, most = std::max(most, p.tokens);
    }
    for (Pass& p : passes) {
      p.rank_tokens = padded ? most : sum / static_cast<double>(replicas), p.padded_tokens = padded ? most : 0.0;
      if (p.requests > 0.0) ms = std::max(ms, model.ms(p));
    }
    now_s += ms / 1000.0;
    for (std::size_t r = 0; r < replicas; ++r) {
      std::vector<LockstepOne> stay;
      const auto gets = [&](LockstepOne one) {
        if (one.emitted++ == 0) one.first_s = now_s;
        if (one.emitted < one.asked.output) stay.push_back(one);
        else out[one.asked.id] = {one.first_s, now_s};
      };
      if (fresh[r] > 0) {
        stay = running[r];
        for (const LockstepOne& one : waiting[r]) gets(one);
        waiting[r].clear();
      } else {
        for (const LockstepOne& one : running[r]) gets(one);
      }
      running[r] = stay;
    }
  }
}

}  // namespace

class TestPassModels : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void attention_is_straight_between_rows_of_unlike_lengths() {
    Random random(7, 0);
    const auto below = [&random](int n) { return static_cast<int>(random.bits() % static_cast<std::uint64_t>(n)); };
    for (int trial = 0; trial < 40; ++trial) {
      std::vector<PlainRow> rows;
      std::string csv = "prefill_chunk,kv_prefill,n_decode,kv_decode,time_us\n";
      for (const double c : {0.0, 16.0, 64.0})
        for (const double d : {0.0, 1.0, 8.0}) {
          const int lines = c > 0.0 ? 1 + below(3) : 1;
          for (int b = 0; b < lines; ++b) {
            double context = 16.0;
            for (int l = 1 + below(4); l > 0; --l, context *= 2.0 + below(3)) {
              const PlainRow row{c, b == 0 ? 0.0 : 100.0 * b + below(50), d, context, 1.0 + below(1000)};
              rows.push_back(row);
              csv += QString("%1,%2,%3,%4,%5\n")
                         .arg(row.chunk)
                         .arg(row.before)
                         .arg(row.decoding)
                         .arg(row.context)
                         .arg(row.us)
                         .toStdString();
            }
          }
        }
      const TimeTable table = read_attention_times(csv, 4.0);
      for (int i = 0; i < 50; ++i) {
        const std::array<double, 4> at{100.0 * random.uniform(), 400.0 * random.uniform(), 12.0 * random.uniform(),
                                       1000.0 * random.uniform()};
        close_to(table.at(at.data()), 4.0 / 1000.0 * plain_attention(rows, at[0], at[1], at[2], at[3]), "attention");
      }
    }
  }

  void operators_add_up_by_how_often_they_run() {
    const TimeTable tokens = read_operator_times(
        "layer,tokens,time_us\nembedding,1,10\nembedding,101,110\nlayernorm,1,1\nlayernorm,51,2\nqkv_proj,1,5\n", 3.0);
    const double at = 26.0;
    close_to(tokens.at(&at), (35.0 + 6.0 * 1.5 + 3.0 * 5.0) / 1000.0, "counts by name");
    const TimeTable counted = read_operator_times("operator,tokens,ms,count\nnorm,1,2,10\nnorm,3,4,10\n", 3.0);
    const double two = 2.0, five = 5.0, zero = 0.0;
    close_to(counted.at(&two), 30.0, "counts given");
    close_to(counted.at(&five), 60.0, "the last slope goes on");
    close_to(counted.at(&zero), 20.0, "the first value goes on");
    const std::string wide =
        "time_stats.emb.mean,time_stats.emb.median,time_stats.add.median,num_tokens,num_tensor_parallel_workers\n"
        "9,1,0.5,8,1\n9,3,0.5,8,1\n9,2,0.5,8,1\n9,7,7,8,2\n9,4,1.5,16,1\n";
    const double twelve = 12.0;
    close_to(read_operator_times(wide, 2.0, 1.0).at(&twelve), 3.0 + 4.0 * 1.0, "medians of a wide table");
    QVERIFY(told_by([&] { read_operator_times(wide, 2.0, 4.0); }).find("is 1, 2; wanted rows of 4") !=
            std::string::npos);
  }

  void reductions_are_read_by_size() {
    const std::string csv =
        "size,num_workers,devices_per_node,time_stats.all_reduce.median\n100,2,2,1\n100,2,2,3\n100,2,1,50\n300,2,2,4\n"
        "100,4,4,9\n";
    OperatorTimes o;
    o.reduce = {2.0, 10.0, 50.0};
    o.reduce_by_bytes.push_back(read_reduce_times(csv, 2.0));
    close_to(pass_model(o)->ms({.tokens = 4.0}), 10.0 * 3.0, "by bytes");
    QVERIFY(told_by([&csv] { read_reduce_times(csv, 8.0); }).find("num_workers is 2, 4; wanted rows of 8") !=
            std::string::npos);
  }

  void a_pass_is_the_sum_of_its_parts() {
    OperatorTimes o;
    o.by_tokens.push_back(TimeTable({{0.0, 100.0}}, {1.0, 11.0}));
    o.by_requests.push_back(TimeTable({{0.0, 10.0}}, {0.0, 5.0}));
    o.attention.push_back(read_attention_times(
        "prefill_chunk,kv_prefill,n_decode,kv_decode,ms\n0,0,0,0,1\n0,0,10,0,1\n0,0,10,100,11\n100,0,0,0,21\n"
        "100,0,10,0,21\n100,0,10,100,31\n",
        1.0));
    o.spread.usual = 0.5;
    o.reduce = {2.0, 4.0, 1000.0, 1e6, 1e-3};
    Pass p{.context = 250.0, .tokens = 25.0, .requests = 6.0, .prompts = 1.0, .prompt_tokens = 20.0};
    const double parts = 3.5 + 3.0 + 4.0 * 2.0 * (25.0 * 0.5 + 1.0);
    // Five decode, of 50 tokens each: halfway between none and ten of them.
    const double even = 1.0 + 0.2 * 20.0 + 0.5 * 5.0, longest = 1.0 + 0.2 * 20.0 + 0.5 * 9.0;
    close_to(pass_model(o)->ms(p), parts + even, "contexts alike");
    p.longest = 90.0, p.shortest = 10.0;
    close_to(pass_model(o)->ms(p), parts + even + 0.5 * (longest - even), "contexts unlike");
    o.spread = read_spread(
        "pc,n_label,skew_rate_label,kv_big_label,kp_label,alpha\n20,n<=4,sr<=50%,kvB<=1k,kp=0,0.9\n"
        "20,n<=8,sr<=50%,kvB<=1k,kp=0,0.25\n20,n>8,sr>50%,kvB>1k,kp<=512,0.8\n",
        0.5);
    close_to(pass_model(o)->ms(p), parts + even + 0.25 * (longest - even), "the bin of five");
    p.longest = 2000.0;
    const double far = 1.0 + 0.2 * 20.0 + 0.5 * 200.0;
    close_to(pass_model(o)->ms(p), parts + even + 0.5 * (far - even), "a bin that was not measured");
    QVERIFY(told_by([] {
              read_spread("pc,n_label,skew_rate_label,kv_big_label,kp_label,alpha\n0,few,sr<=5%,kvB<=1k,kp=0,1\n", 0.0);
            }).find("n_label is \"few\"; wanted the end of a bin") != std::string::npos);
  }

  void experts_are_reached_and_exchanged() {
    OperatorTimes o;
    o.experts = ExpertTimes{read_expert_times("tokens,activated_experts,ms\n1,2,1\n1,4,2\n9,4,10\n1,8,3\n9,8,11\n"),
                            2.0,
                            8.0,
                            2.0,
                            2.0,
                            100.0};
    o.reduce = {1.0, 0.0, 0.0, 1e5, 1e-3};
    const Pass p{.tokens = 5.0, .requests = 5.0, .rank_tokens = 3.0};
    const double reached = 8.0 * (1.0 - std::pow(0.75, 6.0)) / 2.0;  // of each of two ranks, by six tokens
    const double at_2 = 1.0, at_4 = 2.0 + 2.0;
    close_to(pass_model(o)->ms(p), 2.0 * (at_2 + (at_4 - at_2) * (reached - 2.0) / 2.0 + 2.0 * (3.0 + 1.0)), "experts");
  }

  void a_roofline_counts_every_request() {
    Random random(3, 0);
    const auto below = [&random](int n) { return static_cast<double>(random.bits() % static_cast<std::uint64_t>(n)); };
    for (int trial = 0; trial < 1000; ++trial) {
      Roofline r;
      ModelShape& s = r.shape;
      s = {1.0 + below(4), 64.0, 4.0, 1.0 + below(4), 16.0, 100.0 + below(100)};
      if (trial % 2 == 1) {
        s.expert_layers = 1.0 + below(static_cast<int>(s.layers)), s.experts = 8.0, s.experts_per_token = 2.0;
        s.expert_width = 50.0, s.shared_width = 10.0, s.weight_bytes = 1.0;
      }
      r.gpu = {1e9 * (1.0 + below(1000)), 1e9, 0.5, 0.25}, r.gpus = 1.0 + below(4);
      Pass p;
      double flops_s = 0.0, bytes = 0.0, tokens = 0.0;
      const auto request = [&](double count, double context, bool prompt) {
        double flops = 0.0;
        for (double layer = 0.0; layer < s.layers; ++layer) {
          const double q = s.heads * s.head_size, kv = s.kv_heads * s.head_size;
          flops += 2.0 * count * s.hidden * (q + 2.0 * kv) + 2.0 * count * q * s.hidden;
          for (double i = 0.0; i < count; ++i)  // scores and values
            flops += 4.0 * s.heads * s.head_size * (context + (prompt ? i : 0.0));
          if (layer >= s.expert_layers) flops += 2.0 * count * 3.0 * s.hidden * s.feed_forward;
          else flops += 2.0 * count * (3.0 * s.hidden * (2.0 * s.expert_width + s.shared_width) + s.hidden * s.experts);
          bytes += 2.0 * kv * 2.0 * (count + context) + 2.0 * s.hidden * count;
        }
        flops_s += flops / (prompt ? 0.5 : 0.25) / (r.gpus * r.gpu.flops), tokens += count;
        p.tokens += count, p.context += context, p.requests += 1.0;
        if (!prompt) return;
        p.prompts += 1.0, p.prompt_tokens += count, p.prompt_context += context;
        p.prompt_pairs += count * (context + (count - 1.0) / 2.0);
      };
      for (double i = below(4); i > 0.0; --i) request(1.0 + below(30), below(100), true);
      for (double i = 1.0 + below(20); i > 0.0; --i) request(1.0, below(500), false);
      for (double layer = 0.0; layer < s.layers; ++layer) {
        double weights = 2.0 * s.hidden * s.head_size * (s.heads + s.kv_heads);
        const double reached = s.experts * (1.0 - std::pow(0.75, tokens));
        if (layer >= s.expert_layers) weights += 3.0 * s.hidden * s.feed_forward;
        else weights += 3.0 * s.hidden * (reached * s.expert_width + s.shared_width) + s.hidden * s.experts;
        bytes += weights * s.weight_bytes;
      }
      double wanted = 1000.0 * std::max(flops_s, bytes / (r.gpus * r.gpu.bandwidth));
      close_to(pass_model(r)->ms(p), wanted, "roofline");
      QVERIFY(pass_model(r)->least_ms() <= wanted);
      r.link.bandwidth = 1e6, r.link.latency_s = 1e-6;
      wanted += 1000.0 * 2.0 * s.layers * 2.0 * (r.gpus - 1.0) * (tokens * s.hidden * 2.0 / r.gpus / 1e6 + 1e-6);
      close_to(pass_model(r)->ms(p), wanted, "with links");
    }
  }

  void factors_take_the_place_of_the_longer_time() {
    Roofline r;
    r.shape = {2.0, 64.0, 4.0, 4.0, 16.0, 128.0};
    r.gpu = {1e9, 1e9, 1.0, 1.0}, r.gpus = 2.0;
    const RooflineFactors f = read_roofline_factors(
        "term,factor\nprefill_compute,0.5\ndecode_kv,2\nweights,1.5\nall_reduce,0.25\nper_layer_us,10\n"
        "per_request_us,3\nper_pass_us,100\n");
    Pass p{.context = 500.0, .tokens = 20.0, .requests = 6.0};
    p.prompts = 1.0, p.prompt_tokens = 15.0, p.prompt_pairs = 105.0;
    const PassWork w = r.work(p);
    close_to(pass_model(r, f)->ms(p),
             1000.0 * (0.5 * w.prefill_flops + 2.0 * w.decode_kv_bytes + 1.5 * w.weight_bytes + 0.25 * w.reduce_bytes) /
                     2e9 +
                 0.02 + 0.018 + 0.1,
             "factors");
    QVERIFY(told_by([] { read_roofline_factors("term,factor\nspeed,1\n"); }).find("line 2: term is \"speed\"") !=
            std::string::npos);
    QVERIFY(told_by([] { read_roofline_factors("term,factor\nweights,1\nweights,1\n"); }).find("every term once") !=
            std::string::npos);
  }

  void configurations_are_read_or_refused() {
    const ModelShape dense = read_model_shape(
        R"({"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
            "intermediate_size": 14336, "torch_dtype": "bfloat16"})");
    QVERIFY(dense.head_size == 128 && dense.kv_bytes_per_token() == 131072 && dense.experts == 0);
    const ModelShape mixed = read_model_shape(
        R"({"text_config": {"hidden_size": 5120, "num_hidden_layers": 48, "num_attention_heads": 40,
            "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 8192, "intermediate_size_mlp": 16384,
            "num_local_experts": 16, "num_experts_per_tok": 1, "interleave_moe_layer_step": 1},
            "quantization_config": {"config_groups": {"a": {"weights": {"num_bits": 8}}}}})");
    QVERIFY(mixed.expert_layers == 24 && mixed.expert_width == 8192 && mixed.feed_forward == 16384);
    QVERIFY(mixed.weight_bytes == 1.0 && mixed.value_bytes == 2.0);
    QVERIFY(told_by([] { read_model_shape("{\"hidden_size\": 8}"); }).find("no num_hidden_layers") !=
            std::string::npos);
    QVERIFY(told_by([] { read_model_shape("[1]"); }).find("no JSON object") != std::string::npos);
    QVERIFY(told_by([] {
              read_model_shape(R"({"hidden_size": -8, "num_hidden_layers": 2, "num_attention_heads": 1})");
            }).find("hidden_size is -8") != std::string::npos);
    const auto with = [](const std::string& more) {
      const std::string text = "{'hidden_size': 8, 'num_hidden_layers': 2, 'num_attention_heads': 1, " + more + "}";
      std::string out;
      for (const char c : text) out += c == '\'' ? '"' : c;
      return out;
    };
    for (const std::string key : {"intermediate_size", "vocab_size", "num_key_value_heads", "head_dim"})
      QCOMPARE(told_by([&] { read_model_shape(with("'" + key + "': 0")); }),
               key + " is 0; wanted a number from 1 to 1e9");
    // A key that is null says nothing, as one that is missing.
    QCOMPARE(read_model_shape(with("'intermediate_size': null")).feed_forward, 32.0);
    QCOMPARE(told_by([&] { read_model_shape(with("'head_dim': [[1]]")); }),
             std::string("head_dim is of type array; wanted a number from 1 to 1e9"));
    // Brackets within words are none.
    const auto nested = [&with](std::size_t levels) {
      return with("'head_dim': 4, 'a\\'[': '" + std::string(100, '[') + "', 'x': " + std::string(levels, '[') +
                  std::string(levels, ']'));
    };
    QCOMPARE(read_model_shape(nested(63)).head_size, 4.0);
    for (const std::size_t levels : {std::size_t{64}, std::size_t{300000}})
      QVERIFY(told_by([&] { read_model_shape(nested(levels)); }).find("more than 64 deep") != std::string::npos);
  }

  void bad_tables_of_operators_are_refused() {
    QVERIFY(told_by([] { read_operator_times("layer,tokens\nx,1\n", 1.0); }).find("no column time_us or ms") !=
            std::string::npos);
    QVERIFY(told_by([] {
              read_operator_times("layer,tokens,ms\nx,1,2\nx,1,3\n", 1.0);
            }).find("line 3: tokens is 1; wanted every number once") != std::string::npos);
    QVERIFY(told_by([] { read_expert_times("tokens,activated_experts,ms\n1,1,0\n"); }).find("wanted a time above 0") !=
            std::string::npos);
    QVERIFY(told_by([] {
              read_attention_times("prefill_chunk,kv_prefill,n_decode,kv_decode,ms\n0,-1,1,1,1\n", 1.0);
            }).find("kv_prefill is -1; wanted 0 or more") != std::string::npos);
    std::string wild = "prefill_chunk,kv_prefill,n_decode,kv_decode,ms\n";
    for (int i = 0; i < 100; ++i) wild += QString("%1,%1,%1,%1,1\n").arg(i).toStdString();
    QVERIFY(told_by([&wild] { read_attention_times(wild, 1.0); }).find("wanted at most 4e6") != std::string::npos);
  }

  void replicas_that_step_together_play_as_a_plain_program_does() {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      Random random(seed, 0);
      ServiceOptions o{.replicas = 2 + static_cast<std::uint32_t>(seed % 3)};
      o.together = true, o.padded = seed % 2 == 0;
      o.replica.time.model = std::make_shared<SharedPass>();
      o.replica.max_batched_tokens = 1U << 20U;
      std::vector<Request> requests;
      double now_s = 0.0;
      for (std::uint64_t i = 0; i < 40; ++i) {
        now_s += 0.02 * random.uniform() * (seed % 5 == 0 ? 10.0 : 1.0);
        Request one{.id = i, .arrival_s = now_s};
        one.prompt = 1 + static_cast<std::uint32_t>(random.bits() % 300);
        one.output = 1 + static_cast<std::uint32_t>(random.bits() % 20);
        requests.push_back(one);
      }
      Service service(o, seed);
      std::vector<Served> served;
      for (const Request& one : requests) {
        service.advance(std::nextafter(one.arrival_s, -1e300), served);
        service.arrive(one.arrival_s, one);
      }
      service.advance(1e9, served);
      const auto wanted = plain_lockstep(requests, o.replicas, o.padded);
      QCOMPARE(served.size(), wanted.size());
      for (const Served& one : served) {
        close_to(one.first_token_s, wanted.at(one.id).first, QString("first token, seed %1").arg(seed));
        close_to(one.finish_s, wanted.at(one.id).second, QString("finish, seed %1").arg(seed));
      }
      QCOMPARE(service.here(), std::size_t{0});
    }
  }
};

QTEST_APPLESS_MAIN(TestPassModels)
#include "tst_pass_models.moc"
