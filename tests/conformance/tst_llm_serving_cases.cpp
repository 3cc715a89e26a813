// LLM serving against traces and simulators of others: Azure's hour of conversations (Splitwise, ISCA 2024) and three
// requests of the Splitwise simulator, to all digits.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "plugins/llm_serving/engine/service.h"
#include "plugins/llm_serving/engine/workload.h"
#include "plugins/support/csv_table.h"
#include "tests/conformance/cases.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// Keys and values of BLOOM-176B, 2 x 70 x 14336 numbers of two bytes a token, at 200 GiB/s, as that simulator moves
/// them.
constexpr double transfer_ms_per_token = 2.0 * 70.0 * 14336.0 * 2.0 / (200.0 * 0x1p30 / 1000.0);

/// Medians of an operator's time by batched tokens, of BLOOM-176B on eight GPUs.
std::map<double, double> splitwise_medians(const std::string& folder, const std::string& hardware, bool prompts) {
  enum Column : std::uint8_t { model, device, prompt, batch, gpus, prompt_ms, token_ms };
  const plugin_support::CsvTable table(plugin_support::file_content(folder + "/perf_model.csv"), {{{"model"}, true},
                                                                                                  {{"hardware"}, true},
                                                                                                  {{"prompt_size"}},
                                                                                                  {{"batch_size"}},
                                                                                                  {{"tensor_parallel"}},
                                                                                                  {{"prompt_time"}},
                                                                                                  {{"token_time"}}});
  std::map<double, std::vector<double>> all;
  for (std::size_t row = 0; row < table.rows(); ++row)
    if (table.text(row, model) == "bloom-176b" && table.text(row, device) == hardware && table.number(row, gpus) == 8.0)
      all[table.number(row, prompt) * table.number(row, batch)].push_back(
          table.number(row, prompts ? prompt_ms : token_ms));
  std::map<double, double> out;
  for (auto& [tokens, times] : all) {
    std::sort(times.begin(), times.end());
    const std::size_t n = times.size();
    out[tokens] = n % 2 == 1 ? times[n / 2] : (times[n / 2 - 1] + times[n / 2]) / 2.0;
  }
  return out;
}

/// As that simulator takes them: straight lines through the medians that go on beyond both ends.
llm_serving::StepTime splitwise_time(const std::string& folder, const std::string& hardware) {
  llm_serving::StepTime out;
  for (const bool prompts : {true, false}) {
    std::map<double, double> medians = splitwise_medians(folder, hardware, prompts);
    const auto first = medians.begin(), second = std::next(first);
    const double slope = (second->second - first->second) / (second->first - first->first);
    medians.emplace(1.0, first->second + slope * (1.0 - first->first));
    std::vector<double> tokens, ms;
    for (const auto& [at, time] : medians) tokens.push_back(at), ms.push_back(time);
    if (prompts) out.prefill_table.emplace_back(std::vector<std::vector<double>>{tokens}, ms);
    else out.decode_table.emplace_back(std::vector<std::vector<double>>{tokens, {0.0}}, ms);
  }
  return out;
}

std::vector<llm_serving::Served> splitwise_served(const std::string& folder, llm_serving::Service& service) {
  std::vector<llm_serving::Served> out;
  const plugin_support::CsvTable trace(plugin_support::file_content(folder + "/test_trace.csv"),
                                       {{{"arrival_timestamp"}}, {{"prompt_size"}}, {{"token_size"}}});
  for (std::size_t row = 0; row < trace.rows(); ++row) {
    llm_serving::Request one{.id = row, .arrival_s = trace.number(row, 0)};
    one.prompt = static_cast<std::uint32_t>(trace.number(row, 1));
    one.output = static_cast<std::uint32_t>(trace.number(row, 2));
    service.advance(one.arrival_s, out);
    service.arrive(one.arrival_s, one);
  }
  service.advance(1e9, out);
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return out;
}

/// Every row of that case.
void compare_splitwise(const std::string& folder, const std::string& name,
                       const std::vector<llm_serving::Served>& served) {
  const plugin_support::CsvTable expected(plugin_support::file_content(folder + "/expected.csv"),
                                          {{{"case"}, true}, {{"quantity"}, true}, {{"value"}}});
  int compared = 0;
  for (std::size_t row = 0; row < expected.rows(); ++row) {
    if (expected.text(row, 0) != name) continue;
    const QStringList words = QString::fromStdString(expected.text(row, 1)).split(' ');
    const llm_serving::Served& one = served.at(words.at(1).toULongLong());
    double seen = 0.0;
    if (words.at(2).startsWith("response_times")) seen = one.latency_s();
    else if (words.at(2).startsWith("ttft_times")) seen = one.ttft_s();
    else if (words.at(2).startsWith("tbt_times")) seen = (one.finish_s - one.first_token_s) / one.output;
    else if (words.at(2).startsWith("queue_times")) seen = one.admitted_s - one.arrival_s;
    else if (words.at(2).startsWith("nth_token_overheads")) seen = one.handover_s;
    else QFAIL(qPrintable(words.join(' ')));
    const double wanted = expected.number(row, 2);
    QVERIFY2(std::fabs(seen - wanted) <= 1e-9 * wanted,
             qPrintable(words.join(' ') + QString(": %1, wanted %2").arg(seen, 0, 'g', 15).arg(wanted, 0, 'g', 15)));
    ++compared;
  }
  QCOMPARE(compared, 15);
}

/// Azure's hour, as that simulator was asked: from one second on, two output tokens at least.
std::vector<llm_serving::Served> azure_hour(llm_serving::Service& service) {
  std::vector<llm_serving::Request> requests =
      llm_serving::read_requests(plugin_support::file_content(case_folder("llm_traces") + "/splitwise_conv.csv"));
  std::vector<llm_serving::Served> out;
  for (llm_serving::Request& one : requests) {
    one.arrival_s += 1.0, one.output = std::max(one.output, 2U);
    service.advance(one.arrival_s, out);
    service.arrive(one.arrival_s, one);
  }
  service.advance(1e9, out);
  return out;
}

/// Means and percentiles of that case within 1 %.
void compare_azure(const std::string& folder, const std::string& name, const std::vector<llm_serving::Served>& served) {
  std::map<std::string, std::vector<double>> seen;
  for (const llm_serving::Served& one : served) {
    seen["response_times"].push_back(one.latency_s()), seen["ttft_times"].push_back(one.ttft_s());
    seen["queue_times"].push_back(one.admitted_s - one.arrival_s);
    seen["tbt_times"].push_back((one.finish_s - one.first_token_s) / one.output);
    seen["nth_token_overheads"].push_back(one.handover_s);
  }
  for (auto& [what, values] : seen) std::sort(values.begin(), values.end());
  const plugin_support::CsvTable expected(plugin_support::file_content(folder + "/expected.csv"),
                                          {{{"case"}, true}, {{"quantity"}, true}, {{"value"}}});
  std::size_t compared = 0;
  for (std::size_t row = 0; row < expected.rows(); ++row) {
    if (expected.text(row, 0) != name) continue;
    const QString quantity = QString::fromStdString(expected.text(row, 1)).section(',', 0, 0);
    const QStringList words = quantity.split(' ');
    const auto found = seen.find(words.at(0).toStdString());
    QVERIFY2(found != seen.end(), qPrintable(quantity));
    const std::vector<double>& values = found->second;
    const auto n = static_cast<double>(values.size());
    double value = std::accumulate(values.begin(), values.end(), 0.0) / n;
    if (words.at(1) != "mean") value = values[static_cast<std::size_t>(words.at(1).mid(1).toDouble() / 100.0 * n)];
    const double wanted = expected.number(row, 2);
    QVERIFY2(std::fabs(value - wanted) <= 0.01 * wanted,
             qPrintable(quantity + QString(": %1, wanted %2").arg(value).arg(wanted)));
    ++compared;
  }
  QCOMPARE(compared, std::size_t{20});
}

}  // namespace

class TestLlmServingCases : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void azure_traces_are_read_whole() {
    if (case_folder("llm_traces").empty()) QSKIP("no cases folder: ERGODE_CASES names none with llm_traces");
    const std::string folder = case_folder("llm_traces");
    const auto count = [&](const char* name) {
      return llm_serving::read_requests(plugin_support::file_content(folder + "/" + name)).size();
    };
    QCOMPARE(count("splitwise_conv.csv"), std::size_t{19366});
    QCOMPARE(count("splitwise_code.csv"), std::size_t{8819});
  }

  void three_requests_of_splitwise_on_one_machine() {
    if (case_folder("splitwise_sim").empty()) QSKIP("no cases folder: ERGODE_CASES names none with splitwise_sim");
    const std::string folder = case_folder("splitwise_sim");
    llm_serving::ServiceOptions o;
    o.replica.time = splitwise_time(folder, "h100-80gb");
    llm_serving::Service service(o, 1);
    const std::vector<llm_serving::Served> served = splitwise_served(folder, service);
    compare_splitwise(folder, "baseline_h100_test_trace", served);
  }

  // Prompts on an H100, decoding on an A100.
  void three_requests_of_splitwise_on_two_machines() {
    if (case_folder("splitwise_sim").empty()) QSKIP("no cases folder: ERGODE_CASES names none with splitwise_sim");
    const std::string folder = case_folder("splitwise_sim");
    llm_serving::ServiceOptions o;
    o.replica.time = splitwise_time(folder, "a100-80gb"), o.prefill_time = splitwise_time(folder, "h100-80gb");
    o.prefill_replicas = 1;
    o.transfer_ms_per_token = transfer_ms_per_token;
    llm_serving::Service service(o, 1);
    compare_splitwise(folder, "splitwise_ha_test_trace", splitwise_served(folder, service));
  }

  // Forty machines of eight GPUs; prompts are computed beside others' decoding.
  void splitwise_baseline_of_azures_hour() {
    if (case_folder("splitwise_sim").empty()) QSKIP("no cases folder: ERGODE_CASES names none with splitwise_sim");
    const std::string folder = case_folder("splitwise_sim");
    llm_serving::ServiceOptions o{.replicas = 40, .routing = llm_serving::ReplicaRouting::least_pending};
    o.replica.batching = llm_serving::Batching::beside;
    o.replica.time = splitwise_time(folder, "h100-80gb");
    o.replica.max_batched_tokens = 2048, o.replica.max_running = 512;
    llm_serving::Service service(o, 1);
    compare_azure(folder, "baseline_40xH100_azure_conv", azure_hour(service));
  }

  void splitwise_on_two_kinds_of_machines_of_azures_hour() {
    if (case_folder("splitwise_sim").empty()) QSKIP("no cases folder: ERGODE_CASES names none with splitwise_sim");
    const std::string folder = case_folder("splitwise_sim");
    llm_serving::ServiceOptions o{
        .replicas = 15, .routing = llm_serving::ReplicaRouting::least_reserved, .prefill_replicas = 25};
    o.replica.time = splitwise_time(folder, "a100-80gb"), o.prefill_time = splitwise_time(folder, "h100-80gb");
    o.replica.max_batched_tokens = 2048, o.replica.max_running = 512;
    o.transfer_ms_per_token = transfer_ms_per_token;
    llm_serving::Service service(o, 1);
    compare_azure(folder, "splitwise_ha_15A100_25H100_azure_conv", azure_hour(service));
  }
};

QTEST_APPLESS_MAIN(TestLlmServingCases)
#include "tst_llm_serving_cases.moc"
