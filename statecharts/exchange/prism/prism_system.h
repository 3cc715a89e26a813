#pragma once
#include <set>

#include "statecharts/exchange/prism/prism_expressions.h"

namespace ergode {

/// Reads what stands between `system` and `endsystem`. Every module of the program must stand there once.
/// Binding, loosest first: `||`, `|||`, `|[...]|`, brackets, as in PRISM. Two `|[...]|` one behind the other want
/// brackets around one of them. Throws PrismFailure: PRI001 syntax, also brackets nested deeper than 100; PRI002 hidden
/// and renamed actions, a module that is left out or stands twice; PRI004 a name that is no module's.
class PrismSystemParser {
 public:
  /// @param parser   stands on the first token behind `system`.
  /// @param program  with all its modules. Both must live as long as this.
  PrismSystemParser(PrismParser& parser, const PrismProgram& program);
  /// Leaves the parser on `endsystem`.
  PrismSystem read();

 private:
  PrismSystem full();
  PrismSystem interleaved();
  PrismSystem parallel();
  PrismSystem primary();
  bool accept_bars(std::size_t count);

  PrismParser& parser_;
  const PrismProgram& program_;
  std::map<std::string, std::size_t> modules_;
  std::set<std::string> used_;
  int depth_ = 0;
};

}  // namespace ergode
