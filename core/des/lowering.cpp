#include "core/des/lowering.h"

namespace ergode {
namespace {

std::vector<LoweringFactory>& factories() {
  static std::vector<LoweringFactory> all;
  return all;
}

}  // namespace

void register_lowering(LoweringFactory factory) { factories().push_back(std::move(factory)); }

std::vector<std::unique_ptr<NotationLowering>> notation_lowerings() {
  std::vector<std::unique_ptr<NotationLowering>> out;
  for (const LoweringFactory& factory : factories()) out.push_back(factory());
  return out;
}

}  // namespace ergode
