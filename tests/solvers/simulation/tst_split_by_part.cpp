// A part that is no chart divides what measures see: a roster says who is on duty, and failures belong to that shift.
#include <cmath>

#include "core/des/lowering.h"
#include "core/results/result_json.h"
#include "solvers/model/analysis_model.h"
#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

constexpr double shift_s = 8 * hour;

/// Day, evening and night of eight hours each, from time zero on, and so on.
class Roster : public LoweredPart {
 public:
  ElementId element;
  std::string name;
  std::uint32_t duty = 0;  ///< slot: 0, 1, 2
  std::unique_ptr<RunningPart> run(World& world, std::uint64_t seed) const override;
  std::vector<Thing> things() const override { return {{element, "the roster \"" + name + "\""}}; }
  OwnSplit split() const override {
    return {std::make_shared<const Split>(
                Split{"shift", "who is on duty", {{"day", "day"}, {"evening", "evening"}, {"night", "night"}}}),
            duty};
  }
  std::vector<DataSection> report_data(const Document& document) const override {
    return {{element, {.heading = "Roster of " + document.find(element)->name()}}};
  }
};

class RunningRoster : public RunningPart {
 public:
  RunningRoster(const Roster& roster, World& world) : roster_(roster), world_(world), first_(world.add_timers(1)) {}
  std::uint32_t first_timer() const override { return first_; }
  void start(std::uint64_t) override { world_.timers.schedule(first_, shift_s); }
  void fire(std::uint32_t) override {
    ++world_.events;
    world_.set(roster_.duty, std::fmod(world_.slots()[roster_.duty] + 1.0, 3.0));
    world_.timers.schedule(first_, world_.now() + shift_s);
  }
  void save(ByteWriter&) const override {}  // all of it is a slot and a timer of the world
  void restore(ByteReader&, std::uint64_t) override {}
  void waiting(std::vector<Waiting>&) const override {}

 private:
  const Roster& roster_;
  World& world_;
  std::uint32_t first_;
};

std::unique_ptr<RunningPart> Roster::run(World& world, std::uint64_t) const {
  return std::make_unique<RunningRoster>(*this, world);
}

class RosterLowering : public NotationLowering {
 public:
  void declare(Lowering& model) override {
    for (const Element* node : model.nodes("rosters", "roster")) {
      made_ = std::make_shared<Roster>();
      made_->element = node->id, made_->name = node->name();
      model.slots.declare(node->name(), {node->id, "roster"});
      made_->duty = model.slots.add({.name = node->name() + ".duty",
                                     .type = ValueType::integer(),
                                     .element = node->id,
                                     .writer = "rosters",
                                     .range = {0.0, 2.0}},
                                    0.0);
    }
  }
  std::shared_ptr<LoweredPart> lower(Lowering&, Scope&) override { return made_; }

 private:
  std::shared_ptr<Roster> made_;
};

/// A machine that fails once and stays so.
struct Works {
  ModelBuilder m;
  ElementId roster, machine;
  Works(const std::string& horizon, const std::string& trigger) : m(horizon) {
    roster = m.node(m.diagram("Duties", "rosters"), {}, "roster", {{"name", "duties"}});
    ChartBuilder chart(m, "Machine");
    const ElementId up = chart.state("Up"), down = chart.state("Down", {}, "record(breakdown)");
    chart.initial(up);
    chart.transition(up, down, trigger, "", "", {{"role", "failure"}});
    machine = m.component("machine", "Machine");
    m.measure("failed", "probability_by", "in(machine.Down)", {{"curve", 0}});
    m.measure("is_down", "probability_at", "in(machine.Down)", {{"curve", 0}});
    m.measure("up", "time_average", "in(machine.Up)", {{"curve", 0}});
    m.measure("breakdowns", "count", "", {{"event", "breakdown"}});
  }
};

double share_of_part(const ResultSet& results, const std::string& measure, const std::string& part) {
  const MeasureResult* m = results.measure(measure);
  return m != nullptr && m->shares ? m->shares->at(part) : std::numeric_limits<double>::quiet_NaN();
}

std::string split_bits(const ResultSet& results) {
  Value json = to_json(results);
  json["run"].erase("made"), json["run"].erase("run_id");
  return json.dump();
}

}  // namespace

class TestSplitByPart : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    register_lowering([] { return std::make_unique<RosterLowering>(); });
  }

  void what_is_seen_belongs_to_the_shift_in_which_it_is_seen() {
    // Ten hours after the beginning it is evening; 23 h after it, night.
    const ResultSet results = solved(Works("23 h", "after(10 h)").m.document(), {.replications = 4});
    QCOMPARE(results.split.by, std::string("shift"));
    const auto is = [&](const char* measure, double day, double evening, double night) {
      QCOMPARE(share_of_part(results, measure, "day"), day);
      QCOMPARE(share_of_part(results, measure, "evening"), evening);
      QCOMPARE(share_of_part(results, measure, "night"), night);
      QCOMPARE(estimate(results, measure), day + evening + night);
    };
    is("failed", 0.0, 1.0, 0.0);
    is("is_down", 0.0, 0.0, 1.0);
    is("up", 8.0 / 23.0, 2.0 / 23.0, 0.0);
    is("breakdowns", 0.0, 1.0, 0.0);
  }

  void shares_of_exponential_failures_are_those_of_their_law() {
    // Of 40,000 histories: the share that fails in each shift is a binomial one, within four of its standard errors (a
    // fresh seed fails once in 5,000).
    const Works works("24 h", "rate(0.05 /h)");
    const double n = 40000;
    const ResultSet results = solved(works.m.document(), {.seed = 5, .replications = static_cast<std::uint64_t>(n)});
    double before = 1.0;
    for (const char* shift : {"day", "evening", "night"}) {
      const double after = before * std::exp(-0.05 * 8.0), p = before - after;
      const double error = std::sqrt(p * (1.0 - p) / n);
      QVERIFY2(std::abs(share_of_part(results, "failed", shift) - p) < 4.0 * error, shift);
      before = after;
    }
    QCOMPARE(split_bits(solved(works.m.document(), {.seed = 5, .replications = 3000, .threads = 3})),
             split_bits(solved(works.m.document(), {.seed = 5, .replications = 3000, .threads = 1})));
  }

  void weighted_paths_are_divided_alike() {
    const Works works("24 h", "rate(1e-4 /h)");
    const ResultSet results = solved(
        works.m.document(), {.seed = 6, .replications = 40000, .options = {{"variance-reduction", "failure-biasing"}}});
    double before = 1.0;
    for (const char* shift : {"day", "evening", "night"}) {
      const double after = before * std::exp(-1e-4 * 8.0), p = before - after;
      // Half of the histories or so fail, each with a weight near twice the probability: a per cent is four errors.
      QVERIFY2(std::abs(share_of_part(results, "failed", shift) / p - 1.0) < 0.05, shift);
      before = after;
    }
  }

  void labels_are_kept_with_the_results() {
    ResultSet results = solved(Works("23 h", "after(10 h)").m.document(), {.replications = 2});
    results.provenance.run_id = "0123456789abcdef";
    Diagnostics problems;
    const auto again = from_json(to_json(results), problems);
    QVERIFY2(again.has_value(), listed(problems).c_str());
    QCOMPARE(again->split.by, std::string("shift"));
    QCOMPARE(again->split.parts.at(1).label, std::string("evening"));
    QCOMPARE(share_of_part(*again, "up", "evening"), 2.0 / 23.0);
  }

  void groups_come_first_and_the_other_is_told_so() {
    Works works("24 h", "ccf(shock)");
    works.m.group("G", "shock", {{"model", "bfr"}, {"omega", "1e-2 /h"}},
                  {works.machine, works.m.component("spare", "Machine")});
    Diagnostics problems;
    const auto model = build_model(works.m.document(), {}, "", problems);
    QVERIFY2(model != nullptr, listed(problems).c_str());
    QCOMPARE(model->split->by, std::string("cause"));
    const Diagnostic* told = find_code(problems, "MEA016");
    QVERIFY(told != nullptr && told->severity == Severity::warning);
    QCOMPARE(told->element, works.roster);
    QVERIFY(told->message.find("by cause") != std::string::npos && told->message.find("by shift") != std::string::npos);
    problems.clear();
    QVERIFY(build_model(Works("24 h", "rate(1 /h)").m.document(), {}, "", problems) != nullptr);
    QVERIFY(find_code(problems, "MEA016") == nullptr);
  }

  void a_part_has_its_say_in_the_data_of_a_report() {
    const Works works("24 h", "rate(1 /h)");
    Diagnostics problems;
    const auto model = build_model(works.m.document(), {}, "", problems);
    const std::vector<DataSection> said = report_data(*model, works.m.document());
    QCOMPARE(said.size(), std::size_t{1});
    QCOMPARE(said.front().element, works.roster);
    QCOMPARE(said.front().section.heading, std::string("Roster of duties"));
  }
};

QTEST_GUILESS_MAIN(TestSplitByPart)
#include "tst_split_by_part.moc"
