#include <QtTest>
#include <clocale>
#include <cmath>
#include <random>
#include <set>

#include "core/base/element_id.h"
#include "core/base/text.h"

using namespace ergode;

class TestText : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void number_text_reads_back_as_the_same_double();
  void number_text_to_digits_is_what_printf_writes();
  void parse_number_takes_whole_texts_only();
  void numbers_do_not_follow_the_locale();
  void nearest_word_finds_slips_and_refuses_strangers();
  void identifiers_split_and_trim();
  void what_moves_a_terminal_is_made_visible();
  void literals_and_comments_keep_what_is_in_them();
  void element_ids_are_sixteen_hexadecimal_digits();
  void fresh_element_ids_differ();
};

void TestText::what_moves_a_terminal_is_made_visible() {
  QCOMPARE(visible("pump \xc3\xa4 \xe2\x86\x92 1"), std::string("pump \xc3\xa4 \xe2\x86\x92 1"));
  QCOMPARE(visible("\x1b[2J"), std::string("\\u001b[2J"));
  QCOMPARE(visible("a\nb\tc\r\x7f"), std::string("a\\nb\\tc\\u000d\\u007f"));
  QCOMPARE(visible("\xc2\x9b"
                   "31m"),
           std::string("\\u009b31m"));  // CSI of eight bits
  QCOMPARE(visible("\xe2\x80\xae"
                   "gpj"),
           std::string("\\u202egpj"));  // right to left
  QCOMPARE(visible_lines("a\n\tb\u202e\x1b[2J"), std::string("a\n\tb\\u202e\\u001b[2J"));
  QCOMPARE(visible("\xff\xc0\xaf\xed\xa0\x80\xe2\x82"), std::string("\\xff\\xc0\\xaf\\xed\\xa0\\x80\\xe2\\x82"));
  QCOMPARE(visible(std::string_view("\0", 1)), std::string("\\u0000"));
}

void TestText::literals_and_comments_keep_what_is_in_them() {
  QCOMPARE(cpp_literal("a\"b\\c\n1?\?/"), std::string("\"a\\\"b\\\\c\\0121\\077\\077/\""));
  QCOMPARE(in_line_comment("x\nsystem(0);\\"), std::string("x\\nsystem(0);\\."));
}

void TestText::number_text_reads_back_as_the_same_double() {
  std::mt19937_64 random(5);
  for (int i = 0; i < 20000; ++i) {
    double value = 0;
    const std::uint64_t bits = random();
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    const auto back = parse_number(number_text(value));
    QVERIFY2(back && *back == value, number_text(value).c_str());
  }
  QCOMPARE(number_text(0.1), std::string("0.1"));
  QCOMPARE(number_text(24.0), std::string("24"));
  QCOMPARE(number_text(-0.0011), std::string("-0.0011"));
}

void TestText::number_text_to_digits_is_what_printf_writes() {
  for (const double value : {0.00123456789, 123456.789, 1e-9, -42.0, 1e20, 0.0})
    for (const int digits : {1, 3, 6, 12}) {
      char wanted[64];
      std::snprintf(wanted, sizeof wanted, "%.*g", digits, value);
      QCOMPARE(number_text(value, digits), std::string(wanted));
    }
}

void TestText::parse_number_takes_whole_texts_only() {
  QCOMPARE(parse_number(" 1.5e-3\n"), std::optional(1.5e-3));
  QCOMPARE(parse_number("+7"), std::optional(7.0));
  QCOMPARE(parse_number("-7"), std::optional(-7.0));
  for (const char* text : {"", " ", "+", "-", "1,5", "1.5 h", "0x10", "1e", "++1", "+-1", "1 2", "one"})
    QVERIFY2(!parse_number(text), text);
}

void TestText::numbers_do_not_follow_the_locale() {
  const bool german = std::setlocale(LC_NUMERIC, "de_DE.UTF-8") != nullptr;
  const auto read = parse_number("0.5");
  const std::string written = number_text(0.5), digits = number_text(0.5, 3);
  std::setlocale(LC_NUMERIC, "C");
  QCOMPARE(read, std::optional(0.5));
  QCOMPARE(written, std::string("0.5"));
  QCOMPARE(digits, std::string("0.5"));
  if (!german) QSKIP("the locale de_DE.UTF-8 is not installed; checked in C only");
}

void TestText::nearest_word_finds_slips_and_refuses_strangers() {
  const std::vector<std::string> words = {"run", "results", "report", "validate", "lambda_ind", "mu"};
  QCOMPARE(nearest_word("rnu", words), std::string("run"));               // a swap
  QCOMPARE(nearest_word("lamda_ind", words), std::string("lambda_ind"));  // left out
  QCOMPARE(nearest_word("reprot", words), std::string("report"));
  QCOMPARE(nearest_word("validdate", words), std::string("validate"));
  QCOMPARE(nearest_word("mu", words), std::string("mu"));
  QCOMPARE(nearest_word("elephant", words), std::string());
  QCOMPARE(nearest_word("x", {}), std::string());
}

void TestText::identifiers_split_and_trim() {
  for (const char* yes : {"a", "_x", "EDG_2", "A1"}) QVERIFY2(is_identifier(yes), yes);
  for (const char* no : {"", "2a", "a b", "a-b", "a.b", "\xce\xbb"}) QVERIFY2(!is_identifier(no), no);
  QCOMPARE(split("none, uniform ,x", ','), (std::vector<std::string>{"none", "uniform", "x"}));
  QCOMPARE(split("", ','), (std::vector<std::string>{""}));
  QCOMPARE(split("a,,b,", ','), (std::vector<std::string>{"a", "", "b", ""}));
  QCOMPARE(std::string(trim(" \t a b\r\n")), std::string("a b"));
  QCOMPARE(std::string(trim(" \n")), std::string());
}

void TestText::element_ids_are_sixteen_hexadecimal_digits() {
  QCOMPARE(ElementId(0x00abULL).text(), std::string("00000000000000ab"));
  QCOMPARE(ElementId::parse("00000000000000AB"), std::optional(ElementId(0xabULL)));
  QCOMPARE(ElementId::parse("f49e80a3a500009a")->text(), std::string("f49e80a3a500009a"));
  QCOMPARE(ElementId().text(), std::string());
  for (const char* no :
       {"", "ab", "0000000000000000", "g000000000000000", "f49e80a3a500009", "f49e80a3a500009a0", " f49e80a3a500009"})
    QVERIFY2(!ElementId::parse(no), no);
}

void TestText::fresh_element_ids_differ() {
  std::set<ElementId> seen;
  for (int i = 0; i < 1000; ++i) QVERIFY(seen.insert(ElementId::make()).second);
  QVERIFY(!seen.contains(ElementId()));
}

QTEST_APPLESS_MAIN(TestText)
#include "tst_text.moc"
