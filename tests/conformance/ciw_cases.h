#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "solvers/simulation/model_history.h"
#include "tests/conformance/cases.h"
#include "tests/solvers/queueing/drawn_network.h"

namespace ergode::test {

/// Times are told in thousandths, which are whole numbers in every case: so what happens at one moment of theirs
/// happens at one moment here, whether or not 0.1 has a last digit.
inline constexpr double ciw_scale = 1000.0;

inline double ciw_number(const nlohmann::json& value) {
  if (value.is_string())
    return value == "inf" ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}
inline double ciw_ticks(double time) { return std::round(time * ciw_scale); }
inline std::string ciw_time(double time) { return number_text(ciw_ticks(time)) + " s"; }

/// One value, or values that are taken one after the other and then from the first again; none: it never happens.
inline std::vector<double> ciw_values(const nlohmann::json& law) {
  std::vector<double> out;
  if (law.is_null()) return out;
  if (law["type"] == "Deterministic") out.push_back(ciw_number(law["value"]));
  else
    for (const auto& one : law["values"]) out.push_back(ciw_number(one));
  return out;
}

/// What happened to customers, one line for each: lines of both sides are sorted and compared.
using CiwEvents = std::multiset<std::string>;

inline std::string ciw_event(const std::string& what, std::size_t node, std::size_t of_class,
                             std::initializer_list<double> times) {
  std::string out = what + ", node " + std::to_string(node) + ", class " + std::to_string(of_class) + ":";
  char digits[48];
  for (const double time : times) {
    std::snprintf(digits, sizeof digits, " %.9f", time);
    out += digits;
  }
  return out;
}

/// One simulation of theirs.
struct CiwCase {
  nlohmann::json json;
  std::string name() const { return json["case"]; }
  const nlohmann::json& classes() const { return json["classes"]; }
  const nlohmann::json& nodes() const { return json["nodes"]; }
  const nlohmann::json& node(std::size_t n) const { return json["nodes"][n]; }
  /// Until then; infinity where it ends with a number of customers.
  double end() const {
    return json["mode"] == "simulate_until_max_time" ? json["args"][0].get<double>()
                                                     : std::numeric_limits<double>::infinity();
  }
  /// After so many customers have left; 0: by time.
  std::size_t customers() const { return std::isinf(end()) ? json["args"][0].get<std::size_t>() : 0; }
  bool follows_schedule(std::size_t n) const { return node(n)["servers"].is_object(); }
  /// Services begin at certain times only, so many at each.
  bool begins_at_slots(std::size_t n) const {
    return follows_schedule(n) && node(n)["servers"]["schedule_type"] == "slotted";
  }
  std::size_t class_number(const std::string& name) const {
    for (std::size_t c = 0; c < classes().size(); ++c)
      if (classes()[c]["name"] == name) return c;
    return classes().size();
  }
  const nlohmann::json& law(const char* what, std::size_t of_class, std::size_t n) const {
    return classes()[of_class][what][n];
  }
  bool comes_from_outside(std::size_t n) const {
    for (std::size_t c = 0; c < classes().size(); ++c)
      if (!law("arrival", c, n).is_null()) return true;
    return false;
  }
  /// Nodes to which customers of this node go, as far as nothing is left to chance; -1: they leave.
  int goes_to(std::size_t of_class, std::size_t n) const {
    const auto& way = classes()[of_class]["routing"][n];
    if (way["type"] == "Leave") return -1;
    for (std::size_t i = 0; i < way["probs"].size(); ++i)
      if (way["probs"][i] == 1.0) return way["destinations"][i].get<int>();
    return 0;
  }
  bool comes_from_inside(std::size_t n) const {
    for (std::size_t from = 0; from < nodes().size(); ++from)
      if (goes_to(0, from) == static_cast<int>(n) + 1) return true;
    return false;
  }
  /// Customers who fit in, those who are served included; 0: any number.
  long capacity(std::size_t n) const {
    const auto& queue = node(n)["queueing_capacity"];
    return queue.is_string() ? 0 : queue.get<long>() + node(n)["servers"].get<long>();
  }

  /// Somebody may keep his server until there is room where he goes.
  bool blocks() const {
    for (std::size_t n = 0; n < nodes().size(); ++n)
      if (capacity(n) > 0 && comes_from_inside(n)) return true;
    return false;
  }

  /// What a drawn network does not have; empty: it can be drawn.
  std::string left_out() const {
    if (json.contains("class_change_time")) return "customers become another class while they wait";
    for (const auto& one : nodes()) {
      if (one["servers"].is_object() && one["servers"].value("capacitated", false))
        return "services begin at slots, no more than fit in with those under way";
      const bool by_shift = one["servers"].is_object() && one["servers"]["preemption"] == "reroute";
      if (by_shift || one["priority_preempt"] == "reroute") return "who is interrupted goes to another node";
    }
    for (std::size_t c = 0; c < classes().size(); ++c)
      for (std::size_t n = 0; n < nodes().size(); ++n)
        if (goes_to(c, n) == 0 || goes_to(c, n) != goes_to(0, n)) return "ways by chance or by class";
    return {};
  }

  /// Of finished services the first beginning is told, and of interruptions how many more services of a class stop at
  /// a moment than go on: that is what our numbers tell.
  CiwEvents events() const {
    const std::map<Stay, double> first = first_beginnings();
    CiwEvents out;
    std::map<std::tuple<std::size_t, std::size_t, double>, int> stopped;
    for (const auto& r : json["records"]) {
      const std::size_t node = r["node"].get<std::size_t>(), of_class = class_number(r["customer_class"]);
      const double came = ciw_number(r["arrival_date"]), start = ciw_number(r["service_start_date"]),
                   left = ciw_number(r["exit_date"]);
      if (start > first_of(first, r)) --stopped[{node, of_class, start}];
      if (r["record_type"] == "interrupted service") ++stopped[{node, of_class, left}];
      if (r["record_type"] == "service")
        out.insert(ciw_event("served", node, of_class, {came, first_of(first, r), left}));
      if (r["record_type"] == "rejection") out.insert(ciw_event("rejected", node, of_class, {left}));
      if (r["record_type"] == "renege") out.insert(ciw_event("gave up", node, of_class, {came, left}));
    }
    // Theirs interrupt who is blocked when his server leaves; of ours a blocked customer has finished.
    if (blocks()) return out;
    for (const auto& [where, count] : stopped)
      for (int i = 0; i < count; ++i)
        out.insert(ciw_event("interrupted", std::get<0>(where), std::get<1>(where), {std::get<2>(where)}));
    return out;
  }

 private:
  /// Customer, node, arrival: all records of what was interrupted and went on have them.
  using Stay = std::tuple<int, int, double>;
  static Stay stay(const nlohmann::json& r) {
    return Stay(r["id_number"].get<int>(), r["node"].get<int>(), ciw_number(r["arrival_date"]));
  }
  static double first_of(const std::map<Stay, double>& first, const nlohmann::json& r) {
    const auto found = first.find(stay(r));
    return found == first.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
  }
  std::map<Stay, double> first_beginnings() const {
    std::map<Stay, double> out;
    for (const auto& r : json["records"]) {
      const double start = ciw_number(r["service_start_date"]);
      if (std::isnan(start)) continue;
      const auto [at, fresh] = out.emplace(stay(r), start);
      if (!fresh) at->second = std::min(at->second, start);
    }
    return out;
  }
};

inline std::vector<CiwCase> ciw_cases() {
  std::ifstream file(case_folder("ciw") + "/deterministic_cases.json");
  std::vector<CiwCase> out;
  for (const auto& one : nlohmann::json::parse(file)) out.push_back({one});
  return out;
}

/// A case as a queueing diagram: node 1 is the station "n1", who is turned away there comes to the sink "lost1", who
/// gives up to "gave1".
class DrawnCiwCase {
 public:
  /// @param folder  for lists of times, which are files of the model
  DrawnCiwCase(const CiwCase& of, std::string folder)
      : of_(of), folder_(std::move(folder)), drawing_(ciw_time(std::isinf(of.end()) ? most_time : of.end())) {
    for (std::size_t c = 0; c < of_.classes().size(); ++c) draw_class(c);
    out_ = drawing_.node("sink", "out");
    for (std::size_t n = 0; n < of_.nodes().size(); ++n) draw_node(n);
    for (std::size_t n = 0; n < of_.nodes().size(); ++n) draw_ways(n);
    for (std::size_t c = 0; c < of_.classes().size(); ++c)
      for (std::size_t n = 0; n < of_.nodes().size(); ++n)
        if (!of_.law("arrival", c, n).is_null()) draw_source(c, n);
    if (of_.json.contains("system_capacity")) draw_region();
  }
  const Document& document() const { return drawing_.m.document(); }

 private:
  static constexpr double most_time = 1000.0;  ///< where nobody says how long
  static std::string at(const char* what, std::size_t n) { return what + std::to_string(n + 1); }
  static std::string class_name(std::size_t c) { return "class" + std::to_string(c); }

  /// A time that is always the same, or a list in a file that is read again and again.
  std::string times_text(const std::vector<double>& values, const std::string& name) {
    if (values.size() == 1) return ciw_time(values[0]);
    std::ofstream file(folder_ + "/" + name + ".csv");
    for (const double value : values) file << number_text(ciw_ticks(value)) << "\n";
    return "trace(file = \"" + name + ".csv\", unit = \"s\", at_end = repeat)";
  }
  bool gives_up(std::size_t c, std::size_t n) const { return !of_.law("reneging", c, n).is_null(); }

  // Theirs draw when somebody comes how long he would wait, ours when he begins to wait: an attribute is drawn for all.
  void draw_class(std::size_t c) {
    std::string patience;
    for (std::size_t n = 0; n < of_.nodes().size(); ++n)
      if (gives_up(c, n))
        patience += (patience.empty() ? "" : ", ") + at("patience", n) + ": real s = " +
                    times_text(ciw_values(of_.law("reneging", c, n)), at("patience", n) + class_name(c));
    drawing_.node("job_class", class_name(c),
                  {{"priority", std::to_string(-of_.classes()[c]["priority"].get<int>())}, {"attributes", patience}});
  }

  std::string by_class(const char* what, std::size_t n, const std::string& file) {
    std::string out;
    for (std::size_t c = 0; c < of_.classes().size(); ++c)
      if (!of_.law(what, c, n).is_null())
        out += (out.empty() ? "" : ", ") + class_name(c) + " = " +
               times_text(ciw_values(of_.law(what, c, n)), file + class_name(c));
    return out;
  }
  std::string patience_by_class(std::size_t n) const {
    std::string out;
    for (std::size_t c = 0; c < of_.classes().size(); ++c)
      if (gives_up(c, n)) out += (out.empty() ? "" : ", ") + class_name(c) + " = " + at("patience", n);
    return out;
  }

  static std::string interruption(const nlohmann::json& word) {
    static const std::map<std::string, std::string> ours = {
        {"resume", "resume"}, {"restart", "repeat"}, {"resample", "resample"}};
    return word.is_string() ? ours.at(word) : "finish";
  }

  void draw_node(std::size_t n) {
    if (of_.begins_at_slots(n)) return draw_slots(n);
    stations_.push_back(draw_station(n));
    ends_.push_back(stations_[n]);
  }

  ElementId draw_station(std::size_t n) {
    const auto& node = of_.node(n);
    const bool preempts = node["priority_preempt"].is_string();
    Value more = {{"servers", of_.follows_schedule(n) ? draw_shifts(n) : node["servers"].dump()},
                  {"service_of", by_class("service", n, at("service", n))},
                  {"patience_of", patience_by_class(n)},
                  {"discipline", node["discipline"] == "LIFO" ? "lcfs" : "fcfs"},
                  {"priorities", preempts ? "preemptive" : "nonpreemptive"}};
    if (preempts) more["interruption"] = interruption(node["priority_preempt"]);
    else if (of_.follows_schedule(n)) more["interruption"] = interruption(node["servers"]["preemption"]);
    if (const long capacity = of_.capacity(n); capacity > 0) {
      more["capacity"] = std::to_string(capacity);
      more["when_full"] = of_.comes_from_inside(n) ? "block" : "lose";
    }
    return drawing_.node("station", at("n", n), std::move(more));
  }

  // Customers are tokens in a place until a slot has a permit for them; permits that nobody takes at once are gone.
  void draw_slots(std::size_t n) {
    const ElementId waits = drawing_.node("place", at("waits", n)), permits = drawing_.node("place", at("permits", n)),
                    begins = drawing_.node("transition", at("begins", n), {{"priority", "1"}}),
                    expires = drawing_.node("transition", at("expires", n)),
                    unused = drawing_.node("sink", at("unused", n)),
                    service =
                        drawing_.node("delay", at("n", n), {{"time_of", by_class("service", n, at("service", n))}});
    const ElementId slots = drawing_.node("source", at("slots", n), {{"interarrival", slots_text(n)}});
    drawing_.flow(slots, permits), drawing_.flow(waits, begins), drawing_.flow(permits, begins);
    drawing_.flow(begins, service), drawing_.flow(permits, expires), drawing_.flow(expires, unused);
    stations_.push_back(waits), ends_.push_back(service);
  }
  std::string slots_text(std::size_t n) const {
    const auto& schedule = of_.node(n)["servers"];
    std::string times;
    for (double cycle = schedule["offset"].get<double>(); cycle < of_.end();
         cycle += schedule["cyclelength"].get<double>())
      for (std::size_t s = 0; s < schedule["slots"].size(); ++s)
        for (int i = 0; i < schedule["slot_sizes"][s].get<int>(); ++i)
          times += (times.empty() ? "" : ", ") + ciw_time(cycle + schedule["slots"][s].get<double>());
    return "schedule(times = [" + times + "])";
  }

  /// A chart goes from shift to shift. @returns the number of servers
  std::string draw_shifts(std::size_t n) {
    const auto& schedule = of_.node(n)["servers"];
    const auto& ends = schedule["shift_end_dates"];
    ChartBuilder chart(drawing_.m, at("Shifts", n));
    const std::string name = at("shifts", n);
    std::string servers = "0";
    std::vector<ElementId> shifts;
    for (std::size_t s = 0; s < ends.size(); ++s) {
      shifts.push_back(chart.state(at("S", s)));
      servers += " + if(in(" + name + "." + at("S", s) + "), " + schedule["numbers_of_servers"][s].dump() + ", 0)";
    }
    double before = 0.0;
    for (std::size_t s = 0; s < ends.size(); ++s) {
      const double end = ends[s].get<double>();
      chart.transition(shifts[s], shifts[(s + 1) % shifts.size()], "after(" + ciw_time(end - before) + ")");
      before = end;
    }
    ElementId first = shifts[0];
    if (const double offset = schedule["offset"].get<double>(); offset > 0.0) {
      first = chart.state("Before");
      chart.transition(first, shifts[0], "after(" + ciw_time(offset) + ")");
    }
    chart.initial(first);
    drawing_.m.component(name, at("Shifts", n));
    return servers;
  }

  void draw_ways(std::size_t n) {
    const int to = of_.goes_to(0, n);
    drawing_.flow(ends_[n], to < 0 ? out_ : stations_[static_cast<std::size_t>(to) - 1]);
    if (of_.capacity(n) > 0 || of_.json.contains("system_capacity")) lost_.push_back(draw_taken(n, "lost", "refused"));
    else lost_.push_back({});
    if (!patience_by_class(n).empty()) draw_taken(n, "gave", "reneged");
  }
  ElementId draw_taken(std::size_t n, const char* name, const char* taken_by) {
    const ElementId sink = drawing_.node("sink", at(name, n));
    drawing_.flow(stations_[n], sink, {{"taken_by", taken_by}});
    return sink;
  }

  // Theirs turn away who comes from outside, and block who comes from inside; of ours a station does one of them, so
  // where both come those from outside look before they enter. So they do where the whole network may be full: a region
  // that turns somebody away does not tell whom.
  void draw_source(std::size_t c, std::size_t n) {
    const ElementId source = drawing_.node("source", at("in", n) + class_name(c),
                                           {{"class", class_name(c)},
                                            {"interarrival", gaps_text(c, n)},
                                            {"batch", number_text(ciw_values(of_.law("batching", c, n)).at(0))}});
    std::string room;
    if (of_.json.contains("system_capacity")) room = "whole.number < " + of_.json["system_capacity"].dump();
    else if (of_.capacity(n) > 0 && of_.comes_from_inside(n))
      room = at("n", n) + ".number < " + std::to_string(of_.capacity(n));
    if (room.empty()) return static_cast<void>(drawing_.flow(source, stations_[n]));
    drawing_.flow(source, stations_[n], {{"probability", "if(" + room + ", 1, 0)"}});
    drawing_.flow(source, lost_[n]);
  }
  // A list goes on from its first gap, unless one of its gaps never ends.
  std::string gaps_text(std::size_t c, std::size_t n) const {
    const std::vector<double> gaps = ciw_values(of_.law("arrival", c, n));
    if (gaps.size() == 1) return ciw_time(gaps[0]);
    std::string times;
    double now = 0.0;
    for (const double gap : gaps) {
      if (std::isinf(gap)) return "schedule(times = [" + times + "])";
      now += ciw_ticks(gap);
      times += (times.empty() ? "" : ", ") + number_text(now) + " s";
    }
    return "schedule(times = [" + times + "], at_end = repeat)";
  }

  void draw_region() {
    std::string stations;
    for (std::size_t n = 0; n < of_.nodes().size(); ++n) stations += (n > 0 ? ", " : "") + at("n", n);
    drawing_.node("region", "whole",
                  {{"stations", stations}, {"capacity", of_.json["system_capacity"].dump()}, {"when_full", "lose"}});
  }

  const CiwCase& of_;
  std::string folder_;
  DrawnNetwork drawing_;
  ElementId out_;
  std::vector<ElementId> stations_, ends_, lost_;  ///< where customers come to a node, and where they leave it from
};

/// Puts together from the streams and numbers of a history what became of every customer. The watch of its loop.
class CiwObserver : public ObservationSink {
 public:
  CiwObserver(const AnalysisModel& model, World& world, const CiwCase& of) : of_(of), world_(world) {
    const SlotTable& table = *model.charts.table;
    wanted_.assign(table.streams.size(), 0);
    for (std::size_t n = 1; n <= of.nodes().size(); ++n) {
      const std::string number = std::to_string(n), node = "n" + number;
      listen(table, (of.begins_at_slots(n - 1) ? "waits" + number + ".response_time" : node + ".waiting_time"),
             {What::begins, n});
      listen(table, node + ".response_time", {What::leaves, n});
      listen(table, "lost" + number + ".time_in_system", {What::lost, n});
      listen(table, "gave" + number + ".time_in_system", {What::gave_up, n});
    }
    listen(table, "out.time_in_system", {What::out, 0});
    for (const NamedSlot& one : table.named()) slots_[one.name] = one.slot;
    world.observations.listen(this, wanted_, world.slots() + World::now_slot);
  }
  void observed(std::uint32_t stream, double value, std::uint32_t of_class) override {
    const Kind& kind = kinds_.at(stream);
    if (kind.what == What::leaves && of_.begins_at_slots(kind.node - 1))
      value = world_.now() - came_of_begun(kind.node, of_class, (world_.now() - value) / ciw_scale);
    const double now = world_.now() / ciw_scale, came = (world_.now() - value) / ciw_scale;
    std::vector<double>& begun = begun_[{kind.node, of_class, world_.now() - value}];
    int& changes = changes_[{kind.node, of_class}];
    switch (kind.what) {
      case What::begins:
        begun.push_back(now), ++changes;
        break;
      case What::leaves:
        // Of those who came together and are alike the first to begin is the first to leave.
        events_.insert(ciw_event("served", kind.node, of_class, {came, begun.at(0), now}));
        begun.erase(begun.begin()), --changes;
        break;
      case What::lost:
        events_.insert(ciw_event("rejected", kind.node, of_class, {now}));
        break;
      case What::gave_up:
        events_.insert(ciw_event("gave up", kind.node, of_class, {came, now}));
        break;
      case What::out:
        ++out_;
    }
  }
  /// At rest, before the clock moves: who is not served any more and has not left was interrupted.
  void until(double) {
    for (std::size_t n = 1; n <= of_.nodes().size() && !of_.blocks(); ++n)
      for (std::uint32_t c = 0; c < of_.classes().size() && !of_.begins_at_slots(n - 1); ++c) {
        double& before = busy_[{n, c}];
        const double busy = served(n, c);
        for (double stopped = before + changes_[{n, c}] - busy; stopped >= 1.0; --stopped)
          events_.insert(ciw_event("interrupted", n, c, {world_.now() / ciw_scale}));
        before = busy;
      }
    changes_.clear();
  }
  template <class Path>
  void follow(double, double, Path&&) {}
  /// Nothing happens any more: nobody began whose service was begun before.
  void finish() {
    until(world_.now());
    std::map<Place, double> unfinished;
    for (const auto& [stay, begun] : begun_)
      unfinished[{std::get<0>(stay), std::get<1>(stay)}] += static_cast<double>(begun.size());
    for (const auto& [place, count] : unfinished)
      if (place.first > 0 && count > slot("number", place.first, place.second))
        events_.insert(ciw_event("began more than once", place.first, place.second, {}));
  }
  const CiwEvents& events() const { return events_; }
  std::size_t out() const { return out_; }

 private:
  enum class What { begins, leaves, lost, gave_up, out };
  struct Kind {
    What what = What::out;
    std::size_t node = 0;
  };
  using Place = std::pair<std::size_t, std::uint32_t>;          ///< node and class
  using Stay = std::tuple<std::size_t, std::uint32_t, double>;  ///< and when he came
  void listen(const SlotTable& table, const std::string& name, Kind kind) {
    const auto number = stream_number(table.streams, name);
    if (!number) return;
    wanted_[*number] = 1;
    kinds_[*number] = kind;
  }
  // The service after a slot is a stay of its own; of those who began together the first to come is the first to leave.
  double came_of_begun(std::size_t node, std::uint32_t of_class, double begun_at) const {
    for (const auto& [stay, begun] : begun_)
      if (std::get<0>(stay) == node && std::get<1>(stay) == of_class && !begun.empty() && begun[0] == begun_at)
        return std::get<2>(stay);
    return std::numeric_limits<double>::quiet_NaN();
  }
  double slot(const std::string& what, std::size_t node, std::uint32_t of_class) const {
    std::string name = "n" + std::to_string(node) + "." + what;
    if (of_.classes().size() > 1) name += ".class" + std::to_string(of_class);
    return world_.slots()[slots_.at(name)];
  }
  // No more are busy than there are servers, even while services go on whose servers have left: of one class those are
  // told by who does not wait.
  double served(std::size_t node, std::uint32_t of_class) const {
    if (of_.classes().size() > 1) return slot("busy", node, of_class);
    return slot("number", node, of_class) - slot("waiting", node, of_class);
  }
  const CiwCase& of_;
  World& world_;
  std::vector<std::uint8_t> wanted_;
  std::map<std::uint32_t, Kind> kinds_;
  std::map<std::string, std::uint32_t> slots_;
  std::map<Stay, std::vector<double>> begun_;
  std::map<Place, int> changes_;
  std::map<Place, double> busy_;
  CiwEvents events_;
  std::size_t out_ = 0;
};

}  // namespace ergode::test
