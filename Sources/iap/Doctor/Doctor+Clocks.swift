import Foundation

// Whether this machine's clock agrees with others'.
extension Doctor {
  /// From how many seconds a clock's difference is worth a warning.
  static let skewWarning: TimeInterval = 5
  /// From how many seconds it is an error: tokens and webhook signatures are refused.
  static let skewError: TimeInterval = 60

  mutating func examineClocks() {
    let skews = notes.all.compactMap { host, note in note.skew.map { (host, $0) } }
      .sorted { $0.0 < $1.0 }
    for (host, skew) in skews { judgeClock(host, skew) }
  }

  /// Judges the difference to another machine's clock.
  ///
  /// - Parameters:
  ///   - host: The other machine.
  ///   - skew: By how many seconds its clock is ahead of ours.
  mutating func judgeClock(_ host: String, _ skew: TimeInterval) {
    let seconds = Int(abs(skew).rounded())
    let advice = Words(
      "Let this machine follow a time server: timedatectl set-ntp true. Tokens for the App Store "
        + "and the signatures of webhooks hold for minutes only.",
      zh: "请让本机与时间服务器同步：timedatectl set-ntp true。App Store 令牌和 Webhook 签名只在几分钟内有效。"
    )
    let seen =
      skew > 0
      ? Words("this clock is \(seconds) s behind", zh: "本机时钟慢 \(seconds) 秒")
      : Words("this clock is \(seconds) s ahead", zh: "本机时钟快 \(seconds) 秒")
    switch abs(skew) {
    case Self.skewError...: add(.error, "clock.wrong", host, seen, advice: advice)
    case Self.skewWarning...: add(.warning, "clock.off", host, seen, advice: advice)
    default:
      add(.good, "clock", host, Words("the clocks agree", zh: "时钟一致"))
    }
  }
}
