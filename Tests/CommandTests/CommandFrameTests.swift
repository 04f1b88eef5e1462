import Testing

@Suite("Command frame")
struct CommandFrameTests {
  @Test func callWithoutWordsShowsTheCommandsAndIsAnError() async throws {
    let outcome = try await CommandProcess.run([])
    #expect(outcome.status == 2)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains("usage: iap COMMAND [OPTIONS]"))
  }

  @Test("help is asked for in several ways", arguments: [["--help"], ["-h"], ["help"]])
  func help(_ words: [String]) async throws {
    let outcome = try await CommandProcess.run(words)
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    for command in ["demo", "serve", "store", "verify"] {
      #expect(outcome.output.contains("\n  \(command) "))
    }
  }

  @Test("every command explains itself", arguments: ["demo", "serve", "store", "verify", "bench"])
  func commandHelp(_ name: String) async throws {
    let outcome = try await CommandProcess.run([name, "--help"])
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("usage: iap \(name)"))
    #expect(outcome.output.contains("--help"))
    #expect(try await CommandProcess.run(["help", name]) == outcome)
  }

  @Test func versionIsOneLine() async throws {
    let outcome = try await CommandProcess.run(["--version"])
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("iap "))
    #expect(!outcome.output.contains("\n"))
  }

  @Test("an unknown command is answered with the nearest one")
  func unknownCommand() async throws {
    let outcome = try await CommandProcess.run(["verfy", "x"])
    #expect(outcome.status == 2)
    #expect(outcome.output == "")
    #expect(
      outcome.errors == """
        iap: there is no command 'verfy'; did you mean 'verify'?
        'iap --help' shows what is possible.

        """
    )
  }

  @Test(
    "a call that cannot be understood ends with 2 and says why",
    arguments: [
      (["verify", "--jsn", "x"], "There is no option --jsn; did you mean --json?"),
      (["verify", "-x", "x"], "There is no option -x."),
      (["verify", "--json=yes", "x"], "--json takes no value."),
      (["verify", "--bundle"], "--bundle needs a value: ID."),
      (["verify", "--bundle", "--json", "x"], "--bundle needs a value: ID."),
      (["verify", "--bundle", "a", "--bundle", "b", "x"], "--bundle is given twice."),
      (["verify", "x", "y"], "'y' is one word too many."),
      (["verify"], "FILE is missing."),
      (["verify", "--app-id", "many", "x"], "--app-id needs a whole number"),
    ]
  )
  func unusableCall(_ words: [String], _ reason: String) async throws {
    let outcome = try await CommandProcess.run(words)
    #expect(outcome.status == 2)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains(reason))
    #expect(outcome.errors.contains("'iap verify --help' shows what is possible."))
  }

  @Test(
    "texts follow the locale, the strongest variable first",
    arguments: [
      (["LANG": "zh_CN.UTF-8"], true), (["LC_ALL": "zh_Hans"], true), (["LANG": "C"], false),
      (["LANG": "de_DE.UTF-8"], false), (["LC_ALL": "C", "LANG": "zh_CN.UTF-8"], false),
      (["LC_ALL": "", "LANG": "zh_CN.UTF-8"], true), ([:], false),
    ]
  )
  func language(_ environment: [String: String], _ isChinese: Bool) async throws {
    let help = try await CommandProcess.run(["--help"], environment: environment)
    #expect(help.output.contains("用法：iap 命令 [选项]") == isChinese)
    #expect(help.output.contains("usage: iap COMMAND [OPTIONS]") != isChinese)
    let wrong = try await CommandProcess.run(["verify"], environment: environment)
    #expect(wrong.status == 2)
    #expect(wrong.errors.contains("缺少 FILE。") == isChinese)
  }
}
