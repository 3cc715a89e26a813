// Manifests: what is refused, with which code and place; discovery and its order; the schema says what the parser does.
#include <sys/stat.h>

#include <QDir>
#include <QTemporaryDir>
#include <nlohmann/json.hpp>
#include <set>

#include "plugins/host/check_plugin.h"
#include "tests/plugins/plugin_test.h"

using namespace ergode;
using namespace ergode::test;
using Json = nlohmann::json;

namespace {

std::string read_file(const std::string& path) {
  QFile file(QString::fromStdString(path));
  if (!file.open(QIODevice::ReadOnly)) throw std::runtime_error(path);
  return file.readAll().toStdString();
}

void write_file(const QString& path, const std::string& text) {
  QDir().mkpath(QFileInfo(path).path());
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly)) throw std::runtime_error(path.toStdString());
  file.write(text.data(), static_cast<qint64>(text.size()));
}

const std::string template_manifest = std::string(ERGODE_SOURCE_DIR) + "/plugins/template/plugin.json";

/// The template's manifest with one value replaced (null: taken away), at a JSON pointer.
std::string changed_manifest(const std::string& pointer, const Json& value) {
  Json whole = Json::parse(read_file(template_manifest));
  if (value.is_null()) {
    const auto cut = pointer.rfind('/');
    Json& parent = pointer.substr(0, cut).empty() ? whole : whole[Json::json_pointer(pointer.substr(0, cut))];
    parent.erase(pointer.substr(cut + 1));
  } else {
    whole[Json::json_pointer(pointer)] = value;
  }
  return whole.dump();
}

}  // namespace

class TestPluginManifest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void manifests_of_all_plugins_are_good() {
    for (const char* name : {"single_server", "token_server", "misbehaving", "bad_messages"}) {
      const FoundPlugin& plugin = plugin_named(name);
      QVERIFY2(plugin.problems.empty() && plugin.state == PluginState::ready, codes_of(plugin.problems).c_str());
    }
    const PluginManifest& m = *plugin_named("single_server").manifest;
    QCOMPARE(m.parameters.size(), std::size_t{3});
    QCOMPARE(m.parameter("service_rate")->default_text, std::string("60 /h"));
    QVERIFY(m.simulator && m.station && m.simulator->tables.front().columns[3].text);
  }

  void what_is_wrong_is_told_with_its_place_data() {
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("place");
    const auto row = [](const char* pointer, const char* value, const char* code, const char* place = nullptr) {
      QTest::newRow((std::string(pointer) + " = " + value).c_str())
          << pointer << value << code << (place != nullptr ? place : pointer);
    };
    row("/format", "\"other\"", "PLG001");
    row("/format", "null", "PLG002", "");
    row("/schema", "2", "PLG004");
    row("/schema", "\"1\"", "PLG002");
    row("/abi", "2", "PLG004");
    row("/abi", "0", "PLG004");
    row("/abi", "null", "PLG002", "");
    row("/name", "\"two words\"", "PLG003");
    row("/name", "\"\"", "PLG003");
    row("/label", "7", "PLG002");
    row("/licence", "null", "PLG002", "");
    row("/library", "null", "PLG002", "");
    row("/library", "\"../other/lib.so\"", "PLG003");
    row("/command", "[\"x\"]", "PLG002", "");
    row("/command", "[7]", "PLG002", "/command/0");
    row("/time_limit_s", "0", "PLG003");
    row("/time_limit_s", "1e300", "PLG003");
    row("/parameters", "{}", "PLG002");
    row("/parameters/0", "7", "PLG002");
    row("/parameters/0/name", "\"service_rate\"", "PLG003", "/parameters/1/name");
    row("/parameters/0/type", "\"real\"", "PLG003");
    row("/parameters/0/unit", "\"furlongs per\"", "PLG003");
    row("/parameters/0/default", "null", "PLG002", "/parameters/0");
    row("/parameters/0/default", "0", "PLG003");
    row("/parameters/0/default", "\"30 /h\"", "PLG003");
    row("/parameters/0/minimum", "\"0\"", "PLG002");
    row("/parameters/0/help", "null", "PLG002", "/parameters/0");
    row("/parameters/0/for", "\"nobody\"", "PLG003");
    row("/parameters/2/default", "1.5", "PLG003");
    row("/parameters/2/maximum", "0", "PLG003", "/parameters/2/minimum");
    row("/parameters/2/unit", "\"h\"", "PLG003");
    row("/parameters/2/type", "\"choice\"", "PLG002", "/parameters/2");
    row("/simulator", "[]", "PLG002");
    row("/simulator/outputs", "[]", "PLG003");
    row("/simulator/outputs/0/kind", "\"mean\"", "PLG003");
    row("/simulator/outputs/2/unit", "\"h\"", "PLG003");
    row("/simulator/outputs/1/name", "\"wait\"", "PLG003");
    row("/simulator/tables/0/columns", "[]", "PLG003");
    row("/simulator/tables/0/columns/0/label", "null", "PLG002", "/simulator/tables/0/columns/0");
    row("/simulator/deterministic", "\"yes\"", "PLG002");
    row("/simulator/tables/0/scatter", "[]", "PLG002");
    row("/simulator/tables/0/scatter", "{\"x\": \"Arrived\"}", "PLG002");
    row("/simulator/tables/0/scatter", "{\"x\": \"Arrived\", \"y\": \"Left\"}", "PLG003",
        "/simulator/tables/0/scatter/y");
    row("/simulator/tables/0/scatter", "{\"x\": \"Arrived\", \"y\": \"Found the server\"}", "PLG003",
        "/simulator/tables/0/scatter/y");
    row("/simulator/tables/0/first_row_names", "1", "PLG002");
    row("/parameter", "[]", "PLG002");
    row("/simulator/output", "[]", "PLG002");
  }
  void what_is_wrong_is_told_with_its_place() {
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    QFETCH(QString, code);
    QFETCH(QString, place);
    Diagnostics problems;
    const auto made = parse_plugin_manifest(changed_manifest(pointer.toStdString(), Json::parse(value.toStdString())),
                                            "plugin.json", problems);
    QVERIFY2(std::any_of(problems.begin(), problems.end(),
                         [&](const Diagnostic& d) {
                           return d.code == code.toStdString() && d.pointer == place.toStdString() &&
                                  d.severity == Severity::error;
                         }),
             codes_of(problems).c_str());
    QCOMPARE(made.has_value(), code == "PLG004");
  }

  void texts_that_are_no_manifest_are_refused() {
    for (const char* text : {"", "[]", "7", "{", "{\"format\": \"ergode-plugin\", \"format\": 1}", "\xff", "null"}) {
      Diagnostics problems;
      QVERIFY(!parse_plugin_manifest(text, "plugin.json", problems));
      QCOMPARE(problems.front().code, std::string("PLG001"));
    }
  }

  void any_change_of_a_manifest_is_read_or_refused() {
    // Every value of every place replaced by values of every type: no crash, and what is taken can be tried out.
    const Json whole = Json::parse(read_file(template_manifest)).flatten();
    const std::vector<Json> others = {nullptr,
                                      true,
                                      -1,
                                      1e300,
                                      "",
                                      "x y",
                                      "\xF0\x9F\x98\x80",
                                      Json::array(),
                                      Json::object(),
                                      Json::array({1, "a"}),
                                      std::string(5000, 'n')};
    int cases = 0;
    for (const auto& [pointer, value] : whole.items())
      for (const Json& other : others) {
        Diagnostics problems;
        const auto made = parse_plugin_manifest(changed_manifest(pointer, other), "plugin.json", problems);
        if (made) parameters_document(*made);
        QVERIFY(made.has_value() || has_errors(problems));
        ++cases;
      }
    QVERIFY(cases > 500);
  }

  void schema_and_parser_know_the_same_keys() {
    const Json schema = Json::parse(read_file(std::string(ERGODE_SOURCE_DIR) + "/plugins/abi/manifest.schema.json"));
    for (const ManifestKeys& one : plugin_manifest_keys()) {
      std::set<std::string> known(one.keys.begin(), one.keys.end()), written;
      for (const auto& [key, value] : schema["$defs"][std::string(one.object)]["properties"].items())
        written.insert(key);
      QCOMPARE(written, known);
      // What the schema requires is missed by the parser, in the template.
      static const std::map<std::string, std::string> places = {{"manifest", ""},
                                                                {"parameter", "/parameters/0"},
                                                                {"output", "/simulator/outputs/0"},
                                                                {"table", "/simulator/tables/0"},
                                                                {"column", "/simulator/tables/0/columns/0"},
                                                                {"simulator", "/simulator"}};
      const auto place = places.find(std::string(one.object));
      if (place == places.end()) continue;
      for (const Json& key : schema["$defs"][std::string(one.object)]["required"]) {
        Diagnostics problems;
        QVERIFY2(!parse_plugin_manifest(changed_manifest(place->second + "/" + key.get<std::string>(), nullptr),
                                        "plugin.json", problems),
                 key.get<std::string>().c_str());
      }
    }
  }

  void places_count_in_their_order() {
    QTemporaryDir folder;
    const auto plugin = [&](const QString& path, const char* version) {
      write_file(folder.path() + path + "/plugin.json", changed_manifest("/version", version));
      write_file(folder.path() + path + "/libsingle_server.so", "x");
    };
    plugin("/user/a", "1");
    plugin("/path/one", "2");
    plugin("/path/two", "3");
    write_file(folder.path() + "/path/empty/readme", "nothing");
    write_file(folder.path() + "/path/bad/plugin.json", "{");
    write_file(folder.path() + "/path/old/plugin.json", changed_manifest("/abi", 0));
    write_file(folder.path() + "/path/bare/plugin.json", changed_manifest("/name", "bare"));
    const std::string base = folder.path().toStdString();
    const auto found = find_plugins({{base + "/path", "path"}, {base + "/user", "user"}, {base + "/nowhere", "user"}});
    std::map<std::string, const FoundPlugin*> by_folder;
    for (const FoundPlugin& one : found) by_folder[one.folder.substr(base.size())] = &one;
    QCOMPARE(found.size(), std::size_t{6});
    QCOMPARE(by_folder["/path/one"]->state, PluginState::ready);
    QCOMPARE(by_folder["/path/two"]->state, PluginState::hidden);
    QCOMPARE(by_folder["/user/a"]->state, PluginState::hidden);
    QCOMPARE(by_folder["/user/a"]->problems.front().code, std::string("PLG006"));
    QCOMPARE(by_folder["/path/bad"]->problems.front().code, std::string("PLG001"));
    QCOMPARE(by_folder["/path/bad"]->name, std::string("bad"));
    QCOMPARE(by_folder["/path/old"]->state, PluginState::refused);
    QVERIFY(by_folder["/path/old"]->manifest.has_value());
    QCOMPARE(by_folder["/path/bare"]->problems.front().code, std::string("PLG005"));
    // A folder may be a plugin itself.
    QCOMPARE(find_plugins({{base + "/path/one/", "path"}}).front().state, PluginState::ready);
  }

  /// Somebody meant a plugin: it is named and refused, and a pipe is not waited for.
  void a_manifest_that_is_no_file_is_named() {
    QTemporaryDir folder;
    QDir(folder.path()).mkpath("folder/plugin.json");
    QDir(folder.path()).mkpath("pipe");
    QDir(folder.path()).mkpath("link");
    QCOMPARE(mkfifo((folder.path() + "/pipe/plugin.json").toUtf8().constData(), 0600), 0);
    QVERIFY(QFile::link("/nowhere/plugin.json", folder.path() + "/link/plugin.json"));
    const auto found = find_plugins({{folder.path().toStdString(), "path"}});
    QCOMPARE(found.size(), std::size_t{3});
    for (const FoundPlugin& one : found) {
      QCOMPARE(one.state, PluginState::refused);
      QCOMPARE(one.problems.front().code, std::string("PLG001"));
      QVERIFY(one.problems.front().message.find("is no regular file") != std::string::npos);
    }
  }
};

QTEST_APPLESS_MAIN(TestPluginManifest)
#include "tst_plugin_manifest.moc"
