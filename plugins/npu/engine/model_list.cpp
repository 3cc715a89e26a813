#include "plugins/npu/engine/model_list.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "plugins/support/input_file.h"

namespace npu {
namespace {

[[noreturn]] void refuse_listed(std::size_t number, const std::string& why) {
  throw std::invalid_argument("model " + std::to_string(number) + " of the list: " + why);
}
double listed_number(std::size_t number, const std::string& key, const nlohmann::json& value, double most,
                     bool whole = true) {
  const double x = value.is_number() ? value.get<double>() : -1.0;
  if (!(x >= 0.0 && x <= most) || (whole && x != std::floor(x)))
    refuse_listed(number, key + " is " + plugin_support::seen_json(value) + "; wanted a " + (whole ? "whole " : "") +
                              "number from 0 to " + std::to_string(static_cast<long long>(most)));
  return value.get<double>();
}

}  // namespace

std::vector<ListedModel> read_model_list(const std::string& text) {
  const nlohmann::json in = plugin_support::parse_json_file(text);
  if (!in.is_object() || !in.contains("models") || !in["models"].is_array() || in["models"].empty())
    throw std::invalid_argument("there is no list \"models\"; wanted {\"models\": [{\"name\": ...}]}");
  constexpr std::size_t most_models = 1000;
  if (in["models"].size() > most_models) throw std::invalid_argument("there are more than 1000 models");
  std::vector<ListedModel> out;
  for (const nlohmann::json& one : in["models"]) {
    const std::size_t number = out.size() + 1;
    if (!one.is_object() || !one.contains("name") || !one["name"].is_string() || one["name"].get<std::string>().empty())
      refuse_listed(number, "it has no name");
    ListedModel model;
    constexpr double most_ms = 1e6, most_partitions = 64, most_axis = 1 << 20;
    for (const auto& [key, value] : one.items()) {
      if (key == "name") model.name = value.get<std::string>();
      else if (key == "file" && !value.is_string())
        refuse_listed(number, "file is " + plugin_support::seen_json(value) + "; wanted the name of a file");
      else if (key == "file") model.file = value.get<std::string>();
      else if (key == "request_time") model.request_ms = listed_number(number, key, value, most_ms, /*whole=*/false);
      else if (key == "partition_id")
        model.partition = static_cast<std::uint32_t>(listed_number(number, key, value, most_partitions));
      else if (key == "nr_atten")
        model.attention_layers =
            static_cast<std::uint64_t>(std::max(0.0, listed_number(number, key, value, most_axis)));
      else if (key == "output_seq_len")
        model.tokens = static_cast<std::int64_t>(listed_number(number, key, value, most_axis));
      // Cores are alike: it makes no difference for which one tiles are made.
      else if (key == "target_core") listed_number(number, key, value, most_partitions);
      else if (value.is_number_integer())
        model.axes[key] = static_cast<std::int64_t>(listed_number(number, key, value, most_axis));
      else refuse_listed(number, key + " is " + plugin_support::seen_json(value) + "; wanted the size of an axis");
    }
    out.push_back(std::move(model));
  }
  return out;
}

}  // namespace npu
