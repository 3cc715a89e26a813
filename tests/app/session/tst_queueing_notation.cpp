// Queueing networks on the canvas: what joins what, labels, renaming, what a new diagram holds.
#include <QtTest>

#include <regex>
#include <set>

#include "app/session/catalogue.h"
#include "app/session/check.h"
#include "app/session/element_numbers.h"
#include "app/session/figure.h"
#include "app/session/label.h"
#include "app/session/publish.h"
#include "app/session/rename.h"
#include "core/document/command.h"
#include "core/report/report_section.h"
#include "core/study/run_request.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

namespace {

struct Desk {
  ModelBuilder m;
  ElementId diagram = m.diagram("Net", "queueing");
  ElementId gold, in, desk, out, first, second, machine;
  Desk() {
    gold = m.node(diagram, {}, "job_class", {{"name", "gold"}});
    in = m.node(diagram, {}, "source", {{"name", "in"}, {"class", "gold"}});
    desk = m.node(diagram, {}, "station",
                  {{"name", "desk"}, {"servers", "count(machine[*].Up)"}, {"service", "exponential(mean = mean)"}});
    out = m.node(diagram, {}, "sink", {{"name", "out"}});
    first = m.edge(diagram, "flow", in, desk, {{"class", "gold"}});
    second = m.edge(diagram, "flow", desk, out);
    m.parameter("mean", "0.2 s", {{"unit", "s"}});
    ChartBuilder c(m, "Machine");
    const ElementId up = c.state("Up"), down = c.state("Down");
    c.initial(up), c.transition(up, down, "when(desk.number > 100)"), c.transition(down, up, "rate(1 /h)");
    machine = m.component("machine", "Machine", "2");
    m.measure("load", "time_average", "desk.busy / 2");
    m.measure("wait", "steady_state_mean", "", {{"of", "desk.waiting_time"}, {"unit", "s"}});
  }
  Document renamed(ElementId id, const std::string& name) const {
    std::string why;
    auto command = relabel(m.document(), id, name, why);
    if (!command) throw std::runtime_error(why);
    CommandStack stack(m.document());
    stack.push(std::move(*command));
    return stack.document();
  }
};

std::string drawn_queue(const Document& document, ElementId diagram, const DrawOptions& options = {}) {
  const auto svg = make_diagram(document, diagram, "svg", false, options);
  if (!svg) throw std::runtime_error("not drawn");
  return *svg;
}

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t out = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++out;
  return out;
}

/// One station alone, as exported.
std::string station_with(const std::map<std::string, std::string>& properties) {
  ModelBuilder m;
  const ElementId diagram = m.diagram("Net", "queueing");
  Value all = {{"name", "desk"}};
  for (const auto& [name, text] : properties) all[name] = text;
  m.node(diagram, {}, "station", all);
  return drawn_queue(m.document(), diagram);
}

Document after(const Document& document, const QuickFix& fix, CommandStack** kept = nullptr) {
  static std::vector<std::unique_ptr<CommandStack>> stacks;
  stacks.push_back(std::make_unique<CommandStack>(document));
  stacks.back()->push(Command(*fix.command));
  if (kept != nullptr) *kept = stacks.back().get();
  return stacks.back()->document();
}

MeasureResult result(const char* id, double estimate, const char* unit = "") {
  MeasureResult out;
  out.id = id, out.estimate = estimate, out.unit = unit;
  return out;
}

std::string text_of(const Document& document, const std::string& measure, const std::string& property) {
  return document.named(Section::measure, measure)->text(property);
}

}  // namespace

class TestQueueingNotation : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_sound_drawing_has_no_problems() {
    const Desk d;
    const Diagnostics problems = check_model(d.m.document());
    QVERIFY2(problems.empty(), listed(problems).c_str());
  }

  void a_text_that_does_not_compile_is_refused_once() {
    for (const char* text : {"12 / count(machine[*].Up)", "count(machin", "2 s"}) {
      Desk d;
      d.m.set(d.desk, "servers", text);
      const Diagnostics problems = check_model(d.m.document());
      const auto errors = std::count_if(problems.begin(), problems.end(),
                                        [](const Diagnostic& p) { return p.severity == Severity::error; });
      QVERIFY2(errors == 1 && problems.front().code.starts_with("EXP"), listed(problems).c_str());
    }
    Desk d;
    d.m.set(d.desk, "servers", "0");
    QVERIFY(find_code(check_model(d.m.document()), "QN004") != nullptr);
  }

  // Oracle: two machines at most; one customer a second asks for 0.2 s, or for 3 s.
  void overload_is_seen_where_servers_are_an_expression() {
    Desk d;
    d.m.set(d.in, "interarrival", "exponential(mean = 1 s)");
    QVERIFY(find_code(check_model(d.m.document()), "QN010") == nullptr);
    d.m.set(d.desk, "service", "exponential(mean = 3 s)");
    const Diagnostics problems = check_model(d.m.document());
    const Diagnostic* heavy = find_code(problems, "QN010");
    QVERIFY2(heavy != nullptr && heavy->message.find("1.5 times") != std::string::npos, listed(problems).c_str());
    d.m.set(d.desk, "servers", "2 * count(machine[*].Up)");
    QVERIFY(find_code(check_model(d.m.document()), "QN010") == nullptr);
  }

  void an_event_that_nobody_hears_is_told() {
    Desk d;
    ChartBuilder clerk(d.m, "Clerk");
    const ElementId idle = clerk.state("Idle");
    clerk.initial(idle), clerk.transition(idle, idle, "turned_away");
    d.m.component("clerk", "Clerk");
    d.m.set(d.desk, "loss_event", "turned_away");
    QVERIFY(find_code(check_model(d.m.document()), "SYS007") == nullptr);
    d.m.set(d.desk, "loss_event", "turned_awya");
    const Diagnostics problems = check_model(d.m.document());
    const Diagnostic* told = find_code(problems, "SYS007");
    QVERIFY2(told != nullptr && told->severity == Severity::warning, listed(problems).c_str());
    QVERIFY(told->element == d.desk && told->pointer == "loss_event");
    QVERIFY(told->hint.find("\"turned_away\"") != std::string::npos);
    d.m.measure("lost", "count", "", {{"event", "turned_awya"}});
    QVERIFY(find_code(check_model(d.m.document()), "SYS007") == nullptr);
  }

  void a_report_lists_what_is_read_of_sources_and_stations() {
    Desk d;
    d.m.set(d.in, "rate", "3 /s");
    d.m.set(d.desk, "loss_event", "turned_away");
    const ResultSet none;
    std::string report = make_report(&d.m.document(), none);
    QVERIFY(report.find("3 /s") != std::string::npos);
    QVERIFY(report.find("turned_away") != std::string::npos);
    const KindSpec& source = *catalogue().notation("queueing")->kind("source");
    const std::string gap = source.property("interarrival")->default_text;
    QVERIFY(!gap.empty() && report.find(gap) == std::string::npos);
    d.m.set(d.in, "interarrival", "exponential(mean = 77 s)");
    report = make_report(&d.m.document(), none);
    QVERIFY(report.find("exponential(mean = 77 s) (not used)") != std::string::npos);
    d.m.set(d.in, "rate", "");
    d.m.set(d.in, "interarrival", "");
    QVERIFY(make_report(&d.m.document(), none).find("(not used)") == std::string::npos);
  }

  void renaming_follows_into_charts_measures_and_streams() {
    const Desk d;
    const Document after = d.renamed(d.desk, "counter");
    QCOMPARE(text_of(after, "load", "expression"), std::string("counter.busy / 2"));
    QCOMPARE(text_of(after, "wait", "of"), std::string("counter.waiting_time"));
    const Diagnostics problems = check_model(after);
    QVERIFY2(problems.empty(), listed(problems).c_str());
    // A component that is read, a parameter, a class.
    const Document machine = d.renamed(d.machine, "server");
    QCOMPARE(machine.find(d.desk)->text("servers"), std::string("count(server[*].Up)"));
    const Document gold = d.renamed(d.gold, "vip");
    QCOMPARE(gold.find(d.in)->text("class"), std::string("vip"));
    QCOMPARE(gold.find(d.first)->text("class"), std::string("vip"));
    QVERIFY2(check_model(gold).empty(), listed(check_model(gold)).c_str());
  }

  // A closed class may begin at a delay as well as at a station; the report lists it also where nothing is said of it.
  void classes_keep_their_reference_and_are_all_listed() {
    Desk d;
    const ElementId think = d.m.node(d.diagram, {}, "delay", {{"name", "think"}}),
                    users = d.m.node(d.diagram, {}, "job_class", {{"name", "users"}, {"reference", "think"}});
    d.m.node(d.diagram, {}, "job_class", {{"name", "guests"}});
    QCOMPARE(d.renamed(think, "rest").find(users)->text("reference"), std::string("rest"));
    const std::string report = make_report(&d.m.document(), ResultSet());
    const std::size_t table = report.find("Classes of ");
    QVERIFY(table != std::string::npos);
    const std::string rows = report.substr(table, report.find("</table>", table) - table);
    for (const char* name : {"gold", "users", "guests"}) QVERIFY2(rows.find(name) != std::string::npos, rows.c_str());
  }

  // Wherever something is said of classes or stations by their names. What only looks alike stays.
  void renaming_follows_into_what_is_said_by_class() {
    Desk d;
    d.m.node(d.diagram, {}, "job_class", {{"name", "golden"}, {"attributes", "gold: real = 1"}});
    d.m.set(d.in, "class", ""), d.m.set(d.first, "class", "");
    d.m.set(d.desk, "service_of", "golden = 1 s, gold = 2 s"), d.m.set(d.desk, "patience_of", "gold = 9 s");
    d.m.set(d.desk, "discipline", "dps"), d.m.set(d.desk, "weights", "gold = 2,golden = 1");
    const ElementId region = d.m.node(
        d.diagram, {}, "region",
        {{"name", "yard"}, {"stations", "desk, other"}, {"capacity_of", "gold = 3"}, {"loses", "golden, gold"}});
    const ElementId of_class = d.m.measure("of_gold", "observed_mean", "",
                                           {{"of", "desk.response_time"}, {"class", "gold"}, {"unit", "s"}}),
                    other = d.m.measure("of_golden", "observed_rate", "",
                                        {{"of", "desk.response_time"}, {"class", "golden"}});
    const Document after = d.renamed(d.gold, "vip");
    QCOMPARE(after.find(d.desk)->text("service_of"), std::string("golden = 1 s, vip = 2 s"));
    QCOMPARE(after.find(d.desk)->text("patience_of"), std::string("vip = 9 s"));
    QCOMPARE(after.find(d.desk)->text("weights"), std::string("vip = 2,golden = 1"));
    QCOMPARE(after.find(region)->text("capacity_of"), std::string("vip = 3"));
    QCOMPARE(after.find(region)->text("loses"), std::string("golden, vip"));
    QCOMPARE(after.find(of_class)->text("class"), std::string("vip"));
    QCOMPARE(after.find(other)->text("class"), std::string("golden"));
    for (const Element& one : after.elements())
      if (one.name() == "golden") QCOMPARE(one.text("attributes"), std::string("gold: real = 1"));
    QCOMPARE(d.renamed(d.desk, "counter").find(region)->text("stations"), std::string("counter, other"));
  }

  void flows_join_what_customers_can_pass() {
    const Desk d;
    const NotationSpec& notation = *catalogue().notation("queueing");
    const auto joined = [&](ElementId from, ElementId to) {
      std::string why;
      const std::string kind =
          notation.edge_kind(d.m.document(), *d.m.document().find(from), *d.m.document().find(to), why);
      return kind.empty() ? why : kind;
    };
    QCOMPARE(joined(d.in, d.desk), std::string("flow"));
    QCOMPARE(joined(d.desk, d.desk), std::string("flow"));
    QCOMPARE(joined(d.out, d.desk), std::string("Nobody comes out of a sink."));
    QCOMPARE(joined(d.desk, d.in), std::string("Nobody enters a source."));
    QVERIFY(joined(d.gold, d.desk).starts_with("Classes, pools"));
  }

  // Who lets out whom in, written out: rows are where flows come from.
  void a_file_may_join_what_may_be_drawn_and_nothing_else() {
    const std::set<std::string> apart = {"job_class", "note", "pool", "region"};
    const auto may = [&](const std::string& from, const std::string& to) {
      if (apart.count(from) != 0 || apart.count(to) != 0 || from == "sink" || to == "source") return false;
      return (from == "place") == (to == "transition");
    };
    const NotationSpec& notation = *catalogue().notation("queueing");
    std::size_t pairs = 0;
    for (const KindSpec& from : notation.kinds)
      for (const KindSpec& to : notation.kinds) {
        if (from.section != Section::node || to.section != Section::node) continue;
        ++pairs;
        ModelBuilder m;
        const ElementId diagram = m.diagram("Net", "queueing");
        const auto node = [&](const std::string& kind, const char* name) {
          Value more = kind == "note" ? Value::object() : Value{{"name", name}};
          if (kind == "transition") more["time"] = "1 s";
          return m.node(diagram, {}, kind, std::move(more));
        };
        const ElementId first = node(from.kind, "a"), last = node(to.kind, "b"),
                        flow = m.edge(diagram, "flow", first, last);
        const std::string pair = from.kind + " to " + to.kind;
        std::string why;
        const bool drawn =
            !notation.edge_kind(m.document(), *m.document().find(first), *m.document().find(last), why).empty();
        QVERIFY2(drawn == may(from.kind, to.kind) && drawn == why.empty(), pair.c_str());
        const Diagnostics problems = check_model(m.document());
        const bool refused = std::any_of(problems.begin(), problems.end(), [&](const Diagnostic& p) {
          return p.code == "QN014" && p.element == flow && p.severity == Severity::error;
        });
        QVERIFY2(refused == !drawn, (pair + "\n" + listed(problems)).c_str());
      }
    QCOMPARE(pairs, std::size_t{21 * 21});
  }

  void it_is_exported_with_its_words() {
    const Desk d;
    const auto svg = make_diagram(d.m.document(), d.diagram, "svg", false);
    QVERIFY(svg.has_value());
    for (const char* word : {">desk<", ">in<", ">out<", ">gold<", ">gold:<", "exponential(mean"})
      QVERIFY2(svg->find(word) != std::string::npos, word);
  }

  void a_station_shows_what_decides() {
    QVERIFY(station_with({{"servers", "count(m[*].Up)"}}).find(">c = count(m[*].Up)<") != std::string::npos);
    // Smaller letters rather than a part of it.
    QVERIFY(station_with({{"servers", "2*count(machines[*].Up)"}}).find(">c = 2*count(machines[*].Up)<") !=
            std::string::npos);
    const std::string full = station_with({{"capacity", "places"}, {"discipline", "lcfs_pr"}, {"when_full", "block"}});
    QVERIFY(full.find("LCFS-PR") != std::string::npos);
    QVERIFY(full.find("max places") != std::string::npos);
    QVERIFY(full.find("block<") != std::string::npos);
    // What is as usual is not said.
    const std::string plain = station_with({{"discipline", "fcfs"}, {"when_full", "block"}});
    QVERIFY(plain.find("FCFS") == std::string::npos && plain.find("block") == std::string::npos);
  }

  void servers_are_circles_three_at_most_and_then_a_number() {
    const auto circles = [](const char* servers) { return count_of(station_with({{"servers", servers}}), "<ellipse"); };
    QCOMPARE(circles("1"), std::size_t{1});
    QCOMPARE(circles("2"), std::size_t{2});
    QCOMPARE(circles("3"), std::size_t{3});
    QCOMPARE(circles("8"), std::size_t{3});
    QVERIFY(station_with({{"servers", "8"}}).find(">\u00d78<") != std::string::npos);
    QVERIFY(station_with({{"servers", "3"}}).find("\u00d7") == std::string::npos);
  }

  void what_a_station_shows_lies_inside_it() {
    for (const char* servers : {"1", "8", "count(machine[*].Up) + spare"}) {
      ModelBuilder m;
      const ElementId diagram = m.diagram("Net", "queueing");
      const ElementId desk = m.node(diagram, {}, "station",
                                    {{"name", "desk"}, {"servers", servers}, {"capacity", "10"}, {"discipline", "ps"}});
      CommandStack stack(m.document());
      Edit edit(stack.document(), "Place");
      Layout where;
      const Rect box{100, 100, 190, 84};
      where.bounds = box;
      edit.set_layout(desk, where);
      stack.push(edit.finish());
      for (const Primitive& shape : draw_diagram(stack.document(), diagram, catalogue()).primitives) {
        const Rect e = shape.extent();
        QVERIFY2(e.x >= box.x - 1 && e.right() <= box.right() + 1 && e.y >= box.y - 1 && e.bottom() <= box.bottom() + 1,
                 shape.text.c_str());
      }
    }
  }

  void its_kinds_have_icons_of_their_own() {
    std::set<std::string> others;
    for (const NotationSpec& notation : catalogue().notations())
      if (notation.name != "queueing")
        for (const KindSpec& kind : notation.kinds) others.insert(kind.icon);
    std::set<std::string> own;
    for (const KindSpec& kind : catalogue().notation("queueing")->kinds) {
      if (kind.kind == "note") continue;
      QVERIFY2(!others.contains(kind.icon) && own.insert(kind.icon).second, kind.icon.c_str());
      QVERIFY2(QFile::exists(QStringLiteral(ERGODE_SOURCE_DIR "/app/gui/icons/%1.svg").arg(kind.icon.c_str())),
               kind.icon.c_str());
    }
  }

  void probabilities_are_divided_by_their_sum_in_one_step() {
    ModelBuilder m;
    const ElementId diagram = m.diagram("Net", "queueing");
    const ElementId in = m.node(diagram, {}, "source", {{"name", "in"}});
    const ElementId a = m.node(diagram, {}, "sink", {{"name", "a"}}), b = m.node(diagram, {}, "sink", {{"name", "b"}});
    const ElementId first = m.edge(diagram, "flow", in, a, {{"probability", "0.6"}});
    const ElementId second = m.edge(diagram, "flow", in, b, {{"probability", "0.3"}});
    m.measure("out", "final_value", "a.arrived");
    const Diagnostics problems = check_model(m.document());
    QCOMPARE(codes(problems), std::string("QN003"));
    QCOMPARE(problems.front().fixes.size(), std::size_t{1});
    QCOMPARE(problems.front().fixes.front().label, std::string("Normalise"));
    const ReportSection ways = catalogue().notation("queueing")->kind("source")->preview(m.document(), in, {});
    QCOMPARE(ways.tables.size(), std::size_t{1});
    QCOMPARE(ways.tables.front().rows.back(), (std::vector<std::string>{"Sum", "wanted 1", "0.9"}));
    CommandStack* stack = nullptr;
    const Document mended = after(m.document(), problems.front().fixes.front(), &stack);
    const double p = std::stod(mended.find(first)->text("probability"));
    const double q = std::stod(mended.find(second)->text("probability"));
    QVERIFY(std::abs(p - 2.0 / 3) < 1e-12 && std::abs(q - 1.0 / 3) < 1e-12);
    QVERIFY2(check_model(mended).empty(), listed(check_model(mended)).c_str());
    QVERIFY(drawn_queue(mended, diagram).find(">0.667<") != std::string::npos);
    stack->undo();
    QCOMPARE(stack->document().find(first)->text("probability"), std::string("0.6"));
    QCOMPARE(stack->document().find(second)->text("probability"), std::string("0.3"));
  }

  void expressions_stay_expressions_when_they_are_normalised() {
    ModelBuilder m;
    const ElementId diagram = m.diagram("Net", "queueing");
    const ElementId in = m.node(diagram, {}, "source", {{"name", "in"}});
    const ElementId a = m.node(diagram, {}, "sink", {{"name", "a"}}), b = m.node(diagram, {}, "sink", {{"name", "b"}});
    m.parameter("p", "0.5");
    const ElementId first = m.edge(diagram, "flow", in, a, {{"probability", "p"}});
    m.edge(diagram, "flow", in, b, {{"probability", "0.7"}});
    m.measure("out", "final_value", "a.arrived");
    const Diagnostics problems = check_model(m.document());
    QCOMPARE(codes(problems), std::string("QN003"));
    const Document mended = after(m.document(), problems.front().fixes.front());
    QCOMPARE(mended.find(first)->text("probability"), std::string("(p) / ((p) + (0.7))"));
    QVERIFY2(check_model(mended).empty(), listed(check_model(mended)).c_str());
  }

  void classes_have_a_colour_and_a_dash_on_their_flows() {
    ModelBuilder m;
    const ElementId diagram = m.diagram("Net", "queueing");
    for (const char* name : {"gold", "bulk"}) m.node(diagram, {}, "job_class", {{"name", name}});
    const ElementId in = m.node(diagram, {}, "source", {{"name", "in"}}),
                    out = m.node(diagram, {}, "sink", {{"name", "out"}});
    const ElementId gold = m.edge(diagram, "flow", in, out, {{"class", "gold"}}),
                    bulk = m.edge(diagram, "flow", in, out, {{"class", "bulk"}}),
                    any = m.edge(diagram, "flow", in, out);
    std::map<ElementId, Primitive> lines;
    for (const Primitive& shape : draw_diagram(m.document(), diagram, catalogue()).primitives)
      if (shape.kind == Primitive::Kind::polyline) lines.try_emplace(shape.element, shape);
    QVERIFY(lines.at(gold).stroke != lines.at(bulk).stroke);
    QVERIFY(lines.at(gold).dash != lines.at(bulk).dash);
    QVERIFY(lines.at(any).stroke == Role::transition && lines.at(any).dash == Dash::solid);
  }

  void every_station_is_measured_by_one_step_that_finds_what_is_asked_already() {
    const Desk d;
    const auto fix = measure_everything(d.m.document());
    QVERIFY(fix.has_value());
    QCOMPARE(fix->label, std::string("Measure every station"));
    CommandStack* stack = nullptr;
    const Document asked = after(d.m.document(), *fix, &stack);
    std::map<std::string, std::string> made;
    for (const Element* measure : asked.of(Section::measure))
      made[measure->name()] = measure->text("type") + " " + measure->text("expression") + measure->text("of");
    QCOMPARE(made.at("desk_number"), std::string("time_average desk.number"));
    QCOMPARE(made.at("desk_utilisation"), std::string("time_average min(1, desk.busy / max(1, desk.servers))"));
    QCOMPARE(made.at("desk_throughput"), std::string("observed_rate desk.response_time"));
    QCOMPARE(made.at("desk_response_time"), std::string("observed_mean desk.response_time"));
    QVERIFY2(check_model(asked).empty(), listed(check_model(asked)).c_str());
    QVERIFY(!measure_everything(asked));  // all is asked
    stack->undo();
    QCOMPARE(stack->document().of(Section::measure).size(), d.m.document().of(Section::measure).size());
  }

  void utilisation_is_asked_so_that_exact_solvers_know_it() {
    ModelBuilder m;
    const ElementId diagram = m.diagram("Net", "queueing");
    m.parameter("clerks", "3");
    m.node(diagram, {}, "station", {{"name", "a"}, {"servers", "4"}});
    m.node(diagram, {}, "station", {{"name", "b"}, {"servers", "clerks"}});
    const Document asked = after(m.document(), *measure_everything(m.document()));
    for (const std::string name : {"a", "b"}) {
      const Element* measure = asked.named(Section::measure, name + "_utilisation");
      QVERIFY(measure != nullptr);
      QCOMPARE(measure->text("expression"), name + ".busy / " + name + ".servers");
    }
    // The answer is the share already.
    ResultSet run;
    run.measures = {result("a_utilisation", 0.5)};
    const DiagramNumbers numbers = diagram_numbers(asked, diagram, &run, false);
    QCOMPARE(numbers.of.size(), std::size_t{1});
    QCOMPARE(numbers.of.begin()->second.share, 0.5);
  }

  void a_model_that_asks_nothing_is_offered_to_measure_every_station() {
    ModelBuilder m;
    const ElementId diagram = m.diagram("Net", "queueing");
    CommandStack stack(m.document());
    Edit edit(stack.document(), "New");
    catalogue().diagram_kind("queueing").second->fill(edit, diagram);
    stack.push(edit.finish());
    const Diagnostics problems = check_model(stack.document());
    QCOMPARE(codes(problems), std::string("MEA008"));
    QCOMPARE(problems.front().fixes.front().label, std::string("Measure every station"));
    const Document mended = after(stack.document(), problems.front().fixes.front());
    QVERIFY2(check_model(mended).empty(), listed(check_model(mended)).c_str());
    QCOMPARE(mended.of(Section::measure).size(), std::size_t{6});  // four of the station, two of the sink
  }

  // The numbers come from whatever the measures ask, not from their names.
  void numbers_of_a_run_stand_at_their_stations() {
    ModelBuilder m;
    const ElementId diagram = m.diagram("Net", "queueing");
    const ElementId desk = m.node(diagram, {}, "station", {{"name", "desk"}, {"servers", "4"}});
    const ElementId other = m.node(diagram, {}, "station", {{"name", "other"}});
    m.measure("a", "steady_state_mean", "desk . busy");
    m.measure("b", "time_average", "desk.number");
    m.measure("c", "observed_rate", "", {{"of", "desk.response_time"}});
    m.measure("d", "steady_state_mean", "", {{"of", "desk.response_time"}});
    m.measure("e", "final_value", "other.number");  // no mean
    ResultSet run;
    run.measures = {result("a", 3), result("b", 7.25), result("c", 0.125, "/s"), result("d", 58, "s"), result("e", 9)};
    const DiagramNumbers numbers = diagram_numbers(m.document(), diagram, &run, false);
    QVERIFY(!numbers.of.contains(other));
    const NodeNumbers& at = numbers.of.at(desk);
    QCOMPARE(at.share, 0.75);
    std::string all;
    for (const std::string& text : at.texts) all += text + "|";
    for (const char* word : {"\u03c1 0.75", "L 7.25", "X 0.125 /s", "W 58 s"})
      QVERIFY2(all.find(word) != std::string::npos, all.c_str());
    // In the export, with the colour of the share, a legend, and the mark of what is not of this model any more.
    DrawOptions options;
    options.numbers = numbers.of, options.numbers_caption = numbers.caption;
    std::string svg = drawn_queue(m.document(), diagram, options);
    QVERIFY(svg.find("L 7.25") != std::string::npos);
    QVERIFY(svg.find("Utilisation") != std::string::npos);
    QCOMPARE(count_of(svg, "#5ec962"), std::size_t{2});  // the seventh ninth of viridis: the station, the legend
    QVERIFY(svg.find("stale") == std::string::npos);
    options.numbers = diagram_numbers(m.document(), diagram, &run, true).of;
    svg = drawn_queue(m.document(), diagram, options);
    QVERIFY(svg.find("stale") != std::string::npos);
  }

  void numbers_that_a_solver_gives_unasked_are_summed_over_classes() {
    ModelBuilder m;
    const ElementId diagram = m.diagram("Net", "queueing");
    const ElementId desk = m.node(diagram, {}, "station", {{"name", "desk"}});
    m.node(diagram, {}, "station", {{"name", "desk2"}});
    ResultSet run;
    run.measures = {result("utilisation/desk/gold", 0.25), result("utilisation/desk/bulk", 0.5),
                    result("utilisation/desk2/bulk", 0.9)};
    const DiagramNumbers numbers = diagram_numbers(m.document(), diagram, &run, false);
    QCOMPARE(numbers.of.at(desk).share, 0.75);
    // A run that says nothing leaves the drawing alone.
    QVERIFY(diagram_numbers(m.document(), diagram, nullptr, false).of.empty());
  }

  void a_new_diagram_is_a_queue_that_runs() {
    ModelBuilder m;
    const ElementId diagram = m.diagram("Net", "queueing");
    CommandStack stack(m.document());
    Edit edit(stack.document(), "New");
    catalogue().diagram_kind("queueing").second->fill(edit, diagram);
    stack.push(edit.finish());
    Diagnostics problems = check_model(stack.document());
    QVERIFY2(codes(problems) == "MEA008", listed(problems).c_str());  // it only asks nothing yet
  }

  void probabilities_are_read_with_their_column() {
    const Desk d;
    std::string why;
    QVERIFY(!relabel(d.m.document(), d.second, "0.5 +", why));
    QVERIFY2(why.starts_with("Column 6"), why.c_str());
    // It may be left out.
    QVERIFY(!label_problem(d.m.document(), d.second, ""));
    QVERIFY(!d.renamed(d.second, " ").find(d.second)->has("probability"));
    QCOMPARE(d.renamed(d.second, "1 - 0.5").find(d.second)->text("probability"), std::string("1 - 0.5"));
  }
};

QTEST_APPLESS_MAIN(TestQueueingNotation)
#include "tst_queueing_notation.moc"
