// Compares the results of the studies in studies.json with those in expected/, field by field.
//   ergode-golden               compare; exit code 1 when something differs
//   ergode-golden --write       write the expected results anew
//   ergode-golden --self-test   show that the comparison notices a change of every kind of field
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "app/session/catalogue.h"
#include "core/base/atomic_file.h"
#include "core/format/model_file.h"
#include "core/results/result_json.h"
#include "solvers/registry.h"
#include "solvers/run_options.h"

namespace {

using Json = nlohmann::ordered_json;

const std::filesystem::path root = ERGODE_SOURCE_DIR;
const std::filesystem::path here = root / "tests/golden";

Json read_json(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return Json::parse(file);
}

Json solve(const Json& study) {
  const std::filesystem::path model = root / study["model"].get<std::string>() / "model.ergode";
  ergode::ReadOutcome read = ergode::read_model(model.string());
  if (!read.document) throw std::runtime_error("cannot open " + model.string());
  ergode::RunRequest request;
  request.solver = study["solver"];
  request.scenario = study.value("scenario", "");
  request.folder = model.parent_path().string();
  request.threads = 2;
  if (study.contains("set"))
    for (const auto& [name, text] : study["set"].items()) request.overrides[name] = text;
  if (study.contains("options"))
    for (const auto& [name, text] : study["options"].items())
      if (const auto problem = ergode::set_run_option(request, name, text.get<std::string>()))
        throw std::runtime_error(problem->message);
  if (study.contains("seed")) request.seed = study["seed"].get<std::uint64_t>();
  if (study.contains("replications")) request.replications = study["replications"].get<std::uint64_t>();
  const ergode::Solver* solver = ergode::find_solver(request.solver);
  if (solver == nullptr) throw std::runtime_error("no solver " + request.solver);
  ergode::RunControl control;
  const ergode::ResultSet results = solver->solve(*read.document, request, control);
  if (results.status != ergode::RunStatus::complete)
    throw std::runtime_error(study["name"].get<std::string>() + ": " + results.stop_reason);
  const Json all = Json::parse(ergode::to_json(results).dump());
  // Kept are the numbers and what they mean, not who made them: a golden file changes when results do.
  Json out = {{"events", results.events},
              {"replications", results.replications},
              {"measures", all["measures"]},
              {"series", Json::array()}};
  for (const Json& series : all["series"])
    if (series["kind"] != "distribution" && series["kind"] != "convergence") out["series"].push_back(series);
  return out;
}

bool near(double a, double b, double tolerance) {
  return a == b || std::abs(a - b) <= tolerance * std::max({std::abs(a), std::abs(b), 1e-12});
}

void compare(const Json& seen, const Json& wanted, double tolerance, const std::string& place,
             std::vector<std::string>& differences) {
  if (seen.is_number() && wanted.is_number()) {
    const bool exact = seen.is_number_integer() && wanted.is_number_integer();
    if (exact ? seen != wanted : !near(seen.get<double>(), wanted.get<double>(), tolerance))
      differences.push_back(place + ": " + seen.dump() + ", wanted " + wanted.dump());
  } else if (seen.type() != wanted.type() || (!seen.is_structured() && seen != wanted)) {
    differences.push_back(place + ": " + seen.dump().substr(0, 80) + ", wanted " + wanted.dump().substr(0, 80));
  } else if (seen.is_array()) {
    if (seen.size() != wanted.size())
      differences.push_back(place + ": " + std::to_string(seen.size()) + " entries, wanted " +
                            std::to_string(wanted.size()));
    for (std::size_t i = 0; i < std::min(seen.size(), wanted.size()); ++i)
      compare(seen[i], wanted[i], tolerance, place + "/" + std::to_string(i), differences);
  } else if (seen.is_object()) {
    for (const auto& [key, value] : wanted.items()) {
      if (seen.contains(key)) compare(seen[key], value, tolerance, place + "/" + key, differences);
      else differences.push_back(place + "/" + key + " is missing");
    }
    for (const auto& [key, value] : seen.items())
      if (!wanted.contains(key)) differences.push_back(place + "/" + key + " is new");
  }
}

std::filesystem::path expected_file(const Json& study) {
  return here / "expected" / (study["name"].get<std::string>() + ".json");
}

// One measure and one point of a curve to a line: differences of versions are read by people.
std::string text_of(const Json& results) {
  std::string out =
      "{\n  \"events\": " + results["events"].dump() + ",\n  \"replications\": " + results["replications"].dump();
  for (const char* list : {"measures", "series"}) {
    out += std::string(",\n  \"") + list + "\": [";
    for (std::size_t i = 0; i < results[list].size(); ++i)
      out += (i == 0 ? "\n    " : ",\n    ") + results[list][i].dump();
    out += "\n  ]";
  }
  return out + "\n}\n";
}

int self_test(const Json& study) {
  const Json wanted = read_json(expected_file(study));
  const double tolerance = study["tolerance"];
  const auto noticed = [&](Json changed) {
    std::vector<std::string> differences;
    compare(changed, wanted, tolerance, "", differences);
    return !differences.empty();
  };
  int missed = 0;
  const auto want = [&](const char* what, bool good) {
    if (!good) std::fprintf(stderr, "not noticed: %s\n", what), ++missed;
  };
  Json same = wanted, number = wanted, text = wanted, lost = wanted, fresh = wanted, shorter = wanted, count = wanted,
       nothing = wanted;
  want("nothing changed, yet it complains", !noticed(same));
  number["measures"][0]["estimate"] = number["measures"][0]["estimate"].get<double>() * (1 + 3 * tolerance);
  text["measures"][0]["unit"] = "parsec";
  lost["measures"][0].erase("lower");
  fresh["measures"][0]["extra"] = 1;
  shorter["measures"].erase(shorter["measures"].size() - 1);
  count["replications"] = count["replications"].get<std::uint64_t>() + 1;
  nothing["measures"][0]["estimate"] = nullptr;
  want("a number", noticed(number)), want("a text", noticed(text)), want("a lost field", noticed(lost)),
      want("a new field", noticed(fresh));
  want("a lost measure", noticed(shorter)), want("a count", noticed(count)),
      want("a number that became null", noticed(nothing));
  return missed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (!mode.empty() && mode != "--write" && mode != "--self-test")
    return std::fprintf(stderr, "usage: ergode-golden [--write | --self-test]\n"), 2;
  ergode::catalogue();  // so that every notation can be run
  try {
    const Json studies = read_json(here / "studies.json");
    if (mode == "--self-test") return self_test(studies[3]);
    int wrong = 0;
    for (const Json& study : studies) {
      const std::string name = study["name"];
      const Json seen = solve(study);
      if (mode == "--write") {
        if (const auto problem = ergode::write_file_atomically(expected_file(study).string(), text_of(seen)))
          throw std::runtime_error(problem->message);
        std::printf("wrote %s\n", name.c_str());
        continue;
      }
      std::vector<std::string> differences;
      compare(seen, read_json(expected_file(study)), study["tolerance"], "", differences);
      std::printf("%s: %zu differences\n", name.c_str(), differences.size());
      for (std::size_t i = 0; i < std::min<std::size_t>(differences.size(), 20); ++i)
        std::printf("  %s\n", differences[i].c_str());
      wrong += !differences.empty();
    }
    if (wrong > 0) std::printf("If the change is meant: build/tests/ergode-golden --write, and read the difference.\n");
    return wrong == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ergode-golden: %s\n", error.what());
    return 1;
  }
}
