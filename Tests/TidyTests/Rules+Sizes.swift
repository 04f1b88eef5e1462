/// Sizes with a ratchet: the lists of exceptions may only become shorter.
let sizeRules: [TidyRule] = [
  TidyRule(
    name: "sizes.files",
    remedy:
      "split the file; at most \(fileLinesMax) lines. An exception that is no longer one goes",
    bad: ["Sources/IAPKit/A.swift": String(repeating: "let a = 1\n", count: fileLinesMax + 1)],
    good: ["Sources/IAPKit/A.swift": String(repeating: "let a = 1\n", count: fileLinesMax)]
  ) { tree in
    tree.swiftFiles.compactMap { file in
      let isLong = file.lineCount > fileLinesMax
      let isExcused = longFiles.contains(file.path)
      if isLong == isExcused { return nil }
      return .init(file, "\(file.lineCount) lines" + (isExcused ? " but listed as long" : ""))
    }
  },
  TidyRule(
    name: "sizes.functions",
    remedy: "split the function; at most \(functionLinesMax) lines",
    bad: [
      "Sources/IAPKit/A.swift":
        "func long() {\n" + String(repeating: "  step()\n", count: functionLinesMax - 1) + "}\n"
    ],
    good: [
      "Sources/IAPKit/A.swift":
        "func fits() {\n" + String(repeating: "  step()\n", count: functionLinesMax - 2) + "}\n"
    ]
  ) { tree in
    tree.swiftFiles.flatMap { file in
      (file.outline?.declarations ?? []).compactMap { declaration -> TidyRule.Finding? in
        guard declaration.kind == .function, declaration.lineCount > functionLinesMax else {
          return nil
        }
        let name = declaration.keyword == "func" ? declaration.name : declaration.keyword
        return longFunctions.contains("\(file.path) \(name)")
          ? nil
          : .init(file, line: declaration.firstLine, "\(name): \(declaration.lineCount) lines")
      }
    }
  },
  TidyRule(
    name: "sizes.lines",
    remedy: "at most \(columnsMax) columns",
    bad: ["Sources/IAPKit/A.swift": String(repeating: "a", count: columnsMax + 1) + "\n"],
    good: ["Sources/IAPKit/A.swift": String(repeating: "a", count: columnsMax) + "\n"]
  ) { tree in
    tree.swiftFiles.flatMap { file in
      (file.swift?.lines ?? []).enumerated().compactMap { number, line -> TidyRule.Finding? in
        // A pattern or an address cannot be broken.
        guard line.utf8.count > columnsMax, line.count > columnsMax, !line.contains("#\""),
          !line.contains("://")
        else { return nil }
        return .init(file, line: number + 1, "\(line.count) columns")
      }
    }
  },
  TidyRule(
    name: "sizes.dead-files",
    remedy: "remove the file",
    bad: ["Sources/IAPKit/A.swift": "// only a comment\nimport Foundation\n"],
    good: ["Sources/IAPKit/A.swift": "struct A {}\n"]
  ) { tree in
    tree.swiftFiles.compactMap { file in
      let code = file.swift?.code ?? ""
      let isAlive = code.split(separator: "\n").contains { line in
        !line.allSatisfy(\.isWhitespace) && !importWord.isFound(in: String(line))
      }
      return isAlive ? nil : .init(file, "declares nothing")
    }
  },
]

private let fileLinesMax = 500
private let functionLinesMax = 60
private let columnsMax = 100
private let importWord = Pattern(#"^\s*(?:\w+ )?import\b"#)

/// Files that were over the limit when the limit came. Entries only leave.
private let longFiles: Set<String> = []
/// Functions that were over the limit when the limit came, as "path name". Entries only leave.
private let longFunctions: Set<String> = []
