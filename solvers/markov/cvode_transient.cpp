#include "solvers/markov/cvode_transient.h"

#include <cvode/cvode.h>
#include <klu.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <algorithm>
#include <memory>

#include "core/base/text.h"

namespace ergode {
namespace {

/// Linear equations y' = M y of probabilities first, then of `reached`, its integral, and the integral of each reward.
/// Kept states have no outflow; what flows into targets is added up in `reached`.
class Equations {
 public:
  Equations(const SparseGenerator& generator, const TransientQuestion& question)
      : question_(question), n_(generator.size()), size_(n_ + 2 + question.rewards.size()) {
    columns_.start = {0};
    const RateRows& rows = generator.rows();
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (role(i) == StateRole::ordinary) ordinary_column(i, generator.exit()[i], rows);
      end_column();
    }
    // The integral of `reached` grows with it.
    put(static_cast<std::uint32_t>(n_ + 1), 1.0), end_column();
    while (columns_.size() < size_) end_column();
  }

  std::size_t size() const { return size_; }
  std::size_t entries() const { return columns_.entries(); }
  std::size_t states() const { return n_; }
  void multiply(const double* y, double* out) const {
    std::fill(out, out + size_, 0.0);
    for (std::size_t i = 0; i < size_; ++i)
      for (std::uint32_t e = columns_.start[i]; e < columns_.start[i + 1]; ++e)
        out[columns_.other[e]] += columns_.rate[e] * y[i];
  }
  void fill(SUNMatrix matrix) const {
    sunindextype* const start = SUNSparseMatrix_IndexPointers(matrix);
    sunindextype* const row = SUNSparseMatrix_IndexValues(matrix);
    double* const value = SUNSparseMatrix_Data(matrix);
    for (std::size_t i = 0; i <= size_; ++i) start[i] = columns_.start[i];
    for (std::size_t e = 0; e < columns_.entries(); ++e) row[e] = columns_.other[e], value[e] = columns_.rate[e];
  }
  const Budget& budget() const { return question_.budget; }
  /// Where a unit matrix and M have entries, by columns.
  void pattern(std::vector<int>& start, std::vector<int>& row) const {
    for (std::size_t i = 0; i < size_; ++i) {
      start.push_back(static_cast<int>(row.size()));
      bool own = false;
      for (std::uint32_t e = columns_.start[i]; e < columns_.start[i + 1]; ++e) {
        row.push_back(static_cast<int>(columns_.other[e]));
        own = own || columns_.other[e] == i;
      }
      if (!own) row.push_back(static_cast<int>(i));
    }
    start.push_back(static_cast<int>(row.size()));
  }

 private:
  StateRole role(std::size_t i) const { return question_.roles.empty() ? StateRole::ordinary : question_.roles[i]; }
  void put(std::uint32_t row, double value) { columns_.other.push_back(row), columns_.rate.push_back(value); }
  void end_column() { columns_.start.push_back(static_cast<std::uint32_t>(columns_.entries())); }

  void ordinary_column(std::uint32_t i, double exit, const RateRows& rows) {
    double into_targets = 0.0;
    bool own = false;
    const auto diagonal = [&] {
      if (!own) put(i, -exit);
      own = true;
    };
    for (std::uint32_t e = rows.start[i]; e < rows.start[i + 1]; ++e) {
      const std::uint32_t j = rows.other[e];
      if (j > i) diagonal();
      put(j, rows.rate[e]);
      if (role(j) == StateRole::target) into_targets += rows.rate[e];
    }
    diagonal();
    const auto extra = static_cast<std::uint32_t>(n_);
    if (into_targets > 0.0) put(extra, into_targets);
    for (std::size_t r = 0; r < question_.rewards.size(); ++r)
      if (const double reward = question_.rewards[r][i]; reward != 0.0)
        put(static_cast<std::uint32_t>(n_ + 2 + r), reward);
  }

  const TransientQuestion& question_;
  std::size_t n_, size_;
  RateRows columns_;  ///< of M; the values may be negative here
};

/// Nothing is thrown through C.
bool over(const Budget& budget) {
  try {
    return budget.stop_requested();
  } catch (const OverBudget&) {
    return true;
  }
}

int right_side(realtype, N_Vector y, N_Vector out, void* user) {
  const auto& equations = *static_cast<const Equations*>(user);
  if (over(equations.budget())) return -1;
  equations.multiply(N_VGetArrayPointer(y), N_VGetArrayPointer(out));
  return 0;
}

int jacobian(realtype, N_Vector, N_Vector, SUNMatrix matrix, void* user, N_Vector, N_Vector, N_Vector) {
  const auto& equations = *static_cast<const Equations*>(user);
  if (over(equations.budget())) return -1;
  equations.fill(matrix);
  return 0;
}

/// CVODE's objects in the order in which they must be freed.
struct Session {
  SUNContext context = nullptr;
  N_Vector y = nullptr, tolerance = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear = nullptr;
  void* cvode = nullptr;
  ~Session() {
    if (cvode != nullptr) CVodeFree(&cvode);
    if (linear != nullptr) SUNLinSolFree(linear);
    if (matrix != nullptr) SUNMatDestroy(matrix);
    if (tolerance != nullptr) N_VDestroy(tolerance);
    if (y != nullptr) N_VDestroy(y);
    if (context != nullptr) SUNContext_Free(&context);
  }
};

// A factorisation cannot be interrupted, so what it takes is found out beforehand: the ordering alone says how many
// numbers the factors have when no pivot has to be moved.
constexpr double most_factor_operations = 1e10;

void allow_factors(const Equations& equations, const Budget& budget) {
  const auto n = static_cast<int>(equations.size());
  std::vector<int> start, row;
  equations.pattern(start, row);
  klu_common common;
  klu_defaults(&common);
  klu_symbolic* symbolic = klu_analyze(n, start.data(), row.data(), &common);
  const double entries = symbolic != nullptr ? symbolic->lnz + symbolic->unz : 0.0;
  const double operations = symbolic != nullptr ? symbolic->est_flops : 0.0;
  if (symbolic != nullptr) klu_free_symbolic(&symbolic, &common);
  const std::string what = "Factors of the " + std::to_string(equations.states()) + " equations";
  // The factors with their row numbers, growing, beside CVODE's vectors and two matrices.
  budget.allow_bytes(32.0 * entries + 32.0 * static_cast<double>(equations.entries()) + 160.0 * n, "MKV022", what);
  const double allowed = std::min(most_factor_operations, budget.operations());
  if (operations > allowed)
    throw OverBudget{{.code = "MKV022",
                      .message = what + " would take " + number_text(operations, 3) +
                                 " operations each time; allowed: " + number_text(allowed, 3) + ".",
                      .hint = "Try --method uniformisation."}};
}

void note(const Equations& equations, const TransientQuestion& question, const double* y, TransientAnswer& out) {
  const std::size_t n = equations.states();
  out.reached.push_back(y[n]);
  out.reached_integral.push_back(y[n + 1]);
  for (std::size_t r = 0; r < question.rewards.size(); ++r) {
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i)
      if (question.roles.empty() || question.roles[i] == StateRole::ordinary) sum += y[i] * question.rewards[r][i];
    out.at[r].push_back(sum);
    out.integral[r].push_back(y[n + 2 + r]);
  }
}

}  // namespace

std::variant<TransientAnswer, std::string> solve_transient_cvode(const SparseGenerator& generator,
                                                                 const TransientQuestion& question,
                                                                 const CvodeTolerances& tolerances) {
  const Equations equations(generator, question);
  const auto size = static_cast<sunindextype>(equations.size());
  const std::size_t n = equations.states();
  TransientAnswer out;
  out.at.resize(question.rewards.size()), out.integral.resize(question.rewards.size());
  Session cv;
  allow_factors(equations, question.budget);
  if (SUNContext_Create(nullptr, &cv.context) != 0) return "CVODE could not start.";
  cv.y = N_VNew_Serial(size, cv.context), cv.tolerance = N_VNew_Serial(size, cv.context);
  double* const y = N_VGetArrayPointer(cv.y);
  std::fill(y, y + size, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    y[i] = question.initial[i];
    if (!question.roles.empty() && question.roles[i] == StateRole::target) y[n] += question.initial[i];
  }
  const double last = question.times_s.empty() ? 0.0 : question.times_s.back();
  double* const tolerance = N_VGetArrayPointer(cv.tolerance);
  for (std::size_t i = 0; i < equations.size(); ++i)
    tolerance[i] = i <= n ? tolerances.absolute : tolerances.absolute * std::max(last, 1e-300);
  for (std::size_t r = 0; r < question.rewards.size(); ++r) {
    double largest = 0.0;
    for (const double x : question.rewards[r]) largest = std::max(largest, x < 0.0 ? -x : x);
    if (largest > 0.0) tolerance[n + 2 + r] *= largest;
  }
  cv.matrix = SUNSparseMatrix(size, size, static_cast<sunindextype>(equations.entries()), CSC_MAT, cv.context);
  cv.linear = SUNLinSol_KLU(cv.y, cv.matrix, cv.context);
  cv.cvode = CVodeCreate(CV_BDF, cv.context);
  if (cv.matrix == nullptr || cv.linear == nullptr || cv.cvode == nullptr) return "CVODE had too little memory.";
  void* const user = const_cast<Equations*>(&equations);
  if (CVodeInit(cv.cvode, right_side, 0.0, cv.y) != CV_SUCCESS || CVodeSetErrFile(cv.cvode, nullptr) != CV_SUCCESS ||
      CVodeSVtolerances(cv.cvode, tolerances.relative, cv.tolerance) != CV_SUCCESS ||
      CVodeSetUserData(cv.cvode, user) != CV_SUCCESS || CVodeSetMaxNumSteps(cv.cvode, 10000000) != CV_SUCCESS ||
      CVodeSetLinearSolver(cv.cvode, cv.linear, cv.matrix) != CV_SUCCESS ||
      CVodeSetJacFn(cv.cvode, jacobian) != CV_SUCCESS)
    return "CVODE refused the problem.";
  if (last > 0.0) CVodeSetStopTime(cv.cvode, last);
  double now = 0.0;
  for (const double time : question.times_s) {
    if (time > now) {
      const int flag = CVode(cv.cvode, time, cv.y, &now, CV_NORMAL);
      if (question.budget.stop_requested()) {
        out.stopped = true;
        return out;
      }
      if (flag < 0) return "CVODE failed at " + std::to_string(now) + " s with code " + std::to_string(flag) + ".";
    }
    note(equations, question, y, out);
  }
  long steps = 0;
  CVodeGetNumSteps(cv.cvode, &steps);
  out.steps = static_cast<std::uint64_t>(steps);
  if (question.want_distribution) out.distribution.assign(y, y + n);
  return out;
}

}  // namespace ergode
