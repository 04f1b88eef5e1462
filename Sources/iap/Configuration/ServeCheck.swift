import IAPModel

/// What `iap serve --check` says: every mistake, or every setting and where it comes from.
struct ServeCheck {
  let reader: ServeSettingsReader

  /// A setting that holds.
  private struct Line {
    let path: String
    let value: String
    let source: SettingMistake.Source
  }

  /// Says it.
  ///
  /// - Parameters:
  ///   - asJSON: Whether a program reads it.
  ///   - console: Takes it.
  /// - Returns: 0 when a server could start with the settings, 2 when it could not.
  func show(asJSON: Bool, _ console: Console) -> ExitStatus {
    let mistakes = reader.mistakes
    guard !asJSON else {
      console.line(verbatim: JSONValue.object(object(console.language)).serializedText)
      return mistakes.isEmpty ? .success : .usage
    }
    guard mistakes.isEmpty else {
      for mistake in mistakes { console.line(mistake.words) }
      console.line(
        Words("\(mistakes.count) mistakes", zh: "\(mistakes.count) 个错误")
      )
      return .usage
    }
    for line in lines {
      let source = line.source == .usual ? "" : "  (\(line.source.name))"
      console.line(verbatim: "\(line.path) = \(line.value)\(source)")
    }
    console.line(
      Words(
        "The settings are good. Whether keys, hosts and database answer: iap doctor.",
        zh: "设置无误。密钥、主机和数据库是否可用，请运行 iap doctor。"
      )
    )
    return .success
  }

  private func object(_ language: Language) -> JSONObject {
    [
      "ok": .bool(reader.mistakes.isEmpty),
      "mistakes": .array(reader.mistakes.map { .object($0.object(language)) }),
      "settings": .array(
        lines.map { line in
          [
            "setting": .string(line.path), "value": .string(line.value),
            "from": .string(line.source.word), "place": .string(line.source.name),
          ]
        }
      ),
    ]
  }

  /// The settings outside apps, then what each app says.
  private var lines: [Line] {
    var lines: [Line] = []
    for setting in ServeSettingTable.all where setting.variable != nil {
      if let said = reader.gathered.values[setting.path] {
        let value = Self.shown(said.value, setting.kind)
        lines.append(Line(path: setting.path, value: value, source: said.source))
      } else if let usual = setting.usual {
        lines.append(Line(path: setting.path, value: usual, source: .usual))
      }
    }
    for (index, app) in reader.gathered.apps.enumerated() {
      for member in app.object.members {
        lines.append(
          Line(
            path: "apps[\(index)].\(member.name)",
            value: member.value.serializedText,
            source: app.source
          )
        )
      }
    }
    return lines
  }

  private static func shown(_ value: JSONValue, _ kind: ServeSetting.Kind) -> String {
    guard kind.isSecret, let text = value.stringValue else { return value.serializedText }
    return JSONValue.string(LedgerPlace(text).description).serializedText
  }
}
