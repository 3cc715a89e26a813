#include "solvers/hybrid/bdf.h"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>

namespace ergode {
namespace {

// In words, with what its user can do.
std::string why(int status) {
  switch (status) {
    case CV_TOO_MUCH_WORK:
      return "100,000 steps do not reach the next moment; look for what changes in a much shorter time than the rest, "
             "or "
             "ask for less accuracy (--ode-relative-tolerance)";
    case CV_TOO_MUCH_ACC:
      return "the tolerances are below the roundings of the values; ask for less accuracy (--ode-relative-tolerance)";
    case CV_ERR_FAILURE:
      return "no step is small enough for the tolerances; look for what changes in a time far below all others, and "
             "put its final value in its place, or ask for less accuracy (--ode-relative-tolerance, "
             "--ode-absolute-tolerance)";
    case CV_CONV_FAILURE:
      return "the equations of a step cannot be solved, however small it is; look for jumps and infinite slopes";
    case CV_RHSFUNC_FAIL:
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR:
      return "the derivatives have no value in its neighbourhood";
    case CV_TOO_CLOSE:
      return "the next moment is nearer than a rounding of the time";
    default:
      break;
  }
  char* const name = CVodeGetReturnFlagName(status);
  const std::string out = "the integrator CVODE stopped with " + std::string(name);
  std::free(name);
  return out;
}

class Bdf : public OdeIntegrator {
 public:
  Bdf(OdeSystem& system, std::size_t size, std::size_t conditions, const OdeOptions& options)
      : system_(system), size_(size), flags_(conditions) {
    const auto n = static_cast<sunindextype>(size);
    SUNContext_Create(nullptr, &context_);
    y_ = N_VNew_Serial(n, context_), dense_ = N_VNew_Serial(n, context_);
    N_VConst(0.0, y_);
    memory_ = CVodeCreate(CV_BDF, context_);
    bool good = memory_ != nullptr && CVodeInit(memory_, derivatives, 0.0, y_) == CV_SUCCESS;
    good = good && CVodeSStolerances(memory_, options.relative, options.absolute) == CV_SUCCESS;
    matrix_ = SUNDenseMatrix(n, n, context_);
    linear_ = SUNLinSol_Dense(y_, matrix_, context_);
    good = good && CVodeSetLinearSolver(memory_, linear_, matrix_) == CVLS_SUCCESS;
    good = good && CVodeRootInit(memory_, static_cast<int>(conditions), root_values) == CV_SUCCESS &&
           CVodeSetNoInactiveRootWarn(memory_) == CV_SUCCESS && CVodeSetUserData(memory_, &system_) == CV_SUCCESS &&
           CVodeSetErrFile(memory_, nullptr) == CV_SUCCESS && CVodeSetMaxNumSteps(memory_, 100000) == CV_SUCCESS;
    if (!good) {
      free();
      throw OdeFailure("the integrator cannot be set up");
    }
  }
  Bdf(const Bdf&) = delete;
  Bdf& operator=(const Bdf&) = delete;
  ~Bdf() override { free(); }

  void restart(double time_s, const double* y) override {
    std::copy_n(y, size_, N_VGetArrayPointer(y_));
    time_ = time_s;
    if (CVodeReInit(memory_, time_s, y_) != CV_SUCCESS) throw OdeFailure("the integrator cannot be restarted");
  }
  using OdeIntegrator::step;
  double step(double until_s, double) override {
    found_.clear();
    // Without it a step would go beyond `until_s`, over an event that may change the equations.
    CVodeSetStopTime(memory_, until_s);
    const int status = CVode(memory_, until_s, y_, &time_, CV_ONE_STEP);
    if (status < 0) {
      throw OdeFailure(why(status));
    }
    if (status == CV_ROOT_RETURN && CVodeGetRootInfo(memory_, flags_.data()) == CV_SUCCESS) found_ = flags_;
    return time_;
  }
  const double* values() const override { return N_VGetArrayPointer(y_); }
  double end() const override {
    double out = time_;
    CVodeGetCurrentTime(memory_, &out);
    return out;
  }
  double length() const override {
    double out = 0.0;
    CVodeGetLastStep(memory_, &out);
    return out;
  }
  bool turns(std::size_t place) override {
    double slopes[2] = {};
    for (const bool late : {false, true}) {
      if (CVodeGetDky(memory_, late ? end() : end() - length(), 1, dense_) != CV_SUCCESS) return true;
      slopes[late ? 1 : 0] = N_VGetArrayPointer(dense_)[place];
    }
    return slopes[0] * slopes[1] < 0.0;
  }
  bool look(double time_s, double* out) override {
    if (CVodeGetDky(memory_, time_s, 0, dense_) != CV_SUCCESS) return false;
    std::copy_n(N_VGetArrayPointer(dense_), size_, out);
    return true;
  }
  bool look(std::span<const double> times_s, std::size_t place, double* out) override {
    for (const double time : times_s) {
      if (CVodeGetDky(memory_, time, 0, dense_) != CV_SUCCESS) return false;
      *out++ = N_VGetArrayPointer(dense_)[place];
    }
    return true;
  }

 private:
  static int derivatives(realtype t, N_Vector y, N_Vector out, void* user) {
    auto& system = *static_cast<OdeSystem*>(user);
    double* const rates = N_VGetArrayPointer(out);
    system.still_derivatives(rates);
    if (!system.derivatives(t, N_VGetArrayPointer(y), rates)) return 1;
    return std::all_of(rates, rates + NV_LENGTH_S(out), [](double rate) { return std::isfinite(rate); }) ? 0 : 1;
  }
  static int root_values(realtype t, N_Vector y, realtype* out, void* user) {
    static_cast<OdeSystem*>(user)->conditions(t, N_VGetArrayPointer(y), out);
    return 0;
  }
  void free() {
    CVodeFree(&memory_);
    if (linear_ != nullptr) SUNLinSolFree(linear_);
    if (matrix_ != nullptr) SUNMatDestroy(matrix_);
    N_VDestroy(y_), N_VDestroy(dense_);
    SUNContext_Free(&context_);
  }

  OdeSystem& system_;
  std::size_t size_;
  std::vector<int> flags_;
  double time_ = 0.0;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr, dense_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver linear_ = nullptr;
  void* memory_ = nullptr;
};

}  // namespace

std::unique_ptr<OdeIntegrator> make_bdf(OdeSystem& system, std::size_t size, std::size_t conditions,
                                        const OdeOptions& options) {
  return std::make_unique<Bdf>(system, size, conditions, options);
}

}  // namespace ergode
