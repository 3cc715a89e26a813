#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ergode {

/// Ends of the values a quantity can take; used to prove that a condition can never (or must always) hold.
struct Range {
  double lower, upper;
  bool certain() const { return lower == upper; }
};

/// A compiled expression: a flat list of instructions over one array of doubles ("slots": variables, counts of active
/// states, time). Booleans are 0 and 1, integers are whole doubles, quantities are SI. Const, shared by all threads.
class Program {
 public:
  enum class Op : std::uint8_t {
    constant,
    load,
    add,
    subtract,
    multiply,
    divide,
    negate,
    power,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    negation,
    conjunction,
    disjunction,
    select,
    minimum,
    maximum,
    absolute,
    exponential,
    logarithm,
    root,
    floor,
    ceiling,
    round,
    remainder,
    sine,
    cosine,
    tangent
  };
  static constexpr int deepest_stack = 64;
  /// Of a stack machine: pushes a constant or a slot, or puts the result in place of its operands.
  struct Instruction {
    Op op;
    std::uint32_t slot;
    double value;
  };
  static int operands_of(Op op);
  /// Machine code of a program; see machine_code.h.
  using Entry = double (*)(const double* slots);

  Program() : Program(0.0) {}
  explicit Program(double constant) : value_(constant) {}

  bool is_constant() const { return code_.empty(); }
  /// The value of a constant program.
  double value() const { return value_; }
  /// What is done, in order; empty when constant.
  const std::vector<Instruction>& code() const { return code_; }
  /// Slots read, ascending, each once.
  const std::vector<std::uint32_t>& slots() const { return slots_; }

  /// Time O(instructions); no allocation.
  double evaluate(const double* slots) const {
    if (entry_ != nullptr) return entry_(slots);
    // Nearly all conditions in models are constants, one slot, or one slot beside a constant: no loop for them.
    switch (form_) {
      case Form::constant:
        return value_;
      case Form::slot:
        return slots[slots_[0]];
      case Form::slot_equal:
        return slots[slots_[0]] == value_ ? 1.0 : 0.0;
      case Form::slot_less:
        return slots[slots_[0]] < value_ ? 1.0 : 0.0;
      case Form::slot_greater_equal:
        return slots[slots_[0]] >= value_ ? 1.0 : 0.0;
      case Form::slot_greater:
        return slots[slots_[0]] > value_ ? 1.0 : 0.0;
      case Form::general:
        break;
    }
    return run(slots);
  }
  bool holds(const double* slots) const { return evaluate(slots) != 0.0; }

  /// Bounds on the value when each slot lies in its range (interval arithmetic: never too narrow, perhaps too wide).
  Range range(std::span<const Range> slots) const;

  struct Switch;
  /// For every comparison inside, the difference of its two sides, and for every floor, ceil, round and mod the
  /// distances from the whole numbers on either side, which are frozen: read from slots, number k from slot first + k.
  /// What these slots hold is appended to `frozen`. So a difference goes on evenly where the value repeats itself, and
  /// a step over several periods is not missed. Constant ones are left out.
  std::vector<Switch> switching(std::uint32_t first, std::vector<Program>& frozen) const;
  /// The same program with each comparison, and each whole number that floor, ceil, round and mod make, read from a
  /// slot instead, so that it does not jump: number k from slot first + k. What these slots hold between two jumps is
  /// appended to `conditions`; inside them everything stays.
  Program without_switches(std::uint32_t first, std::vector<Program>& conditions) const;
  /// Whether this program, read with slot s replaced by image[s], is `other`, instruction for instruction.
  bool becomes(const Program& other, std::span<const std::uint32_t> image) const;

  /// For the compiler: one instruction after the operands' code. Constant operands are folded.
  static Program load(std::uint32_t slot);
  static Program apply(Op op, const std::vector<Program>& operands);
  /// Stack needed; at most `deepest_stack`, else the expression is too large to run.
  int depth() const { return depth_; }

  /// Whether evaluation goes through the instructions one by one, and machine code would be faster.
  bool interpreted() const { return form_ == Form::general && entry_ == nullptr && depth_ <= deepest_stack; }
  /// For make_machine_code(): from now on calls `made`, which lies in `pages`.
  void run_as(Entry made, std::shared_ptr<const void> pages) { entry_ = made, pages_ = std::move(pages); }
  Entry entry() const { return entry_; }
  const std::shared_ptr<const void>& pages() const { return pages_; }

 private:
  enum class Form : std::uint8_t { constant, slot, slot_equal, slot_less, slot_greater_equal, slot_greater, general };
  double run(const double* slots) const;
  template <class Visit>
  Program rebuilt(Visit visit) const;

  double value_ = 0.0;  ///< constant, or the constant beside the slot
  Form form_ = Form::constant;
  int depth_ = 1;
  Entry entry_ = nullptr;
  std::shared_ptr<const void> pages_;  ///< keeps the machine code
  std::vector<Instruction> code_;
  std::vector<std::uint32_t> slots_;
};

/// Where the value of a program may jump, or have a kink.
struct Program::Switch {
  Program difference;  ///< passes zero there
  bool jump = false;   ///< of floor, ceil, round, mod: a frozen whole number must be read again
};

}  // namespace ergode
