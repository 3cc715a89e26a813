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
                                   {"schedules_ahead", true},
                                   {"overlaps_last_pass", true},
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
            r.max_prefills == 5 && r.schedules_ahead && r.overlaps_last_pass);
    QVERIFY(r.blocks == 123 && r.block_size == 8 && r.watermark == 0.125 && r.shares_prefixes);
    QVERIFY(r.preemption == Preemption::swap && r.swap_ms_per_token == 0.5);
    QVERIFY(s.service.replicas == 3 && s.service.routing == ReplicaRouting::prefix_aware &&
            s.service.prefill_replicas == 2);
    QVERIFY(s.service.transfer_ms == 9.0 && s.service.transfer_ms_per_token == 0.0625);
    QVERIFY(!s.service.together && !serving_setup({{"together", "together"}}).service.padded);
    QVERIFY(serving_setup({{"together", "padded"}}).service.together &&
            serving_setup({{"together", "padded"}}).service.padded);
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
    QVERIFY(s.service.replica.control.looks_up && !serving_setup().service.replica.control.looks_up);
    // Base, and a pass for each proposal and request: as printed with the specification's coefficients.
    const Setup head = serving_setup({{"step_time", "linear"}, {"base", 8.0}, {"drafter", "eagle"}});
    const double ms = head.service.replica.time.draft.of({1000.0, 2.0, 2.0, 2.0}, 3, 0.0);
    const double wanted = 0.4471109584339972 + 2.89700974e-06 * 1000.0 + 0.452175870 * 3.0 + 5.52805909e-03 * 2.0;
    QVERIFY2(std::abs(ms - wanted) < 1e-3, qPrintable(QString::number(ms)));
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
    QVERIFY(s.fit.ends_with("3 passes; too few to test a fit, so that a line is taken."));
    std::string bent = "requests,context_tokens,batched_tokens,ms\n";
    for (int b = 1; b <= 6; ++b)
      for (int t = b; t <= 12 * b; t += 2 * b)
        bent += std::to_string(b) + "," + std::to_string(100 * b) + "," + std::to_string(t) + "," +
                std::to_string(5 + t + t * t) + "\n";
    const Setup two = serving_setup({{"step_time", "profile"},
                                     {"profile", file("y.csv", bent.c_str())},
                                     {"tensor_parallel", 2},
                                     {"parallel_share", 0.5},
                                     {"all_reduce", 1.0}});
    QVERIFY(std::abs(two.service.replica.time.target_ms({300, 7, 3, 0}) - (0.75 * 61.0 + 1.0)) < 1e-6);
    QVERIFY2(two.fit.ends_with("1.000000 of degree two; degree two is taken."), two.fit.c_str());
    const std::string reached = file("a.csv", "position,reached\n1,0.5\n2,0.25\n");
    QCOMPARE(serving_setup(nlohmann::json::object({{"acceptance_file", reached}})).service.replica.acceptance.tokens(7),
             1.75);
    const std::string traces = file("t.csv", "request,tokens\n1,2\n1,3\n2,1\n");
    const auto read = serving_setup(nlohmann::json::object({{"acceptance_file", traces}})).service.replica.traces;
    QVERIFY(read == (std::vector<std::vector<std::uint32_t>>{{2, 3}, {1}}));
    // What is known is what the files say: of lookups, of the two that a trace says and a quarter of the third.
    const auto known = [](const nlohmann::json& asked) { return serving_setup(asked).service.replica.control.known; };
    QCOMPARE(known(nlohmann::json::object({{"acceptance_file", reached}})).tokens(7), 1.75);
    QCOMPARE(known(nlohmann::json::object({{"acceptance_file", traces}})).tokens(2), 2.0);
    QCOMPARE(known({{"acceptance_file", traces}, {"drafter", "ngram"}, {"match", 0.25}}).tokens(2), 1.0 + 3.0 / 2.25);
    QCOMPARE(known({{"drafter", "tree"}, {"tree_width", 2}, {"acceptance", 0.5}}).tokens(1), 1.75);
    const std::string prefill = file("q.csv", "tokens,ms\n100,10\n300,20\n"),
                      decode = file("r.csv", "requests,context_tokens,ms\n1,0,5\n1,100,6\n3,100,10\n3,0,9\n");
    const StepTime t =
        serving_setup(
            {{"step_time", "tables"}, {"prefill_times", prefill}, {"decode_times", decode}, {"per_token", 0.5}})
            .service.replica.time;
    QCOMPARE(t.prefill_ms({0, 200, 1, 0}), 15.0);
    QCOMPARE(t.decode_ms({50, 2, 2, 0}, 0), 7.5);
    QCOMPARE(t.target_ms({50, 4, 2, 2}), 8.5);
    // Lengths as an axis of their own: straight between them, and no coefficient counts.
    const std::string lengths = file("w.csv", "requests,proposed,ms\n1,0,6\n1,4,10\n3,0,7\n3,4,15\n");
    const StepTime longer =
        serving_setup(
            {{"step_time", "tables"}, {"prefill_times", prefill}, {"decode_times", lengths}, {"per_token", 0.5}})
            .service.replica.time;
    QCOMPARE(longer.decode_ms({50, 4, 2, 2}, 1), 8.0);
    QCOMPARE(longer.decode_ms({50, 15, 3, 3}, 4), 15.0);
    QVERIFY(refused({{"step_time", "tables"}, {"prefill_times", prefill}}).starts_with("/parameters/decode_times: "));
    const std::string holes = file("s.csv", "requests,context_tokens,ms\n1,0,5\n1,100,6\n3,0,9\n");
    QVERIFY(refused({{"step_time", "tables"}, {"prefill_times", prefill}, {"decode_times", holes}})
                .find("wanted every one of 2 numbers of requests with every one of 2 contexts") != std::string::npos);
    QVERIFY(refused({{"step_time", "tables"},
                     {"prefill_times", file("u.csv", "tokens,ms\n100,10\n300,1000000001\n")},
                     {"decode_times", decode}})
                .ends_with("line 3: ms is 1000000001; wanted a time of at most 1e9 ms."));
    QVERIFY(refused({{"step_time", "tables"},
                     {"prefill_times", prefill},
                     {"decode_times", file("v.csv", "requests,ms\n1,1e308\n")}})
                .ends_with("ms is 1e+308; wanted a time of at most 1e9 ms."));
    // 2 + 16 (0.25 + 0.5 - 0.875) = 0, and with one request less 0.125 ms.
    const auto faster_with_more = [](int most) {
      return nlohmann::json{{"step_time", "linear"},    {"base", 2.0},           {"per_token", 0.25},
                            {"per_context_token", 0.5}, {"per_request", -0.875}, {"max_running", most}};
    };
    QVERIFY(refused(faster_with_more(16)).starts_with("/parameters/per_request: A step of 16 requests would take 0.0"));
    QCOMPARE(refused(faster_with_more(15)), std::string());
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

  void adapters_by_number_or_one_by_one() {
    const AdapterOptions none = serving_setup().service.replica.adapters;
    QVERIFY(!none.any());
    // 32 ranks of 3 MB at 24 GB/s are 4 ms.
    const Setup s = serving_setup({{"adapters", 3},
                                   {"adapter_popularity", 2.0},
                                   {"adapter_share", 0.75},
                                   {"adapter_slots", 2},
                                   {"adapter_rank", 32},
                                   {"adapter_size", 3.0},
                                   {"adapter_load", 0.5},
                                   {"adapter_bandwidth", 24.0},
                                   {"adapter_overhead", 0.125},
                                   {"adapter_queue", "in_order"}});
    const AdapterOptions& a = s.service.replica.adapters;
    QVERIFY(a.in_order && a.load_ms == std::vector<double>(3, 4.5) && a.slots == 2 && a.pass_share == 0.125);
    QVERIFY(s.workload.adapters == (std::vector<double>{1.0, 0.25, 1.0 / 9.0}) && s.workload.adapter_share == 0.75);
    QTemporaryDir folder;
    const auto file = [&folder](const char* name, const char* text) {
      const std::string path = folder.filePath(name).toStdString();
      std::ofstream(path) << text;
      return path;
    };
    const nlohmann::json listed = {{"adapters_file", file("a.csv", "rank,weight\n8,1\n16,3\n")},
                                   {"adapter_size", 2.5},
                                   {"adapter_bandwidth", 25.0},
                                   {"adapter_load", 1.0}};
    const Setup l = serving_setup(listed);
    QVERIFY(l.service.replica.adapters.load_ms == (std::vector<double>{1.8, 2.6}));
    QVERIFY(l.workload.adapters == (std::vector<double>{1.0, 3.0}));
    // Places for two of the largest, 80 MB, are not the cache's; a token takes 40 kB of a model without weights to
    // speak of.
    nlohmann::json memory = listed;
    memory["model_config"] = file("m.json", R"({"hidden_size": 100, "num_hidden_layers": 1, "num_attention_heads": 1,
                                                "intermediate_size": 1, "vocab_size": 1})");
    memory["gpu_memory"] = 1.0, memory["adapter_slots"] = 2;
    const double with = static_cast<double>(serving_setup(memory).service.replica.blocks);
    memory.erase("adapters_file");
    const double without = static_cast<double>(serving_setup(memory).service.replica.blocks);
    QVERIFY2(std::fabs(without - with - 80e6 / (16.0 * 400.0)) <= 1.0, qPrintable(QString::number(without - with)));
    QVERIFY(refused(nlohmann::json::object({{"adapters_file", file("b.csv", "rank\n8\n1.5\n")}}))
                .find("line 3: rank is 1.5; wanted a whole number from 1 to 1e6") != std::string::npos);
    QVERIFY(refused(nlohmann::json::object({{"adapters_file", file("c.csv", "rank,weight\n8,0\n")}}))
                .find("all weights are 0") != std::string::npos);
    const std::string requests = file("r.csv", "arrived_at,num_prefill_tokens,num_decode_tokens,adapter\n0,1,1,3\n");
    QVERIFY(refused({{"requests_file", requests}, {"adapters", 3}})
                .find("adapter 3 is asked for; wanted a number below 3") != std::string::npos);
    QVERIFY(refused({{"requests_file", requests}, {"adapters", 4}}).empty());
    QVERIFY(refused({{"requests_file", requests}}).empty());  // none are modelled
    QVERIFY(refused({{"overlaps_last_pass", true}, {"adapters", 4}})
                .starts_with("/parameters/overlaps_last_pass: Last passes overlap, and there are adapters"));
    QVERIFY(refused({{"overlaps_last_pass", true}, {"together", "together"}})
                .starts_with("/parameters/overlaps_last_pass: Last passes overlap, and replicas make"));
    const std::string unnamed = file("u.csv", "arrived_at,num_prefill_tokens,num_decode_tokens\n0,1,1\n");
    QCOMPARE(requests_of(serving_setup({{"requests_file", unnamed}, {"adapters", 1}}), 1)[0].adapter, 0U);
    QCOMPARE(requests_of(serving_setup({{"requests_file", requests}, {"adapters", 4}}), 1)[0].adapter, 3U);
  }

  void what_was_read_is_kept_until_a_file_changes() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("p.csv").toStdString();
    std::ofstream(path) << "requests,context_tokens,batched_tokens,ms\n1,100,1,6\n2,200,2,7\n4,400,4,9\n";
    const ergode::test::AskedInput asked("llm_serving", {{"step_time", "profile"}, {"profile", path}});
    const auto first = kept_setup(asked.input());
    QCOMPARE(kept_setup(asked.input()), first);
    const ergode::test::AskedInput other("llm_serving",
                                         {{"step_time", "profile"}, {"profile", path}, {"max_running", 7}});
    QCOMPARE(kept_setup(other.input())->service.replica.max_running, 7U);
    std::ofstream(path) << "requests,context_tokens,batched_tokens,ms\n1,100,1,16\n2,200,2,17\n4,400,4,19\n";
    QVERIFY(std::abs(kept_setup(other.input())->service.replica.time.target.of({300, 3, 3, 0}) - 18.0) < 1e-9);
    QVERIFY(std::abs(first->service.replica.time.target.of({300, 3, 3, 0}) - 8.0) < 1e-9);
    QFile::remove(QString::fromStdString(path));
    QVERIFY_THROWS_EXCEPTION(BadInput, kept_setup(other.input()));
  }

  void passes_are_sums_of_operators_or_rooflines() {
    QTemporaryDir folder;
    const auto file = [&folder](const char* name, const char* text) {
      const std::string path = folder.filePath(name).toStdString();
      std::ofstream(path) << text;
      return path;
    };
    const std::string config = file("config.json",
                                    R"({"hidden_size": 1000, "num_hidden_layers": 2, "num_attention_heads": 10,
                                        "intermediate_size": 4000, "num_experts": 8, "num_experts_per_tok": 2})");
    const std::string tokens = file("t.csv", "layer,tokens,ms\nqkv_proj,1,1\nqkv_proj,11,3\nembedding,1,0.5\n"),
                      requests = file("r.csv", "layer,sequences,ms\nlm_head,1,2\nlm_head,3,4\n"),
                      attention = file("a.csv",
                                       "prefill_chunk,kv_prefill,n_decode,kv_decode,ms\n0,0,1,10,1\n"
                                       "0,0,1,110,6\n"),
                      experts = file("e.csv", "tokens,activated_experts,ms\n1,2,0.25\n"),
                      spread = file("s.csv",
                                    "pc,n_label,skew_rate_label,kv_big_label,kp_label,alpha\n"
                                    "0,n<=8,sr<=100%,kvB<=1k,kp=0,0.5\n"),
                      reduce = file("n.csv", "size,num_workers,ms\n2000,2,0.125\n");
    nlohmann::json asked = {{"step_time", "operators"}, {"operator_times", tokens}};
    const auto ms = [&asked](const Pass& pass) { return serving_setup(asked).service.replica.time.target_ms(pass); };
    const Pass six{.context = 60.0, .tokens = 6.0, .requests = 2.0};
    QCOMPARE(ms(six), 2.0 + 0.5);  // of the whole model
    asked["model_config"] = config;
    QCOMPARE(ms(six), 2.0 * 2.0 + 0.5);
    asked["request_times"] = requests, asked["attention_times"] = attention;
    QCOMPARE(ms(six), 4.5 + 3.0 + 2.0 * 2.0);
    asked["expert_times"] = experts;
    QCOMPARE(ms(six), 11.5 + 2.0 * 0.25);
    Pass unlike = six;
    unlike.longest = 50.0;
    QCOMPARE(ms(unlike), 12.0);
    asked["attention_spread"] = 0.25;
    QCOMPARE(ms(unlike), 12.0 + 0.25 * 2.0);  // those of the longest takes 2 ms longer
    asked["spread_times"] = spread;
    QCOMPARE(ms(unlike), 12.0 + 0.5 * 2.0);
    asked["tensor_parallel"] = 2, asked["link_bandwidth"] = 0.012, asked["link_latency"] = 500;
    QCOMPARE(ms(six), 12.0 + 4.0 * 2.0 * (0.5 + 0.5));
    asked["reduce_times"] = reduce;
    QCOMPARE(ms(six), 12.0 + 4.0 * 0.125);
    asked["together"] = "together", asked["replicas"] = 2;
    // Each way one message of what a replica has, of 12 kB in 1 ms and half a millisecond of latency.
    QCOMPARE(ms(six), 12.5 + 2.0 * 2.0 * 1.5);

    nlohmann::json roof = {{"step_time", "roofline"},     {"model_config", config},    {"gpu_flops", 2.0},
                           {"memory_bandwidth", 100.0},   {"prefill_efficiency", 0.5}, {"decode_efficiency", 0.25},
                           {"expert_reads", "per_token"}, {"link_latency", 0.0}};
    const auto time = [&roof] { return serving_setup(roof).service.replica.time; };
    // Weights: attention 4e6 and two experts of 12e6 a layer and the router, two bytes; keys and values of 62 tokens.
    const double weights = 2.0 * (4e6 + 24e6 + 8e3) * 2.0, values = 2.0 * 2.0 * 1000.0 * 2.0 * 62.0;
    const Pass two{.context = 60.0, .tokens = 2.0, .requests = 2.0};
    QCOMPARE(time().target_ms(two), 1000.0 * (weights + values + 2.0 * 1000.0 * 2.0 * 2.0) / 1e11);
    const double flops = 2.0 * 2.0 * (4e6 + 24e6 + 8e3) * 1000.0 + 4.0 * 2.0 * 1000.0 * 60.0;
    const Pass many{.context = 60000.0, .tokens = 1000.0, .requests = 1000.0};
    QCOMPARE(time().target_ms(many), 1000.0 * (flops + 4.0 * 2.0 * 1000.0 * (60000.0 - 60.0)) / 0.5e12);
    roof["roofline_factors"] = file("f.csv", "term,factor\nweights,2\nper_pass_us,1000\n");
    QCOMPARE(time().target_ms(two), 1000.0 * 2.0 * weights / 1e11 + 1.0);

    // Weights of both layers with all eight experts, no vocabulary; blocks of sixteen tokens of 8 kB.
    const nlohmann::json memory = {{"model_config", config}, {"gpu_memory", 1.0}, {"memory_share", 0.5}};
    const double stored = 2.0 * (4e6 + 96e6 + 8e3) * 2.0;
    QCOMPARE(static_cast<double>(serving_setup(memory).service.replica.blocks),
             std::floor((0.5e9 - stored) / (16.0 * 8000.0)));
    QVERIFY(refused({{"model_config", config}, {"gpu_memory", 0.1}})
                .starts_with("/parameters/gpu_memory: Weights take 0.4"));
    QVERIFY(refused({{"gpu_memory", 80}}).starts_with("/parameters/model_config: The cache is what"));
    QVERIFY(refused({{"step_time", "roofline"}}).starts_with("/parameters/model_config: Step times are a roofline"));
    QVERIFY(refused({{"step_time", "operators"}}).starts_with("/parameters/operator_times: Step times are sums"));
    asked["expert_times"] = file("bad.csv", "tokens,ms\n1,2\n");
    QVERIFY(refused(asked).starts_with("/parameters/expert_times: "));
    asked.erase("model_config"), asked["expert_times"] = experts;
    QVERIFY(refused(asked).starts_with("/parameters/model_config: There are times of experts"));
  }
};

QTEST_APPLESS_MAIN(TestServingSetup)
#include "tst_serving_setup.moc"
