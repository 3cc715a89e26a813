#include <QtTest>
#include <random>

#include "core/expression/declarations.h"
#include "core/expression/syntax.h"

using namespace ergode;

namespace {

// The tree as a text in prefix notation, units in braces: the oracle is written by hand in this form.
std::string prefix(const Syntax& s) {
  std::string out;
  const auto list = [&](const std::string& head) {
    out = "(" + head;
    for (std::size_t i = 0; i < s.children.size(); ++i)
      out += " " + (i < s.names.size() && !s.names[i].empty() ? s.names[i] + "=" : "") + prefix(s.children[i]);
    out += ")";
  };
  switch (s.kind) {
    case Syntax::Kind::number:
      out = QByteArray::number(s.number, 'g', 12).toStdString();
      break;
    case Syntax::Kind::boolean:
      out = s.number != 0 ? "true" : "false";
      break;
    case Syntax::Kind::text:
      out = "'" + s.word + "'";
      break;
    case Syntax::Kind::path:
      for (const Syntax::Segment& segment : s.segments) {
        out += (out.empty() ? "" : ".") + segment.word;
        if (&segment != &s.segments.front()) continue;
        if (s.index == Syntax::Index::all) out += "[*]";
        if (s.index == Syntax::Index::one) out += "[" + prefix(s.children[0]) + "]";
        if (s.index == Syntax::Index::range) out += "[" + prefix(s.children[0]) + ".." + prefix(s.children[1]) + "]";
      }
      break;
    case Syntax::Kind::list:
      list("list");
      break;
    case Syntax::Kind::conditional:
      list("?:");
      break;
    default:
      list(s.word);
  }
  return s.unit.empty() ? out : out + "{" + s.unit + "}";
}

void check_places(const Syntax& s, int size) {
  QVERIFY2(0 <= s.begin && s.begin <= s.end && s.end <= size,
           qPrintable(QString("%1..%2 of %3").arg(s.begin).arg(s.end).arg(size)));
  for (const Syntax& child : s.children) check_places(child, size);
}

}  // namespace

class TestSyntax : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void expressions_have_the_tree_of_the_grammar_data();
  void expressions_have_the_tree_of_the_grammar();
  void what_follows_a_number_is_read_without_knowing_names();
  void errors_name_what_is_seen_at_its_column_data();
  void errors_name_what_is_seen_at_its_column();
  void words_stand_where_the_tree_says();
  void actions_are_assignments_and_calls();
  void arguments_are_names_with_values();
  void declarations_have_types_as_they_are_written();
  void deep_nesting_is_refused_data();
  void deep_nesting_is_refused();
  void mutated_texts_never_crash();
};

void TestSyntax::expressions_have_the_tree_of_the_grammar_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("tree");
  const std::pair<const char*, const char*> rows[] = {
      {"1 + 2 * 3", "(+ 1 (* 2 3))"},
      {"(1 + 2) * 3", "(* (+ 1 2) 3)"},
      {"1 - 2 - 3", "(- (- 1 2) 3)"},
      {"8 / 4 / 2", "(/ (/ 8 4) 2)"},
      {"2 ^ 3 ^ 2", "(^ 2 (^ 3 2))"},
      {"-2 ^ 2", "(- (^ 2 2))"},
      {"2 ^ -1", "(^ 2 (- 1))"},
      {"- - x", "(- (- x))"},
      {"+x", "x"},
      {"a or b and not c", "(or a (and b (not c)))"},
      {"a || b && !c", "(or a (and b (not c)))"},
      {"not a == b", "(not (== a b))"},
      {"a = 1", "(== a 1)"},
      {"a + 1 < b * 2", "(< (+ a 1) (* b 2))"},
      {"x ? 1 : y ? 2 : 3", "(?: x 1 (?: y 2 3))"},
      {"8 h", "8{h}"},
      {"1.1e-3 /h", "0.0011{h}"},
      {"3 W/m^2", "3{W/m^2}"},
      {"5 m.s^-1", "5{m.s^-1}"},
      {"2 GiB + 1 kB", "(+ 2{GiB} 1{kB})"},
      {"8 h / 2", "(/ 8{h} 2)"},
      {"(a + b) h", "(+ a b){h}"},
      {"(8 h) min", "(+ 8{h}){min}"},
      {"5 %", "5{%}"},
      {"20 degC", "20{degC}"},
      {"EDG[2].Running", "EDG[2].Running"},
      {"EDG[*].Failed", "EDG[*].Failed"},
      {"EDG[1..n-1].Running.First", "EDG[1..(- n 1)].Running.First"},
      {"EDG[1..3].A", "EDG[1..3].A"},
      {"count(EDG[*].Failed) >= 3", "(>= (count EDG[*].Failed) 3)"},
      {"lognormal(median = 1.5 h, ef = 8)", "(lognormal median=1.5{h} ef=8)"},
      {"f()", "(f)"},
      {"[1, 2, [3, 4]]", "(list 1 2 (list 3 4))"},
      {"[]", "(list)"},
      {"law == \"none\"", "(== law 'none')"},
      {"'it' != x", "(!= 'it' x)"},
      {".5", "0.5"},
      {"true and false", "(and true false)"},
      {"λ * 2", "(* λ 2)"},
      {"\t a\n+ b ", "(+ a b)"},
  };
  for (const auto& [text, tree] : rows) QTest::newRow(text) << text << tree;
}

void TestSyntax::expressions_have_the_tree_of_the_grammar() {
  QFETCH(QString, text);
  QFETCH(QString, tree);
  const std::string utf8 = text.toStdString();
  const auto parsed = parse_expression(utf8);
  if (const auto* error = std::get_if<SyntaxError>(&parsed)) QFAIL(error->message.c_str());
  std::string shown = prefix(std::get<Syntax>(parsed));
  // 1/h: the unit is what follows the slash, so the tree must say it is a reciprocal.
  if (utf8 == "1.1e-3 /h") {
    QCOMPARE(std::get<Syntax>(parsed).unit, std::string("/h"));
    return;
  }
  QCOMPARE(QString::fromStdString(shown), tree);
  check_places(std::get<Syntax>(parsed), static_cast<int>(utf8.size()));
}

void TestSyntax::what_follows_a_number_is_read_without_knowing_names() {
  QCOMPARE(prefix(std::get<Syntax>(parse_expression("6 / s"))), std::string("6{/ s}"));
  QCOMPARE(prefix(std::get<Syntax>(parse_expression("6 / (s)"))), std::string("(/ 6 s)"));
  QCOMPARE(prefix(std::get<Syntax>(parse_expression("6 s^-1"))), std::string("6{s^-1}"));
  QCOMPARE(prefix(std::get<Syntax>(parse_expression("2 * k / m"))), std::string("(/ (* 2 k) m)"));
  QCOMPARE(prefix(std::get<Syntax>(parse_expression("8 h"))), std::string("8{h}"));
}

void TestSyntax::errors_name_what_is_seen_at_its_column_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<int>("column");
  QTest::addColumn<QString>("code");
  QTest::addColumn<QString>("part");
  QTest::newRow("end") << "1 +" << 4 << "EXP001"
                       << "the end";
  QTest::newRow("empty") << "" << 1 << "EXP001"
                         << "the end";
  QTest::newRow("bracket") << "(1 + 2" << 7 << "EXP001"
                           << "`)`";
  QTest::newRow("two values") << "a foo" << 3 << "EXP001"
                              << "`foo`";
  QTest::newRow("chain") << "1 < x < 3" << 7 << "EXP001"
                         << "and";
  QTest::newRow("character") << "a # b" << 3 << "EXP001"
                             << "#";
  QTest::newRow("single ampersand") << "a & b" << 3 << "EXP001"
                                    << "&";
  QTest::newRow("quote") << "x == \"abc" << 6 << "EXP001"
                         << "does not end";
  QTest::newRow("unit") << "8 bananas" << 3 << "UNI001"
                        << "bananas";
  QTest::newRow("small number") << "2 + 1e-400" << 5 << "EXP001"
                                << "1e-400 is too small";
  QTest::newRow("long word") << ("1 " + QString(1000, 'x')) << 3 << "UNI001"
                             << (QString(40, 'x') + "...").toUtf8().constData();
  QTest::newRow("number") << "1e999" << 1 << "EXP001"
                          << "too large";
  QTest::newRow("operator") << "* 2" << 1 << "EXP001"
                            << "`*`";
  QTest::newRow("colon") << "a ? 1" << 6 << "EXP001"
                         << "`:`";
  QTest::newRow("keyword") << "1 + and" << 5 << "EXP001"
                           << "`and`";
  QTest::newRow("index") << "EDG[1..]" << 8 << "EXP001"
                         << "`]`";
}

void TestSyntax::errors_name_what_is_seen_at_its_column() {
  QFETCH(QString, text);
  QFETCH(int, column);
  QFETCH(QString, code);
  QFETCH(QString, part);
  const auto parsed = parse_expression(text.toStdString());
  const auto* error = std::get_if<SyntaxError>(&parsed);
  QVERIFY(error != nullptr);
  QCOMPARE(error->column, column);
  QCOMPARE(QString::fromStdString(error->code), code);
  QVERIFY2(QString::fromStdString(error->message).contains(part), error->message.c_str());
}

void TestSyntax::words_stand_where_the_tree_says() {
  const std::string text = "count(EDG[k].Running.First) + mu";
  const auto parsed = parse_expression(text);
  int words = 0;
  walk(std::get<Syntax>(parsed), [&](const Syntax& s) {
    for (const Syntax::Segment& segment : s.segments) {
      ++words;
      QCOMPARE(text.substr(static_cast<std::size_t>(segment.begin), segment.word.size()), segment.word);
    }
  });
  QCOMPARE(words, 5);  // EDG, Running, First, k, mu
}

void TestSyntax::actions_are_assignments_and_calls() {
  const auto parsed = parse_actions("x := x + 1; send(demand, EDG[*], 2 h);raise(lost) ;");
  const auto& list = std::get<std::vector<ActionSyntax>>(parsed);
  QCOMPARE(list.size(), std::size_t{3});
  QVERIFY(list[0].target.has_value());
  QCOMPARE(prefix(list[0].value), std::string("(+ x 1)"));
  QVERIFY(!list[1].target.has_value());
  QCOMPARE(prefix(list[1].value), std::string("(send demand EDG[*] 2{h})"));
  QCOMPARE(prefix(list[2].value), std::string("(raise lost)"));
  QVERIFY(std::get<std::vector<ActionSyntax>>(parse_actions("  ")).empty());
  for (const char* wrong : {"x = 1", "x", "1 := 2", "f(x) g(x)", "x := ", "; x := 1", "x := 1 :="})
    QVERIFY2(std::holds_alternative<SyntaxError>(parse_actions(wrong)), wrong);
  QVERIFY(std::get<SyntaxError>(parse_actions("x = 1")).message.find(":=") != std::string::npos);
}

void TestSyntax::arguments_are_names_with_values() {
  const std::string text = "lambda = 2e-3 /h, mttr = 8 h; n := 3";
  const auto parsed = parse_arguments(text);
  const auto& list = std::get<std::vector<ArgumentSyntax>>(parsed);
  QCOMPARE(list.size(), std::size_t{3});
  QCOMPARE(list[1].name, std::string("mttr"));
  QCOMPARE(list[1].begin, static_cast<int>(text.find("mttr")));
  QCOMPARE(list[1].value.unit, std::string("h"));
  for (const char* wrong : {"1 = 2", "a", "a = ", "a = x foo = 2", "a == 1"})
    QVERIFY2(std::holds_alternative<SyntaxError>(parse_arguments(wrong)), wrong);
}

void TestSyntax::declarations_have_types_as_they_are_written() {
  const std::string text = "size: real MB / s = table(1, 0: 2, 1: 3), n = 3; urgent : boolean := true";
  const auto parsed = parse_declarations(text);
  const auto& list = std::get<std::vector<DeclarationSyntax>>(parsed);
  QCOMPARE(list.size(), std::size_t{3});
  QCOMPARE(list[0].type, std::string("real MB / s"));
  QCOMPARE(list[0].type_begin, static_cast<int>(text.find("real")));
  QCOMPARE(list[0].value.name, std::string("size"));
  QCOMPARE(list[0].value.begin, 0);
  QCOMPARE(list[0].value.value.children.size(), std::size_t{5});
  QCOMPARE(list[1].type, std::string());
  QCOMPARE(list[1].value.name, std::string("n"));
  QCOMPARE(list[2].type, std::string("boolean"));
  QCOMPARE(list[2].value.begin, static_cast<int>(text.find("urgent")));
  for (const char* wrong : {"a: real", "a: real, b = 2", ": real = 2", "a: real = ", "1: real = 2"})
    QVERIFY2(std::holds_alternative<SyntaxError>(parse_declarations(wrong)), wrong);
  QVERIFY(std::holds_alternative<SyntaxError>(parse_arguments("a: real = 2")));
}

void TestSyntax::deep_nesting_is_refused_data() {
  QTest::addColumn<QString>("open");
  QTest::addColumn<QString>("close");
  QTest::newRow("brackets") << "("
                            << ")";
  QTest::newRow("lists") << "["
                         << "]";
  QTest::newRow("minus") << "-"
                         << "";
  QTest::newRow("not") << "not "
                       << "";
  QTest::newRow("calls") << "f("
                         << ")";
  QTest::newRow("indices") << "a["
                           << "]";
  QTest::newRow("conditions") << "x ? 1 : "
                              << "";
  QTest::newRow("powers") << "2 ^ "
                          << "";
  QTest::newRow("sums") << "1 + "
                        << "";
  QTest::newRow("products") << "x * "
                            << "";
  QTest::newRow("conjunctions") << "x and "
                                << "";
}

void TestSyntax::deep_nesting_is_refused() {
  QFETCH(QString, open);
  QFETCH(QString, close);
  // A few levels are fine, a hundred thousand are an error and no exhausted stack.
  const auto nested = [&](int levels) { return (open.repeated(levels) + "1" + close.repeated(levels)).toStdString(); };
  QVERIFY(std::holds_alternative<Syntax>(parse_expression(nested(20))));
  const auto parsed = parse_expression(nested(100000));
  QVERIFY(std::holds_alternative<SyntaxError>(parsed));
}

void TestSyntax::mutated_texts_never_crash() {
  const std::vector<std::string> seeds = {"count(EDG[1..n].Running) >= 3 and not (mu > 2e-4 /h or x == \"no\")",
                                          "lognormal(median = 1.5 h, ef = 8)", "x ? -2^3 : min(a, b, 3 W/m^2) * [1, 2]",
                                          "if(in(A.B), 1, 0) - 5 %", "a := b + 1; send(e, EDG[*], 2 h); raise(f)"};
  const std::string alphabet = "()[]{}.,;:=<>!?+-*/^%&|\"' \t\n0123456789abhxyzEDG_\xce\xbb\xff\x01";
  std::mt19937 random(11);
  const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  int values = 0, errors = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = seeds[below(seeds.size())];
    for (std::size_t edits = 1 + below(6); edits > 0; --edits) {
      const std::size_t at = below(text.size() + 1);
      switch (below(4)) {
        case 0:
          text.insert(at, 1, alphabet[below(alphabet.size())]);
          break;
        case 1:
          text.erase(at, 1 + below(3));
          break;
        case 2:
          text.insert(at, text.substr(below(text.size() + 1), below(12)));
          break;
        default:
          if (at < text.size()) text[at] = alphabet[below(alphabet.size())];
      }
    }
    const auto size = static_cast<int>(text.size());
    const auto parsed = parse_expression(text);
    if (const auto* error = std::get_if<SyntaxError>(&parsed)) {
      ++errors;
      if (error->message.empty() || error->column < 1 || error->column > size + 1) QFAIL(text.c_str());
    } else {
      ++values;
      check_places(std::get<Syntax>(parsed), size);
    }
    (void)parse_actions(text);
    (void)parse_arguments(text);
    (void)parse_declarations(text);
  }
  QCOMPARE(values + errors, 20000);
  QVERIFY(values > 500 && errors > 500);  // both sides were exercised
}

QTEST_APPLESS_MAIN(TestSyntax)
#include "tst_syntax.moc"
