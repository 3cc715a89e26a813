// Workloads of Batsim: jobs and the profiles that they follow, in JSON.
#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "core/base/file_access.h"
#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/format/json_text.h"
#include "solvers/cluster/traces/trace_rows.h"

namespace ergode {
namespace {

/// Null where there is no such key.
const Value& member(const Value& object, std::string_view key) {
  static const Value none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

/// How long profiles take: delays, and sequences of profiles of which this is known.
class BatsimProfiles {
 public:
  explicit BatsimProfiles(const Value& profiles) {
    for (const auto& [name, what] : profiles.items()) profiles_[name].what = &what;
  }
  /// In s; or why it is not known.
  std::variant<double, std::string> length_s(const std::string& name, std::size_t depth = 0) {
    const auto found = profiles_.find(name);
    if (found == profiles_.end()) return "there is no profile '" + quotable(excerpt(name)) + "'";
    Profile& profile = found->second;
    if (profile.known) return *profile.known;
    constexpr std::size_t deepest = 100;
    if (depth > deepest) return "profile '" + quotable(excerpt(name)) + "' holds itself or more than 100 levels";
    profile.known = worked_out(name, *profile.what, depth);
    return *profile.known;
  }

 private:
  struct Profile {
    const Value* what = nullptr;
    std::optional<std::variant<double, std::string>> known;
  };
  std::variant<double, std::string> worked_out(const std::string& name, const Value& what, std::size_t depth) {
    const std::string shown = "profile '" + quotable(excerpt(name)) + "'";
    if (!member(what, "type").is_string()) return shown + " has no type";
    const std::string& type = member(what, "type").text();
    if (type == "DelayProfile" || type == "delay") {
      const Value& delay = member(what, "delay");
      if (!delay.is_number() || !(delay.real() >= 0.0)) return shown + " has no delay, wanted 0 s or more";
      return delay.real();
    }
    if (type != "SequentialCompositionProfile" && type != "composed")
      return shown + " is of type '" + quotable(excerpt(type)) +
             "', whose time depends on a platform; wanted a delay or a sequence of delays";
    const Value &repeat = member(what, "repeat"), &steps = member(what, "seq");
    const double times = repeat.is_null() ? 1.0 : repeat.is_number() ? repeat.real() : -1.0;
    if (!(times >= 0.0) || !steps.is_array()) return shown + " has no seq, or repeat is no number from 0";
    double sum_s = 0.0;
    for (const Value& step : steps) {
      if (!step.is_string()) return shown + " has a step that is no name of a profile";
      const auto one = length_s(step.text(), depth + 1);
      if (const auto* why = std::get_if<std::string>(&one)) return *why;
      sum_s += std::get<double>(one);
    }
    if (!std::isfinite(times * sum_s)) return shown + " takes for ever";
    return times * sum_s;
  }

  std::unordered_map<std::string, Profile> profiles_;
};

std::string batsim_id(const Value& id) {
  if (id.is_string()) return id.text();
  return id.is_number_integer() ? id.dump() : std::string();
}

/// Numbers by their value, before all other texts.
bool lesser_id(const std::string& a, const std::string& b) {
  const auto x = parse_number(a), y = parse_number(b);
  if (x && y && *x != *y) return *x < *y;
  if (x.has_value() != y.has_value()) return x.has_value();
  return a < b;
}

struct BatsimJob {
  std::uint32_t row = 0;
  std::string name;
  BatchJob job;
};

void read_batsim_job(std::uint32_t row, const Value& one, BatsimProfiles& profiles, TraceRows& out,
                     std::vector<BatsimJob>& into) {
  if (!one.is_object()) return out.problem(row, "no object, wanted a job with id, subtime, res and profile");
  const auto wrong = [&](const char* key, const char* wanted) {
    out.problem(row, std::string(key) + " is " + quotable(excerpt(member(one, key).dump(-1, Value::BadText::replace))) +
                         ", wanted " + wanted);
  };
  const std::string id = batsim_id(member(one, "id"));
  if (id.empty()) return wrong("id", "a text or a whole number");
  const Value &submit = member(one, "subtime"), &limit = member(one, "walltime"), &hosts = member(one, "res"),
              &profile = member(one, "profile");
  if (!submit.is_number() || !(submit.real() >= 0.0)) return wrong("subtime", "0 s or more");
  const bool limited = !limit.is_null() && !(limit.is_number() && limit.real() == -1.0);
  if (limited && !(limit.is_number() && limit.real() > 0.0)) return wrong("walltime", "above 0 s, or -1 for none");
  constexpr double most_hosts = 1e9;
  if (!hosts.is_number() || !(hosts.real() >= 1.0 && hosts.real() <= most_hosts) ||
      hosts.real() != std::floor(hosts.real()))
    return wrong("res", "a whole number from 1");
  if (!profile.is_string()) return wrong("profile", "the name of a profile");
  const auto run_s = profiles.length_s(profile.text());
  if (const auto* why = std::get_if<std::string>(&run_s)) return out.problem(row, *why);
  into.push_back({row,
                  id,
                  {.submit_s = submit.real(),
                   .run_s = std::get<double>(run_s),
                   .limit_s = limited ? limit.real() : std::numeric_limits<double>::infinity(),
                   .hosts = static_cast<std::uint32_t>(hosts.real())}});
}

}  // namespace

JobTraceOr read_batsim(std::string_view text, const std::string& file, std::size_t most) {
  Diagnostics faults;
  const Value workload = parse_json_text(text, faults);
  if (has_errors(faults)) {
    std::string why = faults.front().message;  // whoever shows it ends the sentence
    while (why.ends_with('.')) why.pop_back();
    return file + ": " + why;
  }
  const Value &jobs_there = member(workload, "jobs"), &profiles_there = member(workload, "profiles");
  if (!jobs_there.is_array() || !profiles_there.is_object())
    return file + " is no workload of Batsim; wanted an object with a list \"jobs\" and an object \"profiles\"";
  TraceRows out(file, most);
  BatsimProfiles profiles(profiles_there);
  std::vector<BatsimJob> jobs;
  std::uint32_t row = 0;
  for (const Value& one : jobs_there) {
    ++out.trace().seen;
    read_batsim_job(++row, one, profiles, out, jobs);
  }
  std::stable_sort(jobs.begin(), jobs.end(), [](const BatsimJob& a, const BatsimJob& b) {
    return a.job.submit_s != b.job.submit_s ? a.job.submit_s < b.job.submit_s : lesser_id(a.name, b.name);
  });
  for (const BatsimJob& one : jobs)
    out.add(one.row, one.name, one.job, std::numeric_limits<double>::quiet_NaN(), false);
  return std::move(out.trace());
}

}  // namespace ergode
