#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/data_files.h"
#include "core/base/diagnostic.h"
#include "core/des/running_part.h"
#include "core/des/slot_table.h"
#include "core/document/document.h"
#include "core/expression/parameters.h"

namespace ergode {

/// The model in the making, as the lowering of one notation sees it.
struct Lowering {
  const Document& document;
  const ParameterTable& parameters;  ///< with the values of this scenario and these overrides
  const DataFiles& files;            ///< what may be named; the only way to read a file, so that runs can tell which
  SlotTable& slots;                  ///< shared by all notations
  Diagnostics& problems;             ///< to be appended to

  /// Nodes of a kind in all diagrams of a notation, in document order.
  std::vector<const Element*> nodes(std::string_view notation, std::string_view kind) const;
  /// An error at a property of an element.
  void refuse(const Element& at, std::string code, std::string property, std::string message, std::string hint = {});
  /// Compiles the text of a property; an error of the text is a problem, and the program is then constant 0.
  Program program(const Element& at, const std::string& property, ValueType type, Scope& scope);
};

/// How one notation becomes something that runs. Made anew for every model that is built.
class NotationLowering {
 public:
  virtual ~NotationLowering() = default;
  /// First, of every notation, before any expression is compiled: the things that expressions may name, their slots,
  /// and the events that are raised.
  virtual void declare(Lowering& model) = 0;
  /// Then, when every name is known: checks, compiles expressions in `scope` and makes the part.
  /// @returns null: nothing of this notation is in the model, or it has errors.
  virtual std::shared_ptr<LoweredPart> lower(Lowering& model, Scope& scope) = 0;
};

using LoweringFactory = std::function<std::unique_ptr<NotationLowering>()>;

/// Adds a notation to all that models are lowered by, from now on; for the start of a program, before other threads.
void register_lowering(LoweringFactory factory);
/// One of each, in the order of registration.
std::vector<std::unique_ptr<NotationLowering>> notation_lowerings();

}  // namespace ergode
