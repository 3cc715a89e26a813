#include "core/study/budget.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "core/base/process.h"
#include "core/base/text.h"

namespace ergode {
namespace {

// A sum of products through indices; machines of the last ten years make two to five times as many.
constexpr double operations_per_second = 3e8;

double clock_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

std::string memory_text(double bytes) {
  for (const auto& [unit, size] : {std::pair{" GB", 1e9}, {" MB", 1e6}, {" kB", 1e3}})
    if (bytes >= size) return number_text(bytes / size, 3) + unit;
  return number_text(bytes, 3) + " bytes";
}

Budget::Budget(std::stop_token stop, const Limits& limits)
    : stop_(std::move(stop)),
      limits_(limits),
      bytes_(limits.bytes.value_or(memory_share())),
      end_s_(limits.time_s ? clock_s() + *limits.time_s : std::numeric_limits<double>::infinity()),
      spent_(limits.operations ? std::make_shared<std::atomic<double>>(0.0) : nullptr) {}

bool Budget::stop_requested() const {
  if (stop_.stop_requested()) return true;
  if (limits_.time_s && clock_s() > end_s_)
    throw OverBudget{{.code = "RUN003",
                      .message = "It was stopped after " + number_text(*limits_.time_s, 3) + " s, the time allowed.",
                      .hint = "Ask for it alone, or for all solvers, or allow more with --wall-time."}};
  return false;
}

double Budget::operations() const {
  if (spent_ != nullptr) return std::max(0.0, *limits_.operations - *spent_);
  return limits_.time_s ? *limits_.time_s * operations_per_second : std::numeric_limits<double>::infinity();
}

std::string Budget::operations_text() const {
  if (limits_.operations) return number_text(*limits_.operations, 3) + " operations";
  if (!limits_.time_s) return "any number of operations";
  return number_text(operations(), 3) + " operations in " + number_text(*limits_.time_s, 3) + " s";
}

void Budget::spend(double operations) const {
  if (spent_ == nullptr) return;
  const double spent = spent_->fetch_add(operations) + operations;
  if (!(spent > *limits_.operations)) return;
  throw OverBudget{
      {.code = "RUN003",
       .message = "It would take more than " + number_text(*limits_.operations, 3) + " operations, the work allowed.",
       .hint = "Ask for it alone, or for all solvers."}};
}

std::string Budget::bytes_text() const {
  return memory_text(static_cast<double>(bytes_)) + (limits_.bytes ? "" : ", half of what this process may have");
}

void Budget::allow_bytes(double bytes, const char* code, const std::string& what) const {
  if (!(bytes > static_cast<double>(bytes_))) return;
  throw OverBudget{
      {.code = code,
       .message = what + " would take " + memory_text(bytes) + " of memory; allowed: " + bytes_text() + ".",
       .hint = "Simulate, or take the model apart."}};
}

}  // namespace ergode
