// How accelerators of a pool differ.
#include "core/base/text.h"
#include "solvers/cluster/lowering/batch_lowering_steps.h"
#include "solvers/cluster/lowering/pool_words.h"

namespace ergode {
namespace {

SlownessProfile slowness_of(VariationSource source) {
  const auto known = [](const char* name) { return find_device_profile(name)->profile(); };
  switch (source) {
    case VariationSource::sgemm_longhorn:
      return known("sgemm_longhorn");
    case VariationSource::frontera:
      return known("resnet50_frontera");
    case VariationSource::frontera_32:
      return profile_of_32_frontera(0);
    case VariationSource::lonestar6:
      return known("resnet50_lonestar6");
    default:
      return known("resnet50_longhorn");
  }
}

}  // namespace

void BatchLowering::lower_variation(Lowering& model, PropertyReader& read, const Element& element,
                                    BatchModel::Pool& pool) {
  const VariationSource source = meaning_of(read, element, "variation", pool_variation_words);
  constexpr double most_devices = 1e6;
  if (source != VariationSource::none && static_cast<double>(pool.hosts) * pool.devices_of_host() > most_devices)
    return refuse_value(model, element, "variation",
                        "The pool has " + number_text(static_cast<double>(pool.hosts) * pool.devices_of_host(), 9) +
                            " accelerators, each drawn; wanted at most 1e6.");
  if (source == VariationSource::none) return;
  if (source == VariationSource::power_cap) {
    pool.variation.power_cap.emplace();
    return;
  }
  SlownessProfile slow = slowness_of(source);
  if (!trim(element.text("scale_to")).empty()) {
    const double wanted = read.quantity(element, "scale_to", Dimension(), 0.08);
    if (!(wanted > 0.0 && wanted <= 1.0))
      return refuse_value(model, element, "scale_to",
                          "The variation is " + number_text(wanted, 6) + "; wanted a number above 0, at most 1.");
    slow = slow.scaled_to(wanted);
  }
  const SlownessProfile alike{{0.0, 1.0}, {1.0, 1.0}};
  pool.variation.law.emplace(ByClass<SlownessProfile>{slow, alike, alike, alike});
  if (source == VariationSource::sgemm_longhorn) add_sgemm_longhorn_heat(pool.variation);
}

}  // namespace ergode
