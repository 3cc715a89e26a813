// LLM serving against measurements of vLLM on hardware and the authors' simulator (Cho et al., LLMServingSim, IISWC
// 2024): step times are sums of the operators that they profiled, requests are theirs.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "plugins/llm_serving/engine/operator_times.h"
#include "plugins/llm_serving/engine/service.h"
#include "plugins/support/csv_table.h"
#include "tests/conformance/cases.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// What the folders do not say of a run: sizes of the model, as published, and where GPUs stand.
struct ServedModel {
  QString run, profile;
  double layers = 0.0, hidden = 0.0, experts = 0.0, experts_per_token = 0.0;
  int gpus = 1, replicas = 1;
};

std::string servingsim_text(const QString& folder, const QString& file) {
  return plugin_support::file_content((folder + "/" + file).toStdString());
}

/// The number behind a key of a YAML file, after a line that has `after`.
double yaml_number(const QString& text, const QString& after, const QString& key) {
  const qsizetype from = text.indexOf(key + ":", text.indexOf(after));
  return text.mid(from + key.size() + 1).section('\n', 0, 0).trimmed().toDouble();
}

/// @param exchanged  share of what experts exchange that counts
llm_serving::StepTime servingsim_time(const QString& folder, const ServedModel& model, double exchanged) {
  const QString root = folder + "/profiles/RTXPRO6000/" + model.profile + "/bf16";
  const QString tp = QString("tp%1").arg(model.gpus);
  llm_serving::OperatorTimes times;
  times.by_tokens.push_back(llm_serving::read_operator_times(servingsim_text(root, tp + "/dense.csv"), model.layers));
  times.by_requests.push_back(
      llm_serving::read_operator_times(servingsim_text(root, tp + "/per_sequence.csv"), model.layers));
  times.attention.push_back(
      llm_serving::read_attention_times(servingsim_text(root, tp + "/attention.csv"), model.layers));
  const QString meta = QString::fromStdString(servingsim_text(root, "meta.yaml"));
  const double usual = yaml_number(meta, QString("    %1:\n").arg(model.gpus), "alpha_default");
  times.spread = llm_serving::read_spread(servingsim_text(root, tp + "/skew_fit.csv"), usual);
  if (model.experts > 0.0)
    times.experts = {llm_serving::read_expert_times(servingsim_text(root, "tp1/moe.csv")),
                     model.layers,
                     model.experts,
                     model.experts_per_token,
                     static_cast<double>(model.replicas),
                     exchanged * 2.0 * model.hidden};
  // Links of 16 GiB/s and 20 us, as all configurations have them and their network model reads them; numbers of two
  // bytes.
  times.reduce = {static_cast<double>(model.gpus), 2.0 * model.layers, 2.0 * model.hidden, 16.0 * 0x1p30, 20e-6};
  llm_serving::StepTime out;
  out.model = llm_serving::pass_model(std::move(times));
  return out;
}

std::vector<QJsonObject> json_lines(const QByteArray& text) {
  std::vector<QJsonObject> out;
  for (const QByteArray& line : text.split('\n'))
    if (!line.trimmed().isEmpty()) out.push_back(QJsonDocument::fromJson(line).object());
  return out;
}

QByteArray unpacked(const QString& path) {
  QProcess gzip;
  gzip.start("gzip", {"-dc", path});
  return gzip.waitForFinished() && gzip.exitCode() == 0 ? gzip.readAllStandardOutput() : QByteArray();
}

std::vector<llm_serving::Request> measured_requests(const QString& folder, const ServedModel& model) {
  QFile file(folder + "/bench/RTXPRO6000/" + model.run + "/vllm/requests.jsonl");
  if (!file.open(QIODevice::ReadOnly)) return {};
  std::vector<llm_serving::Request> out;
  double first = -1.0;
  for (const QJsonObject& one : json_lines(file.readAll())) {
    const double at = one.value("arrival_time").toDouble();
    if (first < 0.0) first = at;
    llm_serving::Request request{.id = out.size(), .arrival_s = at - first};
    request.prompt = static_cast<std::uint32_t>(one.value("input_toks").toInt());
    request.output = static_cast<std::uint32_t>(one.value("output_toks").toInt());
    out.push_back(request);
  }
  return out;
}

/// Which prompts begin alike, by the tokens of the run that has them: the same conversations in all runs.
void find_alike(const QString& folder, std::vector<llm_serving::Request>& requests) {
  constexpr qsizetype block = 16;
  std::vector<std::vector<int>> tokens;
  for (const QJsonObject& one : json_lines(unpacked(folder + "/workloads/sharegpt-llama-3.1-8b-300-sps10.jsonl.gz"))) {
    tokens.emplace_back();
    for (const QJsonValue& id : one.value("input_tok_ids").toArray()) tokens.back().push_back(id.toInt());
  }
  if (tokens.size() != requests.size()) return;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    requests[i].prefix_group = static_cast<std::uint32_t>(i);
    for (std::size_t j = 0; j < i; ++j) {
      const auto end = std::mismatch(tokens[i].begin(), tokens[i].end(), tokens[j].begin(), tokens[j].end());
      const auto alike = static_cast<std::uint32_t>(std::distance(tokens[i].begin(), end.first) / block * block);
      if (alike == 0) continue;
      if (alike > requests[i].prefix) requests[i].prefix = alike, requests[i].prefix_group = requests[j].prefix_group;
      requests[j].prefix = std::max(requests[j].prefix, alike);
    }
  }
  for (llm_serving::Request& one : requests) one.prefix = std::min(one.prefix, one.prompt);
}

/// Straight between the values of the sorted list.
double servingsim_percentile(const std::vector<double>& sorted, double percent) {
  const double at = percent / 100.0 * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

/// @param from_queue  times count from when the scheduler has seen a request, not from when it came
std::map<QString, double> summary_of(const std::vector<llm_serving::Served>& served, bool from_queue) {
  std::map<QString, std::vector<double>> times;
  for (const llm_serving::Served& one : served) {
    const double from_s = from_queue ? one.seen_s : one.arrival_s;
    times["TTFT"].push_back(1000.0 * (one.first_token_s - from_s));
    times["Latency"].push_back(1000.0 * (one.finish_s - from_s));
    if (one.output > 1) times["TPOT"].push_back(1000.0 * one.tpot_s());
  }
  std::map<QString, double> out;
  for (auto& [name, values] : times) {
    std::sort(values.begin(), values.end());
    out[name + " Mean"] = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    out[name + " Median"] = servingsim_percentile(values, 50.0);
    for (const int percent : {90, 95, 99})
      out[name + QString(" P%1").arg(percent)] = servingsim_percentile(values, percent);
  }
  return out;
}

std::map<QString, double> servingsim_run(const QString& folder, const ServedModel& model, bool as_simulated) {
  llm_serving::ServiceOptions o{.replicas = static_cast<std::uint32_t>(model.replicas),
                                .routing = llm_serving::ReplicaRouting::shortest_queue};
  o.replica.time = servingsim_time(folder, model, as_simulated ? 0.5 : 1.0);
  o.together = model.replicas > 1, o.padded = as_simulated && o.together;
  o.replica.batching = llm_serving::Batching::chunked;
  // vLLM's own times say so: whoever finds room is scheduled within 0.1 ms of being queued, and what is printed of it
  // counts from there; he is queued up to a step after he came, and has his first token a step and his own later.
  o.replica.schedules_ahead = !as_simulated;
  o.replica.max_running = 128, o.replica.max_batched_tokens = 2048, o.replica.shares_prefixes = true;
  std::vector<llm_serving::Request> requests = measured_requests(folder, model);
  find_alike(folder, requests);
  llm_serving::Service service(o, 1);
  std::vector<llm_serving::Served> served;
  for (const llm_serving::Request& one : requests) {
    service.advance(one.arrival_s, served);
    service.arrive(one.arrival_s, one);
  }
  constexpr double long_after_s = 1e9;
  service.advance(long_after_s, served);
  constexpr std::size_t all = 300;
  return served.size() == all ? summary_of(served, !as_simulated) : std::map<QString, double>();
}

}  // namespace

class TestLlmservingsimCases : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void every_row_of_a_run_data() {
    QTest::addColumn<QString>("run");
    QTest::addColumn<QString>("profile");
    QTest::addColumn<QList<double>>("sizes");  // layers, hidden, experts, of them a token, GPUs of a replica, replicas
    QTest::newRow("Llama 3.1 8B") << "Llama-3.1-8B"
                                  << "meta-llama/Llama-3.1-8B" << QList<double>{32, 4096, 0, 0, 1, 1};
    QTest::newRow("Qwen3 32B") << "Qwen3-32B"
                               << "Qwen/Qwen3-32B" << QList<double>{64, 5120, 0, 0, 2, 1};
    QTest::newRow("Qwen3 30B-A3B") << "Qwen3-30B-A3B-Instruct-2507"
                                   << "Qwen/Qwen3-30B-A3B-Instruct-2507" << QList<double>{48, 2048, 128, 8, 1, 2};
  }
  void every_row_of_a_run() {
    if (case_folder("llmservingsim").empty()) QSKIP("no cases folder: ERGODE_CASES names none with llmservingsim");
    const QString folder = QString::fromStdString(case_folder("llmservingsim"));
    QFETCH(QString, run);
    QFETCH(QString, profile);
    QFETCH(QList<double>, sizes);
    const ServedModel model{
        run, profile, sizes[0], sizes[1], sizes[2], sizes[3], static_cast<int>(sizes[4]), static_cast<int>(sizes[5])};
    // Experts spread over two replicas: what vLLM does, each with its own batch; and what the authors' simulator does,
    // which pads both to the longer and counts half of the exchange. That puts no step together ahead.
    const std::map<QString, double> as_measured = servingsim_run(folder, model, false),
                                    as_simulated = servingsim_run(folder, model, true);
    QVERIFY(!as_measured.empty());
    const plugin_support::CsvTable expected(
        plugin_support::file_content((folder + "/expected.csv").toStdString()),
        {{{"case"}, true}, {{"quantity"}, true}, {{"value"}}, {{"tolerance"}, true}});
    int compared = 0;
    double worst = 0.0;
    for (std::size_t row = 0; row < expected.rows(); ++row) {
      if (QString::fromStdString(expected.text(row, 0)) != "RTXPRO6000 " + run) continue;
      const QString quantity = QString::fromStdString(expected.text(row, 1));
      const std::map<QString, double>& seen = quantity.endsWith("simulator") ? as_simulated : as_measured;
      const double wanted = expected.number(row, 2), value = seen.at(quantity.section(',', 0, 0));
      const double tolerance = QString::fromStdString(expected.text(row, 3)).section(':', 1).toDouble();
      const double off = value / wanted - 1.0;
      worst = std::max(worst, std::fabs(off) / tolerance);
      QVERIFY2(tolerance > 0.0 && std::fabs(off) <= tolerance,
               qPrintable(QString("%1: %2, wanted %3 (%4 %)").arg(quantity).arg(value).arg(wanted).arg(100.0 * off)));
      ++compared;
    }
    QCOMPARE(compared, 30);
    qInfo("at most %.2f of the tolerance", worst);
  }
};

QTEST_APPLESS_MAIN(TestLlmservingsimCases)
#include "tst_llmservingsim_cases.moc"
