#include "solvers/simulators/simulators_lowering.h"

#include "core/base/sha256.h"
#include "core/base/text_place.h"
#include "core/plugin/plugin_properties.h"
#include "solvers/simulators/simulator_words.h"
#include "solvers/simulators/simulators_part.h"

namespace ergode {
namespace {

using Box = SimulatorsPart::Box;
using OutputKind = PluginOutput::Kind;

class SimulatorsLowering : public NotationLowering {
 public:
  void declare(Lowering& model) override {
    for (const Element* node : model.nodes(simulators_word, simulator_word)) {
      Box box{.element = node->id, .name = node->name(), .what = plugin_of_simulator(*node)};
      if (!is_identifier(box.name))
        model.refuse(*node, "SIM001", "name",
                     "The name is \"" + quotable(box.name) + "\"; wanted letters, digits and _.");
      else if (const auto* other = model.slots.declare(box.name, {node->id, "simulator", true}))
        model.refuse(*node, "SIM001", "name", "\"" + box.name + "\" is also a " + other->what + ".");
      if (box.what != nullptr) declare_outputs(model, box);
      boxes_.push_back(std::move(box));
    }
  }

  std::shared_ptr<LoweredPart> lower(Lowering& model, Scope&) override {
    if (boxes_.empty()) return nullptr;
    // What is played before time begins may depend on parameters alone.
    ParameterScope constants(model.parameters);
    PropertyReader read(constants, model.problems);
    bool missing = false;
    for (Box& box : boxes_) {
      const Element& element = *model.document.find(box.element);
      const std::string measured = read.choice(
          element, "measured", measured_headline,
          {{measured_headline, measured_headline}, {measured_all, measured_all}, {measured_none, measured_none}});
      box.measures_all = measured == measured_all, box.measures_none = measured == measured_none;
      if (box.what == nullptr) {
        std::vector<std::string> known;
        for (const SimulatorPlugin& one : simulator_plugins()) known.push_back(one.manifest.name);
        refuse_missing_plugin(model, element, known, "a simulator");
        missing = true;
        continue;
      }
      std::vector<std::string> files;
      box.values =
          read_plugin_values(model, read, element, box.what->manifest, PluginCapability::simulator, "SIM002", &files);
      for (const std::string& bytes : files) box.files += bytes.empty() ? "-" : sha256_hex(bytes);
    }
    if (missing) return nullptr;
    return std::make_shared<SimulatorsPart>(std::move(boxes_));
  }

 private:
  static void declare_outputs(Lowering& model, Box& box) {
    const PluginManifest::Simulator& simulator = *box.what->manifest.simulator;
    for (const PluginOutput& output : simulator.outputs) {
      const std::string name = box.name + "." + output.name;
      const double scale = scale_of_plugin_unit(output.unit);
      box.scale.push_back(scale);
      Range range = NamedSlot::everything;
      if (output.minimum) range.lower = *output.minimum * scale;
      if (output.maximum) range.upper = *output.maximum * scale;
      if (output.kind == OutputKind::observations) {
        box.place.push_back(model.slots.add(StreamSpec{name, output.unit, box.element, {}, range}));
        continue;
      }
      NamedSlot slot{.name = name,
                     .unit = output.unit,
                     .scale = scale,
                     .type = ValueType::real(parse_unit(output.unit).value_or(Unit{}).dimension),
                     .element = box.element,
                     .writer = simulators_word,
                     .range = range,
                     .fixed = simulator.deterministic};
      if (output.kind == OutputKind::indicator) slot.type = ValueType::boolean(), slot.range = {0.0, 1.0};
      if (output.kind == OutputKind::count) {
        slot.type = ValueType::integer();
        slot.range.lower = std::max(0.0, slot.range.lower);
      }
      box.place.push_back(model.slots.add(std::move(slot), 0.0));
    }
  }

  std::vector<Box> boxes_;
};

}  // namespace

std::unique_ptr<NotationLowering> simulators_lowering() { return std::make_unique<SimulatorsLowering>(); }

}  // namespace ergode
