#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/data_files.h"
#include "core/base/diagnostic.h"
#include "core/des/running_part.h"
#include "core/des/slot_table.h"
#include "core/document/document.h"
#include "core/expression/parameters.h"

namespace ergode {

/// The model in the making, as the lowering of one notation sees it. References are valid while declare() or lower()
/// runs.
struct Lowering {
  const Document& document;
  const ParameterTable& parameters;  ///< with the values of this scenario and these overrides
  const DataFiles& files;            ///< what may be named; the only way to read a file, so that runs can tell which
  SlotTable& slots;                  ///< shared by all notations
  Diagnostics& problems;             ///< to be appended to

  /// Nodes of a kind in all diagrams of a notation, in document order (diagrams, then nodes within). O(elements).
  std::vector<const Element*> nodes(std::string_view notation, std::string_view kind) const;
  /// An error at a property of an element; lowering goes on, so that all errors are found at once, but the model will
  /// not run.
  /// @param property  key of the property, shown and jumped to; message and hint are whole sentences.
  void refuse(const Element& at, std::string code, std::string property, std::string message, std::string hint = {});
  /// The same, unless something is wrong with that property already: what follows from an error is none of its own.
  void refuse_once(const Element& at, std::string code, const std::string& property, std::string message);
  /// A warning there: the model runs.
  void warn(const Element& at, std::string code, std::string property, std::string message, std::string hint = {});
  /// What stands in a file that a property names. @returns nothing, and refuses, where it may not or cannot be read
  std::optional<DataFiles::Text> text_of(const Element& at, const std::string& code, const std::string& property,
                                         const std::string& file);
  /// Compiles the text of a property; an error of the text is a problem (EXP codes, with the text before the message),
  /// and the program is then constant 0. An absent property is an empty text, which is an error.
  /// @param type  what the value must be, its dimension included.
  Program program(const Element& at, const std::string& property, ValueType type, Scope& scope);
};

/// How one notation becomes something that runs. Made anew for every model that is built, so it may keep what declare()
/// found for lower(); one thread, though several models may be built by several threads at once.
///
/// A notation of token buckets, much shortened:
///
///     void declare(Lowering& model) override {
///       for (const Element* node : model.nodes("tokens", "bucket")) {
///         model.slots.declare(node->name(), {node->id, "token bucket"});
///         model.slots.add({.name = node->name() + ".level", .type = ValueType::integer(), .writer = "tokens"}, 0.0);
///       }
///     }
///     std::shared_ptr<LoweredPart> lower(Lowering& model, Scope& scope) override {
///       rate = model.program(*source, "rate", ValueType::real(Dimension::per_time()), scope);
///       reader = model.slots.wake(rate);   // woken(reader) when a slot that it reads changes
///       ...
///     }
///
/// tests/support has the whole one.
class NotationLowering {
 public:
  virtual ~NotationLowering() = default;
  /// First, of every notation, before any expression is compiled: the things that expressions may name, their slots,
  /// streams of observations, and the events that are raised. What is read of properties here (how many members) may
  /// depend on parameters only (ParameterScope).
  virtual void declare(Lowering& model) = 0;
  /// Then, when every name is known: checks, compiles expressions in `scope` and makes the part. Errors are appended to
  /// the model's problems, nothing is thrown.
  /// @returns null: nothing of this notation is in the model, or it has errors.
  virtual std::shared_ptr<LoweredPart> lower(Lowering& model, Scope& scope) = 0;
};

using LoweringFactory = std::function<std::unique_ptr<NotationLowering>()>;

/// Adds a notation to all that models are lowered by, from now on; for the start of a program, before other threads:
/// there is no lock.
void register_lowering(LoweringFactory factory);
/// One of each, in the order of registration.
std::vector<std::unique_ptr<NotationLowering>> notation_lowerings();

}  // namespace ergode
