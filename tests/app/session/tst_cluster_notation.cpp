// Clusters on the canvas: what joins what, names, renaming, what a new diagram holds, how it is drawn and explained.
#include <QtTest>
#include <map>
#include <set>

#include "app/session/catalogue.h"
#include "app/session/check.h"
#include "app/session/element_numbers.h"
#include "app/session/figure.h"
#include "app/session/gallery.h"
#include "app/session/label.h"
#include "app/session/manual.h"
#include "app/session/publish.h"
#include "app/session/rename.h"
#include "core/catalogue/element_figure.h"
#include "core/document/command.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

namespace {

struct Cloud {
  ModelBuilder m{"1000 h"};
  ElementId diagram = m.diagram("Cluster", "cluster");
  ElementId small, large, cloud, flow;
  Cloud() {
    small = m.node(diagram, {}, "job_stream", {{"name", "small"}, {"rate", "rate"}});
    large = m.node(diagram, {}, "job_stream", {{"name", "large"}, {"speedup", "power"}, {"exponent", "0.7"}});
    cloud = m.node(diagram, {}, "rental", {{"name", "cloud"}, {"budget", "8"}, {"policy", "policy"}});
    flow = m.edge(diagram, "job_flow", small, cloud), m.edge(diagram, "job_flow", large, cloud);
    m.parameter("rate", "1 /h", {{"unit", "/h"}});
    m.parameter("policy", "optimal", {{"type", "choice"}, {"choices", "optimal, equi"}});
    m.measure("time", "steady_state_mean", "", {{"of", "cloud.response_time"}, {"class", "small"}, {"unit", "h"}});
    m.measure("rented", "time_average", "cloud.gpus + small.jobs");
  }
};

std::string drawn(const Document& document, ElementId diagram) {
  const auto svg = make_diagram(document, diagram, "svg", false, {});
  if (!svg) throw std::runtime_error("not drawn");
  return *svg;
}

}  // namespace

class TestClusterNotation : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_sound_drawing_has_no_problems() {
    const Cloud c;
    QVERIFY2(check_model(c.m.document()).empty(), listed(check_model(c.m.document())).c_str());
  }

  // Of all notations: a form has one field for a property, and a list names it once.
  void a_property_is_described_once() {
    for (const NotationSpec& notation : catalogue().notations())
      for (const KindSpec& kind : notation.kinds) {
        std::set<std::string> names;
        for (const PropertySpec& spec : kind.properties)
          QVERIFY2(names.insert(spec.name).second, (kind.kind + "." + spec.name).c_str());
      }
  }

  // Of all notations: who reads a utilisation reads a share; how many are in use has another letter.
  void a_letter_of_utilisation_is_of_shares() {
    int figures = 0;
    for (const NotationSpec& notation : catalogue().notations())
      for (const KindSpec& kind : notation.kinds) {
        if (!kind.figures) continue;
        ModelBuilder m;
        const ElementId node = m.node(m.diagram("Net", notation.name.c_str()), {}, kind.kind, {{"name", "one"}});
        for (const ElementFigure& figure : kind.figures(m.document(), *m.document().find(node))) {
          ++figures;
          QVERIFY2(figure.share || (figure.symbol != "U" && figure.symbol != "\u03c1"), kind.kind.c_str());
        }
      }
    QVERIFY(figures > 20);
  }

  // Of all notations: the key that the palette shows beside a kind places this kind and no other.
  void a_key_places_one_kind() {
    int keys = 0;
    for (const NotationSpec& notation : catalogue().notations()) {
      std::map<std::string, std::string> kind_of_key;
      for (const KindSpec& kind : notation.kinds) {
        if (kind.shortcut.empty()) continue;
        const auto [found, fresh] = kind_of_key.emplace(kind.shortcut, kind.kind);
        QVERIFY2(fresh, (kind.shortcut + " places " + found->second + " and " + kind.kind).c_str());
        ++keys;
      }
    }
    QVERIFY(keys > 20);
  }

  void a_new_cluster_is_whole_and_runs() {
    const auto [notation, kind] = catalogue().diagram_kind("cluster");
    QVERIFY(notation != nullptr && kind->fill);
    ModelBuilder m("100 h");
    const ElementId diagram = m.diagram("Cluster1", "cluster");
    m.measure("gpus", "time_average", "cloud.gpus");
    Edit edit(m.document(), "New cluster");
    kind->fill(edit, diagram);
    QVERIFY2(check_model(edit.document()).empty(), listed(check_model(edit.document())).c_str());
    QCOMPARE(edit.document().nodes(diagram).size(), 3U);
  }

  void flows_lead_from_streams_to_rentals() {
    const Cloud c;
    const NotationSpec& notation = *catalogue().notation("cluster");
    const auto joined = [&](ElementId from, ElementId to) {
      std::string why;
      const std::string kind =
          notation.edge_kind(c.m.document(), *c.m.document().find(from), *c.m.document().find(to), why);
      return kind.empty() ? why : kind;
    };
    QCOMPARE(joined(c.small, c.cloud), std::string("job_flow"));
    QCOMPARE(joined(c.cloud, c.small), std::string("Jobs come from a job stream."));
    QCOMPARE(
        joined(c.small, c.large),
        std::string(
            "Jobs of a stream go to a rental, to a pool of hosts, to a fleet of GPUs, to a GPU cluster, to a round "
            "scheduler or to a scheduler of iterations."));
  }

  void renaming_follows_into_expressions_and_streams() {
    const Cloud c;
    CommandStack stack(c.m.document());
    std::string why;
    for (const auto& [id, name] : {std::pair{c.cloud, "farm"}, std::pair{c.small, "short"}}) {
      auto command = relabel(stack.document(), id, name, why);
      QVERIFY2(command, why.c_str());
      stack.push(std::move(*command));
    }
    QCOMPARE(stack.document().named(Section::measure, "rented")->text("expression"),
             std::string("farm.gpus + short.jobs"));
    QCOMPARE(stack.document().named(Section::measure, "time")->text("of"), std::string("farm.response_time"));
  }

  void nodes_show_what_decides() {
    Cloud c;
    std::string svg = drawn(c.m.document(), c.diagram);
    for (const char* text : {"small", "large", "cloud", "rate rate", "k^0.7", "Amdahl, p = 0.9", "8 GPUs on average"})
      QVERIFY2(svg.find(text) != std::string::npos, text);
    c.m.set(c.cloud, "failure_rate", "0.02 /h"), c.m.set(c.cloud, "whole_gpus", "true");
    c.m.set(c.large, "speedup", "logarithmic");
    svg = drawn(c.m.document(), c.diagram);
    for (const char* text : {"fails 0.02 /h", "policy, whole", "1 + 0.5 ln k"})
      QVERIFY2(svg.find(text) != std::string::npos, text);
  }

  // Two streams, two colours; each flow has that of its stream.
  void flows_look_like_their_streams() {
    const Cloud c;
    const DiagramGeometry geometry(c.m.document(), c.diagram, catalogue());
    QVERIFY(geometry.series(c.small) != geometry.series(c.large));
    QCOMPARE(geometry.series(c.flow), geometry.series(c.small));
  }

  void numbers_of_a_run_stand_at_their_elements() {
    const Cloud c;
    ResultSet run;
    MeasureResult one;
    one.id = "mean_response_time/small", one.estimate = 0.25, one.unit = "h";
    run.measures = {one};
    one.id = "gpus/cloud", one.estimate = 7.5, one.unit = "";
    run.measures.push_back(one);
    const DiagramNumbers numbers = diagram_numbers(c.m.document(), c.diagram, &run, false);
    QVERIFY(numbers.any_kind);
    std::string all;
    for (const auto& [id, at] : numbers.of)
      for (const std::string& text : at.texts) all += text + ";";
    QVERIFY2(all.find("T 0.25 h") != std::string::npos && all.find("K 7.5") != std::string::npos, all.c_str());
  }

  void renaming_a_stream_follows_into_the_class_of_a_measure() {
    const Cloud c;
    CommandStack stack(c.m.document());
    stack.push(rename_element(stack.document(), c.small, "tiny"));
    const Document& after = stack.document();
    QCOMPARE(after.named(Section::measure, "time")->text("class"), std::string("tiny"));
    QCOMPARE(after.named(Section::measure, "rented")->text("expression"), std::string("cloud.gpus + tiny.jobs"));
    QVERIFY2(check_model(after).empty(), listed(check_model(after)).c_str());
    // One that nobody's class is.
    CommandStack other(c.m.document());
    other.push(rename_element(other.document(), c.large, "huge"));
    QCOMPARE(other.document().named(Section::measure, "time")->text("class"), std::string("small"));
  }

  void renaming_whose_jobs_are_customers_follows_into_their_source() {
    for (const char* kind : {"job_stream", "round_scheduler", "iteration_scheduler"}) {
      Cloud c;
      const ElementId jobs = c.m.node(c.diagram, {}, kind, {{"name", "training"}}),
                      net = c.m.diagram("Review", "queueing"),
                      source = c.m.node(net, {}, "source", {{"name", "results"}, {"jobs", "training"}});
      CommandStack stack(c.m.document());
      stack.push(rename_element(stack.document(), jobs, "fitting"));
      QCOMPARE(stack.document().find(source)->text("jobs"), std::string("fitting"));
    }
  }

  void problems_and_help_know_it() {
    const HelpPage* guide = find_help("9_clusters");
    QVERIFY(guide != nullptr);
    for (const char* word :
         {"optimal", "equal_width", "one_gpu", "equi", "hesrpt", "greedy", "NAME.spend", "amdahl", "power",
          "logarithmic", "parallel", "coefficient", "start_up", "share_exponent", "ln s(N) / ln N"})
      QVERIFY2(guide->text.find(word) != std::string::npos, word);
    QVERIFY(find_help("problems")->text.find("| RNT |") != std::string::npos);
    QVERIFY(find_help("kind.rental") != nullptr && find_help("kind.job_stream") != nullptr);
    QVERIFY(find_help("solvers")->text.find("rental-budget") != std::string::npos);
  }

  void a_report_lists_streams_and_rentals() {
    Cloud c;
    c.m.set(c.cloud, "price", "3.25 USD/h");
    const ResultSet none;
    const std::string report = make_report(&c.m.document(), none);
    for (const char* text : {"Job streams of Cluster", "Rentals of Cluster", "3.25 USD/h"})
      QVERIFY2(report.find(text) != std::string::npos, text);
    // Of a run with other values the tables tell those.
    ResultSet set;
    set.provenance.overrides = {{"cloud.price", "9.75 USD/h"}};
    const std::string as_run = make_report(&c.m.document(), set);
    QVERIFY(as_run.find("3.25 USD/h") == std::string::npos);
    QCOMPARE(as_run.find("9.75 USD/h") == as_run.rfind("9.75 USD/h"), false);
  }

  // Whatever decides about a number stands in some table.
  void a_report_lists_what_no_column_is_for() {
    Cloud c;
    c.m.set(c.small, "most_jobs", "77"), c.m.set(c.small, "taken", "size = work");
    const ElementId net = c.m.diagram("Net", "queueing");
    c.m.node(net, {}, "station", {{"name", "desk"}, {"patience", "13 min"}});
    c.m.node(net, {}, "transition", {{"name", "fires"}, {"time", "exponential(mean = 17 s)"}});
    const std::string report = make_report(&c.m.document(), {});
    for (const char* text : {"Jobs that come = 77", "Taken of customers = size = work", "13 min",
                             "Other elements of Net", "exponential(mean = 17 s)"})
      QVERIFY2(report.find(text) != std::string::npos, text);
  }

  // A station with the times it is drawn with stands beside one of which more was written.
  void a_report_lists_stations_as_they_come() {
    Cloud c;
    const ElementId net = c.m.diagram("Review", "queueing");
    c.m.node(net, {}, "station", {{"name", "as_drawn"}}),
        c.m.node(net, {}, "station", {{"name", "two"}, {"servers", "2"}});
    const std::string report = make_report(&c.m.document(), {});
    const std::size_t table = report.find("Stations of Review");
    QVERIFY(table != std::string::npos);
    const std::string rows = report.substr(table, report.find("</table>", table) - table);
    for (const char* text : {"as_drawn", "two", "exponential(mean = 1 s)"})
      QVERIFY2(rows.find(text) != std::string::npos, text);
  }

  // Rows of the tables, cell by cell: what does not apply is empty, and a parameter says what it chose.
  void a_report_tells_speedups_policies_and_failures() {
    Cloud c;
    c.m.set(c.large, "exponent", "a_large"), c.m.set(c.large, "most_gpus", "64");
    c.m.parameter("a_large", "0.7");
    c.m.set(c.cloud, "failure_rate", "0.01 /h"), c.m.set(c.cloud, "checkpoint_period", "30 min");
    c.m.set(c.cloud, "checkpoint_cost", "0.02 h"), c.m.set(c.cloud, "restart", "0.1 h");
    const auto rows = [&](const ResultSet& run) {
      std::string out;
      bool tag = false;
      for (const char one : make_report(&c.m.document(), run)) {
        if (one == '<') tag = true, out += out.ends_with('|') ? "" : "|";
        else if (one == '>') tag = false;
        else if (!tag && one != '\n') out += one;
      }
      return out;
    };
    const std::string report = rows({});
    for (const char* text :
         {"|rate|exponential(mean = 1 h)|Amdahl: a part runs side by side|0.9|–|–|0 h",
          "|power of the GPUs|–|a_large|64|0 h|",
          "cloud|8|policy: fixed widths, the best for the budget|false|0 USD/h|0.01 /h|30 min|0.02 h|0.1 h"})
      QVERIFY2(report.find(text) != std::string::npos, report.c_str());
    QVERIFY(report.find("Speeds") == std::string::npos);  // nobody has a table
    ResultSet run;
    run.provenance.parameters["policy"] = "equi";
    QVERIFY(rows(run).find("|8|policy: a cluster, shared evenly (EQUI)|0 USD/h") != std::string::npos);
  }
};

QTEST_GUILESS_MAIN(TestClusterNotation)
#include "tst_cluster_notation.moc"
