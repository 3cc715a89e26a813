// The plugin: one call of the simulator is one replication; the station is a service that the network's clock drives.
#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <numeric>
#include <string>

#include "plugins/abi/ergode_plugin.h"
#include "plugins/llm_serving/setup.h"
#include "plugins/support/station_calls.h"

namespace llm_serving {
namespace {

// Indices of the lists in plugin.json.
struct Out {
  enum : std::uint32_t {
    latency,
    ttft,
    tpot,
    queueing,
    throughput,
    request_rate,
    attainment,
    goodput,
    mean_length,
    accepted_share,
    predicted,
    batch,
    cache_use,
    busy,
    preemptions,
    rejected,
    prompt_found,
    cost,
    latency_p99,
    ttft_p99,
    tpot_p99,
    adapter_wait,
    adapter_hits,
    adapter_loads,
    adapters_at_work,
    speedup
  };
};
struct Tables {
  enum : std::uint32_t { percentiles, lengths, replicas, steps, requests };
};
struct StationTables {
  enum : std::uint32_t { lengths, steps };
};
struct StationOut {
  enum : std::uint32_t {
    ttft,
    tpot,
    latency,
    attained,
    throughput,
    mean_length,
    batch,
    cache_use,
    preemptions,
    rejected,
    accepted_share,
    prompt_found,
    cost,
    adapter_wait,
    adapter_hits,
    adapter_loads,
    goodput
  };
};

using plugin_support::told;

/// Sums over all replicas.
struct Sums {
  explicit Sums(const Service& service) {
    for (const Replica& one : service.replicas()) {
      const ReplicaTotals& t = one.totals();
      without_time += static_cast<double>(t.without_time);
      preemptions += static_cast<double>(t.preemptions), rejected += static_cast<double>(t.rejected);
      generated += t.generated, busy_s += t.busy_s, requests_s += t.requests_s, cache_s += t.cache_s;
      prompt_tokens += t.prompt_tokens, found += t.prompt_tokens_found;
      predicted += t.predicted, decoded += t.decoded, tried += t.tried, accepted += t.accepted;
      adapters_s += t.adapters_s, adapter_loads += static_cast<double>(one.adapters().loads());
      adapters_asked += static_cast<double>(one.adapters().asked());
      adapter_hits += static_cast<double>(one.adapters().hits());
      for (std::size_t k = 0; k < steps.size(); ++k) steps[k] += t.steps_by_length[k];
    }
    for (std::size_t k = 0; k < steps.size(); ++k)
      decode_steps += steps[k], lengths += static_cast<double>(k) * steps[k];
  }
  static double over(double a, double b) { return b > 0.0 ? a / b : 0.0; }
  double without_time = 0.0;
  double preemptions = 0.0, rejected = 0.0, generated = 0.0, busy_s = 0.0, requests_s = 0.0, cache_s = 0.0;
  double prompt_tokens = 0.0, found = 0.0, predicted = 0.0, decoded = 0.0, tried = 0.0, accepted = 0.0;
  double decode_steps = 0.0, lengths = 0.0;
  double adapters_s = 0.0, adapter_loads = 0.0, adapters_asked = 0.0, adapter_hits = 0.0;
  std::array<double, most_proposed + 1> steps{};
};

/// Rent of all GPUs over that time, for a million tokens [USD].
double cost_of_a_million(const Setup& setup, const Service& service, double span_s, double generated) {
  constexpr double million = 1e6, s_per_h = 3600.0;
  const auto gpus = static_cast<double>(service.replicas().size()) * setup.gpus;
  return million * Sums::over(span_s / s_per_h * gpus * setup.gpu_price_per_h, generated);
}

ergode_cell number(double x) { return {nullptr, x}; }
ergode_cell words(const char* text) { return {text, 0.0}; }
void add_row(const ergode_host& host, std::uint32_t table, const std::vector<ergode_cell>& cells) {
  host.row(host.context, table, cells.data(), cells.size());
}

/// How often which length was chosen.
void tell_lengths(const ergode_host& host, std::uint32_t table, const Sums& sums) {
  for (std::size_t k = 0; k < sums.steps.size(); ++k)
    if (sums.steps[k] > 0.0)
      add_row(host, table,
              {number(static_cast<double>(k)), number(sums.steps[k]), number(sums.steps[k] / sums.decode_steps)});
}
/// A curve for people: a thousand points of millions of steps.
void tell_steps(const ergode_host& host, std::uint32_t table, const std::vector<StepRecord>& notes) {
  constexpr std::size_t most_points = 1000;
  const std::size_t every = std::max<std::size_t>(1, notes.size() / most_points);
  for (std::size_t i = 0; i < notes.size(); i += every) {
    const StepRecord& s = notes[i];
    add_row(host, table,
            {number(s.end_s), number(s.running), number(s.waiting),
             number(s.length < 0 ? std::nan("") : static_cast<double>(s.length)), number(s.cache)});
  }
}

/// How well step times fit their profile, and how many steps had none.
void tell_of_step_times(const ergode_host& host, const Setup& setup, const Service& service) {
  std::uint64_t steps = 0;
  for (const Replica& one : service.replicas()) steps += one.totals().steps;
  if (const double none = Sums(service).without_time; none > 0.0) {
    const std::string text = std::to_string(static_cast<std::uint64_t>(none)) + " of " + std::to_string(steps) +
                             " steps get no time above 0 from these step times and count as almost none; wanted "
                             "step times above 0 for every batch, such as no coefficients below 0.";
    host.tell(host.context, ERGODE_WARNING, "/parameters/step_time", text.c_str());
  }
  if (!setup.fit.empty()) host.tell(host.context, ERGODE_INFO, "/parameters/profile", setup.fit.c_str());
}

class Simulation {
 public:
  Simulation(const ergode_input& input, const ergode_host& host)
      : host_(host),
        kept_(kept_setup(input)),
        setup_(*kept_),
        seed_(input.seed),
        requests_(requests_of(setup_, input.seed)),
        service_(setup_.service, input.seed),
        tables_(input.replication == 0) {}

  int32_t run() {
    if (tables_) service_.replicas()[0].note_steps(&notes_, 1);
    if (!serve(service_, served_)) return ERGODE_CANCELLED;
    observe();
    if (setup_.against_none && !observe_speedup()) return ERGODE_CANCELLED;
    if (tables_) tell_tables(), warn_of_a_growing_queue(), tell_of_step_times(host_, setup_, service_);
    return ERGODE_OK;
  }

 private:
  static constexpr std::size_t look_every = 4096;
  static constexpr double look_every_s = 60.0;
  /// @returns false: somebody asked to stop
  bool serve(Service& service, std::vector<Served>& served) const {
    served.reserve(requests_.size());
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (i % look_every == look_every - 1 && stopped(i)) return false;
      const Request& one = requests_[i];
      // Whoever comes at the end of a step is there when the next begins.
      service.advance(std::nextafter(one.arrival_s, -1e300), served);
      service.arrive(one.arrival_s, one);
    }
    while (std::isfinite(service.next_event_s())) {
      service.advance(service.next_event_s() + look_every_s, served);
      if (stopped(requests_.size())) return false;
    }
    return true;
  }
  /// The same requests once more, of which nothing is proposed.
  bool observe_speedup() const {
    ServiceOptions options = setup_.service;
    options.replica.control = usual_options(Policy::none);
    Service service(options, seed_);
    std::vector<Served> served;
    if (!serve(service, served)) return false;
    double with = 0.0, without = 0.0;
    for (const Served& one : served_) with += one.latency_s() / static_cast<double>(served_.size());
    for (const Served& one : served) without += one.latency_s() / static_cast<double>(served.size());
    if (with > 0.0 && !served.empty()) observe(Out::speedup, without / with);
    return true;
  }
  bool stopped(std::size_t done) const {
    host_.progress(host_.context, static_cast<double>(done) / static_cast<double>(requests_.size() + 1));
    return host_.cancelled(host_.context) != 0;
  }
  void observe(std::uint32_t output, double value) const { host_.observe(host_.context, output, &value, 1); }
  void observe(std::uint32_t output, const std::vector<double>& values) const {
    host_.observe(host_.context, output, values.data(), values.size());
  }

  void observe() {
    double attained = 0.0;
    for (const Served& one : served_) {
      latency_.push_back(one.latency_s()), ttft_.push_back(1000.0 * one.ttft_s());
      queueing_.push_back(1000.0 * (one.admitted_s - one.arrival_s));
      if (one.output > 1) tpot_.push_back(1000.0 * one.tpot_s());
      attained += setup_.attained(one) ? 1.0 : 0.0, end_s_ = std::max(end_s_, one.finish_s);
      if (setup_.has_adapter(one)) adapter_wait_.push_back(1000.0 * one.adapter_wait_s);
    }
    observe(Out::latency, latency_), observe(Out::ttft, ttft_), observe(Out::tpot, tpot_);
    observe(Out::queueing, queueing_);
    for (const auto& [out, values] :
         {std::pair{Out::latency_p99, &latency_}, {Out::ttft_p99, &ttft_}, {Out::tpot_p99, &tpot_}})
      if (!values->empty()) observe(out, quantile(*values, 0.99));
    const double span_s = requests_.empty() ? 0.0 : end_s_ - requests_.front().arrival_s;
    const auto replicas = static_cast<double>(service_.replicas().size());
    const Sums sums(service_);
    observe(Out::throughput, Sums::over(sums.generated, span_s));
    observe(Out::request_rate, Sums::over(static_cast<double>(served_.size()), span_s));
    observe(Out::attainment, Sums::over(attained, static_cast<double>(requests_.size())));
    observe(Out::goodput, Sums::over(attained, span_s));
    observe(Out::mean_length, Sums::over(sums.lengths, sums.decode_steps));
    // A share of nothing is no number.
    if (sums.tried > 0.0) observe(Out::accepted_share, sums.accepted / sums.tried);
    observe(Out::predicted, Sums::over(sums.predicted, sums.decoded));
    observe(Out::batch, Sums::over(sums.requests_s, sums.busy_s));
    observe(Out::cache_use, std::clamp(Sums::over(sums.cache_s, sums.busy_s), 0.0, 1.0));
    observe(Out::busy, std::clamp(Sums::over(sums.busy_s, span_s * replicas), 0.0, 1.0));
    observe(Out::preemptions, sums.preemptions), observe(Out::rejected, sums.rejected);
    observe(Out::prompt_found, Sums::over(sums.found, sums.found + sums.prompt_tokens));
    observe(Out::cost, cost_of_a_million(setup_, service_, span_s, sums.generated));
    observe(Out::adapter_wait, adapter_wait_);
    if (sums.adapters_asked > 0.0) observe(Out::adapter_hits, sums.adapter_hits / sums.adapters_asked);
    observe(Out::adapter_loads, sums.adapter_loads);
    observe(Out::adapters_at_work, Sums::over(sums.adapters_s, sums.busy_s));
  }

  /// Latencies of a service that cannot keep up grow with the number of requests that are asked of it.
  void warn_of_a_growing_queue() const {
    if (requests_.empty()) return;
    const auto waiting_at = [this](double t_s) {
      return std::count_if(served_.begin(), served_.end(),
                           [t_s](const Served& one) { return one.arrival_s <= t_s && one.admitted_s > t_s; });
    };
    const auto half = waiting_at(requests_[requests_.size() / 2].arrival_s),
               last = waiting_at(requests_.back().arrival_s);
    constexpr double growth = 1.5, share = 0.05;
    constexpr std::ptrdiff_t few = 20;
    if (last <= few || static_cast<double>(last) < growth * static_cast<double>(half) ||
        static_cast<double>(last) < share * static_cast<double>(requests_.size()))
      return;
    const std::string text = std::to_string(last) + " requests wait when the last one comes, " + std::to_string(half) +
                             " when half of them had come: they come faster than they are served, and times are longer "
                             "the more requests are simulated; wanted fewer a second, or more replicas.";
    host_.tell(host_.context, ERGODE_WARNING, nullptr, text.c_str());
  }
  void row(std::uint32_t table, const std::vector<ergode_cell>& cells) const { add_row(host_, table, cells); }
  /// Where, among so many in ascending order, the least one stands that a share p does not exceed.
  static std::size_t rank(std::size_t count, double p) {
    return std::max<std::size_t>(static_cast<std::size_t>(std::ceil(p * static_cast<double>(count))), 1) - 1;
  }
  /// O(n), on a copy.
  static double quantile(std::vector<double> values, double p) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank(values.size(), p));
    std::nth_element(values.begin(), at, values.end());
    return *at;
  }
  void percentiles(const char* name, const char* unit, std::vector<double> values) const {
    if (values.empty()) return;
    std::sort(values.begin(), values.end());
    const auto at = [&values](double p) { return number(values[rank(values.size(), p)]); };
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    row(Tables::percentiles,
        {words(name), words(unit), number(mean), at(0.5), at(0.9), at(0.95), at(0.99), number(values.back())});
  }
  void tell_tables() {
    percentiles("Latency", "s", latency_), percentiles("Time to first token", "ms", ttft_);
    percentiles("Time per output token", "ms", tpot_), percentiles("Time until admission", "ms", queueing_);
    percentiles("Time waiting for the adapter", "ms", adapter_wait_);
    tell_lengths(host_, Tables::lengths, Sums(service_));
    const double span_s = requests_.empty() ? 0.0 : end_s_ - requests_.front().arrival_s;
    for (std::size_t r = 0; r < service_.replicas().size(); ++r) {
      const ReplicaTotals& t = service_.replicas()[r].totals();
      const char* does = setup_.service.prefill_replicas == 0 ? "both"
                         : r < service_.decoders()            ? "decodes"
                                                              : "prompts";
      row(Tables::replicas,
          {number(static_cast<double>(r) + 1.0), words(does), number(static_cast<double>(t.steps)),
           number(Sums::over(t.busy_s, span_s)), number(Sums::over(t.requests_s, t.busy_s)), number(t.generated),
           number(static_cast<double>(t.preemptions)), number(Sums::over(t.cache_s, t.busy_s))});
    }
    tell_steps(host_, Tables::steps, notes_);
    std::vector<Served> by_number = served_;
    std::sort(by_number.begin(), by_number.end(), [](const Served& a, const Served& b) { return a.id < b.id; });
    for (const Served& s : by_number)
      row(Tables::requests,
          {number(static_cast<double>(s.id) + 1.0), number(s.arrival_s), number(s.prompt), number(s.output),
           number(s.admitted_s), number(s.first_token_s), number(s.finish_s), number(1000.0 * s.ttft_s()),
           number(s.output > 1 ? 1000.0 * s.tpot_s() : std::nan("")), number(s.latency_s()), number(s.preemptions),
           number(setup_.has_adapter(s) ? static_cast<double>(s.adapter) : std::nan("")),
           number(setup_.has_adapter(s) ? 1000.0 * s.adapter_wait_s : std::nan("")), number(1000.0 * s.handover_s)});
  }

  const ergode_host& host_;
  const std::shared_ptr<const Setup> kept_;
  const Setup& setup_;
  const std::uint64_t seed_;
  const std::vector<Request> requests_;
  Service service_;
  const bool tables_;
  double end_s_ = 0.0;
  std::vector<StepRecord> notes_;
  std::vector<Served> served_;
  std::vector<double> latency_, ttft_, tpot_, queueing_, adapter_wait_;
};

int32_t run(const ergode_input* input, const ergode_host* host) {
  try {
    return Simulation(*input, *host).run();
  } catch (const std::exception& what) {
    return told(*host, what);
  }
}

/// Customers of a drawn network are requests. What a customer does not say is the mean of the form.
class Station {
 public:
  Station(const ergode_input& input, const ergode_host& host)
      : host_(host), kept_(kept_setup(input)), setup_(*kept_), service_(setup_.service, input.seed) {
    mean_prompt_ = tokens(setup_.workload.prompt.mean), mean_output_ = tokens(setup_.workload.output.mean);
    tables_ = input.replication == 0;
    if (tables_) service_.replicas()[0].note_steps(&notes_, note_every_);
  }
  double arrive(double now_s, std::uint64_t job, const double* attributes) {
    enum Attribute : std::uint8_t { prompt_tokens, output_tokens, prefix_group, prefix_tokens, adapter };
    Request one{.id = job, .arrival_s = now_s};
    one.prompt = attributes[prompt_tokens] >= 1.0 ? tokens(attributes[prompt_tokens]) : mean_prompt_;
    one.output = attributes[output_tokens] >= 1.0 ? tokens(attributes[output_tokens]) : mean_output_;
    constexpr double most_groups = 1e6;
    if (attributes[prefix_group] >= 0.0 && attributes[prefix_group] < most_groups) {
      one.prefix_group = static_cast<std::uint32_t>(attributes[prefix_group]);
      one.prefix = attributes[prefix_tokens] >= 1.0 ? std::min(tokens(attributes[prefix_tokens]), one.prompt) : 0;
    }
    // Of one that does not exist it is the model as it is.
    const std::size_t adapters = setup_.service.replica.adapters.load_ms.size();
    if (attributes[adapter] >= 0.0 && attributes[adapter] < static_cast<double>(adapters))
      one.adapter = static_cast<std::uint32_t>(attributes[adapter]);
    const std::size_t traces = setup_.service.replica.traces.size();
    if (traces > 0) one.trace = static_cast<std::uint32_t>(came_++ % traces);
    // Steps that ended since the last call; who comes at the end of one is there when the next begins.
    service_.advance(std::nextafter(now_s, -1e300), served_);
    if (!service_.arrive(now_s, one)) refused_.push_back(job);
    return next(now_s);
  }
  double advance(double now_s) {
    // Who can never be served goes on at once, and is counted.
    for (const std::uint64_t job : refused_) host_.depart(host_.context, job, nullptr);
    refused_.clear();
    service_.advance(now_s, served_);
    if (notes_.size() > most_notes) thin_out_notes();
    for (const Served& one : served_) {
      observe(StationOut::ttft, 1000.0 * one.ttft_s()), observe(StationOut::latency, one.latency_s());
      if (one.output > 1) observe(StationOut::tpot, 1000.0 * one.tpot_s());
      observe(StationOut::attained, setup_.attained(one) ? 1.0 : 0.0);
      attained_ += setup_.attained(one) ? 1.0 : 0.0;
      if (setup_.has_adapter(one)) observe(StationOut::adapter_wait, 1000.0 * one.adapter_wait_s);
      host_.depart(host_.context, one.id, nullptr);
    }
    served_.clear();
    return next(now_s);
  }
  void finish(double now_s) const {
    const Sums sums(service_);
    observe(StationOut::throughput, Sums::over(sums.generated, now_s));
    observe(StationOut::mean_length, Sums::over(sums.lengths, sums.decode_steps));
    observe(StationOut::batch, Sums::over(sums.requests_s, sums.busy_s));
    observe(StationOut::cache_use, std::clamp(Sums::over(sums.cache_s, sums.busy_s), 0.0, 1.0));
    observe(StationOut::preemptions, sums.preemptions), observe(StationOut::rejected, sums.rejected);
    if (sums.tried > 0.0) observe(StationOut::accepted_share, sums.accepted / sums.tried);
    observe(StationOut::prompt_found, Sums::over(sums.found, sums.found + sums.prompt_tokens));
    observe(StationOut::cost, cost_of_a_million(setup_, service_, now_s, sums.generated));
    if (sums.adapters_asked > 0.0) observe(StationOut::adapter_hits, sums.adapter_hits / sums.adapters_asked);
    observe(StationOut::adapter_loads, sums.adapter_loads);
    observe(StationOut::goodput, Sums::over(attained_, now_s));
    if (!tables_) return;
    tell_lengths(host_, StationTables::lengths, sums);
    tell_steps(host_, StationTables::steps, notes_);
    tell_of_step_times(host_, setup_, service_);
  }
  const ergode_host& host() const { return host_; }

 private:
  static constexpr std::size_t most_notes = 8192;
  /// Nobody knows how long it will go on: half of them, and from now on half as many.
  void thin_out_notes() {
    for (std::size_t i = 0; 2 * i < notes_.size(); ++i) notes_[i] = notes_[2 * i];
    notes_.resize((notes_.size() + 1) / 2);
    service_.replicas()[0].note_steps(&notes_, note_every_ *= 2);
  }
  static std::uint32_t tokens(double x) { return static_cast<std::uint32_t>(std::clamp(std::round(x), 1.0, 1e8)); }
  // Steps in which nobody leaves are nothing that the network has to know of.
  double next(double now_s) const {
    return refused_.empty() && served_.empty() ? std::max(now_s, service_.next_done_s()) : now_s;
  }
  void observe(std::uint32_t output, double value) const { host_.observe(host_.context, output, &value, 1); }

  const ergode_host& host_;
  const std::shared_ptr<const Setup> kept_;
  const Setup& setup_;
  Service service_;
  std::uint32_t mean_prompt_ = 1, mean_output_ = 1;
  std::uint64_t came_ = 0, note_every_ = 1;
  bool tables_ = false;
  std::vector<StepRecord> notes_;
  double attained_ = 0.0;  ///< customers within both limits
  std::vector<std::uint64_t> refused_;
  std::vector<Served> served_;
};

constexpr ergode_simulator the_simulator = {sizeof(ergode_simulator), 0, run};
constexpr ergode_station the_station = plugin_support::StationCalls<Station, told>::table;
constexpr ergode_plugin the_plugin = {
    sizeof(ergode_plugin), ERGODE_PLUGIN_ABI_MAJOR, ERGODE_PLUGIN_ABI_MINOR, 0, &the_simulator, &the_station};

}  // namespace
}  // namespace llm_serving

const ergode_plugin* ergode_plugin_entry(uint32_t host_abi_major) {
  return host_abi_major == ERGODE_PLUGIN_ABI_MAJOR ? &llm_serving::the_plugin : nullptr;
}
