#include "solvers/queueing/exchange/measure_all.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace ergode {

void measure_all(NetworkDrawing& drawing) {
  struct Node {
    std::string kind, name;
    bool changes = false;    ///< it may be that there is no server now
    bool loses = false;      ///< whoever finds it full, or turns round
    bool gives_up = false;   ///< whoever has waited too long
    bool waits = false;      ///< a region before which customers wait, who are in no station then
    bool uncounted = false;  ///< whoever finds it full comes again, and is nowhere until then; or is in several places
    std::vector<std::size_t> seen = {};  ///< classes that may come there
  };
  std::vector<Node> nodes;
  std::vector<std::string> classes, only;
  for (const Element* diagram : drawing.document().of(Section::diagram))
    for (const Element* node : drawing.document().nodes(diagram->id)) {
      if (node->kind == "job_class") classes.push_back(node->name());
      const bool loses = node->kind == "region" ? node->text("when_full") == "lose" || node->has("loses")
                                                : node->has("balking") || (node->has("capacity") &&
                                                                           node->text("when_full", "lose") == "lose");
      // What names parts of other things follows them.
      const bool changes = node->text("servers").find_first_of(".[(") != std::string::npos;
      nodes.push_back({node->kind, node->name(), changes, loses, node->has("patience") || node->has("patience_of"),
                       node->kind == "region" && node->text("when_full") != "lose",
                       node->text("when_full") == "retry" || node->kind == "fork" || node->kind == "scaler"});
      only.push_back(drawing.only_class(node->id));
    }
  std::vector<std::size_t> every(classes.size());
  std::iota(every.begin(), every.end(), std::size_t{0});
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const auto found = std::find(classes.begin(), classes.end(), only[n]);
    if (found == classes.end()) nodes[n].seen = every;
    else nodes[n].seen = {static_cast<std::size_t>(found - classes.begin())};
  }
  const auto mean = [&](const std::string& id, const std::string& expression) {
    drawing.measure(id, "steady_state_mean", {{"expression", expression}});
  };
  const auto mean_of = [&](const std::string& id, const std::string& stream, const std::string& of_class) {
    Value properties = {{"of", stream}, {"unit", "s"}};
    if (!of_class.empty()) properties["class"] = of_class;
    drawing.measure(id, "steady_state_mean", std::move(properties));
  };
  const auto rate_of = [&](const std::string& id, const std::string& stream, const std::string& of_class) {
    Value properties = {{"of", stream}, {"unit", "/s"}};
    if (!of_class.empty()) properties["class"] = of_class;
    drawing.measure(id, "observed_rate", std::move(properties));
  };
  std::string all, lost;
  std::vector<std::string> all_of(classes.size());
  const auto per_second = [&](const std::string& id, const std::string& count) {
    drawing.measure(id, "rate", {{"expression", count}, {"unit", "/s"}});
  };
  // What is of one class only has its name too.
  const std::string of_only = classes.size() == 1 ? "/" + classes.front() : "";
  const auto ask_region = [&](const Node& node) {
    const std::string &name = node.name, inside = "queue_length/" + name, outside = "waiting/" + name;
    const std::string stays = "response_time/" + name, passes = "throughput/" + name;
    mean(inside, name + ".number");
    if (node.waits) mean(outside, name + ".waiting");
    mean_of(stays, name + ".response_time", "");
    mean_of("residence_time/" + name, name + ".residence_time", "");
    rate_of(passes, name + ".response_time", "");
    for (const std::string& of : classes) {
      if (classes.size() < 2) break;
      mean(inside + "/" + of, name + ".number." + of);
      if (node.waits) mean(outside + "/" + of, name + ".waiting." + of);
      mean_of(stays + "/" + of, name + ".response_time", of);
      mean_of("residence_time/" + name + "/" + of, name + ".residence_time", of);
      rate_of(passes + "/" + of, name + ".response_time", of);
    }
  };
  for (const Node& node : nodes) {
    if (node.loses) {
      per_second("drop_rate/" + node.name + (node.kind == "station" ? of_only : ""), node.name + ".lost");
      lost += (lost.empty() ? "" : " + ") + node.name + ".lost";
    }
    if (node.gives_up) per_second("reneging_rate/" + node.name + of_only, node.name + ".gave_up");
    const bool counts_losses = node.kind == "station" || node.kind == "region";
    for (std::size_t c = 0; counts_losses && classes.size() > 1 && c < classes.size(); ++c) {
      if (node.loses) per_second("drop_rate/" + node.name + "/" + classes[c], node.name + ".lost." + classes[c]);
      if (node.gives_up)
        per_second("reneging_rate/" + node.name + "/" + classes[c], node.name + ".gave_up." + classes[c]);
    }
    const bool serves = node.kind == "station" || node.kind == "delay", place = node.kind == "place";
    if (node.kind == "region") ask_region(node);
    if (serves) all += (all.empty() ? "" : " + ") + node.name + ".number";
    if (node.waits) all += (all.empty() ? "" : " + ") + node.name + ".waiting";
    for (const std::size_t c : node.seen)
      if ((serves || node.waits) && classes.size() > 1)
        all_of[c] += (all_of[c].empty() ? "" : " + ") + node.name + (serves ? ".number." : ".waiting.") + classes[c];
    if (node.kind == "transition") {
      per_second("throughput/" + node.name, node.name + ".fired");
      continue;
    }
    if (node.kind == "sink") {
      mean_of("system_response_time/" + node.name, node.name + ".time_in_system", "");
      rate_of("system_throughput/" + node.name, node.name + ".time_in_system", "");
      for (const std::string& of : classes)
        if (classes.size() > 1)
          mean_of("system_response_time/" + node.name + "/" + of, node.name + ".time_in_system", of);
      continue;
    }
    if (!serves && !place) continue;
    const auto utilisation = [&](const std::string& id, const std::string& busy) {
      mean(id, busy + " / " + (node.changes ? "max(1, " + node.name + ".servers)" : node.name + ".servers"));
    };
    if (node.kind == "station") {
      utilisation("utilisation/" + node.name + of_only, node.name + ".busy");
      for (const std::size_t c : node.seen) {
        const std::string& of = classes[c];
        if (classes.size() > 1) utilisation("utilisation/" + node.name + "/" + of, node.name + ".busy." + of);
        mean_of("waiting_time/" + node.name + "/" + of, node.name + ".waiting_time", of);
      }
    }
    if (classes.size() > 1) {
      mean("queue_length/" + node.name, node.name + ".number");
      for (const std::size_t c : node.seen)
        mean("queue_length/" + node.name + "/" + classes[c], node.name + ".number." + classes[c]);
    } else {
      mean("queue_length/" + node.name + "/" + (classes.empty() ? "all" : classes.front()), node.name + ".number");
    }
    if (!serves) continue;
    for (const std::size_t c : node.seen) {
      const std::string& of = classes[c];
      mean_of("response_time/" + node.name + "/" + of, node.name + ".response_time", of);
      rate_of("throughput/" + node.name + "/" + of, node.name + ".response_time", of);
      mean_of("residence_time/" + node.name + "/" + of, node.name + ".residence_time", of);
    }
  }
  const auto any = [&](bool Node::*of) {
    return std::any_of(nodes.begin(), nodes.end(), [&](const Node& node) { return node.*of; });
  };
  // Stations do not tell how many customers there are where some are outside, or split.
  if (!all.empty() && !any(&Node::uncounted)) mean("system_number", all);
  for (std::size_t c = 0; c < classes.size() && !any(&Node::uncounted); ++c)
    if (!all_of[c].empty()) mean("system_number/" + classes[c], all_of[c]);
  // From end to end, whatever the sink; a node called so hides what there is of the system.
  const bool asks =
      !all.empty() && std::none_of(nodes.begin(), nodes.end(), [](const Node& node) { return node.name == "system"; });
  // Waits of parts side by side add up to more than the whole takes.
  const bool splits = std::any_of(nodes.begin(), nodes.end(), [](const Node& node) { return node.kind == "fork"; });
  const auto ask_passages = [&](const std::string& of, const std::string& behind) {
    mean_of("system_response_time" + behind, "system.response_time", of);
    if (!splits) mean_of("system_waiting_time" + behind, "system.waiting_time", of);
    rate_of("system_throughput" + behind, "system.response_time", of);
  };
  if (asks && classes.size() != 1) ask_passages("", "");
  for (const std::string& of : classes) {
    // A sink has its own under its name.
    const bool taken = std::any_of(nodes.begin(), nodes.end(),
                                   [&](const Node& node) { return node.kind == "sink" && node.name == of; });
    if (asks && !taken) ask_passages(of, "/" + of);
  }
  if (!lost.empty()) per_second("system_drop_rate", "(" + lost + ")");
}

}  // namespace ergode
