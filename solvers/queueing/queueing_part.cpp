#include "solvers/queueing/queueing_part.h"

#include "solvers/queueing/running_network.h"

namespace ergode {

std::unique_ptr<RunningPart> QueueingPart::run(World& world, std::uint64_t seed) const {
  return std::make_unique<RunningNetwork>(model, world, seed);
}

std::vector<LoweredPart::Thing> QueueingPart::things() const {
  std::vector<Thing> out;
  for (const NetworkModel::Diagram& diagram : model.diagrams)
    out.push_back({diagram.element, "the queueing network \"" + diagram.name + "\""});
  return out;
}

std::vector<Program*> QueueingPart::programs() {
  std::vector<Program*> out;
  for (NetworkModel::Node& node : model.nodes) {
    out.insert(out.end(), {&node.servers, &node.rate});
    for (NetworkModel::Duration& time : node.time) out.push_back(&time.value);
    for (NetworkModel::Ways& ways : node.ways)
      for (Program& p : ways.probability) out.push_back(&p);
  }
  return out;
}

}  // namespace ergode
