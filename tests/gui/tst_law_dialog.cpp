// The dialog of laws: texts in, texts out, moments kept from family to family, a plot that follows.
#include <QComboBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
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
  const Element* desk = gui.workspace().document().named(Section::node, "desk");
  Evaluation evaluation{gui.workspace().document()};
  LawDialog dialog;
  explicit Opened(const char* text)
      : dialog(QString::fromUtf8(text), [this](const QString& t) -> std::variant<Distribution, QString> {
          auto found = evaluation.law(*desk, t.toStdString());
          if (const auto* why = std::get_if<std::string>(&found)) return QString::fromStdString(*why);
          return std::get<Distribution>(std::move(found));
        }) {}
  Distribution law() { return std::get<Distribution>(evaluation.law(*desk, dialog.text().toStdString())); }
  QLineEdit* field(const char* name) { return dialog.findChild<QLineEdit*>(QStringLiteral("field.law.") + name); }
  bool may_accept() { return dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok)->isEnabled(); }
  void choose(const char* family, std::vector<std::string_view> names) {
    dialog.choose(*find_distribution_form(family, names));
  }
};

}  // namespace

class TestLawDialog : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_text_comes_out_as_it_went_in() {
    for (const char* text :
         {"weibull(shape = 1.5, scale = 10 h)", "lognormal(median = 1.5 h, ef = 8)",
          "pareto(shape = 2.5, scale = 3 ms)", "hypererlang(p = [0.3, 0.7], k = [2, 1], rate = [1 /s, 3 /s])"})
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
};

ERGODE_GUI_TEST(TestLawDialog)
#include "tst_law_dialog.moc"
