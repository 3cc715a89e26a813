#include <QtTest>
#include <cmath>
#include <random>

#include "app/session/import.h"
#include "solvers/model/analysis_model.h"
#include "solvers/registry.h"
#include "statecharts/exchange/prism/prism_reader.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

/// Programs in the PRISM language as models. Published chains are in tests/conformance/tst_markov_models; here is what
/// those do not meet.
class PrismReader : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void rates_of_commands_that_go_together_are_multiplied();
  void updates_are_made_at_once();
  void renamed_modules_and_formulas_are_written_out();
  void constants_are_given_from_outside();
  void expressions_mean_what_they_mean_in_prism_data();
  void expressions_mean_what_they_mean_in_prism();
  void a_variable_that_leaves_its_bounds_ends_the_run();
  void one_initial_state_is_taken_from_init();
  void a_system_says_who_waits_for_whom_data();
  void a_system_says_who_waits_for_whom();
  void labels_of_every_program_are_read();
  void a_constant_called_like_the_unit_of_time_is_no_unit();
  void long_chains_of_constants_are_read();
  void what_is_wrong_is_named_with_its_place_data();
  void what_is_wrong_is_named_with_its_place();
  void what_nests_too_deep_is_refused();
  void damaged_and_monstrous_programs_are_refused_or_read();
};

namespace {

constexpr const char* queue = R"(ctmc
// A queue and what fills it.
const int N;
const double lambda = 1/2; const double mu = 3;
formula busy = q > 0;
module Source
  s : [0..1] init 0;
  [] s=0 -> 2 : (s'=1);
  [arrive] s=1 -> lambda : (s'=0);
endmodule
module Queue
  q : [0..N] init 0;
  [arrive] q<N -> 4 : (q'=min(N, q+1));
  [] busy -> mu : (q'=q-1) + 0.5 : (q'=0);
endmodule
label "full" = q=N;
rewards "length" true : q; [arrive] q=0 : 10; endrewards
)";

double probability(const std::string& text, const std::string& condition, double time,
                   const std::map<std::string, std::string>& constants = {}) {
  PrismImport import(text, "Program");
  if (!import.document) throw std::runtime_error(listed(import.diagnostics));
  auto ours = import.condition(condition);
  if (const auto* problem = std::get_if<Diagnostic>(&ours)) throw std::runtime_error(problem->message);
  Document document = *import.document;
  document.append({.id = ElementId(1),
                   .section = Section::measure,
                   .kind = "measure",
                   .properties = {{"name", "asked"},
                                  {"type", "probability_at"},
                                  {"expression", std::get<std::string>(ours)},
                                  {"at", std::to_string(time) + " h"}}});
  Element header = document.model();
  header.properties["horizon"] = std::to_string(time) + " h";
  document.replace(0, header);
  RunRequest request;
  request.overrides = constants;
  RunControl control;
  const ResultSet results = find_solver("ctmc-transient")->solve(document, request, control);
  const MeasureResult* m = results.measure("asked");
  if (m == nullptr) throw std::runtime_error(listed(results.diagnostics));
  return m->estimate;
}

void compare(double seen, double wanted) {
  QVERIFY2(std::abs(seen - wanted) <= 1e-9, qPrintable(QString("%1, wanted %2").arg(seen, 0, 'g', 15).arg(wanted)));
}

}  // namespace

// Oracle: PRISM's rule. Two commands with rates 2 and 3 on one action are one transition of rate 6; an action that one
// module does not allow now is blocked.
void PrismReader::rates_of_commands_that_go_together_are_multiplied() {
  const char* text = R"(ctmc
module Left x : [0..2] init 0; [go] x<2 -> 2 : (x'=x+1); endmodule
module Right y : [0..1] init 0; [go] y=0 -> 3 : (y'=1); endmodule)";
  compare(probability(text, "x=1 & y=1", 0.25), 1 - std::exp(-6 * 0.25));
  compare(probability(text, "x=2", 5), 0.0);
  // Two alternatives on either side go together in four ways.
  const char* ways = R"(ctmc
module Left x : [0..2] init 0; [go] x=0 -> 1 : (x'=1) + 2 : (x'=2); endmodule
module Right y : [0..2] init 0; [go] y=0 -> 3 : (y'=1) + 4 : (y'=2); endmodule)";
  compare(probability(ways, "x=2 & y=1", 1), 6.0 / 21 * (1 - std::exp(-21.0)));
  compare(probability(ways, "x=1 & y=2", 1), 4.0 / 21 * (1 - std::exp(-21.0)));
}

// Oracle: new values are worked out from the old ones, in the module and between modules.
void PrismReader::updates_are_made_at_once() {
  const char* swap = R"(ctmc
module Left a : [0..9] init 1; b : [0..9] init 2; done : bool init false;
  [go] !done -> 1000 : (a'=b) & (b'=a) & (done'=true); endmodule
module Right y : [0..9] init 7; z : bool;
  [go] true -> 1 : (y'=a+b*2) & (z'=!done); endmodule)";
  compare(probability(swap, "a=2 & b=1 & done & y=5 & z", 1), 1.0);
  const char* global = R"(ctmc
global g : [0..9] init 4;
module Left a : [0..9] init 1; [] a=1 -> 1000 : (a'=g) & (g'=a); endmodule)";
  compare(probability(global, "a=4 & g=1", 1), 1.0);
}

// Oracle: the same program written out by hand.
void PrismReader::renamed_modules_and_formulas_are_written_out() {
  const char* text = R"(ctmc
const double fast = 5; const double slow = 1;
formula both = x=1 & y=1;
formula on = x=1;
module Left x : [0..1] init 0; [] !on -> fast : (x'=1); endmodule
module Right = Left [ x=y, fast=slow ] endmodule
label "both" = both;)";
  compare(probability(text, "\"both\"", 0.5), (1 - std::exp(-2.5)) * (1 - std::exp(-0.5)));
}

// Oracle: by hand, and PRISM's rule for transition rewards: their rate times what they give.
void PrismReader::constants_are_given_from_outside() {
  const PrismImport import(queue, "Queue");
  QVERIFY2(import.document.has_value(), listed(import.diagnostics).c_str());
  QVERIFY(find_code(import.diagnostics, "PRI006") != nullptr);
  compare(probability(queue, "q<=N", 1, {{"N", "3"}}), 1.0);
  QVERIFY(probability(queue, "\"full\"", 9, {{"N", "1"}}) > probability(queue, "\"full\"", 9, {{"N", "3"}}));
  QCOMPARE(import.reward("length", false).value(), std::string("((true) ? (Queue.q) : 0)"));
  QVERIFY(import.reward("length").value().find("* (lambda) * (4)") != std::string::npos);
  QVERIFY(!import.reward("nothing"));
}

void PrismReader::expressions_mean_what_they_mean_in_prism_data() {
  QTest::addColumn<QString>("expression");
  QTest::addColumn<bool>("value");
  const auto row = [](const char* text, bool value) { QTest::newRow(text) << text << value; };
  // x = 3, y = -2, b = true
  row("x=3 & !b | b", true), row("!x=3", false), row("x=3 => y=-2", true), row("x=4 => false", true);
  row("b <=> x=3", true), row("b <=> x=4", false), row("mod(y, 5) = 3", true), row("mod(x, 5) = 3", true);
  row("floor(x/2)=1 & ceil(x/2)=2", true), row("pow(x,2) = 9", true), row("log(8, 2) > 2.99 & log(8,2) < 3.01", true);
  row("x + y * 2 = -1", true), row("(x>3 ? 1 : x<3 ? 2 : 4) = 4", true), row("max(x, y, 9) - min(x, y) = 11", true);
  row("-x + 4 = 1", true), row("x - 1 - 1 = 1", true), row("12 / x / 2 = 2", true), row("x != 3", false),
      row("!!b", true);
}

// Oracle: the language's manual, worked out by hand.
void PrismReader::expressions_mean_what_they_mean_in_prism() {
  QFETCH(QString, expression);
  QFETCH(bool, value);
  const char* text =
      "ctmc module M x:[0..9] init 3; y:[-5..5] init -2; b:bool init true; [] false -> 1:true; endmodule";
  compare(probability(text, expression.toStdString(), 0.001), value ? 1.0 : 0.0);
}

// Oracle: PRISM refuses to explore such a program.
void PrismReader::a_variable_that_leaves_its_bounds_ends_the_run() {
  const char* text = "ctmc module M x:[0..2]; [] x<=K -> 1:(x'=x+1); endmodule const int K;";
  compare(probability(text, "x<=2", 1, {{"K", "1"}}), 1.0);
  bool failed = false;
  try {
    probability(text, "x<=2", 1, {{"K", "2"}});
  } catch (const std::runtime_error& error) {
    const std::string said = error.what();
    failed = said.find("RUN002") != std::string::npos &&
             said.find("\"x >= 0 and x <= 2\" does not hold any more") != std::string::npos;
  }
  QVERIFY(failed);
}

void PrismReader::one_initial_state_is_taken_from_init() {
  const std::string text = R"(ctmc const int n = 3; global b : bool;
module M x:[0..n]; y:[-2..2]; [] x=3 & y=-1 & b -> 2 : (x'=0); endmodule
init !(x<n) & b & y=-1 & (y<0 | x=0) endinit)";
  const double at_one = probability(text, "x=0", 1);
  QVERIFY(std::abs(at_one - (1 - std::exp(-2.0))) < 1e-9);
}

// Two modules that could go together: what each does alone tells who waits. Oracle: two exponentials, by hand.
void PrismReader::a_system_says_who_waits_for_whom_data() {
  QTest::addColumn<QString>("system");
  QTest::addColumn<double>("left");
  const double together = 1 - std::exp(-6.0), alone = 1 - std::exp(-2.0);
  QTest::newRow("none") << "" << together;
  QTest::newRow("full") << "system Left || Right endsystem" << together;
  QTest::newRow("interleaved") << "system (Right ||| Left) endsystem" << alone;
  QTest::newRow("on its action") << "system Left |[go]| Right endsystem" << together;
  QTest::newRow("on another") << "system Left |[stop, wait]| Right endsystem" << alone;
  QTest::newRow("before its modules") << "system Left|||Right endsystem" << alone;
}

void PrismReader::a_system_says_who_waits_for_whom() {
  QFETCH(QString, system);
  QFETCH(double, left);
  const std::string modules = R"(
module Left x : [0..1] init 0; [go] x=0 -> 2 : (x'=1); endmodule
module Right y : [0..1] init 0; [go] y=0 -> 3 : (y'=1); endmodule
)";
  const bool first = system.contains("|||R");
  const std::string text = "ctmc " + (first ? system.toStdString() + modules : modules + system.toStdString());
  QVERIFY(std::abs(probability(text, "x=1", 1) - left) < 1e-9);
}

void PrismReader::labels_of_every_program_are_read() {
  const std::string text = R"(ctmc
module M x:[0..2] init 1; [] x=1 -> 2 : (x'=2); [] x=0 -> 0*x : (x'=1); endmodule
label "stuck" = "deadlock" & x=2;)";
  QVERIFY(std::abs(probability(text, "\"init\"", 1) - std::exp(-2.0)) < 1e-9);
  QVERIFY(std::abs(probability(text, "\"deadlock\"", 1) - (1 - std::exp(-2.0))) < 1e-9);
  QVERIFY(std::abs(probability(text, "\"stuck\"", 1) - (1 - std::exp(-2.0))) < 1e-9);
}

void PrismReader::a_constant_called_like_the_unit_of_time_is_no_unit() {
  const std::string text = R"(ctmc const double h = 4; const double d = 8; const double s = 2;
module M x:[0..1] init 0; [] x=0 -> s/h*d/2 : (x'=1); endmodule)";
  QVERIFY(std::abs(probability(text, "x=1", 1) - (1 - std::exp(-2.0))) < 1e-9);
  // Whatever unit the reader is told, and variables too.
  for (const char* unit : {"s", "h", "d"}) {
    const PrismImport read(
        "ctmc const double h = 2; module M s:[0..1] init 0; d:[0..1] init 0; [] s=0 -> h*(1+d) : "
        "(s'=1); endmodule",
        "M", unit);
    QVERIFY(read.document.has_value());
    Diagnostics problems;
    QVERIFY2(build_model(*read.document, {}, "", problems) != nullptr, listed(problems).c_str());
  }
}

void PrismReader::long_chains_of_constants_are_read() {
  std::string text = "ctmc\n";
  for (int i = 0; i < 20000; ++i) text += "const double c" + std::to_string(i) + " = c" + std::to_string(i + 1) + ";\n";
  text += "const double c20000 = 2; module M x:[0..1] init 0; [] x=0 -> c0 : (x'=1); endmodule";
  QVERIFY(std::abs(probability(text, "x=1", 1) - (1 - std::exp(-2.0))) < 1e-9);
}

void PrismReader::what_is_wrong_is_named_with_its_place_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("code");
  QTest::addColumn<QString>("place");
  const auto row = [](const char* text, const char* code, const char* place) {
    QTest::newRow(text) << text << code << place;
  };
  row("dtmc", "PRI002", "1:1"), row("", "PRI002", "1:1"), row("ctmc", "PRI004", "1:1");
  row("ctmc\nmodule M\n x : [0..1] ini 0;\nendmodule", "PRI001", "3:13");
  row("ctmc\nmodule M x:[0..1]; [] x=0 -> 1 : (y'=1); endmodule", "PRI004", "2:35");
  row("ctmc\nmodule M x:[0..1]; [] z=0 -> 1 : (x'=1); endmodule", "PRI004", "2:23");
  row("ctmc\nmodule M x:[0..1]; [] x -> 1 : (x'=1); endmodule", "PRI005", "2:23");
  row("ctmc\nmodule M x:[0..1]; [] true -> 1 : (x'=0.5); endmodule", "PRI005", "2:39");
  row("ctmc\nmodule M x:[0..1]; [] x=@ -> 1 : true; endmodule", "PRI001", "2:25");
  row("ctmc\nmodule M b:bool; [] b -> 1 : (b'=- -b); endmodule", "PRI005", "2:34");
  row("ctmc\nmodule M b:bool; [] - -b -> 1 : (b'=true); endmodule", "PRI005", "2:21");
  row("ctmc\nconst int a = a;\nconst int a = 2; module M endmodule", "PRI004", "3:11");
  row("ctmc\nformula f = g; formula g = f; module M endmodule", "PRI004", "2:13");
  row("ctmc\nmodule M x:[0..1]; endmodule\ninit true endinit", "PRI002", "3:1");
  row("ctmc\nmodule M x:[0..1]; endmodule\ninit x=0 & x=1 endinit", "PRI002", "3:1");
  row("ctmc\nmodule M x:[0..1] init 1; endmodule\ninit x=0 endinit", "PRI002", "2:24");
  row("ctmc\nmodule M x:[0..99999]; y:[0..99999]; endmodule\ninit x=y*y+1 endinit", "PRI002", "3:1");
  row("ctmc\nconst int a = b+1;\nconst int b = a; module M endmodule", "PRI004", "2:11");
  row("ctmc\nconst int n = 2; module M\n x:[n..n-1]; endmodule", "PRI007", "3:2");
  row("ctmc\nconst int n = 2; module M\n x:[0..n] init n+1; endmodule", "PRI007", "3:17");
  row("ctmc\nconst int n = 2147483647;\nconst int m = n+1; module M endmodule", "PRI007", "3:16");
  row("ctmc\nconst int n = 2147483648; module M endmodule", "PRI001", "2:15");
  row("ctmc\nconst double n = 1e-400; module M endmodule", "PRI001", "2:18");
  row("ctmc\rmodule M\r x : [0..1] ini 0;\rendmodule", "PRI001", "3:13");
  row("ctmc\r\nmodule M\r\n x : [0..1] ini 0;\r\nendmodule", "PRI001", "3:13");
  row("\xef\xbb\xbf"
      "ctmc\nmodule M x:[0..1] ini 0; endmodule",
      "PRI001", "2:19");
  row("ctmc\nmodule M endmodule\nlabel \"init\" = true;", "PRI004", "3:7");
  row("ctmc\nmodule M endmodule\nmodule N endmodule\nsystem M endsystem", "PRI002", "4:8");
  row("ctmc\nmodule M endmodule\nsystem M || M endsystem", "PRI002", "3:13");
  row("ctmc\nmodule M endmodule\nsystem M || K endsystem", "PRI004", "3:13");
  row("ctmc\nmodule M endmodule\nsystem M/{a} endsystem", "PRI002", "3:9");
  row("ctmc\nmodule M endmodule\nmodule N endmodule\nsystem M |[a]| N |[b]| K endsystem", "PRI001", "4:18");
  row("ctmc\nmodule M x:[0..1]; endmodule module N = M [ y=z ] endmodule", "PRI004", "2:41");
  row("ctmc\nlabel \"a = true;", "PRI001", "2:7");
}

void PrismReader::what_is_wrong_is_named_with_its_place() {
  QFETCH(QString, text);
  QFETCH(QString, code);
  QFETCH(QString, place);
  const PrismImport import(text.toStdString(), "Program");
  QVERIFY(!import.document);
  QCOMPARE(QString::fromStdString(import.diagnostics.front().code), code);
  QCOMPARE(QString::fromStdString(import.diagnostics.front().pointer), place);
}

// Whatever may stand inside itself: refused with a place however often it does.
void PrismReader::what_nests_too_deep_is_refused() {
  for (const auto& [open, end] : std::vector<std::pair<const char*, const char*>>{
           {"1+!", "1"}, {"!1=!", "1"}, {"(", "1"}, {"-(", "1"}, {"min(1,", "1"}, {"true?1:", "1"}, {"1*!", "true"}}) {
    std::string guard;
    for (int i = 0; i < 300000; ++i) guard += open;
    const PrismImport import("ctmc\nmodule M\n x:[0..1]; [] (" + guard + end + ")>0 -> 1 : (x'=1); endmodule", "M");
    QVERIFY(!import.document);
    QCOMPARE(import.diagnostics.front().code, std::string("PRI001"));
    QVERIFY(import.diagnostics.front().pointer.starts_with("3:"));
  }
}

void PrismReader::damaged_and_monstrous_programs_are_refused_or_read() {
  const PrismImport bytes("ctmc module M endmodule\nlabel \"\xff\" = true;", "M");
  QVERIFY(!bytes.document);
  QCOMPARE(bytes.diagnostics.front().code, std::string("FMT015"));
  QCOMPARE(bytes.diagnostics.front().pointer, std::string("2:8"));
  std::mt19937 random(7);
  const std::string sound = queue;
  static const char* const pieces[] = {"(", ")",    "[",         "]",      "->",    ":",  ";",       "'",
                                       "=", "..",   "endmodule", "module", "9e999", "\"", "formula", "busy",
                                       "q", "\xff", "const",     "?",      "!",     "+",  "init",    "&"};
  int refused = 0, read = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string text = sound;
    for (auto k = 1 + random() % 3; k > 0; --k) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text.erase(at, 1 + random() % 12);
          break;
        case 1:
          text.insert(at, pieces[random() % 24]);
          break;
        case 2:
          text[at] = static_cast<char>(random() % 256);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 40));
      }
    }
    const PrismImport import(text, "Program");
    (import.document ? read : refused)++;
    QVERIFY(import.document || has_errors(import.diagnostics));
  }
  QVERIFY(refused > 100 && read > 100);
  const auto many = [](const std::string& piece, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += piece;
    return out;
  };
  const std::string before = "ctmc module M x:[0..1]; [] ", after = " -> 1:true; endmodule";
  for (const std::string& guard :
       {many("(", 200000), many("!", 200000) + "true", "x=0" + many("+1", 200000), many("x=0 ? ", 100000),
        "x=" + many("-", 100000) + "1", many("true & ", 100000) + "true"})
    QVERIFY(PrismImport(before + guard + after, "M").diagnostics.size() < 100);
  std::string doubling = "ctmc formula f0 = x;\n";
  for (int i = 1; i < 60; ++i)
    doubling +=
        "formula f" + std::to_string(i) + " = f" + std::to_string(i - 1) + " + f" + std::to_string(i - 1) + ";\n";
  QVERIFY(!PrismImport(doubling + "module M x:[0..1]; endmodule", "M").document);
  std::string together = "ctmc\n";
  for (int m = 0; m < 12; ++m) {
    together += "module M" + std::to_string(m) + " x" + std::to_string(m) + ":[0..9];";
    for (int c = 0; c < 8; ++c) together += "[a] true -> 1:true;";
    together += "endmodule\n";
  }
  QVERIFY(find_code(PrismImport(together, "M").diagnostics, "PRI003") != nullptr);
}

QTEST_GUILESS_MAIN(PrismReader)
#include "tst_prism_reader.moc"
