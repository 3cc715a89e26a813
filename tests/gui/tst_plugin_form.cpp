// A plugin station as its user meets it: placed from the palette, its form made of the manifest, edited, taken back.
#include <QComboBox>
#include <QLineEdit>
#include <QListWidget>
#include <algorithm>

#include "app/gui/panels/inspector_panel.h"
#include "core/document/command.h"
#include "core/plugin/plugin_station.h"
#include "tests/gui/gui_test.h"

using namespace ergode;

class TestPluginForm : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_plugin_station_is_placed_and_its_form_is_its_manifest() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(queue, folder));
    QVERIFY(find_station_plugin("single_server") != nullptr && find_station_plugin("token_server") != nullptr);
    // Of the palette, by a click in the drawing.
    auto* palette = gui.window.findChild<QListWidget*>("panel.palette");
    const auto rows = palette->findItems("Plugin station", Qt::MatchExactly);
    QCOMPARE(rows.size(), 1);
    palette->scrollToItem(rows.front());
    QTest::mouseClick(palette->viewport(), Qt::LeftButton, {}, palette->visualItemRect(rows.front()).center());
    QCOMPARE(gui.canvas().tool().name(), QString("place.plugin_station"));
    const QPoint at = gui.canvas().viewport()->rect().center() + QPoint(0, 150);
    QTest::mouseClick(gui.canvas().viewport(), Qt::LeftButton, {}, at);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);  // the name that it has
    const Element* placed = nullptr;
    for (const Element& e : gui.workspace().document().elements())
      if (e.kind == "plugin_station") placed = &e;
    QVERIFY(placed != nullptr);
    const ElementId id = placed->id;
    const auto element = [&] { return gui.workspace().find(id); };
    const auto field = [&](const std::string& property) {
      gui.workspace().reveal(id);
      return gui.window.inspector().field(QString::fromStdString(property));
    };
    // Those that are here, by what people call them.
    auto* plugins = qobject_cast<QComboBox*>(field("plugin")->editor());
    QVERIFY(plugins != nullptr);
    for (const StationPlugin& one : station_plugins())
      QVERIFY2(plugins->findText(QString::fromStdString(one.manifest.label)) >= 0, one.manifest.name.c_str());
    const auto choose = [&](const char* label) {
      auto* box = qobject_cast<QComboBox*>(field("plugin")->editor());
      box->setCurrentIndex(box->findText(label));
      Q_EMIT box->activated(box->currentIndex());
    };
    const auto shown = [&](const std::string& plugin) {
      const PluginManifest& manifest = find_station_plugin(plugin)->manifest;
      for (const PluginParameter& p : manifest.parameters) {
        PropertyField* one = field(plugin + "_" + p.name);
        const bool there = one != nullptr && one->isVisibleTo(&gui.window);
        if (there != p.for_station) return false;
        if (there && one->label()->text() != QString::fromStdString(p.label)) return false;
      }
      return true;
    };
    choose("Single server");
    QCOMPARE(element()->text("plugin"), std::string("single_server"));
    QVERIFY(shown("single_server"));
    QVERIFY(field("token_server_max_batch") == nullptr || !field("token_server_max_batch")->isVisibleTo(&gui.window));
    // What is typed is kept as it is written, in any unit that fits.
    const auto type = [&](const char* property, const char* text) {
      field(property)->set_text(text);
      field(property)->apply();
    };
    type("single_server_service_rate", "1.5 /min");
    QCOMPARE(element()->text("single_server_service_rate"), std::string("1.5 /min"));
    choose("Token server");
    QCOMPARE(element()->text("plugin"), std::string("token_server"));
    QVERIFY(shown("token_server"));
    type("token_server_max_batch", "16");
    QCOMPARE(element()->text("token_server_max_batch"), std::string("16"));
    const auto undo = [&] { gui.window.actions_table()["edit.undo"]->trigger(); };
    undo();
    QVERIFY(element()->text("token_server_max_batch").empty());
    undo();
    QCOMPARE(element()->text("plugin"), std::string("single_server"));
    QVERIFY(shown("single_server"));
    // What it cannot be is said at the field, and the model keeps the text.
    type("single_server_service_rate", "-3 /h");
    QTRY_VERIFY(
        std::any_of(gui.workspace().problems().begin(), gui.workspace().problems().end(),
                    [&](const Diagnostic& d) { return d.element == id && d.pointer == "single_server_service_rate"; }));
  }
};

ERGODE_GUI_TEST(TestPluginForm)
#include "tst_plugin_form.moc"
