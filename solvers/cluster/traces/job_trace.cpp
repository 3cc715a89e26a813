#include "solvers/cluster/traces/job_trace.h"

#include <chrono>
#include <cstdio>

#include "core/base/file_access.h"
#include "core/base/text.h"
#include "core/base/text_place.h"
#include "solvers/cluster/traces/text_lines.h"
#include "solvers/cluster/traces/trace_rows.h"

namespace ergode {

std::string JobTrace::moment_text(double time_s) const {
  if (!calendar() || !(std::fabs(time_s) <= end_of_calendar_s)) return number_text(time_s);
  using namespace std::chrono;
  const auto all = static_cast<std::int64_t>(std::floor(zero_s + time_s));
  const auto day = floor<days>(sys_seconds(seconds(all)));
  const year_month_day date(day);
  const hh_mm_ss<seconds> clock(sys_seconds(seconds(all)) - day);
  char out[48];
  std::snprintf(out, sizeof out, "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return out;
}

std::string left_out_text(const std::string& file, std::size_t not_run, std::size_t steps, std::size_t without_gpus) {
  std::string out;
  const auto say = [&](std::size_t count, const char* one, const char* many) {
    if (count > 0) out += (out.empty() ? "" : "; ") + std::to_string(count) + (count == 1 ? one : many);
  };
  say(without_gpus, " job wants no GPUs", " jobs want no GPUs");
  say(not_run, " job never ran, or it does not say how long", " jobs never ran, or it does not say how long");
  say(steps, " row is a step of a job", " rows are steps of jobs");
  const bool one = not_run + steps + without_gpus == 1;
  return out.empty() ? out : file + ": " + out + (one ? "; it is left out." : "; they are left out.");
}

void TraceRows::problem(std::uint32_t row, const std::string& what) {
  if (trace_.problems.size() >= most_) ++trace_.untold;
  else trace_.problems.push_back(file_ + ", row " + std::to_string(row) + ": " + what);
}

void TraceRows::add(std::uint32_t row, const std::string& name, const BatchJob& job, double wait_s, bool in_order,
                    const std::string& user) {
  const auto [known, fresh] = known_.emplace(name, row);
  if (!fresh)
    return problem(row, "job '" + quotable(excerpt(name)) + "' is in row " + std::to_string(known->second) +
                            " too, wanted each job once");
  if (in_order && job.submit_s < before_s_)
    return problem(row, "job '" + quotable(excerpt(name)) + "' was submitted at " + trace_.moment_text(job.submit_s) +
                            ", and the one above at " + trace_.moment_text(before_s_) +
                            "; wanted submissions that do not fall");
  before_s_ = job.submit_s;
  trace_.jobs.push_back(job), trace_.names.push_back(name);
  trace_.rows.push_back(row), trace_.recorded_wait_s.push_back(wait_s);
  trace_.users.push_back(user);
}

bool is_job_trace(std::string_view text, const std::string& file) {
  text = without_mark(text);
  if (file.ends_with(".json")) return trim(text).starts_with('{');
  std::string_view header;
  while (!text.empty() && trim(header).empty()) header = next_line(text);
  return file.ends_with(".swf") || header.find("JobID") != std::string_view::npos;
}

JobTraceOr read_job_trace(std::string_view text, const std::string& file, std::size_t most) {
  if (file.ends_with(".swf")) return read_swf(text, file, most);
  if (file.ends_with(".json")) return read_batsim(text, file, most);
  return read_sacct(text, file, most);
}

}  // namespace ergode
