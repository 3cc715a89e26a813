// The dialog of laws: texts in, texts out, moments kept from family to family, a plot that follows.
#include <QComboBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTableWidget>
#include <QTimer>

#include "app/gui/edit/evaluation.h"
#include "app/gui/panels/inspector_panel.h"
#include "app/gui/plots/law_dialog.h"
#include "tests/gui/gui_test.h"

using namespace ergode;

namespace {

struct Opened {
  QTemporaryDir folder;
  QString path = example_copy("10_mm1_queue/model.ergode", folder);
  GuiFixture gui{path};
  const Element* at;
  std::string property;
  Evaluation evaluation{gui.workspace().document()};
  DataFiles files{gui.workspace().files()};
  LawDialog dialog;
  explicit Opened(const char* text, const char* element = "desk", const char* property_of_it = "service")
      : at(gui.workspace().document().named(Section::node, element)),
        property(property_of_it),
        dialog(QString::fromUtf8(text), context()) {}
  LawContext context() {
    LawContext out;
    out.forms = forms_at(*at, property);
    out.judge = [this](const QString& t) -> std::variant<LawPreview, QString> {
      auto found = evaluation.preview(*at, property, t.toStdString(), files);
      if (const auto* why = std::get_if<std::string>(&found)) return QString::fromStdString(*why);
      return std::get<LawPreview>(std::move(found));
    };
    out.read = [this](const QString& name) -> std::variant<std::string, QString> {
      const auto text = files.text(name.toStdString());
      if (const auto* found = std::get_if<DataFiles::Text>(&text)) return *found->text;
      return QStringLiteral("no such file");
    };
    out.folder = folder.path();
    return out;
  }
  LawPreview seen() {
    return std::get<LawPreview>(evaluation.preview(*at, property, dialog.text().toStdString(), files));
  }
  Distribution law() { return seen().law; }
  QString written(const char* name, const char* text) {
    QFile file(folder.filePath(QString::fromLatin1(name)));
    if (!file.open(QIODevice::WriteOnly)) qFatal("%s cannot be written", name);
    file.write(text);
    return file.fileName();
  }
  QLineEdit* field(const char* name) { return dialog.findChild<QLineEdit*>(QStringLiteral("field.law.") + name); }
  bool may_accept() { return dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok)->isEnabled(); }
  void choose(const char* family, const std::vector<std::string>& names) {
    for (const DistributionForm& form : forms_at(*at, property)) {
      std::vector<std::string> own;
      for (const DistributionArgument& one : form.arguments) own.push_back(one.name);
      if (form.family != family || own != names) continue;
      // As from the list.
      auto* list = dialog.findChild<QComboBox*>(QStringLiteral("field.law.form"));
      const QString title = QStringLiteral("%1 (%2)").arg(family, joined(names));
      list->setCurrentIndex(list->findText(title));
      Q_EMIT list->activated(list->currentIndex());
      return;
    }
    qFatal("there is no form of %s", family);
  }
  static QString joined(const std::vector<std::string>& names) {
    QStringList out;
    for (const std::string& one : names) out << QString::fromStdString(one);
    return out.join(QStringLiteral(", "));
  }
  void type(const char* name, const char* text) {
    field(name)->clear();
    QTest::keyClicks(field(name), QString::fromLatin1(text));
  }
};

}  // namespace

class TestLawDialog : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_text_comes_out_as_it_went_in() {
    for (const char* text : {"weibull(shape = 1.5, scale = 10 h)", "lognormal(median = 1.5 h, ef = 8)",
                             "pareto(shape = 2.5, scale = 3 ms)", "coxian(mean = 2 s, scv = 4)",
                             "hypererlang(p = [0.3, 0.7], k = [2, 1], rate = [1 /s, 3 /s])"})
      QCOMPARE(Opened(text).dialog.text(), QString::fromUtf8(text));
    QCOMPARE(Opened("90 s").dialog.text(), QStringLiteral("deterministic(value = 90 s)"));
    QCOMPARE(Opened("").dialog.text(), QStringLiteral("exponential(mean = 1 s)"));
    QCOMPARE(Opened("desk.number").dialog.text(), QStringLiteral("exponential(mean = 1 s)"));
  }

  void what_is_typed_is_judged_at_once() {
    Opened o("gamma(shape = 2, scale = 3 s)");
    QVERIFY(o.may_accept());
    o.field("argument.shape")->clear();
    QTest::keyClicks(o.field("argument.shape"), "-1");
    QVERIFY(!o.may_accept());
    auto* problem = o.dialog.findChild<QLabel*>(QStringLiteral("label.law.problem"));
    QVERIFY2(problem->text().contains("shape is -1, wanted a number > 0"), qPrintable(problem->text()));
    o.field("argument.shape")->clear();
    QTest::keyClicks(o.field("argument.shape"), "4");
    QVERIFY(o.may_accept());
    QCOMPARE(o.field("mean")->text(), QStringLiteral("12"));
    QCOMPARE(o.field("scv")->text(), QStringLiteral("0.25"));
  }

  // From one family to another mean and spread stay, where the family can have them.
  void families_keep_mean_and_spread() {
    Opened o("gamma(shape = 2, scale = 3 min)");
    o.choose("lognormal", {"mean", "sd"});
    QVERIFY(std::fabs(o.law().mean() / 360 - 1) < 1e-5 && std::fabs(o.law().variance() / (0.5 * 360 * 360) - 1) < 1e-4);
    o.choose("weibull", {"shape", "scale"});
    QVERIFY(std::fabs(o.law().mean() / 360 - 1) < 1e-5 && std::fabs(o.law().variance() / (0.5 * 360 * 360) - 1) < 1e-4);
    o.choose("exponential", {"mean"});
    QCOMPARE(o.dialog.text(), QStringLiteral("exponential(mean = 6 min)"));
    o.choose("phase_type", {"initial", "generator"});
    QVERIFY(!o.may_accept());
  }

  void moments_are_typed() {
    Opened o("gamma(shape = 2, scale = 3 s)");
    o.field("scv")->clear();
    QTest::keyClicks(o.field("scv"), "4");
    QVERIFY(std::fabs(o.law().mean() - 6) < 1e-6 && std::fabs(o.law().variance() / 36 - 4) < 1e-6);
    QVERIFY(o.law().family() == Distribution::Family::gamma);
    Opened e("exponential(mean = 6 s)");
    e.field("scv")->clear();
    QTest::keyClicks(e.field("scv"), "0.5");
    QCOMPARE(e.dialog.text(), QStringLiteral("fitted(mean = 6 s, scv = 0.5)"));
    QCOMPARE(e.field("scv")->text(), QStringLiteral("0.5"));
    e.field("mean")->clear();
    QTest::keyClicks(e.field("mean"), "x");
    QVERIFY(!e.may_accept());
  }

  // A number alone is one of the unit shown; with a unit, or by a name, it is a time.
  void a_mean_may_have_its_unit() {
    Opened o("exponential(mean = 6 s)");
    o.type("mean", "4 min");
    QVERIFY(o.may_accept());
    QCOMPARE(o.dialog.text(), QStringLiteral("exponential(mean = 4 min)"));
    QCOMPARE(o.field("mean")->text(), QStringLiteral("4 min"));
    o.type("mean", "3");
    QCOMPARE(o.dialog.text(), QStringLiteral("exponential(mean = 3 min)"));
    o.type("mean", "2 * 45 s");
    QCOMPARE(o.dialog.text(), QStringLiteral("exponential(mean = 1.5 min)"));
    for (const char* none : {"4 m", "4 /min", "-4 min", "0 s", "exponential(mean = 4 min)", "4 min or so"}) {
      o.type("mean", none);
      QVERIFY2(!o.may_accept(), none);
    }
    auto* problem = o.dialog.findChild<QLabel*>(QStringLiteral("label.law.problem"));
    QVERIFY2(problem->text().contains("a number of min or with its unit"), qPrintable(problem->text()));
  }

  void times_are_shown_in_the_unit_of_the_model() {
    Opened o("90 s");
    const auto mean_in = [&](const char* text) {
      LawContext context = o.context();
      context.time_unit = "min";
      const LawDialog dialog(QString::fromLatin1(text), context);
      return dialog.findChild<QLineEdit*>(QStringLiteral("field.law.mean"))->text() + QLatin1Char(' ') +
             dialog.findChild<QLabel*>(QStringLiteral("label.law.mean"))->text();
    };
    QCOMPARE(mean_in("exponential(mean = 90 s)"), QStringLiteral("1.5 Mean [min]"));
    QCOMPARE(mean_in("exponential(mean = 2 h)"), QStringLiteral("120 Mean [min]"));
    QCOMPARE(mean_in("exponential(mean = 3 ms)"), QStringLiteral("3 Mean [ms]"));
    QCOMPARE(mean_in(""), QStringLiteral("1 Mean [min]"));
  }

  // A file beside the model, three columns: one is clicked, and the law is that of its values.
  void a_column_of_a_file_is_chosen_where_it_is_seen() {
    Opened o("exponential(mean = 6 s)");
    const QString file = o.written("log.csv", "id,gap,size\na,1,10\nb,3,20\nc,2,30\n");
    o.choose("empirical", {"file", "column", "unit"});
    QVERIFY(!o.may_accept());
    o.dialog.take_file(file);
    auto* table = o.dialog.findChild<QTableWidget*>(QStringLiteral("view.law.file"));
    QCOMPARE(table->columnCount(), 3);
    QCOMPARE(table->rowCount(), 3);
    QCOMPARE(table->horizontalHeaderItem(1)->text(), QStringLiteral("gap"));
    QVERIFY2(!o.may_accept(), "the first column holds no numbers");
    Q_EMIT table->cellClicked(0, 1);
    QVERIFY(o.may_accept());
    QCOMPARE(o.dialog.text(), QStringLiteral("empirical(file = \"log.csv\", column = \"gap\", unit = \"s\")"));
    QVERIFY(o.law().family() == Distribution::Family::empirical && std::fabs(o.law().mean() - 2) < 1e-12);
    QVERIFY(table->item(0, 1)->font().bold() && !table->item(0, 2)->font().bold());
    o.type("argument.unit", "min");
    QCOMPARE(o.field("mean")->text(), QStringLiteral("2"));
    QVERIFY(std::fabs(o.law().mean() - 120) < 1e-12);
    // The columns are those of its list too, and a service may be the file's values one after the other.
    QCOMPARE(o.dialog.findChildren<QComboBox*>().size(), 2);
    o.choose("trace", {"file", "column", "unit", "at_end"});
    o.type("argument.column", "3");
    o.type("argument.unit", "s");
    o.type("argument.at_end", "repeat");
    QCOMPARE(o.dialog.text(), QStringLiteral("trace(file = \"log.csv\", column = 3, unit = \"s\", at_end = repeat)"));
    QVERIFY(std::fabs(o.law().mean() - 20) < 1e-12);
    // What it made it takes again.
    const QString text = o.dialog.text();
    LawDialog again(text, o.context());
    QCOMPARE(again.text(), text);
    LawDialog short_one(QStringLiteral("empirical(\"log.csv\", column = \"size\", unit = \"s\")"), o.context());
    QCOMPARE(short_one.text(), QStringLiteral("empirical(file = \"log.csv\", column = \"size\", unit = \"s\")"));
  }

  void a_file_that_cannot_be_read_is_told() {
    Opened o("empirical(file = \"none.csv\", column = \"gap\", unit = \"s\")");
    QVERIFY(!o.may_accept());
    QCOMPARE(o.dialog.findChild<QLabel*>(QStringLiteral("label.law.file"))->text(), QStringLiteral("no such file"));
    o.written("bad.csv", "gap\n1\nx\n");
    o.type("argument.file", "bad.csv");
    QVERIFY(!o.may_accept());
    auto* problem = o.dialog.findChild<QLabel*>(QStringLiteral("label.law.problem"));
    QVERIFY2(problem->text().contains("row 3"), qPrintable(problem->text()));
  }

  // Arrivals with memory begin with the mean of the law before them.
  void arrivals_with_memory_have_fields() {
    Opened o("exponential(mean = 6 s)", "arrivals", "interarrival");
    o.choose("mmpp", {"rates", "switching"});
    QVERIFY2(o.may_accept(), qPrintable(o.dialog.text()));
    QVERIFY(std::fabs(o.law().mean() - 6) < 1e-3 && *o.seen().neighbours > 0.05);
    o.choose("map", {"d0", "d1"});
    QVERIFY2(o.may_accept(), qPrintable(o.dialog.text()));
    QVERIFY(std::fabs(o.law().mean() - 6) < 1e-3);
    o.choose("mmpp", {"mean", "scv", "correlation"});
    QVERIFY2(o.may_accept(), qPrintable(o.dialog.text()));
    QVERIFY(std::fabs(*o.seen().neighbours - 0.2) < 1e-9);
    // Typed mean and spread keep the correlation.
    o.type("argument.mean", "6 s");
    o.type("scv", "5");
    QCOMPARE(o.dialog.text(), QStringLiteral("mmpp(mean = 6 s, scv = 5, correlation = 0.2)"));
    o.type("argument.correlation", "0.9");
    auto* problem = o.dialog.findChild<QLabel*>(QStringLiteral("label.law.problem"));
    QVERIFY2(!o.may_accept() && problem->text().contains("wanted from 0 to less than"), qPrintable(problem->text()));
    for (const std::vector<std::string>& names : {std::vector<std::string>{"gaps", "lengths", "probability"},
                                                  {"times", "at_end"},
                                                  {"mean", "scv", "correlation", "decay"}}) {
      const char* family = names.size() == 2 ? "schedule" : names.size() == 4 ? "map" : "burst";
      o.choose(family, names);
      QVERIFY2(o.may_accept(), qPrintable(o.dialog.text()));
      LawDialog again(o.dialog.text(), o.context());
      QCOMPARE(again.text(), o.dialog.text());
    }
  }

  // Services may depend on those before too, by phases only; other times of a station are laws and traces.
  void services_with_memory_have_fields() {
    Opened o("exponential(mean = 6 s)", "desk", "service");
    o.choose("mmpp", {"rates", "switching"});
    QVERIFY2(o.may_accept(), qPrintable(o.dialog.text()));
    QVERIFY(std::fabs(o.law().mean() - 6) < 1e-3 && *o.seen().neighbours > 0.05);
    o.choose("map", {"mean", "scv", "correlation", "decay"});
    QVERIFY2(o.may_accept(), qPrintable(o.dialog.text()));
    QVERIFY(std::fabs(*o.seen().neighbours - 0.2) < 1e-9);
    const auto there = [&](const char* property, const char* family) {
      const auto forms = forms_at(*o.gui.workspace().document().named(Section::node, "desk"), property);
      return std::any_of(forms.begin(), forms.end(), [&](const DistributionForm& f) { return f.family == family; });
    };
    QVERIFY(there("service", "trace") && there("service_of", "map") && !there("service", "burst"));
    QVERIFY(there("patience", "trace") && !there("patience", "mmpp"));
  }

  void the_button_of_a_time_opens_it_and_applies_what_is_chosen() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy("10_mm1_queue/model.ergode", folder));
    const ElementId desk = gui.workspace().document().named(Section::node, "desk")->id;
    gui.workspace().select({desk});
    PropertyField* service = gui.window.inspector().field(QStringLiteral("service"));
    QVERIFY(
        gui.window.inspector().field(QStringLiteral("servers"))->findChild<QAction*>(QStringLiteral("action.law")) ==
        nullptr);
    auto* button = service->findChild<QAction*>(QStringLiteral("action.law"));
    QVERIFY(button != nullptr);
    QString before;
    QTimer::singleShot(0, [&] {
      auto* dialog = qobject_cast<LawDialog*>(QApplication::activeModalWidget());
      if (dialog == nullptr) return;
      before = dialog->text();
      constexpr std::string_view names[] = {"k", "mean"};
      dialog->choose(*find_distribution_form("erlang", names));
      if (const QString to = qEnvironmentVariable("ERGODE_LAW_PICTURE"); !to.isEmpty()) {
        QApplication::processEvents();  // fields made just now are shown then
        dialog->grab().save(to);
      }
      dialog->accept();
    });
    button->trigger();
    QVERIFY(before.startsWith(QLatin1String("exponential(")));
    const std::string now = gui.workspace().find(desk)->text("service");
    QVERIFY2(now.starts_with("erlang(k = 1, mean = "), now.c_str());
  }
  // Of times by class the class is picked first; the others stay as they are written.
  void the_button_of_times_by_class_chooses_for_one_class() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy("15_bcmp_classes/model.ergode", folder));
    const ElementId cpu = gui.workspace().document().named(Section::node, "cpu")->id;
    gui.workspace().select({cpu});
    for (const char* property : {"service_of", "patience_of"}) {
      PropertyField* field = gui.window.inspector().field(QString::fromLatin1(property));
      auto* button = field->findChild<QAction*>(QStringLiteral("action.law"));
      QVERIFY(button != nullptr);
      QStringList offered;
      QString before;
      QTimer asked;
      asked.setInterval(20);
      QObject::connect(&asked, &QTimer::timeout, &asked, [&] {
        auto* dialog = qobject_cast<LawDialog*>(QApplication::activeModalWidget());
        if (dialog == nullptr) return;
        asked.stop();
        before = dialog->text();
        constexpr std::string_view names[] = {"k", "mean"};
        dialog->choose(*find_distribution_form("erlang", names));
        dialog->accept();
      });
      asked.start();
      QTimer menus;
      menus.setInterval(20);
      QObject::connect(&menus, &QTimer::timeout, &menus, [&] {
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        if (menu == nullptr) return;
        menus.stop();
        for (const QAction* one : menu->actions()) offered << one->text();
        menu->setActiveAction(menu->actions().at(1));
        QTest::keyClick(menu, Qt::Key_Return);
      });
      menus.start();
      button->trigger();
      QCOMPARE(offered, (QStringList{"user", "job", "request"}));
      const std::string now = gui.workspace().find(cpu)->text(property);
      if (std::string(property) == "patience_of") {
        QVERIFY2(now.starts_with("job = erlang(k = "), now.c_str());
        continue;
      }
      QVERIFY2(before.startsWith(QLatin1String("hyperexponential(")), qPrintable(before));
      QVERIFY2(now.starts_with("user = erlang(k = 3, mean = 0.1 s), job = erlang(k = 1, mean = ") &&
                   now.ends_with("), request = exponential(mean = 40 ms)"),
               now.c_str());
    }
    QVERIFY(
        gui.window.inspector().field(QStringLiteral("servers"))->findChild<QAction*>(QStringLiteral("action.law")) ==
        nullptr);
  }
};

ERGODE_GUI_TEST(TestLawDialog)
#include "tst_law_dialog.moc"
