#include <QtTest>

#include "core/base/unit.h"

using namespace ergode;

class TestUnit : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void units_have_their_defined_size_data();
  void units_have_their_defined_size();
  void texts_that_are_no_unit_are_refused();
  void from_si_takes_back_to_si();
  void dimensions_add_in_products_and_are_written_in_base_units();
  void single_words_are_recognised();
};

void TestUnit::units_have_their_defined_size_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<double>("value");
  QTest::addColumn<double>("si");
  QTest::addColumn<QString>("dimension");
  const auto row = [](const char* text, double value, double si, const char* dimension) {
    QTest::newRow(text) << text << value << si << dimension;
  };
  row("h", 8, 28800, "s");
  row("min", 1, 60, "s");
  row("d", 1, 86400, "s");
  row("/h", 1.1e-3, 1.1e-3 / 3600, "s-1");
  row("1/h", 3.6, 1e-3, "s-1");
  row("h-1", 3.6, 1e-3, "s-1");
  row("yr", 1, 8760.0 * 3600, "s");  // PRA's year, not the tropical one
  row("year", 2, 2 * 8760.0 * 3600, "s");
  row("/yr", 0.2628, 0.2628 / (8760.0 * 3600), "s-1");
  row("W/m^2", 3, 3, "s-3 kg");
  row("W m-2", 3, 3, "s-3 kg");
  row("kW", 2, 2000, "s-3 m2 kg");
  row("%", 5, 0.05, "1");
  row("GiB", 2, 2.0 * 1024 * 1024 * 1024, "B");
  row("GB", 2, 2e9, "B");
  row("MB/s", 1, 1e6, "s-1 B");
  row("bit", 8, 1, "B");
  row("bit/s", 8, 1, "s-1 B");
  row("kbit", 8, 1e3, "B");
  row("Gbit/s", 10, 1.25e9, "s-1 B");
  row("bytes", 3, 3, "B");
  row("USD/h", 3.6, 1e-3, "s-1 USD");
  row("token/s", 5, 5, "s-1 token");
  row("FLOP/s", 5, 5, "s-1 FLOP");
  row("degC", 20, 293.15, "K");
  row("degC", 0, 273.15, "K");
  row("K", 20, 20, "K");
  row("rad", 2, 2, "1");
  row("", 0.5, 0.5, "1");
  row("1", 0.5, 0.5, "1");
  row("-", 0.5, 0.5, "1");
  row("demand", 2.2e-3, 2.2e-3, "1");
}

void TestUnit::units_have_their_defined_size() {
  QFETCH(QString, text);
  QFETCH(double, value);
  QFETCH(double, si);
  QFETCH(QString, dimension);
  const auto unit = parse_unit(text.toStdString());
  QVERIFY(unit.has_value());
  const double got = unit->to_si(value);
  QVERIFY2(std::abs(got - si) <= 1e-14 * std::abs(si),
           qPrintable(QString("%1, wanted %2").arg(got, 0, 'g', 17).arg(si, 0, 'g', 17)));
  QCOMPARE(QString::fromStdString(unit->dimension.text()), dimension);
}

void TestUnit::texts_that_are_no_unit_are_refused() {
  for (const char* text :
       {"bananas", "h h h(", "8 +", "h;", "days since 2000-01-01", "lg(re 1 mW)", "\xff\xfe", "(", "^", "0 h", "-1 h",
        "1e400 h", "hh", "/dh", "1/md", "kyr", "m mmin", "m^101", "m^100 m^100 m^56"})
    QVERIFY2(!parse_unit(text), text);
  for (const char* text : {"cd", "yd", "min", "kg/min", "ms"}) QVERIFY2(parse_unit(text), text);
}

void TestUnit::from_si_takes_back_to_si() {
  for (const char* text : {"h", "/yr", "degC", "GiB", "%", "USD/h"})
    for (const double value : {-3.5, 0.0, 1e-6, 1234.5}) {
      const Unit unit = *parse_unit(text);
      QVERIFY(std::abs(unit.from_si(unit.to_si(value)) - value) <= 1e-12 * (1 + std::abs(value)));
    }
}

void TestUnit::dimensions_add_in_products_and_are_written_in_base_units() {
  const Dimension time = Dimension::of_time(), rate = Dimension::per_time();
  QVERIFY(product(time, rate, 1)->none());
  QCOMPARE(product(time, rate, -1)->text(), std::string("s2"));
  QVERIFY(product(parse_unit("m^100")->dimension, parse_unit("s")->dimension, 1));
  QVERIFY(!product(parse_unit("m^100")->dimension, parse_unit("m")->dimension, 1));
  QVERIFY(!product(parse_unit("m^-100")->dimension, parse_unit("m")->dimension, -1));
  QCOMPARE(Dimension().text(), std::string("1"));
  QVERIFY(parse_unit("h")->dimension == time && parse_unit("/yr")->dimension == rate);
}

void TestUnit::single_words_are_recognised() {
  for (const char* word : {"h", "yr", "kW", "GiB", "USD"}) QVERIFY2(is_unit_word(word), word);
  for (const char* word : {"", "mttr", "EDG", "lambda_ind", "2"}) QVERIFY2(!is_unit_word(word), word);
}

QTEST_APPLESS_MAIN(TestUnit)
#include "tst_unit.moc"
