#include "solvers/simulators/notation.h"

#include "core/document/command.h"
#include "core/drawing/node_pen.h"
#include "core/drawing/plug_box.h"
#include "core/plugin/plugin_properties.h"
#include "solvers/simulators/simulator_words.h"
#include "solvers/simulators/simulators_lowering.h"

namespace ergode {
namespace {

// A box in a box, with a plug at its side: a model of its own.
void draw_simulator(NodePen& pen) {
  const Rect b = pen.box();
  draw_plug_box(pen);
  const double y = b.centre().y;
  pen.rectangle({b.x + 3, b.y + 3, b.width - 6, b.height - 6}, 3, pen.border(), Role::none).line_width = hair;
  const double left = b.x + 34, room = b.right() - left - 10, middle = (left + b.right() - 6) / 2;
  const SimulatorPlugin* const plugin = plugin_of_simulator(pen.element());
  pen.centred({middle, y - 10}, pen.element().name(), name_font, Role::text, room);
  pen.centred({middle, y + 10}, plugin != nullptr ? plugin->manifest.label : pen.text("plugin", "no plugin"),
              plain_font, Role::muted, room);
  pen.badge({b.right() - 8, b.y + 4});
}

KindSpec simulator_kind() {
  KindSpec out{.kind = simulator_word,
               .label = "Simulator",
               .shortcut = "S",
               .icon = "simulator",
               .width = 200,
               .height = 64,
               .help =
                   "A plugin with a model of its own. It is played when a replication begins; then every expression "
                   "may read what it found as NAME.OUTPUT: `ergode plugins list`."};
  out.properties = plugin_properties(PluginCapability::simulator, "Whose model is played.");
  PropertySpec measured =
      behaviour_property("measured", "Measured", PropertyType::choice,
                         "Which of its outputs are results without a measure that asks for them.", measured_headline);
  measured.choices = {{measured_headline, "what the plugin puts first"},
                      {measured_all, "all of them"},
                      {measured_none, "none of them"}};
  out.properties.insert(out.properties.begin() + 1, std::move(measured));
  out.properties.insert(out.properties.begin(),
                        name_property("Letters, digits and _, unique in the model: expressions say NAME.OUTPUT."));
  out.stem = "simulator";
  out.draw = draw_simulator;
  out.report_columns = {"plugin", "*"};
  out.report_caption = "Simulators of *";
  return out;
}

std::vector<DeclaredName> names_of_simulators(const Document& document, const Element& diagram) {
  std::vector<DeclaredName> out;
  for (const Element* node : document.nodes(diagram.id)) {
    if (node->kind != simulator_word) continue;
    out.push_back({.path = {node->name()}, .element = node->id, .value = false});
    if (const SimulatorPlugin* plugin = plugin_of_simulator(*node))
      for (const PluginOutput& output : plugin->manifest.simulator->outputs) {
        const bool stream = output.kind == PluginOutput::Kind::observations;
        out.push_back({.path = {node->name(), output.name}, .value = !stream, .stream = stream});
      }
  }
  return out;
}

void fill_simulators(Edit& edit, ElementId diagram) {
  Element made{.kind = simulator_word, .diagram = diagram};
  made.properties = {{"name", "simulator1"}};
  if (!simulator_plugins().empty()) made.properties["plugin"] = simulator_plugins().front().manifest.name;
  made.layout.bounds = {80, 80, 200, 64};
  edit.insert(std::move(made));
}

}  // namespace

NotationSpec simulators_notation() {
  NotationSpec out{.name = simulators_word,
                   .label = "Simulators",
                   .help = "Plugins with a model of their own, whose results the rest of the model reads."};
  out.kinds = {simulator_kind(), note_kind()};
  out.diagrams = {{.name = simulators_word,
                   .label = "Simulators",
                   .menu = "New s&imulators",
                   .stem = "Simulators",
                   .icon = "simulator",
                   .header = {{"replications", "100"}},
                   .start_title = "Simulators",
                   .start_text = "Plugins that play a model of their own, alone or beside what is drawn.",
                   .fill = fill_simulators}};
  out.edge_kind = [](const Document&, const Element&, const Element&, std::string& why_not) -> std::string {
    why_not = "Simulators are not joined: expressions read what they found, as in npu.time.";
    return "";
  };
  out.names = names_of_simulators;
  out.lowering = simulators_lowering;
  return out;
}

}  // namespace ergode
