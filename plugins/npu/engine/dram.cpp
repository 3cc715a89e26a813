#include "plugins/npu/engine/dram.h"

#include <algorithm>
#include <bit>

#include "plugins/npu/engine/dram_channel.h"

namespace npu {
namespace {

constexpr std::uint64_t bits_of(std::initializer_list<unsigned> bits) {
  std::uint64_t out = 0;
  for (const unsigned bit : bits) out |= std::uint64_t{1} << bit;
  return out;
}

class SimpleDram final : public Dram {
 public:
  explicit SimpleDram(const Hardware& h) : Dram(h.channels), latency_(h.dram_latency), queues_(h.channels) {}
  bool full(std::uint32_t) const override { return false; }
  void push(std::uint32_t channel, const MemoryRequest& request) override {
    last_ready_ = std::max(now_ + latency_, last_ready_);
    queues_[channel].push({request, last_ready_});
    ++held_;
  }
  void step() override {
    if (held_ > 0)
      for (std::uint32_t c = 0; c < queues_.size(); ++c)
        if (!queues_[c].empty() && queues_[c].front().ready <= now_) finish(c, queues_[c].pop().request);
    ++now_;
  }
  void skip(std::uint64_t cycles) override { now_ += cycles; }

 private:
  struct Waiting {
    MemoryRequest request;
    std::uint64_t ready = 0;
  };
  std::uint64_t latency_, now_ = 0, last_ready_ = 0;
  std::vector<FixedRing<Waiting>> queues_;
};

class BankedDram final : public Dram {
 public:
  explicit BankedDram(const Hardware& h) : Dram(h.channels), corrected_(h.corrected) {
    const auto shift = static_cast<std::uint32_t>(std::countr_zero(h.channels) + std::countr_zero(h.request_bytes));
    for (std::uint32_t c = 0; c < h.channels; ++c)
      channels_.emplace_back(h.dram == DramKind::hbm2 ? hbm2_timing() : ddr4_timing(), shift,
                             static_cast<std::uint32_t>(std::countr_zero(h.request_bytes)));
  }
  bool full(std::uint32_t channel) const override { return channels_[channel].full(); }
  void push(std::uint32_t channel, const MemoryRequest& request) override {
    channels_[channel].push(request);
    ++held_;
  }
  void step() override {
    for (std::uint32_t c = 0; c < channels_.size(); ++c)
      channels_[c].step([this, c](const MemoryRequest& request) { finish(c, request); });
  }
  RowCounts rows(std::uint32_t channel) const override {
    RowCounts out = channels_[channel].rows();
    if (corrected_) out.misses -= out.refreshes, out.refreshes = 0;
    return out;
  }
  void skip(std::uint64_t cycles) override {
    for (DramChannel& channel : channels_) channel.skip(cycles);
  }
  std::uint64_t may_skip() const override { return channels_[0].may_skip(); }

 private:
  bool corrected_;
  std::vector<DramChannel> channels_;
};

}  // namespace

ChannelHash::ChannelHash(std::uint32_t channels, std::uint32_t request_bytes)
    : channels_(channels), shift_(static_cast<std::uint32_t>(std::countr_zero(request_bytes))) {
  if (channels == 32) {
    bits_ = 5;
    masks_ = {bits_of({0, 3, 5, 6, 9, 10, 11, 12, 13}), bits_of({1, 4, 6, 7, 10, 11, 12, 13, 14}),
              bits_of({0, 2, 3, 6, 7, 8, 9, 10, 14}),   bits_of({1, 3, 4, 7, 8, 9, 10, 11}),
              bits_of({2, 4, 5, 8, 9, 10, 11, 12}),     0};
  } else if (channels == 64) {
    bits_ = 6;
    masks_ = {bits_of({0, 5, 6, 10, 12, 15, 16, 17, 18}), bits_of({0, 1, 5, 7, 10, 11, 12, 13, 15}),
              bits_of({1, 2, 6, 8, 11, 12, 13, 14, 16}),  bits_of({2, 3, 7, 9, 12, 13, 14, 15, 17}),
              bits_of({3, 4, 8, 10, 13, 14, 15, 16, 18}), bits_of({4, 5, 9, 11, 14, 15, 16, 17})};
  } else {
    masks_ = {bits_of({0, 3, 4, 6, 8, 9, 10, 11}),
              bits_of({0, 1, 3, 5, 6, 7, 8, 12}),
              bits_of({1, 2, 4, 6, 7, 8, 9}),
              bits_of({2, 3, 5, 7, 8, 9, 10}),
              0,
              0};
  }
}

std::uint32_t ChannelHash::operator()(std::uint64_t address) const {
  const std::uint64_t x = address >> shift_;
  std::uint32_t out = 0;
  for (std::uint32_t bit = 0; bit < bits_; ++bit)
    out |= static_cast<std::uint32_t>(std::popcount(x & masks_[bit]) & 1) << bit;
  return channels_ < 16 ? out % channels_ : out;
}

std::unique_ptr<Dram> make_dram(const Hardware& hardware) {
  if (hardware.dram == DramKind::simple) return std::make_unique<SimpleDram>(hardware);
  return std::make_unique<BankedDram>(hardware);
}

}  // namespace npu
