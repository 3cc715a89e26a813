#include "plugins/npu/engine/core.h"

#include <algorithm>

namespace npu {
namespace {

bool is_product(Op op) { return op == Op::preload || op == Op::gemm; }
bool is_computation(Op op) { return op != Op::load && op != Op::store; }
std::uint64_t stream(const Instruction& one) { return std::max<std::uint64_t>(one.n, 4); }

}  // namespace

void Core::Half::clear(std::size_t blocks) {
  for (const std::uint32_t block : touched) pending[block] = -1;
  touched.clear();
  if (pending.size() < blocks) pending.resize(blocks, -1);
  ++era;
}

std::int32_t& Core::pending(const Resident& tile, std::uint32_t block) {
  const bool accumulator = (block & in_accumulator) != 0;
  return halves_[accumulator][accumulator ? tile.accumulator : tile.scratchpad].pending[block & ~in_accumulator];
}

void Core::touch(const Resident& tile, std::uint32_t block, std::int32_t more) {
  std::int32_t& count = pending(tile, block);
  if (count < 0) {
    const bool accumulator = (block & in_accumulator) != 0;
    halves_[accumulator][accumulator ? tile.accumulator : tile.scratchpad].touched.push_back(block & ~in_accumulator);
    count = 0;
  }
  count += more;
}

void Core::admit(std::unique_ptr<TileJob> job) {
  const Tile& tile = job->tile;
  std::uint8_t scratchpad = 0, accumulator = 0;
  if (count_ > 0) scratchpad = resident_[0]->scratchpad, accumulator = resident_[0]->accumulator;
  if (tile.skip) {
    finished_.push_back(std::move(job));
    return;
  }
  scratchpad ^= 1;
  halves_[0][scratchpad].clear(job->scratchpad_blocks), halves_[0][scratchpad].layer = tile.layer;
  const bool goes_on = tile.accumulates && tile.layer == last_layer_ && tile.fused == last_fused_;
  if (!goes_on) accumulator ^= 1;
  Half& half = halves_[1][accumulator];
  if (!goes_on || half.layer != tile.layer) half.clear(job->accumulator_blocks);
  half.layer = tile.layer;
  last_layer_ = tile.layer, last_fused_ = tile.fused;
  Resident* const slot = count_ > 0 && resident_[0] == &slots_[0] ? &slots_[1] : &slots_[0];
  slot->job = std::move(job), slot->scratchpad = scratchpad, slot->accumulator = accumulator;
  slot->next = 0, slot->done = false;
  if (waits_for_writes_) slot->writes = count_writes();
  resident_[count_++] = slot;
}

std::uint32_t Core::count_writes() {
  if (free_writes_.empty()) free_writes_.push_back(static_cast<std::uint32_t>(writes_.size())), writes_.emplace_back();
  const std::uint32_t out = free_writes_.back();
  free_writes_.pop_back();
  return out;
}

void Core::finish(Resident& tile) {
  if (waits_for_writes_) {
    Writes& writes = writes_[tile.writes];
    if (writes.left > 0) {
      writes.job = std::move(tile.job);
      return;
    }
    free_writes_.push_back(tile.writes);
  }
  finished_.push_back(std::move(tile.job));
}

std::unique_ptr<TileJob> Core::take_finished() {
  auto out = std::move(finished_.front());
  finished_.erase(finished_.begin());
  return out;
}

bool Core::busy() const {
  return count_ > 0 || !systolic_.empty() || !vector_.empty() || !loads_.empty() || !stores_.empty() ||
         !executions_.empty() || writes_out_ > 0;
}

void Core::answer(const MemoryRequest& request) {
  if (request.write != 0) {
    --writes_out_;
    if (!waits_for_writes_) return;
    Writes& writes = writes_[request.block];
    if (--writes.left > 0 || writes.job == nullptr) return;
    finished_.push_back(std::move(writes.job));
    free_writes_.push_back(request.block);
    return;
  }
  const bool accumulator = (request.block & in_accumulator) != 0;
  Half& half = halves_[accumulator][request.half];
  // What its half was given up before is late, and nobody's. Blocks whose addresses fall together count one load alone.
  if (half.era != request.era) return;
  std::int32_t& left = half.pending[request.block & ~in_accumulator];
  if (left > 0) --left;
}

std::uint64_t Core::vector_latency(const Instruction& one) const {
  const std::uint64_t width = hw_.vector_bits / 8;
  const auto passes = [width](std::uint64_t bytes) { return (bytes + width - 1) / width; };
  std::uint64_t tree = 1;
  for (std::uint64_t bytes = one.n; bytes > width;) bytes = passes(bytes), tree += bytes;
  const std::uint64_t it = passes(one.n), rows = one.rows;
  switch (one.op) {
    case Op::add:
      return it * hw_.add;
    case Op::mul:
      return it * hw_.mul;
    case Op::mac:
      return it * hw_.mac;
    case Op::div:
      return it * hw_.div;
    case Op::exp:
      return it * hw_.exp;
    case Op::gelu:
    case Op::swish:
      return it * hw_.gelu;
    case Op::comp:
      return it;
    case Op::add_tree:
      return tree * hw_.add_tree * rows;
    case Op::softmax:
      return 2 * tree * hw_.add_tree * rows + it * (hw_.add + hw_.exp + hw_.mul);
    default:
      return 2 * tree * hw_.add_tree + 2 * hw_.scalar_mul + hw_.scalar_sqrt + it * (2 * hw_.add + 3 * hw_.mul) * rows;
  }
}

bool Core::can_execute(const Issued& one) {
  for (const std::uint32_t block : one.instruction->src)
    if (block != no_block && !valid(*one.tile, block)) return false;
  return is_product(one.instruction->op) ? systolic_.size() < hw_.height : vector_.empty();
}

void Core::retire(FixedRing<Issued>& pipe, bool products) {
  if (pipe.empty() || pipe.front().finish > now_) return;
  const Issued one = pipe.pop();
  const Instruction& i = *one.instruction;
  std::int32_t& left = pending(*one.tile, i.dst);
  if (left > 0) --left;
  if (products) counts_.pe += std::uint64_t{i.m} * i.k * (i.counted > 0 ? i.counted : i.n) / (hw_.height * hw_.width);
  if (one.last) one.tile->done = true;
}

void Core::execute() {
  if (executions_.empty() || !can_execute(executions_.front())) return;
  Issued one = executions_.pop();
  const Instruction& i = *one.instruction;
  touch(*one.tile, i.dst, 1);
  if (!is_product(i.op)) {
    one.start = now_, one.finish = now_ + vector_latency(i), ++counts_.vectors;
    vector_.push(one);
    return;
  }
  const bool preload = i.op == Op::preload;
  if (systolic_.empty()) {
    one.start = now_ + (preload ? 2 * hw_.height - 1 : 0);
  } else {
    const std::uint64_t before = stream(*systolic_.back().instruction);
    one.start =
        std::max(now_, systolic_.back().start + (preload ? std::max<std::uint64_t>(before, hw_.height) : before));
  }
  one.finish = one.start + hw_.height + hw_.width - 2 + stream(i);
  ++counts_.products, counts_.preloads += preload ? 1 : 0;
  systolic_.push(one);
}

void Core::ask(const Issued& one, bool write) {
  const Instruction& i = *one.instruction;
  const bool accumulator = (i.dst & in_accumulator) != 0;
  MemoryRequest request;
  request.block = i.dst, request.core = number_, request.write = write ? 1 : 0;
  request.half = (accumulator ? one.tile->accumulator : one.tile->scratchpad) & 1U;
  request.era = halves_[accumulator][request.half].era;
  if (write && waits_for_writes_) request.block = one.tile->writes, writes_[request.block].left += i.count;
  const std::uint64_t* address = one.tile->job->tile.addresses.data() + i.first;
  for (std::uint32_t k = 0; k < i.count; ++k) request.address = address[k], outgoing_.push(request);
}

void Core::issue() {
  for (std::size_t k = 0; k < count_; ++k) {
    const std::size_t index = (turn_ + k) % count_;
    Resident& tile = *resident_[index];
    const std::vector<Instruction>& list = tile.job->tile.instructions;
    if (tile.next >= list.size()) continue;
    const Issued one{&list[tile.next], &tile, 0, 0, tile.next + 1 == list.size()};
    const Op op = one.instruction->op;
    if (op == Op::store && !valid(tile, one.instruction->dst)) continue;
    if (is_computation(op) && (!executions_.empty() || !can_execute(one))) continue;
    (op == Op::load ? loads_ : op == Op::store ? stores_ : executions_).push(one);
    ++tile.next, turn_ = index;
    return;
  }
}

void Core::step() {
  retire(systolic_, true);
  retire(vector_, false);
  if (!loads_.empty()) {
    const Issued one = loads_.pop();
    touch(*one.tile, one.instruction->dst, 0);
    pending(*one.tile, one.instruction->dst) = static_cast<std::int32_t>(one.instruction->count);
    ask(one, false);
  }
  execute();
  if (!stores_.empty() && valid(*stores_.front().tile, stores_.front().instruction->dst)) {
    const Issued one = stores_.pop();
    writes_out_ += one.instruction->count;
    ask(one, true);
    if (one.last) one.tile->done = true;
  }
  if (!systolic_.empty() && systolic_.front().start <= now_) ++counts_.systolic;
  if (!vector_.empty() && vector_.front().start <= now_) ++counts_.vector;
  if (outgoing_.empty()) ++counts_.memory_idle;
  if (!busy()) ++counts_.idle;
  ++now_;
  issue();
  for (std::size_t k = 0; k < count_; ++k) {
    Resident& tile = *resident_[k];
    if (!tile.done || tile.next < tile.job->tile.instructions.size()) continue;
    finish(tile);
    if (k == 0) resident_[0] = resident_[1];
    --count_;
    break;
  }
}

}  // namespace npu
