#pragma once

namespace ergode {

/// What a GPU has cost whoever held it, where what is paid for all GPUs in use is divided evenly among them at every
/// moment: the blended rate of cloud bills. Money in USD, times in s.
struct BlendedPrice {
  double paid = 0.0;  ///< for a GPU held from the begin until since_s
  double price_per_s = 0.0, since_s = 0.0;

  /// For a GPU held from the begin until now_s >= since_s. Who holds one from one moment to another pays the
  /// difference.
  double until(double now_s) const { return paid + price_per_s * (now_s - since_s); }
  /// From now on a GPU in use costs so much.
  void follow(double now_s, double now_per_s) { paid = until(now_s), since_s = now_s, price_per_s = now_per_s; }

  template <typename Archive>
  void archive(Archive& a) {
    a(paid, price_per_s, since_s);
  }
};

}  // namespace ergode
