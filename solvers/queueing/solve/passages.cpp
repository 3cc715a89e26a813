#include "solvers/queueing/solve/passages.h"

namespace ergode {

using Kind = NetworkModel::Kind;

bool passages_known(const NetworkModel& model) { return model.transitions.empty() && model.regions.empty(); }

std::vector<Passage> passages_of(const NetworkModel& model, const NetworkMeans& means, const Traffic& of) {
  std::vector<Passage> out(of.chains);
  for (std::size_t chain = 0; chain < of.chains; ++chain) {
    Passage& one = out[chain];
    double stay = 0.0, waited = 0.0, lost = 0.0, gave_up = 0.0;
    std::size_t places = 0;
    for (std::size_t c = 0; c < means.classes; ++c) {
      if (of.chain[c] != chain) continue;
      const NetworkModel::JobClass& member = model.classes[c];
      one.name += (one.name.empty() || member.name.empty() ? "" : "+") + member.name;
      if (!one.element) one.element = member.element;
      if (member.reference != NetworkModel::none) {
        const PlaceMeans& reference = means.at(member.reference, c);
        one.throughput += reference.served;
        if (model.nodes[member.reference].kind == Kind::delay) stay += reference.number;
      }
      for (std::size_t n = 0; n < model.nodes.size(); ++n) {
        const PlaceMeans& here = means.at(n, c);
        if (model.nodes[n].kind == Kind::sink) {
          one.throughput += here.served;
          continue;
        }
        one.number += here.number;
        if (model.nodes[n].kind == Kind::station && here.served > 0.0) waited += here.served * here.waiting_s;
        lost += here.lost, gave_up += here.gave_up, places += here.number != 0.0 ? 1 : 0;
      }
    }
    one.complete = all_pass(gave_up, lost, places);
    if (one.complete && one.throughput > 0.0)
      one.response_s = (one.number - stay) / one.throughput, one.waiting_s = waited / one.throughput;
  }
  return out;
}

}  // namespace ergode
