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
      for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
        const BlisRun run = blis_run(experiment, time, a[0].toDouble() * 1e-6, seed);
        seen[experiment["id"].toString()].push_back(
            blis_summary(run, a[2].toDouble() / 1000.0, a[1].toDouble() / 1000.0));
      }
    }
    const plugin_support::CsvTable expected(
        plugin_support::file_content((folder + "/expected.csv").toStdString()),
        {{{"file"}, true}, {{"quantity"}, true}, {{"value"}}, {{"tolerance"}, true}});
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
};

QTEST_APPLESS_MAIN(TestBlisCases)
#include "tst_blis_cases.moc"
