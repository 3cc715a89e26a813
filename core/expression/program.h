#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

namespace ergode {

/// Ends of the values a quantity can take, both included, in SI, infinite where nothing bounds it; used to prove that a
/// condition can never (or must always) hold.
struct Range {
  double lower, upper;  ///< lower <= upper
  /// One value only.
  bool certain() const { return lower == upper; }
};

/// A slot moved by a constant; may wrap around, as moves to the left do.
inline std::uint32_t moved(std::uint32_t slot, std::uint32_t by) { return slot + by; }

/// What a program consists of, in order, with its slots moved by a constant: a view, as long as the program lives.
template <class Item>
/// Iterators are random access; they return values, not references. O(1), no allocation.
class MovedItems {
 public:
  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = Item;
    using difference_type = std::ptrdiff_t;
    using pointer = const Item*;
    using reference = Item;
    Iterator() = default;
    Iterator(const Item* at, std::uint32_t by) : at_(at), by_(by) {}
    Item operator*() const { return moved(*at_, by_); }
    Item operator[](difference_type n) const { return moved(at_[n], by_); }
    Iterator& operator++() { return ++at_, *this; }
    Iterator operator++(int) { return {at_++, by_}; }
    Iterator& operator--() { return --at_, *this; }
    Iterator operator--(int) { return {at_--, by_}; }
    Iterator& operator+=(difference_type n) { return at_ += n, *this; }
    Iterator& operator-=(difference_type n) { return at_ -= n, *this; }
    friend Iterator operator+(Iterator i, difference_type n) { return i += n; }
    friend Iterator operator+(difference_type n, Iterator i) { return i += n; }
    friend Iterator operator-(Iterator i, difference_type n) { return i -= n; }
    friend difference_type operator-(Iterator a, Iterator b) { return a.at_ - b.at_; }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }
    auto operator<=>(const Iterator& other) const { return at_ <=> other.at_; }

   private:
    const Item* at_ = nullptr;
    std::uint32_t by_ = 0;
  };
  using value_type = Item;
  MovedItems(std::span<const Item> items, std::uint32_t by) : items_(items), by_(by) {}
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  Item operator[](std::size_t i) const { return moved(items_[i], by_); }
  Item front() const { return (*this)[0]; }
  Item back() const { return (*this)[size() - 1]; }
  Iterator begin() const { return {items_.data(), by_}; }
  Iterator end() const { return {items_.data() + items_.size(), by_}; }
  bool operator==(const MovedItems& other) const { return std::equal(begin(), end(), other.begin(), other.end()); }

 private:
  std::span<const Item> items_;
  std::uint32_t by_;
};
/// A compiled expression: a flat list of instructions over one array of doubles ("slots": variables, counts of active
/// states, time). Booleans are 0 and 1, integers are whole doubles, quantities are SI. Const, shared by all threads.
/// Copies share their instructions; so do the programs of components that differ in their slots by a constant.
///
/// Operations, on values of the stack, the last operand on top:
///
///     add subtract multiply divide   IEEE 754, rounded once each; x / 0 is infinite or NaN, no error
///     power remainder                pow and fmod of C: mod(x, p) has the sign of x
///     minimum maximum                NaN when either is NaN
///     less ... not_equal             1 or 0; comparisons with NaN are 0 but for not_equal, which is 1
///     negation conjunction disjunction   of truths: everything but 0 is true, NaN included; 1 or 0
///     select                         condition, then, otherwise: one of the two, both of which were worked out
///     floor ceiling round            round takes halves away from zero
///     the rest                       functions of the C library; sine, cosine and tangent of radians
///
///     std::vector<double> slots = {0.0, 3.0};
///     const Program twice = Program::apply(Program::Op::multiply, {Program::load(1), Program(2.0)});
///     twice.evaluate(slots.data());  // 6
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
  /// Places on the stack that an expression of a model may need. What is made of programs (a difference to watch, two
  /// conditions joined) may need more: it is evaluated all the same, but on a stack that is allocated each time, and
  /// never as machine code.
  static constexpr int deepest_stack = 64;
  /// Of a stack machine: pushes a constant or a slot, or puts the result in place of its operands.
  struct Instruction {
    Op op;
    std::uint32_t slot;  ///< of load; else 0
    double value;        ///< of constant; else 0
    bool operator==(const Instruction&) const = default;
    friend Instruction moved(Instruction one, std::uint32_t by) {
      if (one.op == Op::load) one.slot += by;
      return one;
    }
  };
  /// How many places of the stack an operation replaces by its result: 0 to 3 (select: condition, then, otherwise).
  static int operands_of(Op op);
  /// Machine code of a program; see machine_code.h. Takes the array of slots, returns the value.
  using Entry = double (*)(const double* slots);

  Program() : Program(0.0) {}
  /// A constant [SI].
  explicit Program(double constant) : value_(constant) {}

  /// Then value() is all there is to it: no slot is read.
  bool is_constant() const { return body_ == nullptr; }
  /// The value of a constant program; of others it means nothing.
  double value() const { return value_; }
  /// What is done, in order; empty when constant.
  MovedItems<Instruction> code() const { return {shared_code(), moved_}; }
  /// Slots read, ascending, each once.
  MovedItems<std::uint32_t> slots() const {
    return {body_ != nullptr ? std::span<const std::uint32_t>(body_->slots) : std::span<const std::uint32_t>(), moved_};
  }
  /// The same program over slots that lie `by` further on; it shares the instructions and the machine code. By may wrap
  /// around. O(1), no allocation.
  Program moved_by(std::uint32_t by) const {
    Program out = *this;
    out.moved_ += by, out.slot_ += by;
    return out;
  }
  /// The same program over other slots: `to` gives the new number of each. Has instructions of its own and no machine
  /// code. O(instructions).
  Program renamed(const std::function<std::uint32_t(std::uint32_t)>& to) const;

  /// The value in SI; booleans 0 or 1. Both branches of a selection are worked out; a division by zero and a root of a
  /// negative number give what IEEE 754 says, no error. Time O(instructions); no allocation as long as depth() is at
  /// most `deepest_stack`; any number of threads.
  /// @param slots  as long as the greatest of slots() needs; not read where constant.
  double evaluate(const double* slots) const {
    if (entry_ != nullptr) return entry_(slots + static_cast<std::int32_t>(moved_));
    // Nearly all conditions in models are constants, one slot, or one slot beside a constant: no loop for them.
    switch (form_) {
      case Form::constant:
        return value_;
      case Form::slot:
        return slots[slot_];
      case Form::slot_equal:
        return slots[slot_] == value_ ? 1.0 : 0.0;
      case Form::slot_less:
        return slots[slot_] < value_ ? 1.0 : 0.0;
      case Form::slot_greater_equal:
        return slots[slot_] >= value_ ? 1.0 : 0.0;
      case Form::slot_greater:
        return slots[slot_] > value_ ? 1.0 : 0.0;
      case Form::general:
        break;
    }
    return run(slots);
  }
  /// Whether a condition is true now. NaN counts as true.
  bool holds(const double* slots) const { return evaluate(slots) != 0.0; }

  /// Bounds on the value when each slot lies in its range (interval arithmetic: never too narrow, perhaps too wide). No
  /// number lies in none; a condition is certain only if it also comes out so where a step gives no number (0/0, the
  /// root of a negative one, a slot that may be anything). O(instructions), allocates; for building models.
  /// Moore, Kearfott and Cloud, Introduction to Interval Analysis, 2009.
  /// @param slots  by slot; slots beyond its end may be anything.
  Range range(std::span<const Range> slots) const;

  struct Switch;
  /// For every comparison inside, the difference of its two sides, and for every floor, ceil, round and mod the
  /// distances from the whole numbers on either side, which are frozen: read from slots, number k from slot first + k.
  /// What these slots hold is appended to `frozen`. So a difference goes on evenly where the value repeats itself, and
  /// a step over several periods is not missed. Constant ones are left out.
  /// The differences have the unit of their sides; the value may jump or bend where one of them passes zero.
  /// O(instructions squared) at worst.
  /// For a solver of differential equations: a step ends where a difference passes zero, the frozen numbers are read
  /// again there, and the integration goes on from the far side.
  std::vector<Switch> switching(std::uint32_t first, std::vector<Program>& frozen) const;
  /// The same program with each comparison, and each whole number that floor, ceil, round and mod make, read from a
  /// slot instead, so that it does not jump: number k from slot first + k. What these slots hold between two jumps is
  /// appended to `conditions`; inside them everything stays.
  /// Where mod stands, the whole number is its quotient cut towards zero.
  Program without_switches(std::uint32_t first, std::vector<Program>& conditions) const;
  /// Whether this program, read with slot s replaced by image[s], is `other`, instruction for instruction.
  /// O(instructions).
  /// @param image  by slot, at least as long as the greatest slot read needs.
  bool becomes(const Program& other, std::span<const std::uint32_t> image) const;

  /// For the compiler: one instruction after the operands' code. Constant operands are folded. `apply` takes as many
  /// operands as operands_of() says, in the order of the text; O(their instructions), which it copies.
  static Program load(std::uint32_t slot);
  static Program apply(Op op, const std::vector<Program>& operands);
  /// Stack needed; the compiler refuses an expression that needs more than `deepest_stack`.
  int depth() const { return depth_; }

  /// Whether evaluation goes through the instructions one by one, and machine code would be faster.
  bool interpreted() const { return form_ == Form::general && entry_ == nullptr && depth_ <= deepest_stack; }
  /// For make_machine_code(): from now on calls `made`, which lies in `pages`.
  void run_as(Entry made, std::shared_ptr<const void> pages) { entry_ = made, pages_ = std::move(pages); }
  /// The machine code; null: interpreted, or one of the forms that need none.
  Entry entry() const { return entry_; }
  /// The instructions as they are shared: code() moves their slots, and so does evaluate() when it calls entry().
  std::span<const Instruction> shared_code() const {
    return body_ != nullptr ? std::span<const Instruction>(body_->code) : std::span<const Instruction>();
  }
  /// Where the machine code lies; null when there is none. Copies keep it alive.
  const std::shared_ptr<const void>& pages() const { return pages_; }

 private:
  /// What evaluate() can do without a loop: most conditions of models are one of these.
  enum class Form : std::uint8_t { constant, slot, slot_equal, slot_less, slot_greater_equal, slot_greater, general };
  /// The interpreter.
  double run(const double* slots) const;
  double run(const double* slots, double* stack) const;
  template <class Visit>
  Program rebuilt(Visit visit) const;

  double value_ = 0.0;  ///< constant, or the constant beside the slot
  Entry entry_ = nullptr;
  std::shared_ptr<const void> pages_;  ///< keeps the machine code
  /// Shared by all copies and moved versions, never changed.
  struct Body {
    std::vector<Instruction> code;
    std::vector<std::uint32_t> slots;
  };
  std::shared_ptr<const Body> body_;  ///< null when constant
  std::uint32_t moved_ = 0;           ///< what is added to the slots of the body
  std::uint32_t slot_ = 0;            ///< the first that is read
  int depth_ = 1;
  Form form_ = Form::constant;
};

/// Where the value of a program may jump, or have a kink.
/// What is watched for a change of sign.
struct Program::Switch {
  Program difference;  ///< passes zero there
  bool jump = false;   ///< of floor, ceil, round, mod: a frozen whole number must be read again
};

}  // namespace ergode
