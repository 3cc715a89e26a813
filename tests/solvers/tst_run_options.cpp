#include "solvers/run_options.h"

#include <QtTest>
#include <array>

#include "solvers/model/provenance.h"
#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

struct DiceSettings {
  std::uint64_t sides = 6;
  double bias = 0.5;
  std::string colour = "white";
  bool loaded = false;
};

const OptionTable<DiceSettings>& dice_options() {
  static const OptionTable<DiceSettings> table = [] {
    OptionTable<DiceSettings> t;
    t.count({"sides", "N", "6", "Sides of the die."}, "2 to 100", 2, 100, &DiceSettings::sides);
    t.number({"dice-bias", "P", "0.5", "How it leans."}, "a number between 0 and 1", between_0_and_1,
             &DiceSettings::bias);
    t.word({"colour", "NAME", "white", "Of the die."}, &DiceSettings::colour, {"white", "black"});
    t.on_off({"loaded", "on|off", "off", "Whether somebody cheats."}, &DiceSettings::loaded);
    t.only_for("--colour black", [](const RunRequest& r) { return dice_options().read(r).colour == "black"; });
    return t;
  }();
  return table;
}

/// Moves in at run time.
class DiceSolver : public Solver {
 public:
  const SolverSpec& spec() const override {
    static const SolverSpec spec{.name = "dice", .label = "Dice", .description = "Throws.", .reference = "Nobody"};
    return spec;
  }
  std::vector<RunOption> options() const override { return dice_options().options(); }
  Diagnostics fits(const Question&) const override { return {}; }
  ResultSet solve(const Question& question, RunControl&) const override {
    ResultSet out;
    out.provenance = provenance_of(question, nullptr, "dice");
    return out;
  }
};

}  // namespace

class TestRunOptions : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    QCOMPARE(find_solver("dice"), nullptr);
    QVERIFY(set_run_option(request_, "sides", "8"));  // nobody knows it yet
    register_solver(std::make_unique<DiceSolver>());
  }

  void a_model_without_a_name_is_called_like_its_file() {
    for (const auto& [name, path, wanted] : {std::array<const char*, 3>{"", "/plant/pumps.ergode", "pumps"},
                                             {" ", "", "Untitled"},
                                             {"Feedwater", "/plant/pumps.ergode", "Feedwater"}}) {
      ModelBuilder m("1 h");
      m.header("name", name);
      RunRequest request;
      request.solver = "dice", request.model_path = path;
      RunControl control;
      QCOMPARE(find_solver("dice")->solve(m.document(), request, control).provenance.model_name, std::string(wanted));
    }
  }

  void what_a_solver_brings_is_an_option_of_runs() {
    RunRequest request;
    request.solver = "dice";
    QVERIFY(!set_run_option(request, "sides", "8"));
    QVERIFY(!set_run_option(request, "dice-bias", "0.25"));
    QVERIFY(!set_run_option(request, "colour", "black"));
    QVERIFY(!set_run_option(request, "loaded", "on"));
    const DiceSettings settings = dice_options().read(request);
    QCOMPARE(settings.sides, 8u);
    QCOMPARE(settings.bias, 0.25);
    QCOMPARE(settings.colour, std::string("black"));
    QVERIFY(settings.loaded);
    // There and back.
    RunRequest again;
    for (const auto& [name, text] : run_option_texts(request)) QVERIFY(!set_run_option(again, name, text));
    QCOMPARE(again.options, request.options);
    QCOMPARE(again.solver, std::string("dice"));
    // The default, said, is not said.
    QVERIFY(!set_run_option(request, "sides", "6"));
    QVERIFY(!request.options.contains("sides"));
  }

  void values_are_refused_with_what_was_seen_and_wanted() {
    for (const auto& [name, text] : std::map<std::string, std::string>{
             {"sides", "1"}, {"sides", "many"}, {"dice-bias", "1"}, {"colour", "red"}, {"loaded", "yes"}}) {
      RunRequest request;
      const auto problem = set_run_option(request, name, text);
      QVERIFY2(problem.has_value(), name.c_str());
      QVERIFY(problem->message.find("\"" + text + "\"; wanted ") != std::string::npos);
      QVERIFY(request.options.empty());
    }
  }

  void a_number_beyond_the_limit_is_told_the_limit() {
    RunRequest request;
    const auto problem = set_run_option(request, "replications", "1e18");
    QVERIFY(problem.has_value() && problem->message.find("9e15") != std::string::npos);
    QVERIFY(!set_run_option(request, "replications", "9e15"));
    QVERIFY(!set_run_option(request, "replications", "18446744073709551615"));
    // However long: 40 characters of it are quoted.
    const auto shortened = set_run_option(request, "seed", std::string(1000, '7'));
    QVERIFY(shortened.has_value() && shortened->message.size() < 200);
  }

  void options_that_mean_nothing_are_said() {
    RunRequest request;
    request.solver = "dice";
    const Diagnostics problems = options_without_use({{"loaded", "on"}, {"sides", "8"}, {"seed", "3"}}, request);
    QCOMPARE(problems.size(), 1u);
    QVERIFY(problems.front().message.find("--colour black") != std::string::npos);
  }

  void what_was_given_is_in_the_record_and_in_the_command() {
    RunRequest request;
    request.solver = "dice";
    set_run_option(request, "sides", "8");
    const Question question(example("04_repairable_system"), request);
    RunControl control;
    const ResultSet results = find_solver("dice")->solve(question, control);
    QCOMPARE(results.provenance.options.at("sides"), std::string("8"));
    QVERIFY(results.provenance.command.find("--sides 8") != std::string::npos);
    // Defaults are in the record too, and not what means nothing.
    const auto recorded = [](const char* folder, RunRequest asked) {
      RunControl nobody;
      asked.replications = 2;
      return find_solver(asked.solver)->solve(Question(example(folder), asked), nobody).provenance.options;
    };
    const auto flows = recorded("07_heated_tank", {}), chart = recorded("04_repairable_system", {}),
               exact = recorded("04_repairable_system", {.solver = "ctmc-transient"});
    QCOMPARE(flows.at("ode_method"), std::string("automatic"));
    QCOMPARE(flows.at("ode_relative_tolerance"), std::string("1e-08"));
    QVERIFY(!chart.contains("ode_method") && !chart.contains("warm_up") && !chart.contains("levels"));
    QCOMPARE(chart.at("variance_reduction"), std::string("none"));
    QCOMPARE(chart.at("output_analysis"), std::string("replications"));
    QCOMPARE(exact.at("state_limit"), std::string("2000000"));
    QCOMPARE(exact.at("method"), std::string("uniformisation"));
    QVERIFY(!exact.contains("replications"));
  }

 private:
  RunRequest request_;
};

QTEST_GUILESS_MAIN(TestRunOptions)
#include "tst_run_options.moc"
