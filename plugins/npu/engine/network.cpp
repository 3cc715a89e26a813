#include "plugins/npu/engine/network.h"

#include <bit>

namespace npu {

Network::Network(std::uint32_t nodes, std::uint32_t latency)
    : nodes_(nodes),
      latency_(latency),
      words_((nodes + 63) / 64),
      queues_(std::size_t{nodes} * nodes),
      waiting_(std::size_t{nodes} * words_),
      in_queues_(nodes),
      turn_(nodes),
      out_(nodes) {}

void Network::push(std::uint32_t source, std::uint32_t destination, const MemoryRequest& request) {
  FixedRing<Entry>& queue = queues_[std::size_t{destination} * nodes_ + source];
  queue.push({request, queue.empty() ? now_ + latency_ : queue.back().ready + 1});
  waiting_[std::size_t{destination} * words_ + source / 64] |= std::uint64_t{1} << (source % 64);
  ++in_queues_[destination], ++held_, ++carried_;
}

void Network::step() {
  for (std::uint32_t to = 0; held_ > 0 && to < nodes_; ++to) {
    if (in_queues_[to] == 0) continue;
    std::uint64_t* const waiting = &waiting_[std::size_t{to} * words_];
    FixedRing<Entry>* const queues = &queues_[std::size_t{to} * nodes_];
    // From the one whose turn it is to the end, then from the first.
    const std::uint32_t first = turn_[to];
    bool taken = false;
    for (std::uint32_t i = 0; i <= words_ && !taken; ++i) {
      const std::uint32_t word = (first / 64 + i) % words_;
      std::uint64_t bits = waiting[word];
      if (i == 0) bits &= ~std::uint64_t{0} << (first % 64);
      if (i == words_) bits &= ~(~std::uint64_t{0} << (first % 64));
      for (; bits != 0; bits &= bits - 1) {
        const std::uint32_t from = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
        FixedRing<Entry>& queue = queues[from];
        if (queue.front().ready > now_) continue;
        out_[to].push(queue.pop().request);
        if (queue.empty()) waiting[word] &= ~(std::uint64_t{1} << (from % 64));
        --in_queues_[to], turn_[to] = (from + 1) % nodes_, taken = true;
        break;
      }
    }
  }
  ++now_;
}

}  // namespace npu
