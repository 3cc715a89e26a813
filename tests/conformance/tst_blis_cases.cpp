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

#include "plugins/llm_serving/engine/random.h"
#include "plugins/llm_serving/engine/roofline.h"
#include "plugins/llm_serving/engine/service.h"
#include "plugins/support/csv_table.h"
#include "tests/conformance/cases.h"

using namespace ergode;
using namespace ergode::test;

namespace {

QJsonObject blis_json(const QString& file) {
  QFile in(file);
  return in.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(in.readAll()).object() : QJsonObject();
}

/// One user: asks `rounds` times, each `think_s` after the answer to the one before.
struct BlisSession {
  double next_s = 0.0, think_s = 0.0;
  int rounds = 0;
  std::uint32_t group = 0;
};

std::vector<BlisSession> blis_sessions(const QJsonObject& experiment, std::uint64_t seed) {
  const QJsonObject perf = experiment["workload"]["inference_perf"].toObject(),
                    shared = perf["shared_prefix"].toObject();
  const int prompts = shared["num_unique_system_prompts"].toInt(),
            users = shared["num_users_per_system_prompt"].toInt();
  std::vector<BlisSession> out;
  llm_serving::Random random(seed, 0);
  double from_s = 0.0;
  for (const QJsonValue& stage : perf["stages"].toArray()) {
    const double rate = stage["rate"].toDouble(), duration_s = stage["duration"].toDouble();
    const int all = static_cast<int>(rate * duration_s), sessions = prompts * users;
    for (int i = 0; i < sessions; ++i) {
      const double think_s = sessions / rate;
      out.push_back({from_s - std::log1p(-random.uniform()) * think_s, think_s,
                     all / sessions + (i < all % sessions ? 1 : 0), static_cast<std::uint32_t>(i / users)});
    }
    from_s += duration_s;
  }
  return out;
}

struct BlisRun {
  std::vector<llm_serving::Served> served;
  double prompt_tokens = 0.0;
};

/// @param delay_s  from the arrival until a request is in the queue
BlisRun blis_run(const QJsonObject& experiment, const llm_serving::StepTime& time, double delay_s, std::uint64_t seed) {
  llm_serving::ServiceOptions o;
  o.replica.time = time;
  o.replica.batching = llm_serving::Batching::chunked;
  o.replica.max_running = static_cast<std::uint32_t>(experiment["max_num_seqs"].toInt());
  o.replica.max_batched_tokens = static_cast<std::uint32_t>(experiment["max_num_batched_tokens"].toInt());
  o.replica.blocks = static_cast<std::uint64_t>(experiment["total_kv_blocks"].toInt());
  o.replica.watermark = 0.0, o.replica.shares_prefixes = true;
  const QJsonObject shared = experiment["workload"]["inference_perf"]["shared_prefix"].toObject();
  const auto prefix = static_cast<std::uint32_t>(shared["system_prompt_len"].toInt());
  const auto question = static_cast<std::uint32_t>(shared["question_len"].toInt());
  const auto output = static_cast<std::uint32_t>(shared["output_len"].toInt());
  std::vector<BlisSession> sessions = blis_sessions(experiment, seed);
  using Turn = std::pair<double, std::size_t>;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
  for (std::size_t i = 0; i < sessions.size(); ++i)
    if (sessions[i].rounds > 0) turns.emplace(sessions[i].next_s + delay_s, i);
  llm_serving::Service service(o, seed);
  BlisRun out;
  std::vector<llm_serving::Served> done;
  constexpr double never = std::numeric_limits<double>::infinity();
  for (;;) {
    const double turn_s = turns.empty() ? never : turns.top().first, event_s = service.next_event_s();
    if (turn_s == never && event_s == never) break;
    if (turn_s <= event_s) {
      const std::size_t i = turns.top().second;
      turns.pop();
      llm_serving::Request one{.id = i, .arrival_s = turn_s - delay_s};
      one.prompt = prefix + question, one.output = output, one.prefix_group = sessions[i].group, one.prefix = prefix;
      out.prompt_tokens += one.prompt;
      --sessions[i].rounds;
      service.arrive(turn_s, one);
      continue;
    }
    service.advance(event_s, done);
    for (const llm_serving::Served& one : done) {
      BlisSession& session = sessions[one.id];
      if (session.rounds > 0) turns.emplace(one.finish_s + session.think_s + delay_s, one.id);
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

std::map<QString, double> blis_summary(const BlisRun& run, double per_token_ms, double at_end_ms) {
  std::vector<double> ttft, e2e, itl;
  double tokens = 0.0;
  for (const llm_serving::Served& one : run.served) {
    ttft.push_back(1000.0 * one.ttft_s() + per_token_ms);
    e2e.push_back(1000.0 * one.latency_s() + per_token_ms * one.output + at_end_ms);
    itl.push_back(1000.0 * one.tpot_s() + per_token_ms);
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

/// Normal and cut to its bounds.
std::uint32_t blis_length(llm_serving::Random& random, const QJsonObject& test, const QString& of) {
  const double u = 1.0 - random.uniform(), v = random.uniform();
  const double normal = std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::acos(-1.0) * v);
  const double x = test[of].toDouble() + test[of + "_stdev"].toDouble() * normal;
  return static_cast<std::uint32_t>(
      std::clamp(std::round(x), test[of + "_min"].toDouble(), test[of + "_max"].toDouble()));
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

/// Requests of drawn lengths that come evenly.
std::map<QString, double> blis_drawn(const QJsonObject& test, const llm_serving::StepTime& time, std::uint64_t seed) {
  llm_serving::ReplicaOptions o;
  o.time = time;
  o.batching = llm_serving::Batching::chunked;
  o.max_running = static_cast<std::uint32_t>(test["max-num-seqs"].toInt());
  o.max_batched_tokens = static_cast<std::uint32_t>(test["max-num-batched-tokens"].toInt());
  o.blocks = static_cast<std::uint64_t>(test["total-kv-blocks"].toInt()), o.watermark = 0.0, o.shares_prefixes = true;
  const QJsonArray a = test["alpha-coeffs"].toArray();
  llm_serving::Random random(seed, 0);
  const auto prefix = static_cast<std::uint32_t>(test["prefix_tokens"].toInt());
  std::vector<std::pair<double, llm_serving::Request>> queue;
  double now_s = 0.0, prompts = 0.0;
  for (int i = 0; i < test["num-requests"].toInt(); ++i) {
    now_s += 1.0 / test["rate"].toDouble();
    llm_serving::Request one{.id = static_cast<std::uint64_t>(i), .arrival_s = now_s};
    one.prompt = prefix + blis_length(random, test, "prompt_tokens");
    one.output = blis_length(random, test, "output_tokens");
    if (prefix > 0) one.prefix_group = 0, one.prefix = prefix;
    prompts += one.prompt;
    queue.emplace_back(now_s + 1e-6 * (a[0].toDouble() + a[1].toDouble() * one.prompt), one);
  }
  std::stable_sort(queue.begin(), queue.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  llm_serving::Replica replica(o, seed, 0);
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
  std::map<QString, double> out = blis_summary(run, per_token_ms, 0.0);
  std::vector<std::pair<double, double>> tokens, e2e, ttft, delays;
  double sum = 0.0, count = 0.0, end_s = 0.0;
  for (const llm_serving::StepRecord& step : steps) {
    tokens.emplace_back(1000.0 * (step.end_s - step.begin_s) + per_token_ms, step.running);
    sum += tokens.back().first * step.running, count += step.running;
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

plugin_support::CsvTable blis_expected(const QString& folder) {
  return {plugin_support::file_content((folder + "/expected.csv").toStdString()),
          {{{"file"}, true}, {{"quantity"}, true}, {{"value"}}, {{"tolerance"}, true}}};
}

}  // namespace

class TestBlisCases : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // Who asks when is drawn: eight seeds. Users whose answers end in one step ask again together, so that they are drawn
  // into bunches; how soon is chance, and what users of the recorded run do is one draw of it. So a row is met where it
  // is within 5 % of what the seeds give, from the least to the most; most are within 5 % of the mean too, which is
  // counted. Nothing of prompts and counts is chance.
  void rooflines_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("near_mean");
    QTest::addColumn<QStringList>("missed");
    QTest::newRow("roofline") << "roofline_goldendataset.json" << 85
                              << QStringList{"17 ttft_sum_us", "17 ttft_mean_ms", "17 ttft_p90_ms"};
    QTest::newRow("fitted") << "trained_physics_iter29.json" << 104
                            << QStringList{"61 ttft_sum_us", "61 ttft_mean_ms", "61 ttft_p90_ms"};
  }
  void rooflines() {
    if (case_folder("blis_inference_sim").empty())
      QSKIP("no cases folder: ERGODE_CASES names none with blis_inference_sim");
    const QString folder = QString::fromStdString(case_folder("blis_inference_sim"));
    QFETCH(QString, file);
    QFETCH(int, near_mean);
    QFETCH(QStringList, missed);
    const QJsonObject all = blis_json(folder + "/" + file);
    const QJsonArray a = all["alpha_coeffs"].toArray(), b = all["beta_coeffs"].toArray();
    const bool fitted = !b.isEmpty();
    std::map<QString, std::vector<std::map<QString, double>>> seen;
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
        time.model = llm_serving::pass_model(roofline);
      }
      // a: until a request is in the queue, at its end, and at each token, of the server around the model [us].
      for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        const BlisRun run = blis_run(experiment, time, a[0].toDouble() * 1e-6, seed);
        seen[experiment["id"].toString()].push_back(
            blis_summary(run, a[2].toDouble() / 1000.0, a[1].toDouble() / 1000.0));
      }
    }
    const plugin_support::CsvTable expected = blis_expected(folder);
    int compared = 0, near = 0;
    QStringList failed;
    for (std::size_t row = 0; row < expected.rows(); ++row) {
      const QString of = QString::fromStdString(expected.text(row, 0)), id = of.section('#', 1);
      if (of.section('#', 0, 0) != file) continue;
      const QString quantity = QString::fromStdString(expected.text(row, 1));
      const QString tolerance = QString::fromStdString(expected.text(row, 3));
      const double wanted = expected.number(row, 2), share = tolerance.section(':', 1).toDouble();
      double least = std::numeric_limits<double>::infinity(), most = 0.0, mean = 0.0;
      for (const auto& run : seen.at(id)) {
        const double value = run.at(quantity);
        least = std::min(least, value), most = std::max(most, value);
        mean += value / static_cast<double>(seen.at(id).size());
      }
      ++compared;
      const bool met = tolerance == "exact" ? least == wanted && most == wanted
                                            : wanted >= least * (1.0 - share) && wanted <= most * (1.0 + share);
      if (std::fabs(mean - wanted) <= share * wanted || (met && tolerance == "exact")) ++near;
      if (!met) failed << id + " " + quantity;
      if (!met)
        qInfo().noquote() << id << quantity
                          << QString("%1 to %2, mean %3, wanted %4").arg(least).arg(most).arg(mean).arg(wanted);
    }
    QCOMPARE(compared, 110);
    qInfo("within 5 %% of the mean: %d", near);
    QCOMPARE(failed, missed);
    QVERIFY(near >= near_mean);
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

  // Sixteen seeds; recorded is one draw of the lengths too.
  void drawn_lengths() {
    if (case_folder("blis_inference_sim").empty())
      QSKIP("no cases folder: ERGODE_CASES names none with blis_inference_sim");
    const QString folder = QString::fromStdString(case_folder("blis_inference_sim"));
    std::map<QString, std::vector<std::map<QString, double>>> seen;
    for (const QJsonValue& value : blis_json(folder + "/goldendataset.json")["tests"].toArray()) {
      QJsonObject test = value.toObject();
      const QString model = test["model"].toString().section('/', 1);
      llm_serving::StepTime time;
      llm_serving::Roofline roofline;
      if (model.startsWith("granite")) {  // whose configuration is not among the files: as published
        roofline.shape = {40.0, 4096.0, 32.0, 8.0, 128.0, 12800.0};
        roofline.gpu = {989.5e12, 3.35e12, 0.45, 0.3}, roofline.gpus = test["tp"].toDouble();
      } else {
        test["model_config_dir"] = "model_configs/" + model;
        roofline = blis_roofline(folder, test);
      }
      roofline.shape.matrices = 2.0;
      time.model = llm_serving::pass_model(roofline);
      for (std::uint64_t seed = 1; seed <= 16; ++seed)
        seen["goldendataset.json#" + QString::number(test["id"].toInt())].push_back(blis_drawn(test, time, seed));
    }
    const plugin_support::CsvTable expected = blis_expected(folder);
    int compared = 0, near = 0;
    QStringList failed;
    for (std::size_t row = 0; row < expected.rows(); ++row) {
      const auto found = seen.find(QString::fromStdString(expected.text(row, 0)));
      if (found == seen.end()) continue;
      const QString quantity = QString::fromStdString(expected.text(row, 1));
      const double wanted = expected.number(row, 2);
      const double share = QString::fromStdString(expected.text(row, 3)).section(':', 1).toDouble();
      double least = std::numeric_limits<double>::infinity(), most = 0.0, mean = 0.0;
      for (const auto& run : found->second) {
        least = std::min(least, run.at(quantity)), most = std::max(most, run.at(quantity));
        mean += run.at(quantity) / static_cast<double>(found->second.size());
      }
      ++compared;
      if (std::fabs(mean - wanted) <= share * wanted) ++near;
      if (wanted >= least * (1.0 - share) && wanted <= most * (1.0 + share)) continue;
      failed << found->first.section('#', 1) + " " + quantity;
      qInfo().noquote() << failed.back()
                        << QString("%1 to %2, mean %3, wanted %4").arg(least).arg(most).arg(mean).arg(wanted);
    }
    QCOMPARE(compared, 76);
    qInfo("within 5 %% of the mean: %d", near);
    // Recorded with a version of its formula that is not published with the set: long prompts take up to a fifth less,
    // steps of four GPUs a twentieth more than this roofline says.
    const QStringList missed{"0 scheduling_delay_p99_ms",
                             "1 e2e_p95_ms",
                             "1 ttft_mean_ms",
                             "1 ttft_p90_ms",
                             "1 ttft_p95_ms",
                             "1 ttft_p99_ms",
                             "1 itl_mean_ms",
                             "1 itl_p95_ms",
                             "1 itl_p99_ms",
                             "2 e2e_p99_ms",
                             "2 itl_mean_ms",
                             "2 itl_p90_ms",
                             "2 itl_p95_ms",
                             "2 itl_p99_ms",
                             "3 e2e_p95_ms",
                             "3 ttft_mean_ms",
                             "3 ttft_p90_ms",
                             "3 ttft_p95_ms",
                             "3 ttft_p99_ms",
                             "3 itl_mean_ms",
                             "3 itl_p99_ms"};
    QCOMPARE(failed, missed);
    QVERIFY(near >= 41);
  }
};

QTEST_APPLESS_MAIN(TestBlisCases)
#include "tst_blis_cases.moc"
