#include "core/study/recorded_options.h"

#include <algorithm>

#include "core/study/precision_goals.h"

namespace ergode {

void record_options(std::span<const RunOption> options, const RunRequest& request,
                    std::map<std::string, std::string>& into) {
  for (const RunOption& option : options) {
    if (option.applies && !option.applies(request)) continue;
    std::string key = option.name, text = option.get(request);
    std::replace(key.begin(), key.end(), '-', '_');
    into[key] = text.empty() ? option.default_text : std::move(text);
  }
}

void record_stopping(const RunRequest& request, bool waits, const std::string& replications,
                     std::map<std::string, std::string>& into) {
  // As stopping_rule(): such a limit alone leaves the number open.
  into["replications"] = request.replications           ? std::to_string(*request.replications)
                         : waits || request.wall_time_s ? "until stopped"
                                                        : replications;
  into["confidence"] = number_text(request.confidence);
  const std::string precisions = precisions_text(request);
  into["precision"] = !precisions.empty() ? precisions : waits ? "of measures" : "none";
  into["wall_time_s"] = request.wall_time_s ? number_text(*request.wall_time_s) : "none";
}

}  // namespace ergode
