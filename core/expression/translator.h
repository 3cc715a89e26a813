#pragma once
// Only for machine_code.cpp and program_lines.cpp, where Xbyak is there.
#include <sys/mman.h>
#include <xbyak/xbyak.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "core/expression/program.h"

namespace ergode {

// No instruction takes more: four moves of nine bytes to save what is in the way, a call, three operations.
constexpr std::size_t bytes_per_instruction = 96, bytes_per_program = 96;

/// Room to reserve; a tenth is needed, and seal() gives the rest back.
inline std::size_t most_bytes_of(const Program& program) {
  return bytes_per_program + program.code().size() * (bytes_per_instruction + sizeof(double));
}

// Pages of our own: written, then closed to writing and opened to execution; given back with the last program.
class Pages {
 public:
  /// begin() is null where the system gives none.
  explicit Pages(std::size_t bytes) : bytes_(bytes) {
    void* const found = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (found != MAP_FAILED) begin_ = static_cast<std::uint8_t*>(found);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() {
    if (begin_ != nullptr) munmap(begin_, bytes_);
  }
  std::uint8_t* begin() const { return begin_; }
  /// Keeps the first `used` bytes. @returns whether the system allows them to be executed.
  bool seal(std::size_t used) {
    constexpr std::size_t page = 4096;
    const std::size_t kept = (used + page - 1) / page * page;
    if (kept < bytes_ && munmap(begin_ + kept, bytes_ - kept) == 0) bytes_ = kept;
    return mprotect(begin_, bytes_, PROT_READ | PROT_EXEC) == 0;
  }

 private:
  std::uint8_t* begin_ = nullptr;
  std::size_t bytes_ = 0;
};

// What the interpreter calls too.
inline const void* function_of(Program::Op op) {
  using Op = Program::Op;
  const auto one = [](double (*f)(double)) { return reinterpret_cast<const void*>(f); };
  const auto two = [](double (*f)(double, double)) { return reinterpret_cast<const void*>(f); };
  switch (op) {
    case Op::power:
      return two(std::pow);
    case Op::remainder:
      return two(std::fmod);
    case Op::exponential:
      return one(std::exp);
    case Op::logarithm:
      return one(std::log);
    case Op::floor:
      return one(std::floor);
    case Op::ceiling:
      return one(std::ceil);
    case Op::round:
      return one(std::round);
    case Op::sine:
      return one(std::sin);
    case Op::cosine:
      return one(std::cos);
    case Op::tangent:
      return one(std::tan);
    default:
      return nullptr;
  }
}

/// Constants stand before the code: masks of 16 bytes, then doubles, each once. Code reads them relative to the
/// instruction, so pool and code must lie within 2 GB of each other, which one mapping sees to.
class Pool {
 public:
  static constexpr std::size_t sign = 0, magnitude = 16, one = 32, all = 48, zero = 64, doubles = 80;

  /// @param begin  of the pages: aligned, as the masks must be for andpd and its like
  explicit Pool(std::uint8_t* begin) : begin_(begin) {
    const auto put = [&](std::size_t at, std::uint64_t bits) { std::memcpy(begin_ + at, &bits, sizeof bits); };
    put(sign, std::uint64_t{1} << 63U), put(magnitude, ~(std::uint64_t{1} << 63U));
    put(one, std::bit_cast<std::uint64_t>(1.0)), put(all, ~std::uint64_t{0});
  }
  /// Before the code is made: where it begins is end().
  void add(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    if (places_.emplace(bits, end_).second) std::memcpy(begin_ + end_, &bits, sizeof bits), end_ += sizeof bits;
  }
  std::size_t end() const { return end_; }
  const std::uint8_t* place(std::size_t at) const { return begin_ + at; }
  /// Of a constant that was added, told apart by its bits: -0.0 and 0.0 are two, as are all NaN.
  const std::uint8_t* place(double value) const { return begin_ + places_.at(std::bit_cast<std::uint64_t>(value)); }

 private:
  std::uint8_t* begin_;
  std::size_t end_ = doubles;
  std::unordered_map<std::uint64_t, std::size_t> places_;
};

/// One program after the other. The interpreter's stack is worked out while translating: an entry is a constant, a
/// slot, a register, or saved in the frame; only what must be is in a register.
/// Calls follow the System V ABI for AMD64: slots come in rdi and the result leaves in xmm0; no vector register
/// outlives a call, so before one all are saved to the frame.
class Translator : private Xbyak::CodeGenerator {
  using Op = Program::Op;
  using Instruction = Program::Instruction;
  using Xmm = Xbyak::Xmm;

 public:
  /// Writes from `begin` on, at most `bytes`; pool and memory outlive it.
  Translator(std::uint8_t* begin, std::size_t bytes, const Pool& pool)
      : CodeGenerator(bytes, begin), pool_(pool), rounds_(__builtin_cpu_supports("sse4.1") != 0) {}

  std::size_t used() const { return getSize(); }

  /// @returns where the code begins.
  /// Not for two programs at once: registers and stack belong to the one being translated.
  Program::Entry translate(const Program& program) {
    align(16);
    const auto entry = reinterpret_cast<Program::Entry>(reinterpret_cast<std::uintptr_t>(getCurr()));
    calls_ = false;
    for (const Instruction& now : program.shared_code()) calls_ = calls_ || calls(now.op);
    base_ = calls_ ? rbx : rdi;
    // The frame is a multiple of 16 beyond a pushed register, as calls want it.
    frame_ = calls_ || program.depth() > 8 ? (8 * program.depth() + 15) / 16 * 16 : 0;
    if (calls_) push(rbx), mov(rbx, rdi);
    if (frame_ > 0) sub(rsp, static_cast<std::uint32_t>(frame_));
    const int found = evaluated(program, program.shared_code());
    if (found != 0) movapd(xmm0, Xmm(found));
    if (frame_ > 0) add(rsp, static_cast<std::uint32_t>(frame_));
    if (calls_) pop_register();
    ret();
    return entry;
  }

  /// @name Lines (program_lines.h): pieces of one function that jump from one to the next by a list of addresses.
  /// @{
  using Run = int (*)(double* slots, double* out, const void* const* next);
  /// The beginning of all lines. @param depth  the greatest of their programs
  Run begin_lines(int depth) {
    align(16);
    const auto entry = reinterpret_cast<Run>(reinterpret_cast<std::uintptr_t>(getCurr()));
    frame_ = (8 * depth + 15) / 16 * 16;
    base_ = rbx;
    // Three pushed registers leave the stack as calls want it.
    push(rbx), push(rbp), push(r12);
    sub(rsp, static_cast<std::uint32_t>(frame_));
    mov(rbx, rdi), mov(rbp, rsi), mov(r12, rdx);
    jmp(ptr[r12]);
    return entry;
  }
  /// What the list ends with. Once, after begin_lines().
  /// Returns 1; where a negated line has jumped to the end, 0.
  const void* end_lines() {
    align(16);
    const void* const here = getCurr();
    mov(eax, 1);
    L(leave_);
    add(rsp, static_cast<std::uint32_t>(frame_));
    CodeGenerator::pop(r12), CodeGenerator::pop(rbp), CodeGenerator::pop(rbx);
    ret();
    L(fail_);
    xor_(eax, eax);
    jmp(leave_);
    return here;
  }
  /// Slot `place` takes the value; or element `place` of `out` takes it, or takes it in addition, or takes its
  /// negative, and the function ends with 0 where the value is not >= 0.
  /// All return where the line's piece begins, for the list. Written after begin_lines() and before end_lines().
  const void* slot_line(const Program& program, std::uint32_t place) {
    const void* const here = begin_line();
    movsd(ptr[rbx + std::size_t{8} * place], Xmm(evaluated(program, program.code())));
    go_on();
    return here;
  }
  const void* set_line(const Program& program, std::uint32_t place) {
    const void* const here = begin_line();
    movsd(ptr[rbp + std::size_t{8} * place], Xmm(evaluated(program, program.code())));
    go_on();
    return here;
  }
  const void* sum_line(const Program& program, std::uint32_t place) {
    const void* const here = begin_line();
    const Xmm value(evaluated(program, program.code()));
    addsd(value, ptr[rbp + std::size_t{8} * place]);
    movsd(ptr[rbp + std::size_t{8} * place], value);
    go_on();
    return here;
  }
  const void* negated_line(const Program& program, std::uint32_t place) {
    const void* const here = begin_line();
    const Xmm value(evaluated(program, program.code()));
    ucomisd(value, constant_at(Pool::zero));
    jb(fail_, T_NEAR);  // less, or not comparable
    xorpd(value, constant_at(Pool::sign));
    movsd(ptr[rbp + std::size_t{8} * place], value);
    go_on();
    return here;
  }
  /// @}

 private:
  /// An entry of the interpreter's stack, as late as possible in a register: a constant or slot not loaded yet, a value
  /// saved in the frame, a number, or a truth as a mask (all bits or none).
  struct Value {
    enum class Kind { constant, slot, saved, number, mask } kind;
    double constant = 0.0;
    std::uint32_t slot = 0;  ///< slot; or saved: place in the frame
    int at = -1;             ///< number, mask: register
    bool in_register() const { return kind == Kind::number || kind == Kind::mask; }
  };
  using Kind = Value::Kind;

  const void* begin_line() {
    align(16);
    return getCurr();
  }
  /// The next address of the list; no line knows which comes after it.
  void go_on() { add(r12, 8), jmp(ptr[r12]); }
  // The register with the program's value.
  template <class Code>
  int evaluated(const Program& program, const Code& code) {
    stack_.clear(), taken_ = 0;
    if (program.is_constant()) push_value({.kind = Kind::constant, .constant = program.value()});
    for (const Instruction& now : code) add_instruction(now);
    Value result = pop();
    return number(result);
  }

  void pop_register() { CodeGenerator::pop(rbx); }
  /// Without SSE 4.1 rounding is a call too.
  bool calls(Op op) const {
    if (rounds_ && (op == Op::floor || op == Op::ceiling)) return false;
    return function_of(op) != nullptr;
  }

  Xbyak::Address constant_at(std::size_t at) { return ptr[rip + pool_.place(at)]; }
  Xbyak::Address memory(const Value& v) {
    if (v.kind == Kind::constant) return ptr[rip + pool_.place(v.constant)];
    if (v.kind == Kind::saved) return ptr[rsp + 8 * v.slot];
    return ptr[base_ + std::size_t{8} * v.slot];
  }

  /// The place in the frame is the place on the stack, so no two entries meet there.
  void save(Value& v, std::size_t place) {
    if (v.kind == Kind::mask) andpd(Xmm(v.at), constant_at(Pool::one));
    movsd(ptr[rsp + 8 * place], Xmm(v.at));
    release(v.at);
    v = {.kind = Kind::saved, .slot = static_cast<std::uint32_t>(place)};
  }
  /// A register that nobody uses; where there is none, the deepest entry that has one goes to the frame.
  int take() {
    for (int r = 0; r < 16; ++r)
      if ((taken_ >> r & 1U) == 0) return taken_ |= 1U << r, r;
    for (std::size_t i = 0;; ++i)  // the deepest is needed last
      if (stack_[i].in_register()) {
        save(stack_[i], i);
        return take();
      }
  }
  void release(int r) { taken_ &= ~(1U << r); }
  void push_value(Value v) { stack_.push_back(v); }
  Value pop() {
    const Value out = stack_.back();
    stack_.pop_back();
    return out;
  }

  // The value in a register of its own.
  int number(Value& v) {
    if (v.kind == Kind::mask) andpd(Xmm(v.at), constant_at(Pool::one));
    else if (v.kind != Kind::number) {
      const Xbyak::Address from = memory(v);
      v.at = take();
      movsd(Xmm(v.at), from);
    }
    v.kind = Kind::number;
    return v.at;
  }
  // All bits set where it is not zero (so NaN is), none where it is.
  int mask(Value& v) {
    if (v.kind == Kind::mask) return v.at;
    const int r = number(v);
    cmpneqsd(Xmm(r), constant_at(Pool::zero));
    v.kind = Kind::mask;
    return r;
  }
  /// Does `operation(register of a, value of b)` and leaves the result where a was.
  template <class Operation>
  void onto(Value a, Value b, Kind kind, Operation operation) {
    const int r = number(a);
    if (b.kind == Kind::mask) number(b);
    if (b.in_register()) operation(Xmm(r), static_cast<const Xbyak::Operand&>(Xmm(b.at))), release(b.at);
    else operation(Xmm(r), static_cast<const Xbyak::Operand&>(memory(b)));
    push_value({.kind = kind, .at = r});
  }

  void add_instruction(const Instruction& now) {
    if (now.op == Op::constant) return push_value({.kind = Kind::constant, .constant = now.value});
    if (now.op == Op::load) return push_value({.kind = Kind::slot, .slot = now.slot});
    if (now.op == Op::select) return select();
    if (calls(now.op)) return call_function(now.op);
    if (Program::operands_of(now.op) == 1) return unary(now.op);
    binary(now.op);
  }

  /// Works on the operand's own register.
  void unary(Op op) {
    Value a = pop();
    if (op == Op::negation && a.kind == Kind::mask) {
      xorpd(Xmm(a.at), constant_at(Pool::all));
      return push_value(a);
    }
    const int r = number(a);
    switch (op) {
      case Op::negation:
        cmpeqsd(Xmm(r), constant_at(Pool::zero));
        a.kind = Kind::mask;
        break;
      case Op::negate:
        xorpd(Xmm(r), constant_at(Pool::sign));
        break;
      case Op::absolute:
        andpd(Xmm(r), constant_at(Pool::magnitude));
        break;
      case Op::root:
        sqrtsd(Xmm(r), Xmm(r));
        break;
      default:
        roundsd(Xmm(r), Xmm(r), op == Op::floor ? 9 : 10);  // down, up; without the flag of inexactness
    }
    push_value(a);
  }

  void binary(Op op) {
    Value b = pop(), a = pop();
    using X = const Xmm&;
    using O = const Xbyak::Operand&;
    switch (op) {
      case Op::add:
        return onto(a, b, Kind::number, [this](X x, O y) { addsd(x, y); });
      case Op::subtract:
        return onto(a, b, Kind::number, [this](X x, O y) { subsd(x, y); });
      case Op::multiply:
        return onto(a, b, Kind::number, [this](X x, O y) { mulsd(x, y); });
      case Op::divide:
        return onto(a, b, Kind::number, [this](X x, O y) { divsd(x, y); });
      // "Not less or equal" would hold for NaN: the sides change places instead.
      case Op::less:
        return onto(a, b, Kind::mask, [this](X x, O y) { cmpltsd(x, y); });
      case Op::less_equal:
        return onto(a, b, Kind::mask, [this](X x, O y) { cmplesd(x, y); });
      case Op::greater:
        return onto(b, a, Kind::mask, [this](X x, O y) { cmpltsd(x, y); });
      case Op::greater_equal:
        return onto(b, a, Kind::mask, [this](X x, O y) { cmplesd(x, y); });
      case Op::equal:
        return onto(a, b, Kind::mask, [this](X x, O y) { cmpeqsd(x, y); });
      case Op::not_equal:
        return onto(a, b, Kind::mask, [this](X x, O y) { cmpneqsd(x, y); });
      case Op::conjunction:
      case Op::disjunction: {
        const int x = mask(a), y = mask(b);
        if (op == Op::conjunction) andpd(Xmm(x), Xmm(y));
        else orpd(Xmm(x), Xmm(y));
        release(y);
        return push_value(a);
      }
      default:
        extreme(op, a, b);
    }
  }

  // minsd gives its second operand where either is NaN and where both are zero, as std::min(a, b) gives a when it is
  // minsd(b, a); what is left is a b that is NaN, and all bits set are one.
  void extreme(Op op, Value a, Value b) {
    const bool sure = b.kind == Kind::mask || (b.kind == Kind::constant && !std::isnan(b.constant));
    const int r = number(b), unordered = sure ? -1 : take();
    if (!sure) movapd(Xmm(unordered), Xmm(r)), cmpunordsd(Xmm(unordered), Xmm(unordered));
    if (a.kind == Kind::mask) number(a);
    const auto operation = [&](const Xbyak::Operand& y) {
      if (op == Op::minimum) minsd(Xmm(r), y);
      else maxsd(Xmm(r), y);
    };
    if (a.in_register()) operation(Xmm(a.at)), release(a.at);
    else operation(memory(a));
    if (!sure) orpd(Xmm(r), Xmm(unordered)), release(unordered);
    push_value({.kind = Kind::number, .at = r});
  }

  /// Both branches are there already: the mask takes the bits of one and of the other, without a jump.
  void select() {
    Value otherwise = pop(), then = pop(), condition = pop();
    const bool truths = then.kind == Kind::mask && otherwise.kind == Kind::mask;
    const int c = mask(condition), t = truths ? then.at : number(then), o = truths ? otherwise.at : number(otherwise);
    andpd(Xmm(t), Xmm(c));
    andnpd(Xmm(c), Xmm(o));
    orpd(Xmm(c), Xmm(t));
    release(t), release(o);
    push_value({.kind = truths ? Kind::mask : Kind::number, .at = c});
  }

  /// Arguments in xmm0 and xmm1, wherever they are; the result is in xmm0, and nothing else is in a register then.
  void call_function(Op op) {
    const bool two = Program::operands_of(op) == 2;
    Value b = two ? pop() : Value{.kind = Kind::constant}, a = pop();
    // Functions may change all registers.
    for (std::size_t i = 0; i < stack_.size(); ++i)
      if (stack_[i].in_register()) save(stack_[i], i);
    const int x = number(a), y = two ? number(b) : -1;
    if (y == 0) {
      const int aside = take();
      movapd(Xmm(aside), xmm0), movapd(xmm0, Xmm(x)), movapd(xmm1, Xmm(aside));
    } else {
      if (x != 0) movapd(xmm0, Xmm(x));
      if (two && y != 1) movapd(xmm1, Xmm(y));
    }
    mov(rax, reinterpret_cast<std::uint64_t>(function_of(op)));
    call(rax);
    taken_ = 1U;
    push_value({.kind = Kind::number, .at = 0});
  }

  const Pool& pool_;
  bool rounds_, calls_ = false;
  Xbyak::Reg64 base_;  ///< where the slots are
  Xbyak::Label leave_, fail_;
  int frame_ = 0;
  std::uint32_t taken_ = 0;
  std::vector<Value> stack_;
};

}  // namespace ergode
