// LLM serving against the regression outputs of BLIS (inference-sim): its roofline and its fitted one, on models and
// hardware as its files describe them, with sessions that ask again some time after each answer.
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>

#include "plugins/llm_serving/engine/random.h"
#include "plugins/llm_serving/engine/roofline.h"
#include "plugins/llm_serving/engine/service.h"
#include "plugins/support/csv_table.h"
#include "tests/conformance/cases.h"
#include "tests/conformance/go_random.h"
#include "tests/conformance/numpy_random.h"

using namespace ergode;
using namespace ergode::test;

namespace {

QJsonObject blis_json(const QString& file) {
  QFile in(file);
  return in.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(in.readAll()).object() : QJsonObject();
}

/// Ids of tokens that were drawn: how many there are only matters where a draw is rejected.
constexpr std::int32_t blis_tokens = 128000;

std::uint64_t fnv_1a(const std::string& text) {
  std::uint64_t out = 0xCBF29CE484222325ULL;
  for (const char c : text) out = (out ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return out;
}

/// One user: asks `rounds` times, each `think_us` after the answer to the one before.
struct BlisSession {
  double next_us = 0.0, think_us = 0.0;
  int rounds = 0;
  std::uint32_t group = 0;
};

/// Who asks when, as recorded: each session has a generator of its own, of which the first exponential number is its
/// begin; their seeds are drawn after the tokens of the shared prompts, from the seed mixed with a name (FNV-1a). In
/// loads of several stages a number of each generator goes to the seed of a sampler that draws nothing from it
/// (inference-sim, sim/workload: generator.go, inference_perf.go).
std::vector<BlisSession> blis_sessions(const QJsonObject& experiment) {
  const QJsonObject workload = experiment["workload"].toObject(), perf = workload["inference_perf"].toObject(),
                    shared = perf["shared_prefix"].toObject();
  const int prompts = shared["num_unique_system_prompts"].toInt(),
            users = shared["num_users_per_system_prompt"].toInt();
  std::vector<BlisSession> out;
  GoRandom of_workload(workload["seed"].toInteger() ^ static_cast<std::int64_t>(fnv_1a("workload-gen")));
  for (int i = 0; i < prompts * shared["system_prompt_len"].toInt(); ++i) of_workload.intn(blis_tokens);
  double from_us = 0.0;
  const QJsonArray stages = perf["stages"].toArray();
  for (const QJsonValue& stage : stages) {
    const double rate = stage["rate"].toDouble(), duration_s = stage["duration"].toDouble();
    const int all = static_cast<int>(rate * duration_s), sessions = prompts * users;
    for (int i = 0; i < sessions; ++i) {
      GoRandom of_session(of_workload.int63());
      if (stages.size() > 1) of_session.int63();
      const double begin_us = std::floor(of_session.exponential() / (rate / sessions / 1e6));
      out.push_back({from_us + std::max(1.0, begin_us), std::floor(sessions / rate * 1e6),
                     all / sessions + (i < all % sessions ? 1 : 0), static_cast<std::uint32_t>(i / users)});
    }
    from_us += duration_s * 1e6;
  }
  return out;
}

/// Its clock counts whole microseconds: so do ours here, one for each second of the engine's.
class BlisPass final : public llm_serving::PassModel {
 public:
  /// @param whole_prompt  what a piece of a prompt looks at beside itself, as the fitted one was recorded: all of it
  explicit BlisPass(std::shared_ptr<const llm_serving::PassModel> model, double whole_prompt = 0.0)
      : model_(std::move(model)), whole_prompt_(whole_prompt) {}
  double ms(const llm_serving::Pass& pass) const override {
    llm_serving::Pass before = pass;
    before.context -= before.decoding();  // without the token that the step before gave
    // Nor with what the cache had of a prompt: its progress is written down after the step.
    before.context -= before.prompt_found, before.prompt_context -= before.prompt_found;
    before.prompt_pairs -= before.found_pairs;
    if (whole_prompt_ > 0.0) before.prompt_pairs += before.prompt_tokens * (whole_prompt_ + 0.5);
    return in_us(model_->ms(before));
  }
  double least_ms() const override { return in_us(model_->least_ms()); }

 private:
  static double in_us(double ms) { return 1000.0 * std::max(1.0, std::floor(ms * 1000.0)); }
  std::shared_ptr<const llm_serving::PassModel> model_;
  double whole_prompt_;
};

struct BlisRun {
  std::vector<llm_serving::Served> served;
  double prompt_tokens = 0.0;
};

/// @param delay_us  from the arrival until a request is in the queue
BlisRun blis_run(const QJsonObject& experiment, const llm_serving::StepTime& time, double delay_us) {
  llm_serving::ServiceOptions o;
  o.replica.time = time;
  o.replica.batching = llm_serving::Batching::chunked;
  o.replica.max_running = static_cast<std::uint32_t>(experiment["max_num_seqs"].toInt());
  o.replica.max_batched_tokens = static_cast<std::uint32_t>(experiment["max_num_batched_tokens"].toInt());
  o.replica.blocks = static_cast<std::uint64_t>(experiment["total_kv_blocks"].toInt());
  o.replica.watermark = 0.0, o.replica.shares_prefixes = true, o.replica.overlaps_last_pass = true;
  const QJsonObject shared = experiment["workload"]["inference_perf"]["shared_prefix"].toObject();
  const auto prefix = static_cast<std::uint32_t>(shared["system_prompt_len"].toInt());
  const auto question = static_cast<std::uint32_t>(shared["question_len"].toInt());
  const auto output = static_cast<std::uint32_t>(shared["output_len"].toInt());
  std::vector<BlisSession> sessions = blis_sessions(experiment);
  using Turn = std::tuple<double, std::size_t, std::size_t>;  // when, who was known first, session
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
  std::size_t known = 0;
  for (std::size_t i = 0; i < sessions.size(); ++i)
    if (sessions[i].rounds > 0) turns.emplace(sessions[i].next_us + delay_us, known++, i);
  llm_serving::Service service(o, 1);
  BlisRun out;
  std::vector<llm_serving::Served> done;
  constexpr double never = std::numeric_limits<double>::infinity();
  for (;;) {
    const double turn_us = turns.empty() ? never : std::get<0>(turns.top()), event_s = service.next_event_s();
    if (turn_us == never && event_s == never) break;
    if (turn_us <= event_s) {
      const std::size_t i = std::get<2>(turns.top());
      turns.pop();
      llm_serving::Request one{.id = i, .arrival_s = turn_us - delay_us};
      one.prompt = prefix + question, one.output = output, one.prefix_group = sessions[i].group, one.prefix = prefix;
      out.prompt_tokens += one.prompt;
      --sessions[i].rounds;
      service.arrive(turn_us, one);
      continue;
    }
    service.advance(event_s, done);
    for (const llm_serving::Served& one : done) {
      BlisSession& session = sessions[one.id];
      if (session.rounds > 0) turns.emplace(one.finish_s + session.think_us + delay_us, known++, one.id);
      out.served.push_back(one);
    }
    done.clear();
  }
  return out;
}

llm_serving::Roofline blis_roofline(const QString& folder, const QJsonObject& experiment) {
  llm_serving::Roofline out;
  const QString config = folder + "/" + experiment["model_config_dir"].toString() + "/config.json";
  out.shape = llm_serving::read_model_shape(plugin_support::file_content(config.toStdString()));
  const QJsonObject gpu = blis_json(folder + "/hardware_config.json")[experiment["hardware"].toString()].toObject();
  out.gpu = {gpu["TFlopsPeak"].toDouble() * 1e12, gpu["BwPeakTBs"].toDouble() * 1e12, gpu["mfuPrefill"].toDouble(),
             gpu["mfuDecode"].toDouble()};
  out.gpus = experiment["tp"].toDouble();
  out.shape.head_size = out.shape.hidden / out.shape.heads;
  if (out.shape.weight_bytes == 1.0) out.gpu.flops = gpu["TFlopsFP8"].toDouble() * 1e12;
  out.reads = llm_serving::ExpertReads::apart;
  return out;
}

std::map<QString, double> blis_summary(const BlisRun& run, double unit_ms, double per_token_ms, double at_end_ms) {
  std::vector<double> ttft, e2e, itl;
  double tokens = 0.0;
  for (const llm_serving::Served& one : run.served) {
    ttft.push_back(unit_ms * one.ttft_s() + per_token_ms);
    e2e.push_back(unit_ms * one.latency_s() + per_token_ms * one.output + at_end_ms);
    itl.push_back(unit_ms * one.tpot_s() + per_token_ms);
    tokens += one.output;
  }
  std::map<QString, double> out;
  const auto mean = [](const std::vector<double>& v) {
    return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
  };
  const auto at = [](const std::vector<double>& v, double percent) {
    const double place = percent / 100.0 * static_cast<double>(v.size() - 1);
    const auto low = static_cast<std::size_t>(place);
    return v[low] + (place - static_cast<double>(low)) * (v[std::min(low + 1, v.size() - 1)] - v[low]);
  };
  std::sort(ttft.begin(), ttft.end());
  std::sort(e2e.begin(), e2e.end());
  out["completed_requests"] = static_cast<double>(run.served.size());
  out["total_input_tokens"] = run.prompt_tokens, out["total_output_tokens"] = tokens;
  out["ttft_sum_us"] = mean(ttft) * 1000.0 * static_cast<double>(run.served.size());
  out["ttft_mean_ms"] = mean(ttft), out["e2e_mean_ms"] = mean(e2e), out["itl_mean_ms"] = mean(itl);
  out["ttft_p90_ms"] = at(ttft, 90), out["ttft_p99_ms"] = at(ttft, 99);
  out["e2e_p90_ms"] = at(e2e, 90), out["e2e_p99_ms"] = at(e2e, 99);
  return out;
}

/// Normal and cut to its bounds; then come the tokens themselves.
std::uint32_t blis_length(GoRandom& random, const QJsonObject& test, const QString& of) {
  const double x = test[of].toDouble() + test[of + "_stdev"].toDouble() * random.normal();
  const auto out =
      static_cast<std::uint32_t>(std::round(std::clamp(x, test[of + "_min"].toDouble(), test[of + "_max"].toDouble())));
  for (std::uint32_t i = 0; i < out; ++i) random.intn(blis_tokens);
  return out;
}

/// Straight between the values; `weights` say how often each counts.
double blis_weighted(std::vector<std::pair<double, double>> values, double percent) {
  std::sort(values.begin(), values.end());
  double all = 0.0, sum = 0.0;
  for (const auto& one : values) all += one.second;
  for (const auto& one : values)
    if ((sum += one.second) >= percent / 100.0 * all) return one.first;
  return values.back().first;
}

/// Requests of the recorded lengths that come evenly.
std::map<QString, double> blis_drawn(const QJsonObject& test, const llm_serving::StepTime& time) {
  llm_serving::ReplicaOptions o;
  o.time = time;
  o.batching = llm_serving::Batching::chunked;
  o.max_running = static_cast<std::uint32_t>(test["max-num-seqs"].toInt());
  o.max_batched_tokens = static_cast<std::uint32_t>(test["max-num-batched-tokens"].toInt());
  o.blocks = static_cast<std::uint64_t>(test["total-kv-blocks"].toInt()), o.watermark = 0.0, o.shares_prefixes = true;
  const QJsonArray a = test["alpha-coeffs"].toArray();
  GoRandom random(test["seed"].toInteger());
  const auto prefix = static_cast<std::uint32_t>(test["prefix_tokens"].toInt());
  for (std::uint32_t i = 0; i < prefix; ++i) random.intn(blis_tokens);
  std::vector<std::pair<double, llm_serving::Request>> queue;
  double now_s = 0.0, prompts = 0.0;
  for (int i = 0; i < test["num-requests"].toInt(); ++i) {
    llm_serving::Request one{.id = static_cast<std::uint64_t>(i), .arrival_s = now_s};
    one.prompt = prefix + blis_length(random, test, "prompt_tokens");
    one.output = blis_length(random, test, "output_tokens");
    if (prefix > 0) one.prefix_group = 0, one.prefix = prefix;
    prompts += one.prompt;
    queue.emplace_back(now_s + 1e-6 * (a[0].toDouble() + a[1].toDouble() * one.prompt), one);
    now_s += 1.0 / test["rate"].toDouble();
  }
  std::stable_sort(queue.begin(), queue.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  llm_serving::Replica replica(o, 1, 0);
  std::vector<llm_serving::StepRecord> steps;
  replica.note_steps(&steps);
  BlisRun run;
  for (const auto& [at_s, one] : queue) {
    replica.advance(at_s, run.served);
    replica.arrive(at_s, one);
  }
  replica.advance(1e9, run.served);
  run.prompt_tokens = prompts;
  const double per_token_ms = a[2].toDouble() / 1000.0;
  std::map<QString, double> out = blis_summary(run, 1000.0, per_token_ms, 0.0);
  std::vector<std::pair<double, double>> tokens, e2e, ttft, delays;
  double sum = 0.0, count = 0.0, end_s = 0.0;
  for (const llm_serving::StepRecord& step : steps) {
    tokens.emplace_back(1000.0 * (step.end_s - step.begin_s) + per_token_ms, step.decoding);
    sum += tokens.back().first * step.decoding, count += step.decoding;
  }
  for (const llm_serving::Served& one : run.served) {
    e2e.emplace_back(1000.0 * one.latency_s() + per_token_ms * one.output, 1.0);
    ttft.emplace_back(1000.0 * one.ttft_s() + per_token_ms, 1.0);
    delays.emplace_back(1000.0 * (one.admitted_s - one.arrival_s), 1.0);
    end_s = std::max(end_s, one.finish_s);
  }
  out["itl_mean_ms"] = sum / count;
  for (const int percent : {90, 95, 99}) {
    out[QString("itl_p%1_ms").arg(percent)] = blis_weighted(tokens, percent);
    out[QString("e2e_p%1_ms").arg(percent)] = blis_weighted(e2e, percent);
    out[QString("ttft_p%1_ms").arg(percent)] = blis_weighted(ttft, percent);
  }
  out["scheduling_delay_p99_ms"] = blis_weighted(delays, 99);
  out["vllm_estimated_duration_s"] = end_s;
  out["responses_per_sec"] = out["completed_requests"] / end_s;
  out["tokens_per_sec"] = out["total_output_tokens"] / end_s;
  return out;
}

/// The minute of sixteen adapters that was recorded: each is asked for every two seconds, at random, with lengths drawn
/// evenly. Who draws it is not public; numbers of requests and of tokens on both sides tell the bounds of the lengths
/// and the order of the draws, to the last token.
std::vector<llm_serving::Request> blis_minute() {
  std::vector<llm_serving::Request> out;
  NumpyRandom random;
  for (std::uint32_t adapter = 0; adapter < 16; ++adapter)
    for (double at_s = random.exponential(2.0); at_s < 60.0; at_s += random.exponential(2.0)) {
      llm_serving::Request one{.arrival_s = at_s};
      one.prompt = random.integer(128, 512), one.output = random.integer(64, 256), one.adapter = adapter;
      out.push_back(one);
    }
  std::stable_sort(out.begin(), out.end(), [](const auto& x, const auto& y) { return x.arrival_s < y.arrival_s; });
  return out;
}

/// That minute with the model of the fitted roofline. @param adapters  none: everybody wants the model as it is
std::map<QString, double> blis_adapters(const QString& folder, const llm_serving::AdapterOptions& adapters) {
  const QJsonObject all = blis_json(folder + "/trained_physics_iter29.json");
  const QJsonArray a = all["alpha_coeffs"].toArray(), b = all["beta_coeffs"].toArray();
  const auto at = [&b](int i) { return b[i].toDouble(); };
  const QJsonObject experiment{
      {"model_config_dir", "model_configs/llama-3.1-8b-instruct"}, {"hardware", "H100"}, {"tp", 1}};
  llm_serving::ServiceOptions o;
  o.replica.time.model = llm_serving::pass_model(
      blis_roofline(folder, experiment),
      llm_serving::RooflineFactors{at(0), at(8), at(1), at(9), at(2), at(3), at(4), at(5), at(6), at(7)});
  o.replica.batching = llm_serving::Batching::chunked, o.replica.max_batched_tokens = 2048;
  o.replica.adapters = adapters;
  llm_serving::Service service(o, 1);
  BlisRun run;
  const std::vector<llm_serving::Request> minute = blis_minute();
  for (llm_serving::Request one : minute) {
    run.prompt_tokens += one.prompt;
    if (!adapters.any()) one.adapter = llm_serving::Request::none;
    const double queued_s = one.arrival_s + 1e-6 * a[0].toDouble();
    service.advance(std::nextafter(queued_s, 0.0), run.served);
    service.arrive(queued_s, one);
  }
  service.advance(1e9, run.served);
  std::map<QString, double> out = blis_summary(run, 1000.0, a[2].toDouble() / 1000.0, 0.0);
  double end_s = 0.0;
  for (const llm_serving::Served& one : run.served) end_s = std::max(end_s, one.finish_s);
  out["injected_requests"] = static_cast<double>(minute.size());
  out["vllm_estimated_duration_s"] = end_s, out["tokens_per_sec"] = out["total_output_tokens"] / end_s;
  return out;
}

plugin_support::CsvTable blis_expected(const QString& folder) {
  return {plugin_support::file_content((folder + "/expected.csv").toStdString()),
          {{{"file"}, true}, {{"quantity"}, true}, {{"value"}}, {{"tolerance"}, true}}};
}

double blis_value(const QString& folder, const QString& of, const QString& quantity) {
  const plugin_support::CsvTable expected = blis_expected(folder);
  for (std::size_t row = 0; row < expected.rows(); ++row)
    if (of.toStdString() == expected.text(row, 0) && quantity.toStdString() == expected.text(row, 1))
      return expected.number(row, 2);
  return -1.0;
}

/// Rows that are not met, each with its experiment. @param seen  values by what a row names its experiment
QStringList blis_missed(const QString& folder, const std::map<QString, std::map<QString, double>>& seen,
                        int& compared) {
  const plugin_support::CsvTable expected = blis_expected(folder);
  QStringList out;
  for (std::size_t row = 0; row < expected.rows(); ++row) {
    const QString of = QString::fromStdString(expected.text(row, 0));
    const auto found = seen.find(of);
    if (found == seen.end()) continue;
    const QString quantity = QString::fromStdString(expected.text(row, 1));
    const QString tolerance = QString::fromStdString(expected.text(row, 3));
    const double value = found->second.at(quantity), wanted = expected.number(row, 2);
    ++compared;
    const double share = tolerance == "exact" ? 0.0 : tolerance.section(':', 1).toDouble();
    if (std::fabs(value - wanted) <= share * wanted) continue;
    out << of.section('#', 1) + " " + quantity;
    qInfo().noquote() << out.back() << QString("%1, wanted %2").arg(value).arg(wanted);
  }
  return out;
}

}  // namespace

class TestBlisCases : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // As every introduction to Go prints them.
  void numbers_of_go() {
    GoRandom one(1), other(42);
    for (const int wanted : {81, 87, 47, 59, 81, 18, 25, 40, 56, 0}) QCOMPARE(one.intn(100), wanted);
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < 100000; ++i) {
      sum += one.exponential();
      const double x = other.normal();
      squares += x * x;
    }
    QVERIFY(std::fabs(sum / 1e5 - 1.0) < 0.02 && std::fabs(squares / 1e5 - 1.0) < 0.02);
  }

  // Who asks when is drawn as recorded, and most of the rows come out to many digits. That simulator lets a batch whose
  // last requests are about to end count as empty when their last step begins, so that who comes within it is served at
  // once, on a GPU that is still busy: overlaps_last_pass. Without it he waits for its end, and four of the rooflines'
  // rows are missed. Users whose answers end in one step ask again together, so that they are drawn into bunches: what
  // a step decides stays.
  void rooflines_data() {
    QTest::addColumn<QString>("file");
    QTest::newRow("roofline") << "roofline_goldendataset.json";
    QTest::newRow("fitted") << "trained_physics_iter29.json";
  }
  void rooflines() {
    if (case_folder("blis_inference_sim").empty())
      QSKIP("no cases folder: ERGODE_CASES names none with blis_inference_sim");
    const QString folder = QString::fromStdString(case_folder("blis_inference_sim"));
    QFETCH(QString, file);
    const QJsonObject all = blis_json(folder + "/" + file);
    const QJsonArray a = all["alpha_coeffs"].toArray(), b = all["beta_coeffs"].toArray();
    const bool fitted = !b.isEmpty();
    std::map<QString, std::map<QString, double>> seen;
    for (const QJsonValue& one : all["experiments"].toArray()) {
      const QJsonObject experiment = one.toObject();
      llm_serving::Roofline roofline = blis_roofline(folder, experiment);
      llm_serving::StepTime time;
      if (fitted) {
        const auto at = [&b](int i) { return b[i].toDouble(); };
        time.model = llm_serving::pass_model(roofline, llm_serving::RooflineFactors{at(0), at(8), at(1), at(9), at(2),
                                                                                    at(3), at(4), at(5), at(6), at(7)});
      } else {
        roofline.shape.matrices = 2.0;  // as that version counts a feed-forward network
        roofline.reads = llm_serving::ExpertReads::reached;
        roofline.softmax_flops = 5.0, roofline.rotary_flops = 2.0, roofline.routes = false;
        time.model = llm_serving::pass_model(roofline);
      }
      const QJsonObject shared = experiment["workload"]["inference_perf"]["shared_prefix"].toObject();
      const double prompt = shared["system_prompt_len"].toDouble() + shared["question_len"].toDouble();
      // a: until a request is in the queue, at its end, and at each token, of the server around the model [us].
      time.model = std::make_shared<BlisPass>(time.model, fitted ? prompt : 0.0);
      const BlisRun run = blis_run(experiment, time, std::floor(a[0].toDouble()));
      seen[file + "#" + experiment["id"].toString()] =
          blis_summary(run, 1e-3, std::floor(a[2].toDouble()) / 1000.0, std::floor(a[1].toDouble()) / 1000.0);
    }
    int compared = 0;
    const QStringList failed = blis_missed(folder, seen, compared);
    QCOMPARE(compared, 110);
    QCOMPARE(failed, QStringList());
  }

  // What vLLM set aside on H100s of 80 GiB, of which nine tenths are used, when the experiments were measured; its
  // activations take a few percent more. Not of the model of several parts, whose other parts take memory too.
  void blocks_that_fit_beside_the_weights() {
    if (case_folder("blis_inference_sim").empty())
      QSKIP("no cases folder: ERGODE_CASES names none with blis_inference_sim");
    const QString folder = QString::fromStdString(case_folder("blis_inference_sim"));
    int compared = 0;
    for (const QJsonValue& one : blis_json(folder + "/roofline_goldendataset.json")["experiments"].toArray()) {
      const QJsonObject experiment = one.toObject();
      if (experiment["model"].toString().contains("Scout")) continue;
      const QString config = folder + "/" + experiment["model_config_dir"].toString() + "/config.json";
      const llm_serving::ModelShape shape =
          llm_serving::read_model_shape(plugin_support::file_content(config.toStdString()));
      const double blocks = llm_serving::cache_blocks(shape, 0.9 * 80.0 * 0x1p30 * experiment["tp"].toDouble(), 16.0);
      const double off = blocks / experiment["total_kv_blocks"].toDouble() - 1.0;
      QVERIFY2(off > 0.0 && off < 0.06, qPrintable(QString("%1: %2").arg(experiment["model"].toString()).arg(off)));
      ++compared;
    }
    QCOMPARE(compared, 7);
  }

  // Lengths are drawn as recorded, so that all tokens count exactly. Whatever model and GPU a case names, its times
  // were recorded with one stand-in for all: 32 layers of 4096, a feed-forward network four times as wide, and other
  // shares of the peak than its files have (inference-sim, sim/simulator_test.go: the sizes and numbers of its tests).
  void drawn_lengths() {
    if (case_folder("blis_inference_sim").empty())
      QSKIP("no cases folder: ERGODE_CASES names none with blis_inference_sim");
    const QString folder = QString::fromStdString(case_folder("blis_inference_sim"));
    std::map<QString, std::map<QString, double>> seen;
    for (const QJsonValue& value : blis_json(folder + "/goldendataset.json")["tests"].toArray()) {
      const QJsonObject test = value.toObject();
      llm_serving::Roofline roofline;
      roofline.shape = {32.0, 4096.0, 32.0, 8.0, 128.0, 4.0 * 4096.0};
      roofline.shape.matrices = 2.0;
      roofline.gpu = {989e12, 3.35e12, 0.55, 0.3}, roofline.gpus = test["tp"].toDouble();
      roofline.softmax_flops = 5.0, roofline.rotary_flops = 2.0;
      llm_serving::StepTime time;
      time.model = llm_serving::pass_model(roofline);
      seen["goldendataset.json#" + QString::number(test["id"].toInt())] = blis_drawn(test, time);
    }
    for (const QString quantity : {"total_input_tokens", "total_output_tokens"})
      for (const auto& [name, values] : seen) QCOMPARE(values.at(quantity), blis_value(folder, name, quantity));
    int compared = 0;
    const QStringList failed = blis_missed(folder, seen, compared);
    QCOMPARE(compared, 76);
    QCOMPARE(failed, QStringList());
  }

  void adapters() {
    if (case_folder("blis_inference_sim").empty())
      QSKIP("no cases folder: ERGODE_CASES names none with blis_inference_sim");
    const QString folder = QString::fromStdString(case_folder("blis_inference_sim"));
    // What the authors of the adapters measured: a pass of n adapters takes 200.0 % + 1.930 % n of one without, of
    // which that simulator takes the ratio, and loads of ranks 8, 16 and 32 take 8.08, 7.87 and 6.37 ms, of which all
    // have the mean here, as it is not told which adapter has which rank (Agullo et al., arXiv 2508.08343, its
    // repository).
    llm_serving::AdapterOptions eight{.slots = 8, .pass_share = 1.93011757 / 200.01448221, .in_order = true};
    eight.load_ms.assign(16, (8.076073 + 7.868956 + 6.367267) / 3.0);
    const QString reference = "cmd_testdata/dt-reference/llama-3.1-8b-instruct.blis-";
    const std::map<QString, std::map<QString, double>> seen = {
        {reference + "blind.json", blis_adapters(folder, {})},
        {reference + "aware.json", blis_adapters(folder, eight)}};
    int compared = 0;
    const QStringList failed = blis_missed(folder, seen, compared);
    QCOMPARE(compared, 14);
    QCOMPARE(failed, QStringList());
    // What README says.
    for (const auto& [name, values] : seen)
      for (const auto& [quantity, value] : values) {
        const double wanted = blis_value(folder, name, quantity);
        if (wanted > 0.0) QVERIFY2(std::fabs(value / wanted - 1.0) < 0.005, qPrintable(name + " " + quantity));
      }
  }

  // As numpy.random.default_rng(0) draws them.
  void numbers_of_numpy() {
    NumpyRandom random;
    for (const double wanted : {1.3598638079378191, 2.0391942029317294, 0.039613325178110705})
      QVERIFY(std::fabs(random.exponential(2.0) - wanted) < 1e-12);
    QCOMPARE(random.integer(128, 512), 156U);
    QCOMPARE(random.integer(64, 256), 67U);
  }
};

QTEST_APPLESS_MAIN(TestBlisCases)
#include "tst_blis_cases.moc"
