// The header under two languages and compilers, and plugins and hosts of which one knows more fields than the other.
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>

#include "tests/plugins/asked_input.h"
#include "tests/plugins/plugin_test.h"

using namespace ergode;
using namespace ergode::test;

namespace {

const QString root = ERGODE_SOURCE_DIR;

/// @returns empty, or what the compiler said.
QString compile_with(const QString& compiler, const QStringList& arguments) {
  QProcess process;
  process.start(compiler, arguments);
  if (!process.waitForFinished(120000)) return compiler + " does not end";
  return process.exitCode() == 0 ? QString() : QString::fromUtf8(process.readAllStandardError());
}

QString text_of_file(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) throw std::runtime_error(path.toStdString());
  return QString::fromUtf8(file.readAll());
}

void save_text(const QString& path, const QString& text) {
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly)) throw std::runtime_error(path.toStdString());
  file.write(text.toUtf8());
}

void set_minor(QString& text, int minor) {
  static const QRegularExpression line("#define ERGODE_PLUGIN_ABI_MINOR \\d+");
  text.replace(line, "#define ERGODE_PLUGIN_ABI_MINOR " + QString::number(minor));
}

/// The header as it was in version 1.0: a host ended with depart().
void write_first_header(const QString& folder) {
  QDir().mkpath(folder + "/plugins/abi");
  QString text = text_of_file(root + "/plugins/abi/ergode_plugin.h");
  const auto end = text.indexOf("} ergode_host;"), since = text.indexOf("  /* Since 1.1.");
  const auto question = text.indexOf("/* What a simulator asks of"), host = text.indexOf("/* What the host offers.");
  if (since < 0 || since > end || question < 0 || question > host) throw std::runtime_error("where is version 1.1?");
  text.remove(since, end - since);
  text.remove(question, host - question);
  set_minor(text, 0);
  save_text(folder + "/plugins/abi/ergode_plugin.h", text);
}

/// The header as a later version may be: every struct that may has grown by two fields.
void write_grown_header(const QString& folder) {
  QDir().mkpath(folder + "/plugins/abi");
  QString text = text_of_file(root + "/plugins/abi/ergode_plugin.h");
  const auto grown = text.count("/* Fields are appended here. */");
  text.replace("/* Fields are appended here. */",
               "double grown_number; int32_t (*grown_call)(void* context, double value);");
  set_minor(text, 1000);
  if (grown != 6) throw std::runtime_error("six structs say where they grow; found " + std::to_string(grown));
  save_text(folder + "/plugins/abi/ergode_plugin.h", text);
}

}  // namespace

class TestPluginAbi : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void header_compiles_with_strict_warnings_data() {
    QTest::addColumn<QString>("compiler");
    QTest::addColumn<QStringList>("language");
    const QStringList c = {"-x", "c", "-std=c11", "-Wstrict-prototypes", "-Wmissing-prototypes"},
                      cpp = {"-x", "c++", "-std=c++20", "-Wold-style-cast", "-Wuseless-cast"};
    QTest::newRow("gcc, C11") << "gcc" << c;
    QTest::newRow("gcc, C++20") << "g++" << cpp;
    QTest::newRow("clang, C11") << "clang" << c;
    QTest::newRow("clang, C++20") << "clang++" << cpp.mid(0, 4);
  }
  void header_compiles_with_strict_warnings() {
    QFETCH(QString, compiler);
    QFETCH(QStringList, language);
    QString found = QStandardPaths::findExecutable(compiler);
    if (found.isEmpty()) found = QStandardPaths::findExecutable(compiler + "-14");
    if (found.isEmpty()) QSKIP(("no " + compiler).toUtf8());
    QTemporaryDir folder;
    save_text(folder.filePath("uses.c"),
              "#include \"plugins/abi/ergode_plugin.h\"\n#include \"plugins/abi/ergode_plugin.h\"\n"
              "int knows(const ergode_host* host);\n"
              "int knows(const ergode_host* host) { return ERGODE_HAS(ergode_host, host, depart) && "
              "host->cancelled(host->context) == ERGODE_OK; }\n");
    QStringList arguments = language;
    arguments << "-Wall"
              << "-Wextra"
              << "-Wpedantic"
              << "-Wconversion"
              << "-Wshadow"
              << "-Wundef"
              << "-Wcast-qual"
              << "-Werror"
              << "-fsyntax-only"
              << "-I" + root << folder.filePath("uses.c");
    const QString said = compile_with(found, arguments);
    QVERIFY2(said.isEmpty(), qPrintable(said));
    if (!language.contains("c")) return;
    const QString of_template =
        compile_with(found, QStringList{"-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror",
                                        "-fsyntax-only", "-I" + root, root + "/plugins/template/single_server.c"});
    QVERIFY2(of_template.isEmpty(), qPrintable(of_template));
  }

  void plugin_of_a_later_minor_version_runs_in_this_host() {
    QTemporaryDir folder;
    write_grown_header(folder.path());
    QDir().mkpath(folder.filePath("grown"));
    QVERIFY(QFile::copy(root + "/plugins/template/plugin.json", folder.filePath("grown/plugin.json")));
    const QString said =
        compile_with(ERGODE_C_COMPILER, {"-std=c11", "-O2", "-shared", "-fPIC", "-fvisibility=hidden",
                                         "-I" + folder.path(), root + "/plugins/template/single_server.c", "-o",
                                         folder.filePath("grown/libsingle_server.so"), "-lm"});
    // Fields that are not named are zero, which -Wextra would tell.
    QVERIFY2(said.isEmpty(), qPrintable(said));
    const FoundPlugin grown = read_plugin(folder.filePath("grown").toStdString(), "path");
    RunControl control;
    const ResultSet later = run_plugin(grown, {}, control), now = run_plugin("single_server", {});
    QVERIFY2(later.status == RunStatus::complete, codes_of(later.diagnostics).c_str());
    QCOMPARE(later.fingerprint, now.fingerprint);
  }

  void plugin_of_the_first_version_runs_in_this_host() {
    QTemporaryDir folder;
    write_first_header(folder.path());
    QDir().mkpath(folder.filePath("first"));
    QVERIFY(QFile::copy(root + "/plugins/template/plugin.json", folder.filePath("first/plugin.json")));
    const QString said = compile_with(
        ERGODE_C_COMPILER, {"-std=c11", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror",
                            "-I" + folder.path(), root + "/plugins/template/single_server.c", "-o",
                            folder.filePath("first/libsingle_server.so"), "-lm"});
    QVERIFY2(said.isEmpty(), qPrintable(said));
    RunControl control;
    const ResultSet first = run_plugin(read_plugin(folder.filePath("first").toStdString(), "path"), {}, control),
                    now = run_plugin("single_server", {});
    QVERIFY2(first.status == RunStatus::complete, codes_of(first.diagnostics).c_str());
    QCOMPARE(first.fingerprint, now.fingerprint);
  }

  void who_asks_others_says_so_where_the_host_is_of_the_first_version() {
    QTemporaryDir folder;
    write_first_header(folder.path());
    save_text(folder.filePath("target.json"),
              R"({"plugin": "npu", "output": "cycles", "swept": {"rows": {"low": 1, "high": 4}}})");
    const AskedInput asked("performance_representatives",
                           {{"source", "plugin"}, {"target_file", folder.filePath("target.json").toStdString()}});
    QString numbers;
    for (const double x : asked.numbers) numbers += QString::number(x, 'g', 17) + ",";
    save_text(folder.filePath("host.c"), QString(R"(
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "plugins/abi/ergode_plugin.h"
static int32_t cancelled(void* c) { (void)c; return 0; }
static void progress(void* c, double s) { (void)c; (void)s; }
static void observe(void* c, uint32_t o, const double* v, size_t n) { (void)c; (void)o; (void)v; (void)n; }
static void row(void* c, uint32_t t, const ergode_cell* cells, size_t n) { (void)c; (void)t; (void)cells; (void)n; }
static void tell(void* c, int32_t s, const char* p, const char* t) { (void)c; printf("%d %s %s\n", (int)s, p, t); }
static void depart(void* c, uint64_t job, const double* a) { (void)c; (void)job; (void)a; }
/* What lies behind a host that knows no more must not be read. */
struct { ergode_host host; void* behind[4]; } here;
int main(int argc, char** argv) {
  (void)argc;
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) return printf("%s\n", dlerror()), 2;
  ergode_plugin_entry_function entry;
  void* symbol = dlsym(library, "ergode_plugin_entry");
  memcpy(&entry, &symbol, sizeof entry);
  const ergode_plugin* plugin = entry(1);
  if (!plugin) return 3;
  const ergode_host host = {sizeof host, ERGODE_PLUGIN_ABI_MINOR, NULL, cancelled, progress, observe, row, tell, depart};
  here.host = host;
  memset(here.behind, 1, sizeof here.behind);
  const double numbers[] = {%1};
  const char json[] = "%2";
  ergode_input input = {.size = sizeof input, .number_count = sizeof numbers / sizeof *numbers, .numbers = numbers,
                        .json = json, .json_size = sizeof json - 1, .seed = 1};
  return plugin->simulator->run(&input, &here.host) == ERGODE_FAILED ? 0 : 4;
}
)")
                                             .arg(numbers, QString::fromStdString(asked.json).replace('"', "\\\"")));
    const QString said = compile_with(ERGODE_C_COMPILER, {"-std=c11", "-I" + folder.path(), folder.filePath("host.c"),
                                                          "-o", folder.filePath("host"), "-ldl"});
    QVERIFY2(said.isEmpty(), qPrintable(said));
    QProcess host;
    host.start(folder.filePath("host"),
               {QString::fromStdString(plugin_named("performance_representatives").program().front())});
    QVERIFY(host.waitForFinished());
    const QString heard = QString::fromUtf8(host.readAllStandardOutput());
    QVERIFY2(host.exitCode() == 0, qPrintable(heard));
    QCOMPARE(heard,
             QString("2 /parameters/source Times come from a plugin, and this program measures none for others: it "
                     "speaks version 1.0 of the interface; wanted 1.1 or later.\n"));
  }

  void plugin_of_now_runs_in_a_later_host() {
    // A host that knows more fields gives grown structs to the library as it was built; it prints what a replication
    // and a station come to, which is the same as without these fields.
    QTemporaryDir folder;
    write_grown_header(folder.path());
    save_text(folder.filePath("host.c"), R"(
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "plugins/abi/ergode_plugin.h"
static double sum, left;
static int departed;
static int32_t cancelled(void* c) { (void)c; return 0; }
static void progress(void* c, double s) { (void)c; (void)s; }
static void observe(void* c, uint32_t output, const double* values, size_t n) { (void)c; if (output == 1) for (size_t i = 0; i < n; ++i) sum += values[i]; }
static void row(void* c, uint32_t t, const ergode_cell* cells, size_t n) { (void)c; (void)t; (void)cells; (void)n; }
static void tell(void* c, int32_t s, const char* p, const char* t) { (void)c; (void)s; (void)p; (void)t; }
static void depart(void* c, uint64_t job, const double* a) { (void)c; (void)a; ++departed; left += (double)job; }
int main(int argc, char** argv) {
  (void)argc;
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) return 2;
  ergode_plugin_entry_function entry;
  void* symbol = dlsym(library, "ergode_plugin_entry");
  memcpy(&entry, &symbol, sizeof entry);
  const ergode_plugin* plugin = entry(1);
  if (!plugin) return 3;
  ergode_host host = {sizeof host, ERGODE_PLUGIN_ABI_MINOR, NULL, cancelled, progress, observe, row, tell, depart};
#if ERGODE_PLUGIN_ABI_MINOR == 1000
  host.grown_number = 1.0;
  if (plugin->size >= sizeof(ergode_plugin) || ERGODE_HAS(ergode_simulator, plugin->simulator, grown_call) ||
      ERGODE_HAS(ergode_station, plugin->station, grown_call)) return 3;
#endif
  const double numbers[3] = {30.0, 60.0, 1000.0};
  ergode_input input = {.size = sizeof input, .number_count = 3, .numbers = numbers, .json = "{}", .json_size = 2, .seed = 4711};
  if (plugin->simulator->run(&input, &host) != ERGODE_OK) return 4;
  printf("%.17g\n", sum);
  void* station = NULL;
  if (plugin->station->create(&input, &host, &station) != ERGODE_OK) return 5;
  double next = 1e300, when = 0.0;
  const double attributes[8] = {0};
  for (int i = 0; i < 100; ++i) {
    const double now = 20.0 * i;
    while (next <= now) { when += next; if (plugin->station->advance(station, next, &next) != ERGODE_OK) return 6; }
    if (plugin->station->arrive(station, now, (uint64_t)i + 1, attributes, &next) != ERGODE_OK) return 7;
  }
  while (departed < 100 && next < 1e300) { when += next; if (plugin->station->advance(station, next, &next) != ERGODE_OK) return 8; }
  if (plugin->station->finish(station, 1e9) != ERGODE_OK) return 9;
  plugin->station->destroy(station);
  printf("%d %g %.17g %.17g\n", departed, left, when, sum);
  return 0;
}
)");
    QStringList seen;
    for (const QString& headers : {folder.path(), root}) {
      const QString said = compile_with(
          ERGODE_C_COMPILER,
          {"-std=c11", "-O2", "-I" + headers, folder.filePath("host.c"), "-o", folder.filePath("host"), "-ldl"});
      QVERIFY2(said.isEmpty(), qPrintable(said));
      QProcess host;
      host.start(folder.filePath("host"), {QString::fromStdString(plugin_named("single_server").program().front())});
      QVERIFY(host.waitForFinished());
      QCOMPARE(host.exitCode(), 0);
      seen << QString::fromUtf8(host.readAllStandardOutput());
    }
    QVERIFY2(seen[0].section('\n', 0, 0).toDouble() > 0.0, qPrintable(seen[0]));
    QVERIFY2(seen[0].section('\n', 1, 1).startsWith("100 5050 "), qPrintable(seen[0]));
    QCOMPARE(seen[0], seen[1]);
  }

  void library_exports_one_symbol() {
    QProcess nm;
    nm.start("nm", {"-D", "--defined-only", QString::fromStdString(plugin_named("single_server").program().front())});
    if (!nm.waitForFinished() || nm.exitCode() != 0) QSKIP("no nm");
    QStringList own;
    for (const QString& line : QString::fromUtf8(nm.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts))
      if (!line.contains(" _") && !line.contains("@")) own << line.section(' ', -1);
    QCOMPARE(own, QStringList{"ergode_plugin_entry"});
  }
};

QTEST_APPLESS_MAIN(TestPluginAbi)
#include "tst_plugin_abi.moc"
