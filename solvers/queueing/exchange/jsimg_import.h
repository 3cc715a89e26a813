#pragma once
#include <map>
#include <pugixml.hpp>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/format/model_file.h"
#include "solvers/queueing/exchange/file_numbers.h"
#include "solvers/queueing/exchange/network_drawing.h"

namespace ergode {

/// Reads a simulation model into a drawing; one use.
class JsimgImport {
 public:
  JsimgImport(const pugi::xml_node& sim, const pugi::xml_node& picture, const std::string& name)
      : sim_(sim), picture_(picture), drawing_(name) {}

  /// Diagnostics JMT002 (what does not map) and JMT003 (what maps to something else).
  ReadOutcome read();

 private:
  /// Parameters by class stand in a row: <refClass>A</refClass><subParameter .../>... One of no class is refused.
  std::vector<std::pair<std::string, pugi::xml_node>> by_class(const pugi::xml_node& list);
  static pugi::xml_node parameter(const pugi::xml_node& section, const char* name);
  static pugi::xml_node section(const pugi::xml_node& node, const char* name);
  /// Where customers are served or delayed; null where they only pass.
  static pugi::xml_node serving_section(const pugi::xml_node& node);
  /// Parameters by class that are all the same law. @returns "" where there are none; refuses where they differ
  std::string one_law(const std::string& title, const pugi::xml_node& list, const char* what);
  /// The `value` of a node of the file. @returns nothing where it was refused
  std::optional<double> number(const std::string& title, const pugi::xml_node& holder, const std::string& what,
                               const NumberRange& range);
  std::optional<bool> truth(const std::string& title, const pugi::xml_node& holder, const std::string& what);
  /// Of a parameter that may be missing: `otherwise` then, and where it was refused.
  double number_of(const std::string& title, const pugi::xml_node& section, const char* name, const NumberRange& range,
                   double otherwise);
  void refuse(const std::string& at, const std::string& what) {
    problems_.push_back({.code = "JMT002", .message = "\"" + at + "\": " + what + " does not map."});
  }
  void remark(const std::string& at, const std::string& what) {
    problems_.push_back({.severity = Severity::info, .code = "JMT003", .message = "\"" + at + "\": " + what + "."});
  }
  Point place(const std::string& title);
  /// Whoever is named and not declared: classes, nodes at the ends of connections, references. @returns whether all are
  bool check_names();
  void check_titles();
  /// @param at  whose name stands there: "class", "node"
  void undeclared(const std::string& at, const std::string& what, const std::string& name, const char* wanted);
  void classes();
  void nodes(const pugi::xml_node& node);
  void made(const std::string& title, ElementId id) { nodes_[title] = {id}; }

  /// One source for each class that it sends.
  void sources(const pugi::xml_node& node, const std::string& title, const pugi::xml_node& source);
  void joins(const char* kind, const std::string& title, const pugi::xml_node& join, const char* how_many);
  /// How many tasks of each class a guard asks for: "parts(A = 2, B = 1)".
  std::string guard(const std::string& title, const pugi::xml_node& strategy);
  void station(const pugi::xml_node& node, const std::string& title, const pugi::xml_node& serving);
  void discipline(const pugi::xml_node& node, const std::string& title, const pugi::xml_node& serving,
                  Value& properties);
  void polling(const pugi::xml_node& get, const std::string& title, const pugi::xml_node& serving, Value& properties);
  void due_dates(const pugi::xml_node& node, const std::string& title, bool decide);
  void capacity(const pugi::xml_node& node, const std::string& title, Value& properties);
  void patience(const pugi::xml_node& node, const std::string& title, Value& properties);
  void balking(const pugi::xml_node& node, const std::string& title, ElementId id);
  /// What a server does before it serves.
  void set_up(const std::string& title, const pugi::xml_node& serving, Value& properties);
  /// Of all that a node's sections have: what nobody here reads, and is not as it is where nothing is chosen.
  void check_parameters(const pugi::xml_node& node);
  /// Numbers of a node that are none, wherever they stand and whoever reads them: refused unless they are already.
  void check_numbers(const pugi::xml_node& node);
  void check_server_types(const std::string& title, const pugi::xml_node& serving);
  const std::vector<std::string>& targets_of(const std::string& title) const;
  /// Where customers of all classes go in, null where there is nothing.
  ElementId into(const std::string& title) const;
  bool sinks(const std::string& title) const;
  std::string drawing_kind(ElementId id) const;
  void ways(const pugi::xml_node& node);
  struct Way {
    std::string target;
    std::string probability;
  };
  struct Choice {
    std::string routing;  ///< Its word; empty: by probabilities.
    std::string choices;  ///< Of how many the best is taken; empty: of all.
  };
  Choice choice_of(const std::string& title, const std::string& of, const pugi::xml_node& strategy,
                   std::vector<Way>& out);
  /// Digits of a file may leave the sum a hair beside one: the greatest takes what is left.
  void normalise(const std::string& title, const std::string& of, std::vector<Way>& ways);
  void route(const std::string& title, ElementId from, const std::string& of, const pugi::xml_node& strategy,
             bool per_class);
  void split(const std::string& title, const pugi::xml_node& fork);
  void change_class(const pugi::xml_node& node, const std::string& title, const pugi::xml_node& change);
  void transitions(const pugi::xml_node& node);
  void preload();
  void region(const pugi::xml_node& one);
  /// Limits of theirs that a region here does not know.
  void check_region(const pugi::xml_node& one, const std::string& title);
  void measures();

  pugi::xml_node sim_, picture_;
  NetworkDrawing drawing_;
  Diagnostics problems_;
  FileNumbers numbers_{problems_, "JMT002"};
  std::set<std::size_t> told_;  ///< nodes of the file whose numbers were refused
  std::vector<std::string> classes_;
  std::vector<bool> closed_;
  std::vector<double> priorities_;
  std::vector<double> due_s_;
  std::map<std::string, std::string> reference_;
  std::map<std::string, ElementId> nodes_;
  std::map<std::string, std::vector<std::string>> targets_;  ///< of connections, by their source
  std::map<std::string, std::map<std::string, ElementId>> source_of_;
  std::map<std::string, double> waits_before_;
  std::unordered_map<ElementId, std::size_t> own_routers_;  ///< how many stand beside a node, each for a class
  std::vector<ElementId> fired_;
  double rate_ = 0.0, service_s_ = 0.0, population_ = 0.0;
  std::size_t services_ = 0, placed_ = 0;
};

}  // namespace ergode
