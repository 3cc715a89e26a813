#include <QtTest>

#include "core/base/csv.h"

using namespace ergode;
using Rows = std::vector<std::vector<std::string>>;

class TestCsv : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void rows_follow_rfc_4180();
  void written_cells_read_back();
  void faults_name_the_line();
  void a_column_is_found_by_name_or_number();
  void a_column_of_a_header_is_found_once();

 private:
  static Rows rows(std::string_view text) { return std::get<Rows>(parse_csv(text)); }
};

void TestCsv::rows_follow_rfc_4180() {
  QCOMPARE(rows("a,b\r\n1,2\r\n"), (Rows{{"a", "b"}, {"1", "2"}}));
  QCOMPARE(rows("\"a,\"\"b\"\"\",\"x\ny\"\n,"), (Rows{{"a,\"b\"", "x\ny"}, {"", ""}}));
  QCOMPARE(rows("\xef\xbb\xbf"
                "a\n\nb"),
           (Rows{{"a"}, {"b"}}));
  QCOMPARE(rows("a,\nb,c"), (Rows{{"a", ""}, {"b", "c"}}));
  QCOMPARE(rows(""), Rows{});
}

void TestCsv::written_cells_read_back() {
  for (const std::string cell : {"plain", "with,comma", "with \"quotes\"", "two\nlines", "\"", "x\r\n"})
    QCOMPARE(rows(csv_cell(cell) + ",end\n"), (Rows{{cell, "end"}}));
  QCOMPARE(csv_cell("plain"), std::string("plain"));
  // What a spreadsheet would take for a formula, and a terminal for a command.
  for (const std::string cell : {"=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx"})
    QCOMPARE(rows(csv_cell(cell) + ",end\n"), (Rows{{"'" + cell, "end"}}));
  QCOMPARE(csv_cell("a\x1b[2J"), std::string("a\\u001b[2J"));
}

void TestCsv::faults_name_the_line() {
  QCOMPARE(std::get<std::string>(parse_csv("a\n\"b")),
           std::string("line 2: a quoted cell is never closed, wanted a second \""));
  QCOMPARE(std::get<std::string>(parse_csv("\"a\"x")),
           std::string("line 1: 'x' follows a closed quotation, wanted a comma"));
}

void TestCsv::a_column_of_a_header_is_found_once() {
  const std::vector<std::string> header = {"time", " gpus ", "speed", "gpus"};
  QCOMPARE(header_column(header, {"time"}).place, std::size_t{0});
  QVERIFY(header_column(header, {"time"}).twice.empty());
  // Of several names the first that is there, wherever it stands.
  QCOMPARE(header_column(header, {"rate", "speed", "time"}).place, std::size_t{2});
  QCOMPARE(header_column(header, {"Time"}).place, header.size());
  const HeaderColumn gpus = header_column(header, {"gpus"});
  QCOMPARE(gpus.place, std::size_t{1});
  QCOMPARE(gpus.twice, std::string("column 'gpus' is there twice, as columns 2 and 4; wanted one"));
}

void TestCsv::a_column_is_found_by_name_or_number() {
  using Numbers = std::vector<double>;
  const auto column = [](const char* text, const char* name) { return csv_column(text, "times.csv", name); };
  const char* const times = "id,\"time, h\"\n1,2.5\n2,1e3\n";
  QCOMPARE(std::get<Numbers>(column(times, "time, h")), (Numbers{2.5, 1000}));
  QCOMPARE(std::get<Numbers>(column(times, "2")), (Numbers{2.5, 1000}));
  QCOMPARE(std::get<std::string>(column(times, "rate")),
           std::string("times.csv has no column 'rate', wanted one of id, time, h"));
  QVERIFY(std::get<std::string>(column(times, "3")).ends_with("has 2 columns, wanted at least 3"));
  QVERIFY(std::get<std::string>(column("x\n1.5\n\"2,5\"\n", "x"))
              .ends_with("row 3: '2,5', wanted a finite number with a decimal point"));
  // Rows are told by the lines of the file, which is what an editor shows, also behind empty ones and line breaks in
  // cells.
  for (const char* end : {"\n", "\r\n", "\r"}) {
    std::string text = "gap,note|1,\"a|b\"||x,c|2,d|||3,e|";
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos;) text.replace(at, 1, end);
    if (end == std::string("\r")) text.replace(text.find("a\rb"), 3, "a\nb");
    const auto told = std::get<0>(csv_numbers(text, "t.csv", "gap", 9));
    QCOMPARE(told.rows, (std::vector<std::uint32_t>{2, 6, 9}));
    QCOMPARE(told.problems.size(), std::size_t{1});
    QVERIFY2(told.problems[0].starts_with("t.csv, row 5: 'x'"), told.problems[0].c_str());
  }
  // Of a single column a line without its number is one that is missing, but not before the first or behind the last.
  QCOMPARE(std::get<std::string>(column("x\n\n1\n2\n\n\n3\n\n", "x")),
           std::string("times.csv, row 5: nothing, wanted a finite number"));
  QCOMPARE(std::get<Numbers>(column("x\r\n\r\n1\r\n2\r\n\r\n", "x")), (Numbers{1, 2}));
  // A decimal comma makes two cells of a number: nothing of it is taken.
  for (const char* rows : {"x\n1,5\n", "x,y\n1,2\n1,2,3\n", "x,y\n1\n"})
    QVERIFY2(std::get<std::string>(column(rows, "x")).find(" as in the first row") != std::string::npos, rows);
  QVERIFY(std::get<std::string>(column("x,x\n1,2\n", "x")).find("has two columns 'x'") != std::string::npos);
  QCOMPARE(std::get<Numbers>(column("x,x\n1,2\n", "2")), (Numbers{2}));
  // Without a header numbers in the first row are values, not names.
  QCOMPARE(std::get<Numbers>(column("7,1\n8,2\n", "1")), (Numbers{7, 8}));
  QCOMPARE(std::get<Numbers>(column("2,1\n8,9\n", "2")), (Numbers{1, 9}));
  // Nor are numbers that went wrong: left out, they would shift what follows.
  for (const char* wrong : {"nan", "-inf", "1e999"}) {
    QVERIFY2(std::get<std::string>(column((wrong + std::string("\n7\n8\n")).c_str(), "1"))
                 .ends_with("row 1: '" + std::string(wrong) + "', wanted a finite number with a decimal point"),
             wrong);
    QCOMPARE(std::get<Numbers>(column((wrong + std::string("\n7\n8\n")).c_str(), wrong)), (Numbers{7, 8}));
  }
  QVERIFY(std::get<std::string>(column("7,5\n8,2\n", "5")).ends_with("has 2 columns, wanted at least 5"));
}

QTEST_APPLESS_MAIN(TestCsv)
#include "tst_csv.moc"
