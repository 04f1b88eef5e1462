/// The pure middle, and the world that comes in as values.
let purityRules: [TidyRule] = [
  .ban(
    "purity.no-waiting",
    #"\b(?:async|await|Task|Locked|Mutex|NSLock|actor|FileManager|FileHandle|URLSession)\b"#,
    in: { $0.isSource && pureTargets.contains($0.target ?? "") },
    instead: "take values and return values; what waits, locks or reads belongs to a shell",
    bad: ["Sources/IAPEntitlements/A.swift": "func f() async -> Int { 1 }\n"],
    good: [
      "Sources/IAPEntitlements/A.swift": "// an async shell calls this\nfunc f() -> Int { 1 }\n"
    ]
  ),
  .ban(
    "purity.world",
    worldPattern,
    in: { $0.isSource && !$0.isLive },
    instead: "take the clock, chance, ids and environment as values; read them in a Live file",
    bad: ["Sources/IAPKit/A.swift": "let now = Date()\n"],
    good: [
      "Sources/IAPKit/A.swift": "let then = Date(timeIntervalSince1970: 0)\nlet s = \"Date()\"\n",
      "Sources/IAPKit/Live/B.swift": "let now = Date()\n",
      "Sources/iap/LiveConsole.swift": "let now = Date()\n",
    ]
  ),
  .ban(
    "purity.client-tasks",
    #"\bTask\.detached\b|\bDispatchQueue\b|\bOperationQueue\b"#,
    in: {
      $0.isSource && !$0.isLive
        && ["IAPKit", "IAPKitTesting", "IAPKitUI", "SimulatedApp"].contains($0.target ?? "")
    },
    instead: "use 'Task {}' or an actor: a simulated device is found by a task-local",
    bad: ["Sources/IAPKit/A.swift": "Task.detached { }\n"],
    good: ["Sources/IAPKit/A.swift": "Task { }\n"]
  ),
  .ban(
    "purity.client-language",
    #"\bany[ \t]+[A-Z][\w.]*<|\bisolated[ \t]+deinit\b|\b(?:struct|class|enum|actor)[ \t]+\w+<each\b"#,
    in: {
      $0.isSource
        && pureTargets.union(["IAPKit", "IAPKitCallbacks", "IAPKitTesting", "IAPKitUI"])
          .contains($0.target ?? "")
    },
    instead: "a form that runs on iOS 14 and macOS 11: a generic parameter or an own protocol",
    bad: ["Sources/IAPKit/A.swift": "let a: any AsyncSequence<Int>\n"],
    good: ["Sources/IAPKit/A.swift": "let a: any Sendable\nlet b: Array<Int>\n"]
  ),
  .ban(
    "purity.reducers",
    #"\bdefault[ \t]*:"#,
    in: { file in
      file.isSource
        && ["Reducer.swift", "StateMachine.swift"].contains { file.name.hasSuffix($0) }
    },
    instead: "name every case: a new one must be decided, not fall through",
    bad: ["Sources/IAPKit/Delivery/AReducer.swift": "switch a {\ndefault: break\n}\n"],
    good: ["Sources/IAPKit/Delivery/AReducer.swift": "switch a {\ncase .b: break\n}\n"]
  ),
  TidyRule(
    name: "purity.policies",
    remedy:
      "one rule, one file, at most 120 lines, with a 'Source:' line that cites where it is from",
    bad: ["Sources/IAPSignatures/Policies/A.swift": "/// A policy.\nstruct A {}\n"],
    good: ["Sources/IAPSignatures/Policies/A.swift": "/// - **Source:** RFC 7515.\nstruct A {}\n"]
  ) { tree in
    let policies = tree.sources.filter { file in
      let isRole = (file.outline?.declarations ?? []).contains { $0.keyword == "protocol" }
      return file.path.contains("/Policies/") && !isRole
    }
    return policies.flatMap { file -> [TidyRule.Finding] in
      let count = file.lineCount
      let isLong = count > policyLinesMax
      let isCited = file.swift?.comments.contains("Source:") ?? false
      return (isLong ? [.init(file, "\(count) lines, at most \(policyLinesMax)")] : [])
        + (isCited ? [] : [.init(file, "no 'Source:' line")])
    }
  },
]

private let pureTargets: Set = ["IAPModel", "IAPEntitlements", "IAPSignatures"]
private let policyLinesMax = 120

private let worldPattern =
  [
    #"(?<![\w.])Date\(\)"#, #"\bDate\.now\b"#, #"\bDate\.init\(\)"#, #"\btimeIntervalSinceNow\b"#,
    #"(?<![\w.])UUID\(\)"#, #"\bUUID\.init\b(?!\()"#, #"\bSystemRandomNumberGenerator\b"#,
    #"\.random\(in:[^)\n]*\)(?<!using: &\w{1,20}\))"#, #"\bBool\.random\(\)"#,
    #"\.(?:shuffled|randomElement)\(\)"#,
    #"\barc4random\w*"#, #"\bTask\.sleep\b"#,
    #"\bThread\.sleep\b"#, #"(?<![\w.])(?:usleep|nanosleep)\("#, #"(?<![\w.])sleep\(\d"#,
    #"\bProcessInfo\b"#,
    #"\bgetenv\("#,
    #"\b(?:ContinuousClock|SuspendingClock)\b"#, #"\bDispatchTime\.now\b"#,
    #"\bclock_gettime\("#, #"\bgettimeofday\("#,
  ].joined(separator: "|")

extension ProjectFile {
  /// How many lines the file has; the newline at its end begins no further one.
  var lineCount: Int {
    let count = swift?.lines.count ?? text.split(separator: "\n").count
    return text.hasSuffix("\n") && swift != nil ? count - 1 : count
  }
}
