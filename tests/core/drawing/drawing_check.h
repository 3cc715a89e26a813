#pragma once
#include <string>

#include "core/document/document.h"

/// Builds documents for tests: every call returns the new element's id.
class Sketch {
 public:
  ergode::Document document;

  ergode::ElementId diagram(const std::string& name, const std::string& notation) {
    ergode::Element e = make(ergode::Section::diagram, "diagram", name);
    e.properties["notation"] = notation;
    return add(e);
  }
  ergode::ElementId node(ergode::ElementId diagram, const std::string& kind, const std::string& name,
                         const ergode::Rect& box, ergode::ElementId parent = {}, const ergode::Value& properties = {}) {
    ergode::Element e = make(ergode::Section::node, kind, name);
    e.diagram = diagram;
    e.parent = parent;
    e.layout.bounds = box;
    merge(e, properties);
    return add(e);
  }
  ergode::ElementId edge(ergode::ElementId diagram, const std::string& kind, ergode::ElementId source,
                         ergode::ElementId target, const ergode::Value& properties = {},
                         const std::vector<ergode::Point>& way_points = {}) {
    ergode::Element e = make(ergode::Section::edge, kind, "");
    e.diagram = diagram;
    e.source = source;
    e.target = target;
    e.layout.way_points = way_points;
    merge(e, properties);
    return add(e);
  }
  ergode::ElementId entry(ergode::Section section, const std::string& kind, const std::string& name,
                          const ergode::Value& properties = {}) {
    ergode::Element e = make(section, kind, name);
    merge(e, properties);
    return add(e);
  }

 private:
  ergode::Element make(ergode::Section section, const std::string& kind, const std::string& name) {
    ergode::Element e;
    e.id = ergode::ElementId(++last_);
    e.section = section;
    e.kind = kind;
    if (!name.empty()) e.properties["name"] = name;
    return e;
  }
  static void merge(ergode::Element& e, const ergode::Value& properties) {
    if (properties.is_object())
      for (const auto& [key, value] : properties.items()) e.properties[key] = value;
  }
  ergode::ElementId add(const ergode::Element& e) {
    document.append(e);
    return e.id;
  }
  std::uint64_t last_ = 0x1000;
};

/// A diesel generator: the chart that reports and drawings are tried on.
inline ergode::ElementId sketch_generator(Sketch& s) {
  using ergode::Rect;
  const auto d = s.diagram("Generator", "statechart");
  const auto start = s.node(d, "initial", "", Rect{40, 70, 20, 20});
  const auto standby = s.node(d, "state", "Standby", Rect{120, 50, 140, 60});
  const auto started = s.node(d, "choice", "", Rect{175, 200, 30, 30});
  const auto running = s.node(d, "state", "Running", Rect{60, 300, 560, 220}, {}, {{"entry", "t0 := now"}});
  const auto begin = s.node(d, "initial", "", Rect{90, 400, 20, 20}, running);
  const auto first = s.node(d, "state", "FirstHour", Rect{160, 380, 140, 60}, running);
  const auto later = s.node(d, "state", "Later", Rect{440, 380, 140, 60}, running);
  const auto failed = s.node(d, "state", "Failed", Rect{860, 200, 140, 60}, {}, {{"entry", "n := n + 1"}});
  const auto repair = s.node(d, "state", "Repair", Rect{860, 420, 140, 60});
  s.edge(d, "transition", start, standby);
  s.edge(d, "transition", standby, started, {{"trigger", "demand"}});
  s.edge(d, "transition", started, running, {{"guard", "else"}});
  s.edge(d, "transition", started, failed, {{"guard", "ccf(start)"}, {"role", "failure"}});
  s.edge(d, "transition", begin, first);
  s.edge(d, "transition", first, later, {{"trigger", "after(1 h)"}});
  s.edge(d, "transition", running, failed, {{"trigger", "rate(lambda_run)"}, {"role", "failure"}});
  s.edge(d, "transition", running, failed,
         {{"trigger", "ccf(run)"}, {"role", "failure"}, {"action", "record(common_cause)"}});
  s.edge(d, "transition", failed, repair, {{"trigger", "when(busy < crews)"}, {"action", "busy := busy + 1"}});
  s.edge(d, "transition", repair, running,
         {{"trigger", "rate(1/mttr)"}, {"role", "repair"}, {"action", "busy := busy - 1"}});
  s.edge(d, "transition", standby, standby, {{"trigger", "every(720 h)"}, {"action", "record(test)"}});
  s.node(d, "variable", "n", Rect{560, 40, 220, 30}, {}, {{"type", "integer"}});
  s.node(d, "note", "", Rect{560, 90, 220, 60}, {},
         {{"text", "A shock that hits a failed generator has no effect on it."}});
  return d;
}

/// Four generators with two common-cause groups.
inline ergode::ElementId sketch_system(Sketch& s) {
  using ergode::Rect;
  const auto d = s.diagram("System", "system");
  const auto edg = s.node(d, "component", "EDG", Rect{60, 60, 170, 80}, {},
                          {{"chart", "Generator"}, {"count", "4"}, {"arguments", "mttr = 8 h"}});
  const auto grid = s.node(d, "component", "Grid", Rect{360, 60, 170, 70}, {}, {{"chart", "OffsitePower"}});
  const auto run = s.node(d, "ccf_group", "A", Rect{60, 240, 170, 44}, {},
                          {{"cause", "run"},
                           {"mu", "1e-4 /h"},
                           {"rho", "0.4"},
                           {"omega", "1e-5 /h"},
                           {"delay_law", "exponential"},
                           {"delay_mean", "2 h"},
                           {"source", "assumed, calibrated"}});
  const auto start = s.node(d, "ccf_group", "B", Rect{300, 240, 190, 44}, {},
                            {{"cause", "start"},
                             {"applies_to", "demand"},
                             {"model", "mgl"},
                             {"total", "2.22e-3"},
                             {"mgl", "[0.036, 0.58, 0.52]"}});
  s.edge(d, "membership", run, edg);
  s.edge(d, "membership", start, edg);
  (void)grid;
  return d;
}
