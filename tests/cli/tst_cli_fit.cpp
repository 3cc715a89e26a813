// `ergode fit`: what is printed of a trace, and what is said of one that is none.
#include <cmath>
#include <fstream>

#include "tests/cli/cli_test.h"

class TestCliFit : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_trace_gets_its_laws() {
    const QString path = file("gaps.csv", "n,gap\n1,0.5\n2,1.5\n3,0.25\n4,4\n5,0.75\n6,2\n");
    const Outcome text = ergode({"fit", path, "--column", "gap"});
    QCOMPARE(text.code, 0);
    for (const char* words : {"exponential(mean = 1.5 s)", "hypererlang(", "lognormal(", "MMPP of two states: none"})
      QVERIFY2(text.out.contains(words), text.out);
    const Json j = ergode({"fit", path, "--column", "2", "--unit", "ms", "--json"}).json();
    QCOMPARE(j["moments"]["count"].get<int>(), 6);
    QCOMPARE(j["moments"]["mean"].get<double>(), 1.5);
    QCOMPARE(j["fits"][0]["text"].get<std::string>(), std::string("exponential(mean = 1.5 ms)"));
    // Of an exponential law: -n (ln mean + 1).
    QVERIFY(std::fabs(j["fits"][0]["log_likelihood"].get<double>() + 6 * (std::log(1.5) + 1)) < 1e-9);
    QCOMPARE(j["fits"].size(), std::size_t{7});
  }

  void times_are_their_gaps() {
    const QString path = file("times.csv", "10\n10.5\n12\n12.25\n");
    const Json j = ergode({"fit", path, "--as", "times", "--lags", "1", "--json"}).json();
    QCOMPARE(j["moments"]["count"].get<int>(), 3);
    QCOMPARE(j["moments"]["greatest"].get<double>(), 1.5);
    QCOMPARE(j["moments"]["autocorrelation"].size(), std::size_t{1});
  }

  void every_bad_row_is_told() {
    const Outcome bad = ergode({"fit", file("bad.csv", "gap\n1\nx\n2\n-3\n")});
    QCOMPARE(bad.code, 3);
    for (const char* words : {"FIT002", "row 3: 'x'", "row 5: -3 s, wanted >= 0 s"})
      QVERIFY2(bad.err.contains(words), bad.err);
    QVERIFY(bad.out.isEmpty());
    const Outcome falls = ergode({"fit", file("falls.csv", "1\n3\n2\n"), "--as", "times"});
    QVERIFY2(falls.code == 3 && falls.err.contains("row 3: 2 s after 3 s"), falls.err);
    QCOMPARE(ergode({"fit", "/nowhere/at.csv"}).code, 3);
    const Outcome comma = ergode({"fit", file("comma.csv", "1,5;2\n2,5;3\n")});
    QVERIFY2(comma.code == 3 && comma.err.contains("comma.csv") && comma.err.contains("semicolons"), comma.err);
    const Outcome named = ergode({"fit", file("comma.csv", "gap,tag\n1,5;2\n2,5\n"), "--column", "gap"});
    QVERIFY2(named.code == 0, named.err);  // not in every row: it is something else
    QVERIFY(ergode({"fit", file("one.csv", "1\n")}).err.contains("FIT003"));
    QVERIFY(ergode({"fit", file("same.csv", "2\n2\n2\n")}).err.contains("All 3 values are 2 s"));
    QVERIFY(ergode({"fit", file("gap.csv", "a\n1\n2\n"), "--column", "b"}).err.contains("no column 'b'"));
    QCOMPARE(ergode({"fit", file("u.csv", "1\n2\n"), "--unit", "kg"}).code, 2);
  }

  // No complaint of a library, and no number that is none.
  void values_beyond_what_laws_reach_are_said() {
    const char *wide = "1e-300\n1e300\n2\n1e-300\n1e300\n3\n", *huge = "1e308\n1e308\n1e-308\n1e307\n";
    for (const char* text : {wide, huge}) {
      const Outcome o = ergode({"fit", file("far.csv", text)});
      QVERIFY2(o.code == 0 && o.err.isEmpty(), o.err);
      QVERIFY2(!o.out.contains("nan") && !o.out.contains("boost") && !o.out.contains("-inf"), o.out);
      QVERIFY2(o.out.contains("range of numbers"), o.out);
      QVERIFY(!ergode({"fit", file("far.csv", text), "--json"}).json()["moments"]["scv"].is_null());
    }
  }

 private:
  QString file(const char* name, const char* text) {
    const QString path = folder_.filePath(name);
    std::ofstream(path.toStdString()) << text;
    return path;
  }
  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(TestCliFit)
#include "tst_cli_fit.moc"
