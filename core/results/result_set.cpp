#include "core/results/result_set.h"

namespace ergode {

const char* to_text(RunStatus status) {
  switch (status) {
    case RunStatus::complete:
      return "complete";
    case RunStatus::partial:
      return "partial";
    case RunStatus::failed:
      return "failed";
  }
  return "failed";
}

const MeasureResult* ResultSet::measure(const std::string& id) const {
  for (const MeasureResult& result : measures)
    if (result.id == id) return &result;
  return nullptr;
}

std::vector<SplitPart> ResultSet::split_parts() const {
  std::vector<SplitPart> out = split.shown();
  if (split.empty()) return out;
  const bool rest = std::any_of(measures.begin(), measures.end(), [&](const MeasureResult& m) {
    if (!m.shares) return false;
    const auto first = m.shares->find(split.parts.front().name);
    return first != m.shares->end() && first->second != 0.0;
  });
  if (rest) out.push_back(0);
  return out;
}

std::vector<ResultSet::Conclusion> ResultSet::conclusions() const {
  std::vector<Conclusion> out;
  for (const ResultTable& table : tables)
    for (const auto& [name, about] : {std::pair{"precision", "Precision"}, {"utilisation", "Bottleneck"}})
      if (table.name == name && !table.note.empty()) out.push_back({about, table.note});
  return out;
}

}  // namespace ergode
