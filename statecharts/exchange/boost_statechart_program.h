#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "statecharts/exchange/boost_statechart_writer.h"
#include "statecharts/exchange/chart_export.h"

namespace ergode {

/// Writes a chart as a program on Boost.Statechart. What that cannot say is refused before anything is written
/// (boost_statechart_checks.cpp). Of this room alone; used once.
class BoostProgram {
 public:
  BoostProgram(const Document& document, const Element& diagram);
  ExportedText write();

 private:
  const StateChart& chart() const { return export_.chart(); }
  const State& state(int s) const { return export_.state(s); }
  const Transition& transition(int t) const { return chart().transitions[static_cast<std::size_t>(t)]; }
  bool is_start(int t) const { return state(transition(t).source).initial == t; }
  void refuse(ElementId element, const char* property, const std::string& message) {
    export_.refuse("SCX201", element, property, message);
  }
  static std::string type(int s) { return "State" + std::to_string(s); }
  std::string expression(const Syntax& syntax, ElementId element, const char* property) {
    return export_.write(syntax, spelling_, "SCX201", element, property).value_or("0");
  }

  void alphabet();
  static std::string event_of(const Syntax& call);
  std::string event_type(const std::string& event) const;
  std::set<std::string> reactions(const Transition& t) const;
  void line(int depth, const std::string& text);
  void program();
  void write_program();
  std::string outside(const std::string& event) const;
  void machine();
  void actions(const std::vector<ActionSyntax>& list, ElementId element, const char* property, int depth);
  bool remembers(int s, State::Kind kind) const;
  void define(int s);
  void finish(int s);
  std::string done_condition(int s) const;
  void raise_done(int s, const std::string& condition);
  std::map<std::string, std::vector<int>> ways(int s);
  void react(const std::string& event, const std::vector<int>& list);
  std::string target(int s) const;

  int common(int a, int b) const;
  int common_of_any_kind(int a, int b) const;
  void check();
  void check_start(const Transition& t);
  void check_way(const Transition& t);
  void check_history(int s);
  void check_regions();

  ChartExport export_;
  ChartExport::Spelling spelling_;
  std::vector<std::string> events_;
  std::map<int, std::vector<int>> ways_;
  bool names_read_ = false, completion_ = false;
  std::string text_;
};

}  // namespace ergode
