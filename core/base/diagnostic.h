#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/element_id.h"
#include "core/base/unit.h"

namespace ergode {

class Command;

/// A way to mend what a diagnostic complains about: one step of editing, made for the very document that was checked
/// and valid for no other state of it.
/// It copies the elements that it changes; applied to another state of the document it may overwrite what was done
/// since.
struct QuickFix {
  std::string label;  ///< What it does, as one would say it: "Let the group carry the failures".
  std::shared_ptr<const Command> command;
};

/// Ordered so that the worst of several is their maximum.
enum class Severity { info, warning, error };

/// An error is a value with a place. `code` is stable (tests, exclusions and help pages are keyed by it); `message`
/// is one sentence that shows the value seen and the value wanted; `hint` says what to do, and may be empty.
///
/// Codes: FMT file format, DOC document structure, PAR parameters, EXP expressions, UNI units, SCH statecharts,
/// SYS components and wiring, CCF common-cause groups, QN queueing networks as they are drawn, QUE networks and
/// stations as they are solved, RNT rentals of accelerators, BAT batch clusters and traces of jobs, GNG clusters of
/// GPUs under schedulers of gangs, RND schedulers of rounds, DEV measured devices and fleets of GPUs, ITR schedulers of
/// iterations, SIM simulators that are drawn, MEA measures, RUN runs, SOL solvers, MKV Markov chains, RES results, SCX
/// SCXML documents, GAL fault trees in the Galileo format, JMT networks of Java Modelling Tools, PNM nets in the PNML
/// format, PRI Markov chains in the PRISM language, FIT laws fitted to traces, STP stepping, PLG plugins.
/// `tst_diagnostic_codes` holds this list to the code.
///
///     {.code = "PAR005",
///      .element = parameter.id,
///      .pointer = "value",
///      .message = "lambda is -1 /h; wanted at least 0 /h.",
///      .hint = "A rate is never negative."}
///
/// Message and hint are for people and may change; programs go by code, element and pointer.
struct Diagnostic {
  Severity severity = Severity::error;
  std::string code;
  ElementId element;    ///< Null when the place is a file, not an element.
  std::string pointer;  ///< JSON pointer into the file, or the name of the property; may be empty.
  std::string message;
  std::string hint;
  int column = 0;                 ///< 1-based column in an expression text; 0: not about a text.
  std::vector<QuickFix> fixes{};  ///< Best first; most complaints have none.
  /// EXP004: the dimension that the place wants, where it wants one; MEA002, MEA003: that of what is measured.
  std::optional<Dimension> wanted{};
  std::string scenario{};  ///< found there, and the question was of another; empty: in what was asked
};

using Diagnostics = std::vector<Diagnostic>;

/// Whether any is an error: then nothing is run. O(list).
inline bool has_errors(const Diagnostics& list) {
  for (const Diagnostic& d : list)
    if (d.severity == Severity::error) return true;
  return false;
}

/// "info", "warning", "error": as in files and on the command line. Static.
inline const char* to_text(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "error";
}

}  // namespace ergode
