// The station makes the steps of its engine late and many at once; beside it one that is called for every single step.
#include "app/session/catalogue.h"
#include "plugins/host/station_host.h"
#include "plugins/llm_serving/setup.h"
#include "tests/plugins/plugin_test.h"
#include "tests/solvers/queueing/drawn_network.h"

using namespace ergode;
using namespace ergode::test;

namespace {

class EveryStepStation : public PluginStation {
 public:
  explicit EveryStepStation(const llm_serving::Setup& setup) : setup_(setup), service_(setup.service, 1) {}
  void begin(std::uint64_t, std::uint64_t) override { service_ = llm_serving::Service(setup_.service, 1); }
  double arrive(double now, std::uint64_t job, std::span<const double> attributes, StationNews&) override {
    llm_serving::Request one{.id = job, .arrival_s = now};
    one.prompt = static_cast<std::uint32_t>(attributes[0]), one.output = static_cast<std::uint32_t>(attributes[1]);
    service_.arrive(now, one);
    return service_.next_event_s();
  }
  double advance(double now, StationNews& news) override {
    served_.clear();
    service_.advance(now, served_);
    for (const llm_serving::Served& one : served_) {
      news.departures.push_back({one.id, false});
      news.observations.push_back({0, 1000.0 * one.ttft_s()});
      if (one.output > 1) news.observations.push_back({1, 1000.0 * one.tpot_s()});
      news.observations.push_back({2, one.latency_s()});
    }
    return service_.next_event_s();
  }
  void finish(double, StationNews&) override {}

 private:
  llm_serving::Setup setup_;
  llm_serving::Service service_;
  std::vector<llm_serving::Served> served_;
};

}  // namespace

class TestServingStation : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    const StationPlugin late = station_plugin(plugin_named("llm_serving"));
    register_station_plugin(late);
    StationPlugin each = late;
    each.manifest.name = "every_step";
    each.make = [manifest = late.manifest](PluginValues values, std::uint64_t, const std::string&,
                                           const std::function<bool()>&) {
      const PluginInput made = plugin_input(manifest, std::move(values.numbers), values.words);
      const std::string json = made.json.dump();
      ergode_input input{};
      input.size = sizeof input, input.number_count = static_cast<std::uint32_t>(made.numbers.size());
      input.numbers = made.numbers.data(), input.json = json.c_str(), input.json_size = json.size();
      return std::make_unique<EveryStepStation>(llm_serving::read_setup(input));
    };
    register_station_plugin(each);
    catalogue();
  }

  void steps_made_late_are_the_same_steps() {
    for (const char* rate : {"2 /s", "8 /s", "30 /s"})
      for (const char* batch : {"1", "8", "256"})
        for (const char* replicas : {"1", "3"})
          for (const char* batching : {"prefill_first", "chunked"}) {
            const auto answers = [&](const std::string& plugin) {
              DrawnNetwork net("60 s");
              const ElementId in = net.node(
                  "source", "in",
                  {{"interarrival", std::string("exponential(rate = ") + rate + ")"},
                   {"attributes",
                    "prompt_tokens: integer = geometric(mean = 400), output_tokens: integer = geometric(mean = 60)"}});
              const ElementId desk = net.node("plugin_station", "desk",
                                              {{"plugin", plugin},
                                               {plugin + "_max_running", batch},
                                               {plugin + "_replicas", replicas},
                                               {plugin + "_batching", batching}}),
                              out = net.node("sink", "out");
              net.flow(in, desk), net.flow(desk, out);
              net.m.measure("number", "time_average", "desk.number");
              for (const char* of : {"ttft", "tpot", "latency", "response_time"})
                net.m.measure(of, "observed_mean", "", {{"of", std::string("desk.") + of}});
              RunControl control;
              const ResultSet r = find_solver("simulation")->solve(net.m.document(), {.replications = 2}, control);
              if (r.status != RunStatus::complete) throw std::runtime_error(listed(r.diagnostics));
              std::vector<double> numbers;
              for (const MeasureResult& one : r.measures) numbers.push_back(one.estimate);
              return numbers;
            };
            const auto each = answers("every_step"), late = answers("llm_serving");
            QCOMPARE(late.size(), each.size());
            for (std::size_t i = 0; i < each.size(); ++i)
              near(late[i], each[i], std::string(rate) + ", " + batch + ", " + batching + std::to_string(i), 1e-9);
          }
  }
};

QTEST_APPLESS_MAIN(TestServingStation)
#include "tst_serving_station.moc"
