#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "plugins/npu/engine/dram.h"

namespace npu {

/// Distances between commands [DRAM cycles], by their usual names, and how an address is cut.
struct DramTiming {
  std::uint32_t bl, cl, rcd, rp, ras, rc, wr, rtp_s, rtp_l, cwl, ccd_s, ccd_l, rrd_s, rrd_l, wtr_s, wtr_l, faw, rfc;
  std::uint64_t refi;  ///< 0: never refreshed
  std::uint32_t offset_bits, column_bits, pseudo_channel_bits, row_bits;
  bool channel_wide;  ///< an activation takes the command bus of all pseudo-channels
};
DramTiming hbm2_timing();  ///< 8 Gb, 2400 MT/s
DramTiming ddr4_timing();  ///< 1600J, x4, 16 Gb

/// The controller of one channel: FR-FCFS over queues of reads and writes, open rows.
class DramChannel {
 public:
  DramChannel(const DramTiming& timing, std::uint32_t shift, std::uint32_t request_shift);
  bool full() const { return input_.size() >= capacity; }
  void push(const MemoryRequest& request) { input_.push(request); }
  template <class Done>
  void step(Done done) {
    if (!input_.empty()) enqueue();
    ++now_;
    if (!reading_.empty() && reading_.front().depart <= now_) done(reading_.pop().request);
    if (timing_.refi > 0 && now_ % timing_.refi == 0) ++refreshes_due_, wake_ = 0;
    if (now_ >= wake_) {
      MemoryRequest written;
      if (issue(written)) done(written);
    }
  }
  RowCounts rows() const { return rows_; }
  void skip(std::uint64_t cycles) { now_ += cycles; }
  std::uint64_t may_skip() const;

 private:
  static constexpr std::uint32_t capacity = 256;
  enum Command : std::uint8_t { act, pre, rd, wr };
  struct Queued {
    MemoryRequest request;
    std::uint64_t arrive = 0, local = 0;
    std::uint32_t row = 0;
    std::uint8_t bank = 0;
    bool counted = false;
  };
  struct Departing {
    MemoryRequest request;
    std::uint64_t depart = 0;
  };
  struct Bank {
    std::uint64_t ready[4] = {};
    std::uint32_t row = 0;
    bool open = false;
    std::uint32_t active = 0;  // requests of the active list
  };
  /// By bank, the oldest request of a queue for the open row and the oldest of the others.
  struct Queue {
    std::vector<std::vector<Queued>> banks;
    std::uint64_t with = 0;  // banks that have any
    std::size_t size = 0;
    std::vector<std::int32_t> hit, other;
    std::vector<bool> known;
  };
  struct Choice {
    Queue* queue = nullptr;
    std::uint32_t bank = 0, position = 0;
    Command command = act;
    std::uint64_t arrive = UINT64_MAX;
  };
  void enqueue();
  void look(Queue& queue, std::uint32_t bank) const;
  Choice choose(Queue& queue, std::uint64_t& next);
  bool issue(MemoryRequest& written);
  bool refresh();
  std::uint64_t ready(std::uint32_t bank, Command command) const;
  void note(std::uint32_t bank, Command command);
  std::uint32_t pseudo_channel(std::uint32_t bank) const { return bank >> 4; }
  std::uint32_t group(std::uint32_t bank) const { return bank >> 2; }

  DramTiming timing_;
  std::uint32_t shift_, request_shift_;
  std::uint64_t now_ = 0, wake_ = 0;
  FixedRing<MemoryRequest> input_;
  FixedRing<Departing> reading_;
  Queue reads_, writes_, active_;
  std::vector<std::uint16_t> written_;  // queued writes by a hash of their address
  std::vector<Bank> banks_;
  std::vector<std::array<std::uint64_t, 4>> group_ready_, pseudo_ready_;
  std::array<std::uint64_t, 4> channel_ready_{};
  std::vector<std::array<std::uint64_t, 4>> last_acts_;  // of each pseudo-channel, a ring
  std::vector<std::uint32_t> acts_;
  std::uint64_t all_pre_ready_ = 0, refresh_ready_ = 0;
  std::uint32_t refreshes_due_ = 0, open_ = 0;
  bool writing_ = false;
  RowCounts rows_;
};

}  // namespace npu
