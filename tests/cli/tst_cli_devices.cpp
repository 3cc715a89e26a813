// `ergode devices`: what is printed of measured GPUs, in three forms, and what is said of files that are none.
#include <cmath>
#include <fstream>

#include "tests/cli/cli_test.h"

namespace {

const char* const twelve_gpus =
    "app,gpu,node,cabinet,run,perf_ms,freq_mhz,temp_c\n"
    "mm,a,n0,c0,1,1,1400,50\nmm,b,n0,c0,1,2,1390,51\nmm,c,n0,c0,1,3,1380,52\nmm,d,n0,c0,1,4,1370,53\n"
    "mm,e,n1,c0,1,5,1360,54\nmm,f,n1,c0,1,6,1350,55\nmm,g,n1,c0,1,7,1340,56\nmm,h,n1,c0,1,8,1330,57\n"
    "mm,i,n2,c1,1,9,1320,58\nmm,j,n2,c1,1,10,1310,59\nmm,k,n2,c1,1,100,1300,60\n";

}  // namespace

class TestCliDevices : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void measurements_are_characterised() {
    const QString path = file("runs.csv", twelve_gpus);
    const Outcome text = ergode({"devices", path});
    QCOMPARE(text.code, 0);
    for (const char* words : {"variation V", "150 %", "cabinet", "quantile_table(p = [0, 0.01,", "intraclass"})
      QVERIFY2(text.out.contains(words), text.out);
    const Json j = ergode({"devices", path, "--json", "--gpus", "4"}).json();
    const Json& one = j["applications"][0];
    QCOMPARE(one["gpus"]["variation"].get<double>(), 1.5);
    QCOMPARE(one["gpus"]["high_outliers"][0].get<std::string>(), std::string("k"));
    QCOMPARE(one["spearman"]["time-frequency"].get<double>(), -1.0);
    QCOMPARE(one["cabinets"].size(), std::size_t{2});
    QVERIFY(one["components"]["within_cv"].is_null());  // one run each
    QCOMPARE(one["profile"]["slowest_of"].size(), std::size_t{1});
    // One of them is the mean over the median; twelve of eleven there are not.
    const Json ends = ergode({"devices", path, "--json", "--gpus", "1,11,12"}).json()["applications"][0];
    const Json& these = ends["slowest_of_these"];
    const double median = ends["gpus"]["median"];
    QVERIFY(std::fabs(these[0]["mean"].get<double>() - ends["gpus"]["mean"].get<double>() / median) < 1e-12);
    QVERIFY(std::fabs(these[1]["mean"].get<double>() - ends["gpus"]["greatest"].get<double>() / median) < 1e-12);
    QVERIFY(these[2]["mean"].is_null());
    const Outcome csv = ergode({"devices", path, "--csv"});
    QVERIFY2(csv.out.startsWith("app,gpu,node,cabinet,runs,slowdown,bin,score,outlier,time_median"), csv.out);
    QVERIFY2(csv.out.contains("\nmm,k,n2,c1,1,16.6666667,") && csv.out.contains(",slow,100,1300,"), csv.out);
    QCOMPARE(csv.out.count('\n'), 12);
  }

  void profiles_need_no_file() {
    const Json j = ergode({"devices", "--profile", "sgemm_longhorn", "--gpus", "4,16", "--json"}).json();
    QVERIFY(std::fabs(j["slowest_of"][0]["mean"].get<double>() - 1.02138) < 1e-4);
    QVERIFY(std::fabs(j["slowest_of"][1]["median"].get<double>() - 1.03137) < 1e-4);
    const Json wide = ergode({"devices", "--profile", "sgemm_longhorn", "--scale", "8", "--json"}).json();
    QVERIFY(std::fabs(wide["variation"].get<double>() - 0.08) < 1e-12);
    const Outcome other = ergode({"devices", "--profile", "none"});
    QVERIFY2(other.code == 2 && other.err.contains("sgemm_longhorn"), other.err);
  }

  void what_is_wrong_is_told() {
    const Outcome bad = ergode({"devices", file("bad.csv", "gpu,perf_ms\n1,x\n2,0\n")});
    QCOMPARE(bad.code, 3);
    for (const char* words : {"DEV002", "row 2: perf_ms is 'x'", "row 3: perf_ms is '0'"})
      QVERIFY2(bad.err.contains(words), bad.err);
    QCOMPARE(ergode({"devices", "/nowhere/at.csv"}).code, 3);
    QCOMPARE(ergode({"devices"}).code, 2);
    QCOMPARE(ergode({"devices", "a.csv", "--profile", "sgemm_longhorn"}).code, 2);
    const QString path = file("runs.csv", twelve_gpus);
    QCOMPARE(ergode({"devices", path, "--gpus", "0"}).code, 2);
    QCOMPARE(ergode({"devices", path, "--json", "--csv"}).code, 2);
    QCOMPARE(ergode({"devices", path, "--scale", "8"}).code, 2);
    const Outcome app = ergode({"devices", path, "--app", "bert"});
    QVERIFY2(app.code == 3 && app.err.contains("there are mm"), app.err);
  }

 private:
  QString file(const char* name, const char* text) {
    const QString path = folder_.filePath(name);
    std::ofstream(path.toStdString()) << text;
    return path;
  }
  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(TestCliDevices)
#include "tst_cli_devices.moc"
