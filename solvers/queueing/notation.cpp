#include "solvers/queueing/notation.h"

#include <algorithm>
#include <optional>
#include <set>

#include "core/base/text.h"
#include "core/document/command.h"
#include "core/drawing/node_pen.h"
#include "core/expression/declarations.h"
#include "core/plugin/plugin_station.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "solvers/queueing/lowering/words.h"
#include "solvers/queueing/model/flow_rules.h"
#include "solvers/queueing/notation_drawing.h"
#include "solvers/queueing/notation_figures.h"
#include "solvers/queueing/notation_ways.h"
#include "solvers/queueing/special_kinds.h"

namespace ergode {
namespace {

using namespace queueing_kinds;

PropertySpec becomes_reference() {
  PropertySpec out = class_reference("The class that customers are of from here on; left out: as before.");
  out.name = "becomes", out.label = "Becomes";
  return out;
}

PropertySpec time_of_class(std::string name, std::string label, std::string each_as) {
  PropertySpec out = behaviour_property(std::move(name), std::move(label), Type::arguments,
                                        "Of classes that differ: gold = exponential(mean = 2 s), bulk = 5 s.");
  out.each_as = std::move(each_as);
  return naming("job_class", std::move(out));
}

PropertySpec gap_property() {
  PropertySpec out =
      time("interarrival", "Time between arrivals",
           "A distribution or a time, as in exponential(mean = 2 s); or arrivals with memory: mmpp, map, burst, "
           "trace, schedule.",
           default_gap);
  out.instead = "rate jobs";
  return out;
}

PropertySpec jobs_property() {
  PropertySpec out = behaviour_property(
      "jobs", "Jobs of", Type::reference,
      "Instead of a time between arrivals: a job stream, a round scheduler or an iteration scheduler. Each of its jobs "
      "becomes a customer here when it is done; of a stream that flows nowhere, when it comes.");
  out.reference = "job_stream round_scheduler iteration_scheduler";
  out.empty_hint = "no jobs";
  return out;
}

PropertySpec outcome_property() {
  return choice("outcome", "Which jobs", "Those that come here; others leave the model.", outcome_words);
}

PropertySpec taken_property() {
  PropertySpec out = behaviour_property(
      "taken", "Taken of jobs", Type::arguments,
      "What a customer has by name of the job: work: real s = run_time. Jobs have wait, "
      "response_time, run_time and gpus (of pools hosts), those of rentals response_time and gpu_time; rejected ones "
      "run_time and gpus (of pools hosts).");
  out.empty_hint = "nothing";
  return out;
}

KindSpec source_kind() {
  return {.kind = "source",
          .label = "Source",
          .shortcut = "S",
          .icon = "source",
          .width = 40,
          .height = 40,
          .help = "Customers come from here, one at a time.",
          .properties = with_routing(
              {name_property(identifier), class_reference("Of what they are; left out: the only one."), gap_property(),
               behaviour_property("rate", "Rate", Type::quantity,
                                  "Instead: they come at this rate, which may change while the model runs.", "", "/s"),
               behaviour_property("batch", "Batch", Type::expression,
                                  "How many come at once: a whole number or a distribution, rounded. They come one "
                                  "after the other at the same "
                                  "time: a free server begins with the first.",
                                  "1"),
               jobs_property(), outcome_property(), taken_property(),
               attributes("What each customer from here has by name, as a class may say: size: real MB = "
                          "exponential(mean = 3 MB). Instead of what the class says of the same name.")}),
          .stem = "source",
          .ports = Ports::centres,
          .draw = draw_source,
          .report_columns = {"interarrival", "rate", "jobs", "class", "routing"},
          .report_caption = "Sources of *",
          .preview = ways_preview};
}

PropertySpec event_property(std::string name, std::string label, const std::string& by_whom) {
  return behaviour_property(std::move(name), std::move(label), Type::text, "Raised for charts " + by_whom + ".");
}

std::vector<PropertySpec> station_properties() {
  std::vector<PropertySpec> out = {
      name_property(identifier),
      behaviour_property("servers", "Servers", Type::integer,
                         "A whole number >= 0; an expression may change while the model runs.", "1"),
      time("service", "Service time",
           "A distribution or a time, as in exponential(mean = 1 s); or services with memory: mmpp, map, trace.",
           default_time),
      time_of_class("service_of", "Service time by class", "service"),
      choice("discipline", "Discipline", "Who is served next; or how all share the servers.", discipline_words),
      choice("priorities", "Priorities of classes", "What they do here.", priorities_words),
      choice("interruption", "Interrupted service", "What becomes of it when its server is taken away or fails.",
             interruption_words),
      behaviour_property("capacity", "Capacity", Type::integer,
                         "Most customers in it, those served included; empty: any number."),
      choice("when_full", "When full", "What becomes of who finds it full.", when_full_words),
      time("retry_after", "Comes again after", "Where who finds it full comes again.", default_time),
      event_property("loss_event", "Loss event", "by a customer who is turned away"),
      event_property("arrival_event", "Arrival event", "by a customer who comes in"),
      event_property("departure_event", "Departure event", "by a customer who has been served and goes"),
      behaviour_property("balking", "Turns round", Type::expression,
                         "Probability that who comes turns round; may read the queue, as in min(1, desk.number / 10)."),
      time("patience", "Patience", "Who has waited so long gives up; empty: nobody does."),
      time_of_class("patience_of", "Patience by class", "patience"),
      behaviour_property("weights", "Weights", Type::arguments, "Of classes that share: gold = 2, bulk = 1."),
      behaviour_property("speed", "Speed", Type::expression,
                         "Of all servers, 1 as they are; may change while the model runs: if(desk.number > 4, 1.5, 1).",
                         "1"),
      behaviour_property("server_speeds", "Speeds of servers", Type::expression,
                         "Of each server: [2, 1, 1]; the fastest who is free serves."),
      time("setup", "Set-up time", "Of a server that begins after it was idle."),
      time("vacation", "Vacation", "A server that finds nobody is away for so long."),
      choice("vacations", "Vacations", "How many it takes in a row.", vacations_words),
      choice("visit", "Visit", "How long a polling server stays with a class.", visit_words),
      behaviour_property("limit", "Most of a visit", Type::integer, "Customers of a limited visit.", "1"),
      time("switchover", "Switch-over time", "Of a polling server, from a class to the next."),
      behaviour_property("batch", "Batch", Type::integer,
                         "Most customers who are served together. A free server begins with those who are there.", "1"),
      behaviour_property("least_batch", "Least batch", Type::integer, "Fewer are not begun with.", "1"),
      time("time_to_failure", "Time to failure", "Of each server, whether it serves or not."),
      time("time_to_repair", "Time to repair", "Of each server.")};
  const auto named = [&](const char* property) -> PropertySpec& {
    return *std::find_if(out.begin(), out.end(), [&](const PropertySpec& p) { return p.name == property; });
  };
  named("weights").reference = "job_class";
  named("capacity").empty_hint = "unlimited";
  named("patience").empty_hint = "unlimited";
  const auto only = [&](const char* property, const char* when, std::vector<std::string> values) {
    PropertySpec& one = named(property);
    one.when_property = when, one.when_values = std::move(values);
  };
  only("retry_after", "when_full", {"retry"});
  only("weights", "discipline", {"dps", "gps"});
  for (const char* of_polling : {"visit", "limit", "switchover"}) only(of_polling, "discipline", {"polling"});
  return with_routing(std::move(out));
}

KindSpec station_kind() {
  return {.kind = "station",
          .label = "Station",
          .shortcut = "T",
          .icon = "station",
          .width = 190,
          .height = 84,
          .help = "A queue and the servers behind it.",
          .properties = station_properties(),
          .stem = "station",
          .draw = draw_station,
          .report_columns = {"servers", "service", "service_of", "discipline", "capacity", "loss_event",
                             "arrival_event", "departure_event", "routing"},
          .report_caption = "Stations of *",
          .preview = ways_preview,
          .figures = station_figures};
}

KindSpec delay_kind() {
  return {.kind = "delay",
          .label = "Delay",
          .shortcut = "D",
          .icon = "delay",
          .width = 200,
          .height = 52,
          .help = "Customers spend a time here; nobody waits for anybody. Thinking, travelling.",
          .properties = with_routing(
              {name_property(identifier),
               time("time", "Time", "A distribution or a time, as in exponential(mean = 1 s).", default_time),
               time_of_class("time_of", "Time by class", "time"),
               event_property("arrival_event", "Arrival event", "by a customer who comes"),
               event_property("departure_event", "Departure event", "by a customer who goes")}),
          .stem = "delay",
          .draw = draw_delay,
          .report_columns = {"time", "time_of", "arrival_event", "departure_event", "routing"},
          .report_caption = "Delays of *",
          .preview = ways_preview,
          .figures = delay_figures};
}

KindSpec class_kind() {
  PropertySpec reference = behaviour_property(
      "reference", "Reference station", Type::reference,
      "Where the customers of a closed class are at time zero, and where they end a passage; left out: the first "
      "delay, or "
      "else the first station. A class that is empty at time zero ends passages only where it names one.");
  reference.reference = "station delay transport";
  return {
      .kind = "job_class",
      .label = "Class",
      .shortcut = "C",
      .icon = "job_class",
      .width = 110,
      .height = 34,
      .help = "What customers are; sources, flows and times may differ by it.",
      .properties = {name_property(identifier),
                     behaviour_property("population", "Population", Type::integer,
                                        "Customers who are always there (a closed class); 0: they come and go.", "0"),
                     reference,
                     behaviour_property("priority", "Priority", Type::integer,
                                        "Greater ones go first; may read attributes of the customer.", "0"),
                     time("due", "Due after",
                          "From birth to due date: who counts as late, and who is next where the "
                          "earliest due date is."),
                     attributes("What each customer has by name, drawn when he is born: prompt: integer = "
                                "geometric(mean = 200), size: real MB = 2 MB * prompt, urgent: boolean = "
                                "bernoulli(probability = 0.1). Times, ways, patience, priority, units may read it.")},
      .stem = "class",
      .draw = draw_class,
      .told_apart = true,
      .report_columns = {"population", "reference", "priority"},
      .report_caption = "Classes of *",
      .figures = class_figures};
}

std::vector<KindSpec> kinds() {
  KindSpec flow{
      .kind = "flow",
      .label = "Flow",
      .section = Section::edge,
      .shortcut = "F",
      .icon = "flow",
      .named = false,
      .help = "Customers go this way.",
      .properties = {behaviour_property("probability", "Probability", Type::expression,
                                        "With which it is taken; ways without one share what is left."),
                     class_reference("Of this class only; it then has no other ways from here."), becomes_reference(),
                     choice("taken_by", "Taken by", "Who goes this way.", taken_by_words),
                     behaviour_property("count", "How many", Type::integer,
                                        "From a fork, a scaler or a transition: so many go this way; from a place: so "
                                        "many are taken.",
                                        "1"),
                     behaviour_property("inhibits", "Inhibits", Type::boolean,
                                        "From a place: the transition is held back while so many are there.", "false")},
      .edge_look =
          [](const Element& edge) {
            EdgeLook look{.head = ArrowHead::filled};
            if (const std::string of = edge.text("class"); !of.empty()) {
              look.label.push_back(of + ":");
              look.like = of;
            }
            if (const std::string p = edge.text("probability"); !p.empty()) {
              // Digits beyond what people compare are for the model, not for the picture.
              constexpr std::size_t short_number = 6;
              const auto number = p.size() > short_number ? parse_number(p) : std::nullopt;
              look.label.push_back(number ? number_text(*number, 3) : p);
            }
            if (const std::string to = edge.text("becomes"); !to.empty()) look.label.push_back("\u2192 " + to);
            if (const std::string n = edge.text("count"); !n.empty() && n != "1") look.label.push_back("\u00d7 " + n);
            if (edge.text("inhibits") == "true") look.head = ArrowHead::none, look.label.push_back("inhibits");
            if (const std::string who = edge.text("taken_by"); !who.empty() && who != "done") look.label.push_back(who);
            return look;
          },
      .label_property = "probability",
      .label_hint = "probability",
      .report_columns = {"probability", "class"},
      .report_caption = "Flows of *"};
  KindSpec sink{.kind = "sink",
                .label = "Sink",
                .shortcut = "K",
                .icon = "sink",
                .width = 34,
                .height = 34,
                .help = "Customers leave here.",
                .properties = {name_property(identifier)},
                .stem = "sink",
                .ports = Ports::centres,
                .draw = draw_sink,
                .figures = sink_figures};
  KindSpec router{
      .kind = "router",
      .label = "Router",
      .shortcut = "R",
      .icon = "router",
      .width = 36,
      .height = 36,
      .help = "Customers pass it without spending time; its flows say where to.",
      .properties = with_routing(
          {name_property(identifier), behaviour_property("sets", "Sets attributes", Type::arguments,
                                                         "Of who passes, one after the other: rounds = rounds + 1.")}),
      .stem = "router",
      .ports = Ports::centres,
      .draw = draw_router,
      .report_columns = {"routing", "*"},
      .report_caption = "Routers of *",
      .preview = ways_preview};
  KindSpec class_switch = router;
  class_switch.kind = class_switch.stem = "class_switch";
  class_switch.label = "Class switch";
  class_switch.shortcut = "W";
  class_switch.icon = "class_switch";
  class_switch.help = "Customers become another class: its flows say which, and with which probability.";
  class_switch.draw = draw_class_switch;
  std::vector<KindSpec> out = {source_kind(),           station_kind(),  delay_kind(), std::move(router),
                               std::move(class_switch), std::move(sink), class_kind()};
  for (KindSpec& special : special_kinds()) out.push_back(std::move(special));
  out.push_back(note_kind());
  out.push_back(std::move(flow));
  return out;
}

std::string flow_between(const Document&, const Element& from, const Element& to, std::string& why_not) {
  why_not = why_no_flow(from.kind, to.kind);
  return why_not.empty() ? "flow" : "";
}

/// All networks are one system, so the first diagram names what is observed of it; unless a node is called so.
bool tells_of_system(const Document& document, const Element& diagram) {
  const Element* first = nullptr;
  for (const Element* one : document.of(Section::diagram)) {
    if (one->text("notation") != diagram.text("notation")) continue;
    if (first == nullptr) first = one;
    for (const Element* node : document.nodes(one->id))
      if (node->name() == streams_of_system().front().front()) return false;
  }
  return first == &diagram;
}

std::vector<DeclaredName> names_of(const Document& document, const Element& diagram) {
  std::vector<DeclaredName> out;
  std::vector<std::string> classes;
  for (const Element* node : document.nodes(diagram.id))
    if (node->kind == "job_class") classes.push_back(node->name());
  std::set<std::string> attributes;
  for (const Element* node : document.nodes(diagram.id)) {
    if (node->kind != "job_class" && node->kind != "source") continue;
    const auto parsed = parse_declarations(node->text("attributes"));
    if (const auto* list = std::get_if<std::vector<DeclarationSyntax>>(&parsed))
      for (const DeclarationSyntax& one : *list) attributes.insert(one.value.name);
  }
  for (const std::string& name : attributes) out.push_back({.path = {name}});
  for (const Element* node : document.nodes(diagram.id)) {
    if (node->kind == "note" || node->kind == "job_class") continue;
    out.push_back({.path = {node->name()}, .element = node->id, .value = false});
    for (const std::string& slot : slots_of_kind(node->kind)) out.push_back({.path = {node->name(), slot}});
    for (const std::string& stream : streams_of_kind(node->kind))
      out.push_back({.path = {node->name(), stream}, .value = false, .stream = true});
    if (node->kind == "logger" && !trim(node->text("value")).empty())
      out.push_back({.path = {node->name(), "value"}, .value = false, .stream = true});
    if (const StationPlugin* plugin = find_station_plugin(trim(node->text("plugin")));
        plugin != nullptr && node->kind == "plugin_station")
      for (const PluginOutput& output : plugin->manifest.station->outputs)
        out.push_back({.path = {node->name(), output.name}, .value = false, .stream = true});
    if (classes.size() > 1)
      for (const std::string& slot : slots_by_class_of_kind(node->kind))
        for (const std::string& of : classes) out.push_back({.path = {node->name(), slot, of}});
  }
  if (tells_of_system(document, diagram))
    for (const std::vector<std::string>& path : streams_of_system())
      out.push_back({.path = path, .value = false, .stream = true});
  return out;
}

// What people draw first: customers who come, are served, and go.
void fill(Edit& edit, ElementId diagram) {
  const auto node = [&](const char* kind, const char* name, Rect where) {
    Element made{.kind = kind, .diagram = diagram};
    made.properties = {{"name", name}};
    made.layout.bounds = where;
    return edit.insert(std::move(made));
  };
  const auto flow = [&](ElementId from, ElementId to) {
    Element made{.section = Section::edge, .kind = "flow", .diagram = diagram};
    made.source = from, made.target = to;
    edit.insert(std::move(made));
  };
  const ElementId source = node("source", "arrivals", {60, 102, 40, 40}),
                  station = node("station", "station1", {200, 80, 190, 84}),
                  sink = node("sink", "departures", {490, 105, 34, 34});
  flow(source, station), flow(station, sink);
}

}  // namespace

NotationSpec queueing_notation() {
  NotationSpec out{.name = "queueing",
                   .label = "Queueing network",
                   .help = "Customers who wait for servers: sources, stations, delays and the ways between them."};
  out.kinds = kinds();
  out.diagrams = {{.name = "queueing",
                   .label = "Queueing network",
                   .menu = "New &queueing network",
                   .stem = "Network",
                   .icon = "queueing",
                   // A day of a queue of seconds is some ten thousand customers. Its own times are in seconds too.
                   .header = {{"replications", "100"}, {"time_unit", "s"}},
                   .start_title = "Queueing network",
                   .start_text = "A source, a station and a way out, to go on from.",
                   .fill = fill}};
  out.edge_kind = flow_between;
  out.names = names_of;
  out.fixes = network_fixes;
  out.lowering = network_lowering;
  return out;
}

}  // namespace ergode
