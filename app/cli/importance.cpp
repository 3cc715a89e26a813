#include <cmath>
#include <iostream>

#include "app/cli/commands.h"
#include "core/base/read_file.h"
#include "core/base/text.h"
#include "solvers/reliability/galileo/importance.h"

namespace ergode::cli {
namespace {

struct ImportanceFlags {
  std::string file, time;
  bool json = false;
};

std::optional<TreeImportance> calculated(const ImportanceFlags& flags, double time) {
  auto opened = read_text(flags.file);
  Diagnostics problems;
  if (auto* problem = std::get_if<Diagnostic>(&opened)) problems.push_back(std::move(*problem));
  const bool json = flags.file.ends_with(".json");
  if (problems.empty()) {
    const std::string& text = std::get<std::string>(opened);
    const FaultTree tree = json ? parse_tree_json(text, problems) : parse_galileo(text, problems);
    print_diagnostics(problems, nullptr);
    if (has_errors(problems)) return std::nullopt;
    auto found = tree_importance(tree, time);
    if (auto* importance = std::get_if<TreeImportance>(&found)) return std::move(*importance);
    problems = std::get<Diagnostics>(found);
  }
  print_diagnostics(problems, nullptr);
  return std::nullopt;
}

int importance(const ImportanceFlags& flags) {
  const auto time = parse_number(flags.time);
  if (!time || !(*time > 0.0) || !std::isfinite(*time)) {
    complain("RUN010", "--time is \"" + flags.time + "\"; wanted a number > 0, in the tree's unit.");
    return usage;
  }
  const auto found = calculated(flags, *time);
  if (!found) return model_invalid;
  const double top = found->top;
  Value json = {{"time", *time}, {"top", top}, {"events", Value::array()}};
  std::vector<std::vector<std::string>> rows = {
      {"event", "probability", "Birnbaum", "criticality", "diagnostic", "RAW", "RRW"}};
  for (const EventImportance& e : found->events) {
    const double values[] = {
        e.probability,         e.birnbaum(), e.criticality(top), e.diagnostic(top), e.achievement_worth(top),
        e.reduction_worth(top)};
    static constexpr const char* keys[] = {"probability", "birnbaum",          "criticality",
                                           "diagnostic",  "achievement_worth", "reduction_worth"};
    Value one = {{"event", e.event}};
    std::vector<std::string> row = {e.event};
    for (std::size_t i = 0; i < std::size(values); ++i) {
      if (std::isfinite(values[i])) one[keys[i]] = values[i];
      else one[keys[i]] = nullptr;  // JSON has no infinity: nothing happens without the event
      row.push_back(std::isfinite(values[i]) ? number_text(values[i], 6) : "infinite");
    }
    json["events"].push_back(std::move(one));
    rows.push_back(std::move(row));
  }
  if (flags.json) std::cout << json_text(json) << "\n";
  else
    std::cout << text_table(rows, {false, true, true, true, true, true, true}) << "\nThe top event has probability "
              << number_text(top, 9) << " at time " << number_text(*time) << ".\n";
  return ok;
}

}  // namespace

void add_importance(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<ImportanceFlags>();
  CLI::App* sub = app.add_subcommand("importance", R"(Example:
  ergode importance tree.dft --time 1000

Prints the importance of every basic event of a static fault tree (Galileo format or its JSON form) at a time in the
tree's unit, exactly: Birnbaum, criticality, diagnostic importance, risk achievement and risk reduction worth.)");
  sub->add_option("FILE", flags->file, "Fault tree.")->required();
  sub->add_option("--time", flags->time, "Time, in the tree's unit.")->required()->type_name("T");
  sub->add_flag("--json", flags->json, "Print one JSON document.");
  sub->callback([flags, &chosen] { chosen = [flags] { return importance(*flags); }; });
}

}  // namespace ergode::cli
