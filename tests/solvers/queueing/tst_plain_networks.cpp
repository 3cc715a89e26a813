// Many elements and disciplines at once, against a program written from their definitions: whatever would be drawn by
// chance is a list here, so that each number must be the same.
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <numeric>
#include <random>

#include "core/des/lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/drawn_network.h"
#include "tests/solvers/queueing/plain_network.h"

using namespace ergode;
using namespace ergode::test;

namespace {

std::string seconds(double value) { return number_text(value, 17) + " s"; }

/// Draws networks of blocks, one behind the other and some in others, with one way in and one way out each.
class RandomPlainModel {
 public:
  PlainModel model;
  std::map<std::string, int> seen;  ///< what is in it

  RandomPlainModel(unsigned seed, int blocks) : random_(seed) {
    model.end = 60.0;
    classes_ = whole(1, 3);
    for (int c = 0; c < classes_; ++c) {
      model.priority.push_back(whole(0, 2)), model.due.push_back(real(1.0, 6.0));
      const int at_once = chance(0.1) ? 2 : 1;
      double at = 0.0;
      while ((at += real(0.1, 2.2)) < 40.0)
        for (int i = 0; i < at_once; ++i)
          model.births.push_back(
              {at, c, c, {real(0.1, 1.5), real(0.1, 1.5), real(0.1, 1.5)}, real(0.2, 2.0), real(0, 1)});
      batch.push_back(at_once);
    }
    std::stable_sort(model.births.begin(), model.births.end(),
                     [](const PlainBirth& a, const PlainBirth& b) { return a.at < b.at; });
    std::vector<int> open;
    const int first = add("router");
    model.first.assign(static_cast<std::size_t>(classes_), first);
    open = {first};
    for (int b = 0; b < blocks; ++b) open = block(open, 2);
    lead(open, add("sink"));
  }
  std::vector<int> batch;  ///< by source

 private:
  int whole(int from, int to) { return std::uniform_int_distribution<int>(from, to)(random_); }
  double real(double from, double to) { return std::uniform_real_distribution<double>(from, to)(random_); }
  bool chance(double p) { return real(0.0, 1.0) < p; }
  int add(PlainNode node) {
    ++seen[node.kind];
    node.name = node.kind + std::to_string(model.nodes.size());
    model.nodes.push_back(std::move(node));
    return static_cast<int>(model.nodes.size()) - 1;
  }
  int add(const char* kind) { return add(PlainNode{.kind = kind}); }
  PlainNode& at(int n) { return model.nodes[static_cast<std::size_t>(n)]; }
  void lead(const std::vector<int>& open, int to) {
    for (const int n : open) at(n).to.push_back(to);
  }
  void takes(PlainNode& node, double scale) { node.work = whole(0, 2), node.factor = real(0.4, 1.0) * scale; }
  void takes_by_class(PlainNode& node, double scale) {
    node.work = -1;
    for (int c = 0; c < classes_; ++c) node.of_class.push_back(real(0.1, 1.0) * scale);
  }
  int delay() {
    PlainNode node{.kind = "delay"};
    takes(node, 1.0);
    return add(std::move(node));
  }
  int sink_for(const char* what) {
    ++seen[what];
    return add("sink");
  }

  int station() {
    PlainNode s{.kind = "station"};
    const auto one_of = [&](std::initializer_list<const char*> all) -> std::string {
      return *(all.begin() + whole(0, static_cast<int>(all.size()) - 1));
    };
    s.servers = chance(0.5) ? 1 : whole(2, 3);
    s.discipline = one_of({"fcfs", "fcfs", "lcfs", "lcfs_pr", "sjf", "ljf", "srpt", "ps", "dps", "gps", "las", "edd",
                           "sept", "lept", "polling"});
    const bool shares = s.discipline == "ps" || s.discipline == "dps" || s.discipline == "gps" || s.discipline == "las";
    s.priorities = one_of({"nonpreemptive", "preemptive", "ignored"});
    if (s.discipline == "polling") {
      s.servers = 1, s.switchover = real(0.05, 0.3), s.visit = one_of({"exhaustive", "gated", "limited"});
      s.limit = whole(1, 2), s.priorities = "ignored";
      ++seen[s.visit];
    }
    if (shares) s.priorities = "ignored";
    if ((s.discipline == "srpt" || s.discipline == "lcfs_pr") && s.priorities == "nonpreemptive")
      s.priorities = "ignored";
    const double scale = 0.8 * s.servers / classes_;
    // Equal times for all of a class: where they interrupt each other, rounding would say who of equals is next.
    if (s.discipline == "sept" || s.discipline == "lept" || (s.priorities != "preemptive" && chance(0.15)))
      takes_by_class(s, scale);
    else takes(s, scale);
    if (s.discipline == "dps" || s.discipline == "gps")
      for (int c = 0; c < classes_; ++c) s.weights.push_back(whole(1, 4));
    const bool interrupts = s.priorities == "preemptive" || s.discipline == "lcfs_pr" || s.discipline == "srpt";
    s.interruption = interrupts ? one_of({"resume", "repeat"}) : "finish";
    if (chance(0.25)) {
      s.capacity = s.servers + whole(0, 3), s.when_full = one_of({"lose", "retry"}), s.retry = real(0.3, 1.0);
      ++seen[s.when_full];
      if (s.when_full == "lose" && chance(0.5)) s.lost_to = sink_for("refused");
    }
    if (!shares && chance(0.25)) {
      s.patience = real(0.5, 1.5), ++seen["patience"];
      if (chance(0.5)) s.gave_up_to = sink_for("reneged");
    }
    const bool plain = !shares && !interrupts && s.discipline != "polling";
    switch (whole(0, 9)) {
      case 0:
        if (plain) s.setup = real(0.05, 0.5), ++seen["setup"];
        break;
      case 1:
        // Several servers that always rest as long come back at the moment at which others do, or end: rounding
        // decides.
        if (plain && s.servers == 1) s.vacation = real(0.2, 1.0), s.one_vacation = chance(0.5), ++seen["vacation"];
        break;
      case 2:
        if (!plain) break;
        s.batch = whole(2, 4), s.least_batch = whole(1, s.batch), ++seen["batch"];
        if (s.capacity > 0) s.capacity = std::max(s.capacity, s.least_batch);
        break;
      case 3:
        if (shares || s.discipline == "polling" || s.servers > 1) break;
        s.to_failure = real(2.0, 6.0), s.to_repair = real(0.2, 1.0), ++seen["failure"];
        s.interruption = one_of({"finish", "resume", "repeat"});
        if (interrupts && s.interruption == "finish") s.interruption = "resume";
        break;
      case 4:
        if (shares || s.discipline == "polling" || s.servers == 1) break;
        for (int i = 0; i < s.servers; ++i) s.speeds.push_back(real(0.6, 2.0));
        ++seen["speeds"];
        break;
      default:
        break;
    }
    if (chance(0.15)) s.faster_above = whole(1, 3), s.faster = real(1.2, 2.0), ++seen["speed"];
    ++seen[s.discipline];
    if (interrupts) ++seen[s.interruption];
    if (s.priorities == "preemptive") ++seen["preemptive"];
    return add(std::move(s));
  }

  /// @returns whose ways lead on
  std::vector<int> block(const std::vector<int>& from, int depth) {
    const int kind = whole(0, depth > 0 ? 14 : 4);
    const auto then = [&](int n) {
      lead(from, n);
      return n;
    };
    if (kind <= 3) return {then(station())};
    if (kind == 4) return {then(delay())};
    if (kind == 5) {
      PlainNode node{.kind = "transport", .work = 9};
      node.factor = real(0.2, 2.0);
      return {then(add(std::move(node)))};
    }
    if (kind == 6) {  // one of several ways
      PlainNode node{.kind = "router", .routing = chance(0.5) ? "round_robin" : "choice", .threshold = real(0.2, 0.8)};
      ++seen[node.routing];
      const int ways = node.routing == "choice" ? 2 : whole(2, 3), router = then(add(std::move(node)));
      std::vector<int> out;
      for (int w = 0; w < ways; ++w) {
        const int way = chance(0.5) ? delay() : station();
        lead({router}, way);
        for (const int n : depth > 1 && chance(0.3) ? block({way}, depth - 1) : std::vector<int>{way}) out.push_back(n);
      }
      return out;
    }
    if (kind == 7 || kind == 8) {  // side by side; a semaphore on each way, or one, or none
      const int fork = then(add("fork"));
      const int parts = whole(2, 3), gates = whole(0, 2);
      PlainNode end{.kind = chance(0.25) ? "scaler" : "join"};
      if (chance(0.3)) end.quorum = whole(1, parts);
      const bool again = end.kind == "scaler";
      const int join = add(std::move(end));
      int gate = -1;
      if (gates == 2) gate = add(PlainNode{.kind = "semaphore", .quorum = whole(1, parts)});
      for (int p = 0; p < parts; ++p) {
        std::vector<int> way = {delay()};
        lead({fork}, way[0]);
        way = block(way, depth - 1);
        if (gates == 2) {
          lead(way, gate);
          if (p > 0) continue;
          way = {delay()};
          lead({gate}, way[0]);
        }
        lead(way, join);
      }
      if (!again) return {join};
      const int last = add("join");
      for (int p = 0; p < 2; ++p) {
        const int way = delay();
        lead({join}, way), lead({way}, last);
      }
      return {last};
    }
    if (kind == 9) {  // with units of a pool
      const int pool = static_cast<int>(model.pools.size()), most = whole(1, 4);
      model.pools.push_back(most);
      const int seize = then(add(PlainNode{.kind = "seize", .pool = pool, .units = whole(1, std::min(most, 2))}));
      const std::vector<int> work = block({seize}, depth - 1);
      const int release = add(PlainNode{.kind = "release", .pool = pool});
      lead(work, release);
      return {release};
    }
    if (kind == 10) {  // in a region
      const int region = static_cast<int>(model.regions.size());
      PlainRegion limits{.capacity = whole(1, 4), .loses = chance(0.3)};
      if (chance(0.4))
        for (int c = 0; c < classes_; ++c) limits.of_class.push_back(whole(1, 3));
      model.regions.push_back(limits);
      ++seen[limits.loses ? "losing region" : "waiting region"];
      const int first = then(chance(0.5) ? station() : delay()), second = chance(0.5) ? station() : delay();
      at(first).region = at(second).region = region;
      lead({first}, second);
      return {second};
    }
    if (kind == 11) {  // some rounds
      const int in = then(add("router"));
      const std::vector<int> work = block({in}, depth - 1);
      PlainNode node{.kind = "router", .routing = "rounds"};
      node.threshold = whole(2, 3);
      const int again = add(std::move(node));
      ++seen["rounds"];
      lead(work, again), lead({again}, in);
      return {again};
    }
    if (kind == 12) {  // a line that blocks
      int last = then(station_of_line(0));
      const char* full = chance(0.5) ? "block" : "block_before";
      for (int more = whole(1, 2); more > 0; --more) {
        const int next = station_of_line(whole(1, 3));
        at(next).when_full = full, ++seen[full];
        lead({last}, next);
        last = next;
      }
      return {last};
    }
    if (kind == 13 && classes_ > 1) {
      PlainNode node{.kind = "class_switch"};
      for (int c = 0; c < classes_; ++c) node.becomes.push_back(whole(0, classes_ - 1));
      const int turn = then(add(std::move(node))), on = add("router");
      lead({turn}, on);
      return {on};
    }
    return {then(add("logger"))};
  }
  int station_of_line(int room) {
    PlainNode s{.kind = "station"};
    s.servers = whole(1, 2);
    takes(s, 0.7 * s.servers / classes_);
    if (room > 0) s.capacity = s.servers + room - 1;
    return add(std::move(s));
  }

  std::mt19937_64 random_;
  int classes_ = 1;
};

bool is_time(const std::string& name) {
  const std::string what = name.substr(name.find('.') + 1);
  return what == "waiting_time" || what == "response_time" || what == "time_in_system" || what == "age";
}
bool alike(double a, double b) { return std::fabs(a - b) <= 1e-7 * std::max(1.0, std::fabs(b)); }

/// The same in the notation.
class DrawnPlainModel {
 public:
  DrawnNetwork d;

  DrawnPlainModel(const PlainModel& m, const std::vector<int>& batch, const std::string& folder)
      : d(seconds(m.end)), m_(m) {
    for (std::size_t c = 0; c < m.priority.size(); ++c) {
      std::ofstream file(folder + "/" + name_of(c) + ".csv");
      file << "w0,w1,w2,patience,choice\n";
      std::string times;
      double last = -1.0;
      for (const PlainBirth& b : m.births) {
        if (b.of_class != static_cast<int>(c)) continue;
        for (const double w : b.work) file << number_text(w, 17) << ",";
        file << number_text(b.patience, 17) << "," << number_text(b.choice, 17) << "\n";
        if (b.at != last) times += (times.empty() ? "" : ", ") + seconds(b.at);
        last = b.at;
      }
      const auto column = [&](const std::string& what, const char* type) {
        return what + ": " + type + " = trace(file = \"" + name_of(c) + ".csv\", column = \"" + what + "\"" +
               (std::string(type) == "real" ? ")" : ", unit = \"s\")");
      };
      d.node(
          "job_class", name_of(c),
          {{"priority", std::to_string(m.priority[c])},
           {"due", seconds(m.due[c])},
           {"attributes", column("w0", "real s") + ", " + column("w1", "real s") + ", " + column("w2", "real s") +
                              ", " + column("patience", "real s") + ", " + column("choice", "real") + ", rounds = 0"}});
      sources_.push_back(d.node("source", "source" + std::to_string(c),
                                {{"interarrival", "schedule(times = [" + times + "])"},
                                 {"class", name_of(c)},
                                 {"batch", std::to_string(batch[c])}}));
    }
    for (std::size_t p = 0; p < m.pools.size(); ++p)
      d.node("pool", "pool" + std::to_string(p), {{"units", std::to_string(m.pools[p])}});
    for (const PlainNode& node : m.nodes) nodes_.push_back(draw(node));
    for (std::size_t r = 0; r < m.regions.size(); ++r) draw_region(r);
    for (std::size_t c = 0; c < sources_.size(); ++c) d.flow(sources_[c], nodes_[static_cast<std::size_t>(m.first[c])]);
    for (std::size_t n = 0; n < nodes_.size(); ++n) draw_ways(n);
  }
  static std::string measure_of(std::string name) {
    std::replace(name.begin(), name.end(), '.', '_');
    return name;
  }
  /// A measure for each value of the plain program, by its name.
  void ask(const std::map<std::string, double>& values) {
    for (const auto& [name, value] : values) {
      const std::string what = name.substr(name.find('.') + 1);
      const bool end = what == "arrived" || what == "late" || what == "lost" || what == "gave_up" || what == "passed";
      if (is_time(name)) d.m.measure(measure_of(name), "observed_mean", "", {{"of", name}});
      else d.m.measure(measure_of(name), end ? "final_value" : "time_average", name);
    }
  }

 private:
  static std::string name_of(std::size_t c) { return "c" + std::to_string(c); }
  static std::string by_class(const std::vector<std::string>& texts) {
    std::string out;
    for (std::size_t c = 0; c < texts.size(); ++c) out += (c == 0 ? "" : ", ") + name_of(c) + " = " + texts[c];
    return out;
  }
  static std::string work(const PlainNode& n) {
    return "w" + std::to_string(n.work) + " * " + number_text(n.factor, 17);
  }

  ElementId draw(const PlainNode& n) {
    Value more = Value::object();
    const auto times = [&](const char* one, const char* of_class) {
      if (n.work >= 0) {
        more[one] = work(n);
        return;
      }
      std::vector<std::string> texts;
      for (const double x : n.of_class) texts.push_back(seconds(x));
      more[of_class] = by_class(texts);
    };
    if (n.kind == "delay") times("time", "time_of");
    if (n.kind == "transport") more["distance"] = number_text(n.factor, 17) + " m", more["speed"] = "1 m/s";
    if (n.kind == "seize") more["pool"] = "pool" + std::to_string(n.pool), more["units"] = std::to_string(n.units);
    if (n.kind == "release") more["pool"] = "pool" + std::to_string(n.pool);
    if (n.kind == "semaphore") more["threshold"] = std::to_string(n.quorum);
    if ((n.kind == "join" || n.kind == "scaler") && n.quorum > 0) more["wait_for"] = std::to_string(n.quorum);
    if (n.routing == "round_robin") more["routing"] = n.routing;
    if (n.routing == "rounds") more["sets"] = "rounds = rounds + 1";
    if (n.kind != "station") return d.node(n.kind, n.name, std::move(more));
    times("service", "service_of");
    more["servers"] = std::to_string(n.servers);
    more["discipline"] = n.discipline, more["priorities"] = n.priorities, more["interruption"] = n.interruption;
    if (n.capacity > 0) more["capacity"] = std::to_string(n.capacity), more["when_full"] = n.when_full;
    if (n.when_full == "retry") more["retry_after"] = seconds(n.retry);
    if (n.patience > 0.0) more["patience"] = "patience * " + number_text(n.patience, 17);
    if (n.setup > 0.0) more["setup"] = seconds(n.setup);
    if (n.vacation > 0.0)
      more["vacation"] = seconds(n.vacation), more["vacations"] = n.one_vacation ? "single" : "multiple";
    if (n.batch > 1) more["batch"] = std::to_string(n.batch), more["least_batch"] = std::to_string(n.least_batch);
    if (n.to_failure > 0.0)
      more["time_to_failure"] = seconds(n.to_failure), more["time_to_repair"] = seconds(n.to_repair);
    if (n.discipline == "polling") {
      more["visit"] = n.visit, more["switchover"] = seconds(n.switchover);
      if (n.visit == "limited") more["limit"] = std::to_string(n.limit);
    }
    std::vector<std::string> weights;
    for (const double w : n.weights) weights.push_back(number_text(w));
    if (!weights.empty()) more["weights"] = by_class(weights);
    std::string speeds;
    for (const double s : n.speeds) speeds += (speeds.empty() ? "[" : ", ") + number_text(s, 17);
    if (!speeds.empty()) more["server_speeds"] = speeds + "]";
    if (n.faster_above >= 0)
      more["speed"] =
          "if(" + n.name + ".number > " + std::to_string(n.faster_above) + ", " + number_text(n.faster, 17) + ", 1)";
    return d.node("station", n.name, std::move(more));
  }
  void draw_region(std::size_t r) {
    const PlainRegion& region = m_.regions[r];
    std::string stations;
    for (const PlainNode& n : m_.nodes)
      if (n.region == static_cast<int>(r)) stations += (stations.empty() ? "" : ", ") + n.name;
    std::vector<std::string> most;
    for (const int one : region.of_class) most.push_back(std::to_string(one));
    Value more = {{"stations", stations}, {"when_full", region.loses ? "lose" : "wait"}};
    if (region.capacity > 0) more["capacity"] = std::to_string(region.capacity);
    if (!most.empty()) more["capacity_of"] = by_class(most);
    d.node("region", "region" + std::to_string(r), std::move(more));
  }
  void draw_ways(std::size_t n) {
    const PlainNode& node = m_.nodes[n];
    const auto to = [&](int target) { return nodes_[static_cast<std::size_t>(target)]; };
    if (node.kind == "class_switch") {
      for (std::size_t c = 0; c < node.becomes.size(); ++c)
        d.flow(nodes_[n], to(node.to[0]),
               {{"class", name_of(c)}, {"becomes", name_of(static_cast<std::size_t>(node.becomes[c]))}});
    } else if (node.routing == "choice" || node.routing == "rounds") {
      const std::string what = node.routing == "choice" ? "choice" : "rounds";
      d.flow(nodes_[n], to(node.to[0]),
             {{"probability", "if(" + what + " < " + number_text(node.threshold, 17) + ", 1, 0)"}});
      d.flow(nodes_[n], to(node.to[1]));
    } else {
      for (const int target : node.to) d.flow(nodes_[n], to(target));
    }
    if (node.lost_to >= 0) d.flow(nodes_[n], to(node.lost_to), {{"taken_by", "refused"}});
    if (node.gave_up_to >= 0) d.flow(nodes_[n], to(node.gave_up_to), {{"taken_by", "reneged"}});
  }

  const PlainModel& m_;
  std::vector<ElementId> sources_, nodes_;
};

/// Whether the plain program itself comes to something else with all times in another unit, which changes nothing but
/// what is rounded away: then the definitions do not say what is right. Rounding grows where stations that share their
/// servers lead to each other: who comes a little later lets the others be done sooner, and they come back sooner.
bool rounding_decides(const PlainModel& model, const std::map<std::string, double>& values) {
  constexpr double unit = 1.1;
  PlainModel other = model;
  other.end *= unit;
  for (double& due : other.due) due *= unit;
  for (PlainBirth& b : other.births) {
    b.at *= unit, b.patience *= unit;
    for (double& work : b.work) work *= unit;
  }
  for (PlainNode& n : other.nodes) {
    if (n.kind == "transport") n.factor *= unit;
    for (double* time : {&n.retry, &n.setup, &n.vacation, &n.switchover, &n.to_failure, &n.to_repair}) *time *= unit;
    for (double& time : n.of_class) time *= unit;
  }
  PlainNetwork plain(other);
  for (const auto& [name, value] : values)
    if (!alike(plain.values[name] / (is_time(name) ? unit : 1.0), value)) return true;
  return false;
}

}  // namespace

class TestPlainNetworks : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  void random_networks_are_as_the_definitions_say() {
    // The last ones once differed: those who had begun this moment were not equal to their equals, customers of a batch
    // came all at once, rounding decides.
    std::vector<unsigned> seeds(2500);
    std::iota(seeds.begin(), seeds.end(), 1U);
    seeds.insert(seeds.end(), {3391U, 3998U, 30725U, 31351U, 31935U});
    const auto networks = static_cast<int>(seeds.size());
    std::map<std::string, int> seen, refused;
    int compared = 0;
    long numbers = 0;
    QString wrong;
    int wrongs = 0, rounded = 0;
    for (const unsigned seed : seeds) {
      const RandomPlainModel drawn(seed, 1 + static_cast<int>(seed % 4));
      const QTemporaryDir folder;
      DrawnPlainModel drawing(drawn.model, drawn.batch, folder.path().toStdString());
      Diagnostics found;
      if (build_model(drawing.d.m.document(), {}, folder.path().toStdString(), found) == nullptr) {
        ++refused[found.front().code + " " + found.front().message];
        continue;
      }
      PlainNetwork plain(drawn.model);
      for (const PlainNode& n : drawn.model.nodes)
        if (n.kind == "station") plain.values[n.name + ".lost"] += 0.0, plain.values[n.name + ".gave_up"] += 0.0;
      drawing.ask(plain.values);
      QString differs;
      try {
        RunRequest request{.replications = 1, .threads = 1};
        request.folder = folder.path().toStdString();
        const ResultSet r = solved(drawing.d.m.document(), request);
        for (const auto& [name, value] : plain.values) {
          const double ours = estimate(r, DrawnPlainModel::measure_of(name));
          ++numbers;
          if (!alike(ours, value))
            differs += QString("\n  %1: %2, plain %3").arg(name.c_str()).arg(ours, 0, 'g', 12).arg(value, 0, 'g', 12);
        }
      } catch (const std::exception& failure) {
        differs = QString("\n  ") + failure.what();
      }
      ++compared;
      for (const auto& [what, count] : drawn.seen) seen[what] += count;
      if (differs.isEmpty()) continue;
      if (rounding_decides(drawn.model, plain.values)) {
        ++rounded;
        continue;
      }
      if (++wrongs <= 5) wrong += QString("\nnetwork %1:").arg(seed) + differs.left(1500);
    }
    for (const auto& [why, count] : refused) qInfo("%d refused: %s", count, why.c_str());
    QString all;
    for (const auto& [what, count] : seen) all += QString(" %1 %2").arg(what.c_str()).arg(count);
    qInfo("%d networks, %ld numbers:%s", compared, numbers, qPrintable(all));
    QCOMPARE(compared, networks);
    QVERIFY2(rounded <= 2, qPrintable(QString("rounding decides %1 networks").arg(rounded)));
    for (const char* what :
         {"batch",   "block",      "block_before",  "choice",   "class_switch",  "delay",       "dps",
          "edd",     "exhaustive", "failure",       "fcfs",     "fork",          "gated",       "gps",
          "join",    "las",        "lcfs",          "lcfs_pr",  "lept",          "limited",     "ljf",
          "logger",  "lose",       "losing region", "patience", "preemptive",    "ps",          "refused",
          "release", "reneged",    "repeat",        "resume",   "retry",         "round_robin", "rounds",
          "scaler",  "seize",      "semaphore",     "sept",     "setup",         "sjf",         "speed",
          "speeds",  "srpt",       "transport",     "vacation", "waiting region"})
      QVERIFY2(seen[what] >= 20, what);
    QVERIFY2(wrongs == 0, qPrintable(QString("%1 of %2 differ").arg(wrongs).arg(compared) + wrong));
  }
};

QTEST_APPLESS_MAIN(TestPlainNetworks)
#include "tst_plain_networks.moc"
