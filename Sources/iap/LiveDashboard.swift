import Dashboard
import Dispatch
import EntitlementServer
import Foundation
import OpenSSLCrypto
import Synchronization

extension PasswordMill {
  /// The real work, one password after the other on a thread of its own: it takes much memory, and
  /// the threads that answer have other things to do.
  ///
  /// - Parameter crypto: The cryptography.
  /// - Returns: The mill.
  static func live(_ crypto: OpenSSLPrimitives) -> PasswordMill {
    let queue = DispatchQueue(label: "iap.passwords", qos: .utility)
    return PasswordMill { password, salt, cost, count in
      await withCheckedContinuation { continuation in
        queue.async {
          let cost = ScryptCost(
            cost: UInt64(max(cost.cost, 0)),
            blockSize: UInt64(max(cost.blockSize, 0)),
            parallelization: UInt64(max(cost.rounds, 0))
          )
          let key = try? crypto.scrypt(password, salt: salt, cost: cost, count: count)
          continuation.resume(returning: key)
        }
      }
    }
  }
}
