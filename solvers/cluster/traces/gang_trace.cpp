#include "solvers/cluster/traces/gang_trace.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "core/base/csv.h"
#include "core/base/file_access.h"
#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/format/json_text.h"
#include "solvers/cluster/traces/text_lines.h"

namespace ergode {
namespace {

constexpr double no_moment = std::numeric_limits<double>::quiet_NaN();
constexpr double most_gang_gpus = 1e6;

/// Takes jobs one by one: what no trace may hold is told and left out.
class GangRows {
 public:
  GangRows(std::string file, std::size_t most) : file_(std::move(file)), most_(most) {}
  GangTrace& trace() { return trace_; }
  const std::string& file() const { return file_; }
  void problem(std::uint32_t row, const std::string& what) {
    if (trace_.problems.size() >= most_) ++trace_.untold;
    else trace_.problems.push_back(file_ + ", row " + std::to_string(row) + ": " + what);
  }
  void wrong(std::uint32_t row, const std::string& column, std::string_view cell, const char* wanted) {
    problem(row, column + " is '" + quotable(excerpt(cell)) + "', wanted " + wanted);
  }
  /// @returns false: a job of that name was there.
  bool once(std::uint32_t row, const std::string& name) {
    const auto [known, fresh] = known_.emplace(name, row);
    if (!fresh)
      problem(row, "job '" + quotable(excerpt(name)) + "' is in row " + std::to_string(known->second) +
                       " too, wanted each job once");
    return fresh;
  }
  void add(std::uint32_t row, const std::string& name, const std::string& user, const std::string& kind, GangJob job) {
    const auto [at, fresh] = users_.emplace(user, static_cast<std::uint32_t>(trace_.users.size()));
    if (fresh) trace_.users.push_back(user);
    job.user = at->second;
    trace_.jobs.push_back(job), trace_.names.push_back(name), trace_.kinds.push_back(kind);
    trace_.rows.push_back(row);
  }
  /// In the order of arrival, from time zero on.
  GangTrace take() {
    GangTrace& all = trace_;
    std::vector<std::size_t> order(all.jobs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return all.jobs[a].arrival_s < all.jobs[b].arrival_s; });
    GangTrace out = all;
    for (std::size_t i = 0; i < order.size(); ++i) {
      out.jobs[i] = all.jobs[order[i]], out.rows[i] = all.rows[order[i]];
      out.names[i] = all.names[order[i]], out.kinds[i] = all.kinds[order[i]];
    }
    if (!out.jobs.empty())
      for (const double zero_s = out.jobs.front().arrival_s; GangJob & job : out.jobs) job.arrival_s -= zero_s;
    return out;
  }

 private:
  std::string file_;
  std::size_t most_;
  GangTrace trace_;
  std::unordered_map<std::string, std::uint32_t> known_, users_;
};

/// Digits alone; -1: something else.
int digits_of(std::string_view text) {
  int out = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), out);
  const bool fine = !text.empty() && text.front() != '-' && fault == std::errc() && end == text.data() + text.size();
  return fine ? out : -1;
}

/// Seconds, or a moment of the calendar.
double time_of(std::string_view cell) {
  cell = trim(cell);
  if (const auto number = parse_number(cell)) return *number;
  return moment_of(cell);
}

class GangTable {
 public:
  GangTable(const std::vector<std::vector<std::string>>& rows, const std::string& file, std::size_t most)
      : rows_(rows), out_(file, most) {}
  GangTraceOr read() {
    id_ = find({"job_id", "job", "name"}), arrival_ = find({"submit_time", "submit", "arrival_s", "time"});
    gpus_ = find({"num_gpu", "gpu_num", "num_gpus", "gpus", "num_replicas"});
    length_ = find({"duration", "duration_s"});
    start_ = find({"start_time", "start"}), end_ = find({"end_time", "end"});
    user_ = find({"user", "vc"}), cpus_ = find({"cpu_num", "cpus"}), memory_ = find({"memory_gib", "memory"});
    kind_ = find({"model_name", "application", "type"});
    if (id_ < 0) return missing("job_id");
    if (arrival_ < 0) return missing("submit_time");
    if (gpus_ < 0) return missing("num_gpu");
    if (!twice_.empty()) return out_.file() + ", row 1: " + twice_;
    out_.trace().lengths = length_ >= 0 || (start_ >= 0 && end_ >= 0);
    for (std::size_t r = 1; r < rows_.size(); ++r) row(static_cast<std::uint32_t>(r + 1), rows_[r]);
    return out_.take();
  }

 private:
  int find(std::initializer_list<std::string_view> names) {
    const HeaderColumn found = header_column(rows_[0], names);
    if (twice_.empty()) twice_ = found.twice;
    return found.place < rows_[0].size() ? static_cast<int>(found.place) : -1;
  }
  std::string missing(const char* name) const {
    std::string seen;
    for (const std::string& one : rows_[0]) seen += (seen.empty() ? "" : ", ") + std::string(trim(one));
    constexpr std::size_t most_letters = 120;
    return out_.file() + " has no column '" + name +
           "'; wanted job_id, submit_time, num_gpu and duration or names like them, there are " +
           quotable(seen, most_letters);
  }
  const std::string& name_of(int column) const { return rows_[0][static_cast<std::size_t>(column)]; }
  /// A number from 0, of an absent column 0.
  double part(std::uint32_t row, const std::vector<std::string>& cells, int column) {
    if (column < 0) return 0.0;
    const std::string& cell = cells[static_cast<std::size_t>(column)];
    const auto value = parse_number(trim(cell));
    if (value && *value >= 0.0 && std::isfinite(*value)) return *value;
    out_.wrong(row, name_of(column), cell, "a number from 0");
    return no_moment;
  }
  double moment(std::uint32_t row, const std::vector<std::string>& cells, int column) {
    const std::string& cell = cells[static_cast<std::size_t>(column)];
    const double value = time_of(cell);
    if (std::isfinite(value) && value >= 0.0) return value;
    out_.wrong(row, name_of(column), cell, "seconds from 0, or a time as in 2020-04-01 10:00:00");
    return no_moment;
  }
  void row(std::uint32_t number, const std::vector<std::string>& cells) {
    if (cells.size() != rows_[0].size())
      return out_.problem(number, std::to_string(cells.size()) + " cells, wanted " + std::to_string(rows_[0].size()) +
                                      " as in the header");
    const std::string id(trim(cells[static_cast<std::size_t>(id_)]));
    if (id.empty()) return out_.wrong(number, name_of(id_), id, "an identifier");
    const std::string& wide = cells[static_cast<std::size_t>(gpus_)];
    const auto gpus = parse_number(trim(wide));
    if (!gpus || !(*gpus >= 0.0 && *gpus <= most_gang_gpus) || *gpus != std::floor(*gpus))
      return out_.wrong(number, name_of(gpus_), wide, "a whole number from 0 to 1e6");
    GangJob job{.arrival_s = moment(number, cells, arrival_), .gpus = static_cast<std::uint32_t>(*gpus)};
    if (length_ >= 0) {
      job.work_s = part(number, cells, length_);
    } else if (out_.trace().lengths) {
      const double start_s = moment(number, cells, start_), end_s = moment(number, cells, end_);
      if (end_s < start_s)
        return out_.wrong(number, name_of(end_), cells[static_cast<std::size_t>(end_)], "a time not before the start");
      job.work_s = end_s - start_s;
    }
    job.cpus = part(number, cells, cpus_), job.memory = part(number, cells, memory_);
    for (const double value : {job.arrival_s, job.work_s, job.cpus, job.memory})
      if (std::isnan(value)) return;
    if (!out_.once(number, id)) return;
    if (job.arrival_s < before_s_)
      return out_.problem(number, "job '" + quotable(excerpt(id)) + "' came at " +
                                      quotable(excerpt(trim(cells[static_cast<std::size_t>(arrival_)]))) +
                                      ", before the one above; wanted arrivals that do not fall");
    before_s_ = job.arrival_s;
    if (job.gpus == 0) {
      ++out_.trace().without_gpus;
      return;
    }
    const auto text = [&](int column) {
      return column < 0 ? std::string() : std::string(trim(cells[static_cast<std::size_t>(column)]));
    };
    out_.add(number, id, text(user_), text(kind_), job);
  }

  const std::vector<std::vector<std::string>>& rows_;
  GangRows out_;
  std::string twice_;  ///< what is wrong with the header
  int id_ = -1, arrival_ = -1, gpus_ = -1, length_ = -1, start_ = -1, end_ = -1, user_ = -1, cpus_ = -1, memory_ = -1,
      kind_ = -1;
  double before_s_ = -std::numeric_limits<double>::infinity();
};

/// Null where there is none of the keys.
const Value& philly_member(const Value& object, std::initializer_list<const char*> keys) {
  static const Value none;
  for (const char* key : keys)
    if (const auto found = object.find(key); found != object.end()) return *found;
  return none;
}

/// NaN: null, or a text that means none ("None", ""). Nothing: no time.
std::optional<double> philly_time(const Value& value) {
  if (value.is_null()) return no_moment;
  if (value.is_number()) return value.real() >= 0.0 ? std::optional(value.real()) : std::nullopt;
  if (!value.is_string()) return {};
  const std::string text(trim(value.text()));
  if (text.empty() || text == "None") return no_moment;
  const double out = time_of(text);
  return std::isfinite(out) && out >= 0.0 ? std::optional(out) : std::nullopt;
}

void read_philly_job(std::uint32_t row, const Value& one, GangRows& out) {
  if (!one.is_object()) return out.problem(row, "no object, wanted a job with jobid, submitted_time and attempts");
  const auto shown = [](const Value& value) { return value.dump(-1, Value::BadText::replace); };
  const Value &id = philly_member(one, {"jobid"}), &vc = philly_member(one, {"user", "vc"}),
              &attempts = philly_member(one, {"attempts"});
  if (!id.is_string() || id.text().empty()) return out.wrong(row, "jobid", shown(id), "a text");
  const auto arrival = philly_time(philly_member(one, {"submitted_time"}));
  if (!arrival || std::isnan(*arrival))
    return out.wrong(row, "submitted_time", shown(philly_member(one, {"submitted_time"})), "a time");
  if (!attempts.is_array()) return out.wrong(row, "attempts", shown(attempts), "a list");
  if (!out.once(row, id.text())) return;
  GangJob job{.arrival_s = *arrival, .gpus = 0};
  bool ran = false, gpus_known = false;
  for (const Value& attempt : attempts) {
    if (!attempt.is_object()) return out.wrong(row, "attempts", shown(attempt), "objects with start_time and end_time");
    const Value &from = philly_member(attempt, {"start_time", "start"}),
                &to = philly_member(attempt, {"end_time", "end"});
    const auto start_s = philly_time(from), end_s = philly_time(to);
    if (!start_s) return out.wrong(row, "start_time", shown(from), "a time or null");
    if (!end_s) return out.wrong(row, "end_time", shown(to), "a time or null");
    if (std::isnan(*start_s) || std::isnan(*end_s)) continue;
    if (*end_s < *start_s) return out.wrong(row, "end_time", shown(to), "a time not before the start");
    std::uint32_t gpus = 0;
    const Value& detail = philly_member(attempt, {"detail"});
    if (!detail.is_array()) return out.wrong(row, "detail", shown(detail), "a list of ip and gpus");
    for (const Value& host : detail) {
      const Value& list = philly_member(host, {"gpus"});
      if (!list.is_array()) return out.wrong(row, "gpus", shown(list), "a list");
      gpus += static_cast<std::uint32_t>(list.size()), gpus_known = true;
    }
    ran = true;
    job.work_s += *end_s - *start_s, job.gpus = std::max(job.gpus, gpus);
  }
  if (!ran) ++out.trace().not_run;
  else if (job.gpus == 0 || !gpus_known) ++out.trace().without_gpus;
  else out.add(row, id.text(), vc.is_string() ? vc.text() : std::string(), "", job);
}

}  // namespace

double moment_of(std::string_view text) {
  constexpr std::string_view form = "dddd-dd-dd dd:dd:dd";
  text = trim(text);
  if (text.size() < form.size()) return no_moment;
  for (std::size_t i = 0; i < form.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (form[i] == 'd' ? !digit : form[i] == ' ' ? text[i] != ' ' && text[i] != 'T' : text[i] != form[i])
      return no_moment;
  }
  const auto at = [&](std::size_t begin, std::size_t length) { return digits_of(text.substr(begin, length)); };
  using namespace std::chrono;
  const year_month_day date(year(at(0, 4)), month(static_cast<unsigned>(at(5, 2))),
                            day(static_cast<unsigned>(at(8, 2))));
  const int hour = at(11, 2), minute = at(14, 2), second = at(17, 2);
  if (!date.ok() || hour > 23 || minute > 59 || second > 59) return no_moment;
  std::string_view zone = text.substr(form.size());
  double offset_s = 0.0;
  if (zone == "Z") zone = {};
  if (!zone.empty()) {
    if (zone.size() != 6 || (zone[0] != '+' && zone[0] != '-') || zone[3] != ':') return no_moment;
    const int hours = digits_of(zone.substr(1, 2)), minutes = digits_of(zone.substr(4, 2));
    if (hours < 0 || hours > 14 || minutes < 0 || minutes > 59) return no_moment;
    offset_s = (zone[0] == '+' ? 1.0 : -1.0) * (hours * 3600.0 + minutes * 60.0);
  }
  return static_cast<double>(sys_days(date).time_since_epoch().count()) * 86400.0 + hour * 3600.0 + minute * 60.0 +
         second - offset_s;
}

GangTraceOr read_gang_table(std::string_view text, const std::string& file, std::size_t most) {
  if (const auto fault = nul_fault(text)) return file + ", " + *fault;
  const auto rows = parse_csv(text);
  if (const auto* why = std::get_if<std::string>(&rows)) return file + ", " + *why;
  const auto& cells = std::get<0>(rows);
  if (cells.empty()) return file + " is empty, wanted a header and rows of jobs";
  return GangTable(cells, file, most).read();
}

GangTraceOr read_philly(std::string_view text, const std::string& file, std::size_t most) {
  Diagnostics faults;
  const Value all = parse_json_text(text, faults);
  if (has_errors(faults)) {
    std::string why = faults.front().message;
    while (why.ends_with('.')) why.pop_back();
    return file + ": " + why;
  }
  if (!all.is_array())
    return file + " is no list of jobs of Philly; wanted [{\"jobid\": ..., \"attempts\": [...]}, ...]";
  GangRows out(file, most);
  std::uint32_t row = 0;
  for (const Value& one : all) read_philly_job(++row, one, out);
  return out.take();
}

GangTraceOr gang_trace_of(JobTraceOr jobs, GangTrace::Unit unit) {
  if (auto* why = std::get_if<std::string>(&jobs)) return std::move(*why);
  JobTrace& read = std::get<JobTrace>(jobs);
  GangTrace out{.names = std::move(read.names), .rows = std::move(read.rows), .unit = unit};
  out.problems = std::move(read.problems), out.untold = read.untold;
  out.not_run = read.not_run, out.steps = read.steps;
  out.kinds.resize(read.jobs.size());
  // Of equal submissions of a workload of Batsim any may be first in the file.
  double first_s = std::numeric_limits<double>::infinity();
  for (const BatchJob& job : read.jobs) first_s = std::min(first_s, job.submit_s);
  std::map<std::string, std::uint32_t> numbers;
  for (std::size_t i = 0; i < read.jobs.size(); ++i) {
    const BatchJob& job = read.jobs[i];
    const auto [user, fresh] = numbers.try_emplace(read.users[i], static_cast<std::uint32_t>(out.users.size()));
    if (fresh) out.users.push_back(read.users[i]);
    out.over_limit += killed(job) ? 1 : 0;
    out.jobs.push_back(
        {.arrival_s = job.submit_s - first_s, .work_s = time_on_hosts(job), .gpus = job.hosts, .user = user->second});
  }
  return out;
}

GangTrace::Unit unit_of_job_trace(const std::string& file) {
  return file.ends_with(".swf") || file.ends_with(".json") ? GangTrace::Unit::processors : GangTrace::Unit::hosts;
}

GangTraceOr read_gang_trace(std::string_view text, const std::string& file, std::size_t most) {
  return file.ends_with(".json") ? read_philly(text, file, most) : read_gang_table(text, file, most);
}

}  // namespace ergode
