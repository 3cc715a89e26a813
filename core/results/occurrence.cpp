#include "core/results/occurrence.h"

#include "core/base/text.h"
#include "core/catalogue/measure_kinds.h"

namespace ergode {

std::string occurrence_note(const MeasureResult& m, std::uint64_t replications) {
  const MeasureKind* kind = find_measure_kind(m.kind);
  if (kind == nullptr || kind->each || kind->estimator != MeasureKind::Estimator::mean) return {};
  if (m.exact || !m.not_available.empty() || m.replications == 0) return {};
  if (m.effective_samples > 0.0) return "in those histories in which it happened";
  // Not the quantile of all observations together, which stands among the quantiles of their mean.
  const std::string own = kind->meaning == MeasureKind::Meaning::observed_quantile && m.method != "batch-means"
                              ? "the mean of each mission's own quantile"
                              : "";
  if (m.replications >= replications) return own;
  const double percent = 100.0 * static_cast<double>(m.replications) / static_cast<double>(replications);
  int digits = 3;
  while (number_text(percent, digits) == "100" && digits < 17) ++digits;
  return (own.empty() ? "" : own + ", ") + "in " + number_text(percent, digits) + " % of the histories";
}

const char* sample_word(const MeasureResult& m, const ResultSet& run) {
  if (m.exact) return sample_words[0];
  if (m.method == "regenerative") return sample_words[2];
  const auto analysis = run.provenance.options.find("output_analysis");
  return analysis != run.provenance.options.end() && analysis->second == "batch-means" ? sample_words[1]
                                                                                       : sample_words[0];
}

}  // namespace ergode
