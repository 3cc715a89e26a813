#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/text_place.h"

namespace ergode {

/// A value of a fault tree as written: a number, or an expression of the tree's parameters. In a sound tree numbers lie
/// within the ranges that their use asks for; what depends on parameters is checked when these are known.
struct TreeValue {
  std::string text;              ///< as written
  std::optional<double> number;  ///< absent when it depends on a parameter
  TextPlace place;
  /// A number and this one.
  bool is(double value) const { return number && *number == value; }
};

/// The law of a basic event's time to failure; time in the tree's own unit.
struct FailureLaw {
  enum class Kind {
    exponential,  ///< first: rate
    erlang,       ///< first: rate of each phase; phases
    weibull,      ///< first: scale, second: shape
    lognormal,    ///< first, second: mean and standard deviation of the logarithm
    constant      ///< first: probability of having failed at time zero
  };
  Kind kind = Kind::exponential;
  TreeValue first, second;            ///< second of Weibull and lognormal laws only
  int phases = 1;                     ///< 1 to 1,000; more than one of an Erlang law only
  std::optional<TreeValue> dormancy;  ///< factor on the rate before activation, 0 to 1; absent: not given
};

/// One element of a dynamic fault tree (Dugan, Bavuso, Boyd, Dynamic fault-tree models for fault-tolerant computer
/// systems, IEEE Trans. Reliability 41(3), 1992).
struct TreeElement {
  /// Gates: all, any, so many; all in order, the first before the others, the input in use and no spare left.
  /// Constraints: only in this order, at most one. A dependency: the first makes the others fail.
  enum class Kind { basic_event, conjunction, disjunction, vote, pand, por, spare, sequence, mutex, dependency };
  struct Child {
    std::string name;
    TextPlace place;
    int element = -1;  ///< number in FaultTree::elements; -1: there is none of this name (an error)
  };
  std::string name;  ///< as written, used once
  TextPlace place;   ///< of the name
  Kind kind = Kind::basic_event;
  std::vector<Child> children;  ///< dependency: the trigger, then the dependent events
  int needed = 0;               ///< vote: how many must fail
  bool exclusive = false;       ///< pand, por: failures at the same moment do not count as in order
  bool cold = false;            ///< spare: spares of unknown dormancy cannot fail before they are used
  TreeValue probability;        ///< dependency: that the dependent events follow
  FailureLaw law;               ///< basic event

  /// Something that fails. Constraints (sequence, mutex) and dependencies do not.
  bool can_fail() const { return kind != Kind::sequence && kind != Kind::mutex && kind != Kind::dependency; }
};

/// A dynamic fault tree as read; elements are known by their number. Sound when the reader reported no error: every
/// name is there, nothing that fails stands on a circle, numbers of inputs and values are right. A value.
struct FaultTree {
  struct Parameter {
    std::string name;
    TextPlace place;
  };
  std::vector<TreeElement> elements;  ///< in the order of the text
  std::vector<Parameter> parameters;
  int top = -1;  ///< the top event, which can fail; -1: none (an error)

  const TreeElement& at(int element) const { return elements[static_cast<std::size_t>(element)]; }
  std::size_t basic_events() const;
};

/// Reads a dynamic fault tree in the Galileo format (Sullivan, Dugan, Coppit, The Galileo fault tree analysis tool,
/// 1999) with the variants that later tools added: `vot2`, `2of3`, `pand`, `pand-incl`, `pand<=`, `pand-excl`, `pand<`,
/// `por` likewise, `wsp`, `csp`, `hsp`, `spare`, `seq`, `mutex`, `fdep`, `pdep=p`; basic events `lambda=` (`phases=`),
/// `rate= shape=` (Weibull, rate is the scale), `mean= stddev=` (lognormal), `prob=`, each with `dorm=`; `param NAME;`.
///
/// Every mistake is reported with its line (`pointer`) and column: GAL001 statement, GAL002 top event, GAL003 name used
/// twice, GAL004 unknown name, GAL005 circle, GAL006 number of children, GAL007 value, GAL008 attributes, GAL009 what
/// is not supported, GAL010 (warning) an input without effect. The tree is sound when there are no errors. O(n log n)
/// in the text, without recursion over the tree.
/// @param text      UTF-8
/// @param problems  are appended; errors that are there already count as well: give an empty list
FaultTree parse_galileo(std::string_view text, Diagnostics& problems);

/// Reads the JSON form of such trees: {"toplevel": id, "parameters": {...}, "nodes": [{"data": {"id", "name", "type",
/// "children": [ids], ...}}]}, with the types and attributes of the Galileo format. The same diagnostics; their pointer
/// is that of the node.
FaultTree parse_tree_json(std::string_view text, Diagnostics& problems);

/// Elements that can fail, children before parents, otherwise in the order of the text; elements on circles are left
/// out, and so is what stands above one. Basic events come before all gates. O((elements + children) log elements).
std::vector<int> failing_order(const FaultTree& tree);

/// A complaint about a place in the text: its pointer is "line 12" and its column that of the place, or "/nodes/3" for
/// a place in JSON (line 0).
Diagnostic tree_problem(const char* code, TextPlace place, std::string message, std::string hint = {},
                        Severity severity = Severity::error);

}  // namespace ergode
