// The code goes by the numbers of parameters and outputs that plugin.json lists by name: they are the same.
#include <QtTest>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "plugins/llm_serving/engine/step_time.h"
#include "plugins/llm_serving/setup.h"
#include "tests/plugins/asked_input.h"

using namespace llm_serving;

namespace {

Setup serving_setup(const nlohmann::json& changed = nlohmann::json::object()) {
  return read_setup(ergode::test::AskedInput("llm_serving", changed).input());
}
std::string refused(const nlohmann::json& changed) {
  try {
    serving_setup(changed);
  } catch (const BadInput& bad) {
    return bad.pointer + ": " + bad.what();
  }
  return "";
}

}  // namespace

class TestServingSetup : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void every_parameter_goes_where_its_name_says() {
    QCOMPARE(ergode::test::manifest_of("llm_serving")["parameters"].size(), static_cast<std::size_t>(P::count));
    const Setup plain = serving_setup();
    QCOMPARE(plain.service.replica.blocks, std::uint64_t{27977});
    QCOMPARE(plain.service.replica.time.target.base, find_step_time("h100_llama8b")->target.base);
    const Setup s = serving_setup({{"arrival_rate", 3.5},
                                   {"burstiness", 0.5},
                                   {"requests", 77},
                                   {"prompt_law", "uniform"},
                                   {"prompt_mean", 100},
                                   {"prompt_sd", 20},
                                   {"output_law", "lognormal"},
                                   {"output_mean", 200},
                                   {"output_sd", 30},
                                   {"prefix_groups", 4},
                                   {"prefix_tokens", 50},
                                   {"step_time", "linear"},
                                   {"base", 5.0},
                                   {"per_context_token", 0.5},
                                   {"per_token", 0.25},
                                   {"per_request", 0.125},
                                   {"overhead", 2.0},
                                   {"drafter", "tree"},
                                   {"draft_base", 0.75},
                                   {"draft_pass", 0.375},
                                   {"tree_width", 3},
                                   {"acceptance", 0.5},
                                   {"policy", "dsd"},
                                   {"length", 4},
                                   {"longest", 6},
                                   {"interval", 11},
                                   {"bias", 1.25},
                                   {"batching", "chunked"},
                                   {"max_running", 17},
                                   {"max_batched_tokens", 999},
                                   {"max_prefills", 5},
                                   {"cache_blocks", 123},
                                   {"block_size", 8},
                                   {"watermark", 0.125},
                                   {"preemption", "swap"},
                                   {"swap_per_token", 0.5},
                                   {"shares_prefixes", true},
                                   {"replicas", 3},
                                   {"routing", "prefix_aware"},
                                   {"prefill_replicas", 2},
                                   {"transfer", 9.0},
                                   {"transfer_per_token", 0.0625},
                                   {"ttft_limit", 500},
                                   {"tpot_limit", 25},
                                   {"gpu_price", 4.5}});
    const Workload& w = s.workload;
    QVERIFY(w.rate_per_s == 3.5 && w.burstiness == 0.5 && w.requests == 77);
    QVERIFY(w.prompt.kind == LengthLaw::Kind::uniform && w.prompt.mean == 100 && w.prompt.deviation == 20);
    QVERIFY(w.output.kind == LengthLaw::Kind::lognormal && w.output.mean == 200 && w.output.deviation == 30);
    QVERIFY(w.prefix_groups == 4 && w.prefix == 50);
    const ReplicaOptions& r = s.service.replica;
    const LinearTime& t = r.time.target;
    QVERIFY(t.base == 5.0 && t.per_context_token == 0.5 && t.per_token == 0.25 && t.per_request == 0.125);
    QVERIFY(r.time.overhead.fixed == 2.0 && r.time.draft.base == 0.75 && r.time.draft.per_proposed == 0.375);
    QVERIFY(r.time.width == 3.0 && std::abs(r.acceptance.tokens(1) - 1.875) < 1e-12);
    const ControlOptions& c = r.control;
    QVERIFY(c.policy == Policy::dsd && c.fixed == 4 && c.search.most == 6 && c.interval == 11 && c.search.bias == 1.25);
    QVERIFY(r.batching == Batching::chunked && r.max_running == 17 && r.max_batched_tokens == 999 &&
            r.max_prefills == 5);
    QVERIFY(r.blocks == 123 && r.block_size == 8 && r.watermark == 0.125 && r.shares_prefixes);
    QVERIFY(r.preemption == Preemption::swap && r.swap_ms_per_token == 0.5);
    QVERIFY(s.service.replicas == 3 && s.service.routing == ReplicaRouting::prefix_aware &&
            s.service.prefill_replicas == 2);
    QVERIFY(s.service.transfer_ms == 9.0 && s.service.transfer_ms_per_token == 0.0625);
    QVERIFY(s.ttft_limit_s == 0.5 && s.tpot_limit_s == 0.025 && s.gpu_price_per_h == 4.5);
  }

  void gpus_share_a_pass_and_lookups_may_find_nothing() {
    const Setup s = serving_setup({{"step_time", "linear"},
                                   {"base", 8.0},
                                   {"per_token", 1.0},
                                   {"tensor_parallel", 4},
                                   {"parallel_share", 0.8},
                                   {"all_reduce", 0.5},
                                   {"drafter", "ngram"},
                                   {"lookup_share", 0.04},
                                   {"match", 0.25}});
    const StepTime& t = s.service.replica.time;
    QVERIFY(std::abs(t.target.base - (8.0 * 0.4 + 0.5)) < 1e-12 && std::abs(t.target.per_token - 0.4) < 1e-12);
    QVERIFY(t.draft.share_of_target == 0.04 && s.service.replica.match == 0.25 && s.gpus == 4);
  }

  void files_are_read_or_refused_by_parameter() {
    QTemporaryDir folder;
    const auto file = [&folder](const char* name, const char* text) {
      const std::string path = folder.filePath(name).toStdString();
      std::ofstream(path) << text;
      return path;
    };
    const std::string profile =
        file("p.csv", "requests,context_tokens,batched_tokens,ms\n1,100,1,6\n2,200,2,7\n4,400,4,9\n");
    const Setup s = serving_setup({{"step_time", "profile"}, {"profile", profile}});
    QVERIFY(std::abs(s.service.replica.time.target.of({300, 3, 3, 0}) - 8.0) < 1e-9);
    const std::string reached = file("a.csv", "position,reached\n1,0.5\n2,0.25\n");
    QCOMPARE(serving_setup(nlohmann::json::object({{"acceptance_file", reached}})).service.replica.acceptance.tokens(7),
             1.75);
    const std::string traces = file("t.csv", "request,tokens\n1,2\n1,3\n2,1\n");
    const auto read = serving_setup(nlohmann::json::object({{"acceptance_file", traces}})).service.replica.traces;
    QVERIFY(read == (std::vector<std::vector<std::uint32_t>>{{2, 3}, {1}}));
    const std::string prefill = file("q.csv", "tokens,ms\n100,10\n300,20\n"),
                      decode = file("r.csv", "requests,context_tokens,ms\n1,0,5\n1,100,6\n3,100,10\n3,0,9\n");
    const StepTime t =
        serving_setup(
            {{"step_time", "tables"}, {"prefill_times", prefill}, {"decode_times", decode}, {"per_token", 0.5}})
            .service.replica.time;
    QCOMPARE(t.prefill_ms({0, 200, 1, 0}), 15.0);
    QCOMPARE(t.decode_ms({50, 2, 2, 0}, 0), 7.5);
    QCOMPARE(t.target_ms({50, 4, 2, 2}), 8.5);
    QVERIFY(refused({{"step_time", "tables"}, {"prefill_times", prefill}}).starts_with("/parameters/decode_times: "));
    const std::string holes = file("s.csv", "requests,context_tokens,ms\n1,0,5\n1,100,6\n3,0,9\n");
    QVERIFY(refused({{"step_time", "tables"}, {"prefill_times", prefill}, {"decode_times", holes}})
                .find("wanted every one of 2 numbers of requests with every one of 2 contexts") != std::string::npos);
    QVERIFY(refused({{"step_time", "profile"}}).starts_with("/parameters/profile: Step times are fitted"));
    QVERIFY(refused({{"step_time", "profile"}, {"profile", "/nowhere"}}).ends_with("\"/nowhere\" cannot be read."));
    QVERIFY(refused({{"acceptance_file", file("b.csv", "position,reached\n1,0.5\n2,0.75\n")}})
                .find("position 2 is reached") != std::string::npos);
    QVERIFY(refused({{"acceptance_file", file("c.csv", "request,tokens\n1,0\n")}}).find("line 2: tokens is 0") !=
            std::string::npos);
    QVERIFY(
        refused({{"step_time", "profile"}, {"profile", file("d.csv", "requests,ms\n1,2\n")}}).find("context_tokens") !=
        std::string::npos);
  }
};

QTEST_APPLESS_MAIN(TestServingSetup)
#include "tst_serving_setup.moc"
