#include <QtTest>
#include <fstream>
#include <sstream>

#include "app/session/catalogue.h"
#include "app/session/check.h"
#include "app/session/gallery.h"
#include "app/session/manual.h"
#include "app/session/stamp.h"
#include "core/format/model_file.h"
#include "core/random/distribution.h"
#include "solvers/registry.h"
#include "solvers/run_options.h"

using namespace ergode;

class TestGallery : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void templates_are_the_promised_ones_and_sound() {
    std::vector<std::string> names;
    for (const GalleryModel& m : model_templates()) {
      names.push_back(m.name);
      QVERIFY2(check_model(m.document).empty(), m.name.c_str());
      QVERIFY(!m.title.empty() && !m.question.empty());
    }
    const std::vector<std::string> wanted = {"single_repairable", "redundant_pair",   "standby",        "service_desk",
                                             "gpu_rental",        "station_blackout", "statechart_tour"};
    QCOMPARE(names, wanted);
  }

  void every_template_runs_and_answers_all_its_measures() {
    for (const GalleryModel& m : model_templates()) {
      RunRequest request;
      request.solver = "simulation";
      request.replications = 200;
      RunControl control;
      const ResultSet results = find_solver("simulation")->solve(m.document, request, control);
      QVERIFY2(results.status == RunStatus::complete, m.name.c_str());
      QVERIFY(!results.measures.empty());
    }
  }

  // Oracles: the Markov chains of the two models, solved by hand. Pair with beta: both pumps down by t, from the
  // generator of {0, 1 down} with absorption; here only the exact solver against simulation on a short run.
  void the_small_templates_agree_with_their_exact_solutions() {
    for (const char* name : {"single_repairable", "redundant_pair", "standby"}) {
      const GalleryModel* m = find_in_gallery(name);
      QVERIFY(m != nullptr);
      RunRequest request;
      request.solver = "simulation";
      request.replications = 20000;
      RunControl control, other;
      const ResultSet simulated = find_solver("simulation")->solve(m->document, request, control);
      request.solver = "ctmc-transient";
      const ResultSet exact = find_solver("ctmc-transient")->solve(m->document, request, other);
      QCOMPARE(exact.status, RunStatus::complete);
      for (const MeasureResult& e : exact.measures) {
        const MeasureResult* s = simulated.measure(e.id);
        QVERIFY(s != nullptr);
        if (!e.not_available.empty() || !s->not_available.empty()) continue;
        // Five standard errors: one false alarm in a million.
        QVERIFY2(std::fabs(s->estimate - e.estimate) <= 5 * s->standard_error + 1e-12, e.id.c_str());
      }
    }
  }

  // Oracle: availability of an alternating renewal process, up at zero, averaged over [0, T].
  void the_first_template_has_the_availability_of_the_textbook() {
    RunRequest request;
    request.solver = "ctmc-transient";
    RunControl control;
    const ResultSet exact =
        find_solver("ctmc-transient")->solve(find_in_gallery("single_repairable")->document, request, control);
    const double lambda = 1e-3, mu = 0.1, t = 8760, s = lambda + mu;
    const double wanted = mu / s + lambda / (s * s * t) * (1 - std::exp(-s * t));
    QVERIFY(std::fabs(exact.measure("availability")->estimate - wanted) < 1e-9);
  }

  // Oracle: M/M/2 with a = lambda times service and load r = a / 2: Erlang's C is 2 r^2 / (1 + r), the mean wait
  // C service / (2 - a), the number in the system a + C r / (1 - r).
  void the_desk_waits_as_the_textbook_says() {
    const Document& desk = find_in_gallery("service_desk")->document;
    RunRequest request;
    request.solver = "mva";
    RunControl control, other;
    const ResultSet exact = find_solver("mva")->solve(desk, request, control);
    const double a = 1.6, r = a / 2, c = 2 * r * r / (1 + r);
    QVERIFY(std::fabs(exact.measure("utilisation")->estimate - r) < 1e-9);
    QVERIFY(std::fabs(exact.measure("waiting_time")->estimate - c / (2 - a)) < 1e-9);
    QVERIFY(std::fabs(exact.measure("number")->estimate - (a + c * r / (1 - r))) < 1e-9);
    request.solver = "simulation", request.replications = 100;
    const ResultSet simulated = find_solver("simulation")->solve(desk, request, other);
    for (const char* name : {"utilisation", "waiting_time", "number"}) {
      const MeasureResult& s = *simulated.measure(name);
      // Five standard errors, and what batches of a mission that begins empty may be off.
      QVERIFY2(std::fabs(s.estimate - exact.measure(name)->estimate) <= 5 * s.standard_error + 0.01, name);
    }
  }

  void files_of_templates_are_written_as_the_program_writes_them() {
    for (const char* name : {"single_repairable", "redundant_pair", "standby", "service_desk"}) {
      std::ifstream file(std::string(ERGODE_SOURCE_DIR "/app/session/templates/") + name + ".ergode");
      std::stringstream text;
      text << file.rdbuf();
      QCOMPARE(write_model(find_in_gallery(name)->document), text.str());
    }
  }

  // An example that names files is sound with those that the programs hold, in a folder of their own.
  void examples_come_with_the_files_that_they_name() {
    std::size_t with_files = 0;
    for (const GalleryModel& m : example_models()) {
      if (m.data.empty()) continue;
      ++with_files;
      QTemporaryDir folder;
      std::vector<std::string> written;
      QVERIFY(!write_gallery_data(m, folder.path().toStdString(), &written));
      QCOMPARE(written.size(), m.data.size());
      for (const auto& [name, text] : m.data) {
        std::ifstream file(std::string(ERGODE_SOURCE_DIR "/examples/") + m.name + "/" + name);
        std::stringstream own;
        own << file.rdbuf();
        QVERIFY2(own.str() == text, name.c_str());
      }
      RunRequest request;
      request.folder = folder.path().toStdString();
      const Diagnostics found = check_model(Question::of(m.document, request));
      QVERIFY2(found.empty(), (m.name + ": " + (found.empty() ? "" : found.front().message)).c_str());
      // What is there stays.
      const std::string path = request.folder + "/" + m.data.front().first;
      std::ofstream(path) << "mine";
      written.clear();
      QVERIFY(!write_gallery_data(m, request.folder, &written) && written.empty());
    }
    QCOMPARE(with_files, std::size_t{10});  // 24, 25, 29, 30, 34, 36, 37, 38, 39, 41
  }

  void every_example_of_the_project_is_offered() {
    const QStringList folders =
        QDir(ERGODE_SOURCE_DIR "/examples").entryList({"*_*"}, QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name);
    QCOMPARE(static_cast<int>(example_models().size()), static_cast<int>(folders.size()));
    for (std::size_t i = 0; i < example_models().size(); ++i)
      QCOMPARE(example_models()[i].name, folders[static_cast<int>(i)].toStdString());
  }

  void a_copy_has_the_users_name_and_leaves_the_template() {
    const GalleryModel& m = model_templates().front();
    const Document copy = named_copy(m, "plant");
    QCOMPARE(copy.model().name(), std::string("plant"));
    QVERIFY(m.document.model().name() == "Repairable component");
    QVERIFY(find_in_gallery("no_such") == nullptr);
  }

  void every_kind_property_solver_and_option_has_its_place_in_the_help() {
    const auto has = [](const std::string& page, const std::string& words) {
      const HelpPage* found = find_help(page);
      return found != nullptr && found->text.find(words) != std::string::npos;
    };
    for (const NotationSpec& notation : catalogue().notations())
      for (const KindSpec& kind : notation.kinds)
        for (const PropertySpec& property : kind.properties)
          QVERIFY2(help_of(&notation, kind)->text.find("**" + property.label + "**") != std::string::npos,
                   (kind.kind + " " + property.label).c_str());
    for (const KindSpec& kind : catalogue().model_kinds()) QVERIFY2(find_help("kind." + kind.kind), kind.kind.c_str());
    for (const auto& solver : solvers()) QVERIFY(has("solvers", solver->spec().name));
    for (const DistributionForm& form : distribution_forms()) {
      std::string call = "`" + form.family + "(" + form.arguments[0].name;
      QVERIFY2(has("distributions", call), call.c_str());
    }
    for (const RunOption& option : run_options()) QVERIFY(has("run_options", option.help.substr(0, 8)));
  }

  void no_link_of_the_help_leads_nowhere() {
    const QRegularExpression link(QStringLiteral("\\]\\(([^)]+)\\)"));
    int links = 0;
    for (const HelpPage& page : help_pages()) {
      auto found = link.globalMatch(QString::fromStdString(page.text));
      while (found.hasNext()) {
        const QString target = found.next().captured(1);
        ++links;
        QVERIFY2(find_help(target.toStdString()) != nullptr, qPrintable(target));
      }
    }
    QVERIFY(links > 10);
  }
};

QTEST_GUILESS_MAIN(TestGallery)
#include "tst_gallery.moc"
