import Foundation
import IAPSignatures
import OpenSSLCrypto
import Simulation

/// The process in which simulations run: started by `iap simulate`, never by hand.
///
/// One thread runs everything, in an order that follows from the seed, so it has to be a process of
/// its own that takes over the executors before its first task.
enum SimulationProcess {
  /// The word that chooses it.
  static let name = "simulation-worker"

  /// Which scheme everything is signed with.
  enum Scheme: String, CaseIterable {
    /// One digest for each signature, in the shape of genuine ones.
    case quick
    /// OpenSSL's ECDSA and RSA, with keys and signatures that follow from the seed.
    case real
  }

  /// Runs simulations and ends the process, when that is what it was started for.
  ///
  /// - Parameter words: The words of the call, with the process's own name.
  static func runIfAsked(_ words: [String]) {
    guard words.count > 1, words[1] == name else { return }
    // A terminal interrupts everybody; the campaign ends its processes itself.
    signal(SIGINT, SIG_IGN)
    SeededExecutors.takeOver()
    guard let order = Order(Array(words.dropFirst(2))) else { exit(2) }
    do {
      let crypto = try OpenSSLPrimitives()
      let signing: any SigningPrimitives =
        order.scheme == .quick ? QuickSignatures(digests: crypto) : crypto
      let kit = try SimulationKit(
        signing: signing,
        signatures: order.scheme.rawValue,
        bug: order.bug,
        makeCache: { BoundedChainCache() }
      )
      SimulationWorker(kit: kit) { line in
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
      }.perform(order.task)
    } catch {
      exit(1)
    }
    exit(0)
  }
}

extension SimulationProcess {
  /// What a process is asked for, and how that is written on its command line.
  struct Order {
    var task: SimulationWorker.Task
    var scheme = Scheme.quick
    /// A planted bug, by its name.
    var bug: String?

    /// What is asked for.
    init(_ task: SimulationWorker.Task, scheme: Scheme, bug: String?) {
      self.task = task
      self.scheme = scheme
      self.bug = bug
    }

    /// Reads a command line; nil when it was not written by this program.
    init?(_ words: [String]) {
      var values: [String: String] = [:]
      for word in words {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        values[String(parts[0])] = String(parts[1])
      }
      guard let seed = values["seed"].flatMap({ UInt64($0) }) else { return nil }
      task = SimulationWorker.Task(seed: seed)
      task.runs = values["runs"].flatMap { Int($0) } ?? 1
      task.profile = values["profile"].flatMap { RunProfile(rawValue: $0) } ?? .standard
      task.kept = values["keep"].map { text in
        Set(text.split(separator: ",").compactMap { Int($0) })
      }
      task.traces = values["trace"] == "yes"
      task.shrinks = values["shrink"] == "yes"
      scheme = values["signatures"].flatMap { Scheme(rawValue: $0) } ?? .quick
      bug = values["bug"]
    }

    /// The words of the command line.
    var words: [String] {
      var words = [
        "seed=\(task.seed)", "runs=\(task.runs)", "profile=\(task.profile.rawValue)",
        "signatures=\(scheme.rawValue)",
      ]
      if let kept = task.kept {
        words.append("keep=" + kept.sorted().map { "\($0)" }.joined(separator: ","))
      }
      if task.traces { words.append("trace=yes") }
      if task.shrinks { words.append("shrink=yes") }
      if let bug { words.append("bug=\(bug)") }
      return words
    }
  }
}
