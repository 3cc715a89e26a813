#pragma once
#include <set>

#include "statecharts/exchange/prism/prism_expressions.h"

namespace ergode {

/// Reads what stands between `system` and `endsystem`. Every module of the program must stand there once.
/// Binding, loosest first: `||`, `|||`, `|[...]|`, brackets, as in PRISM. Throws PrismFailure.
class PrismSystemParser {
 public:
  PrismSystemParser(PrismParser& parser, const PrismProgram& program);
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
