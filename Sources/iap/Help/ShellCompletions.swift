/// The scripts with which shells complete a call, made of the commands' declarations.
struct ShellCompletions {
  /// A shell that is known.
  enum Shell: String, CaseIterable {
    case bash, zsh, fish
  }

  let commands: [any Command.Type]
  let language: Language

  func script(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  private var names: [String] { commands.map { $0.name } + ["help"] }

  // MARK: bash

  private var bash: String {
    let cases = commands.map { command in
      let options = command.options.map { "--\($0.name)" } + ["--help"]
      let files = command.options.filter(\.namesFile).map { "--\($0.name)" }
      let values = command.options.filter { $0.placeholder != nil && !$0.namesFile }
      return """
            \(command.name))
              options='\(options.joined(separator: " "))'
              files='\(files.joined(separator: " "))'
              values='\(values.map { "--\($0.name)" }.joined(separator: " "))'
              words='\(choices(of: command).joined(separator: " "))' ;;
        """
    }
    return """
      # Completes calls of iap in bash.
      _iap() {
        local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
        local options= files= values= words=
        COMPREPLY=()
        if [ "$COMP_CWORD" -eq 1 ]; then
          options='\(names.joined(separator: " ")) --help --version'
          mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
          return
        fi
        if [ "${COMP_WORDS[1]}" = help ]; then
          mapfile -t COMPREPLY < <(compgen -W '\(names.joined(separator: " "))' -- "$current")
          return
        fi
        case ${COMP_WORDS[1]} in
      \(cases.joined(separator: "\n"))
        esac
        if [[ " $values " = *" $previous "* ]]; then
          return
        elif [[ " $files " = *" $previous "* ]]; then
          mapfile -t COMPREPLY < <(compgen -f -- "$current")
        elif [[ $current = -* ]]; then
          mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
        elif [ -n "$words" ] && [ "$COMP_CWORD" -eq 2 ]; then
          mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
        else
          mapfile -t COMPREPLY < <(compgen -f -- "$current")
        fi
      }
      complete -o filenames -F _iap iap

      """
  }

  // MARK: zsh

  private var zsh: String {
    let summaries = commands.map { "    \(quoted("\($0.name):\($0.summary(language))"))" }
    let cases = commands.map { command in
      let options = command.options.map { option in
        let help = bracketed(option.help(language))
        let mark = option.isRepeated ? "\\*" : ""
        let value = option.placeholder.map { ":\($0):\(option.namesFile ? "_files" : " ")" } ?? ""
        return "      \(mark)" + quoted("--\(option.name)[\(help)]\(value)")
      }
      let words = choices(of: command)
      let first = words.isEmpty ? "_files" : "(\(words.joined(separator: " ")))"
      let lines =
        options + ["      '--help'", "      \(quoted("1:\(command.name):\(first)"))"]
        + ["      '*:file:_files'"]
      return "    \(command.name)) _arguments \\\n"
        + lines.joined(separator: " \\\n") + " ;;"
    }
    return """
      #compdef iap
      # Completes calls of iap in zsh.
      _iap() {
        local -a commands
        commands=(
      \(summaries.joined(separator: "\n"))
        )
        if (( CURRENT == 2 )); then
          _describe command commands
          return
        fi
        local command=$words[2]
        shift words
        (( CURRENT -= 1 ))
        case $command in
      \(cases.joined(separator: "\n"))
        esac
      }
      if [ "$funcstack[1]" = _iap ]; then
        _iap "$@"
      else
        compdef _iap iap
      fi

      """
  }

  // MARK: fish

  private var fish: String {
    var lines = ["# Completes calls of iap in fish.", "complete -c iap -f"]
    for command in commands {
      lines.append(
        "complete -c iap -n __fish_use_subcommand -a \(command.name) -d "
          + fishQuoted(command.summary(language))
      )
      let seen = "-n '__fish_seen_subcommand_from \(command.name)'"
      for option in command.options {
        let value = option.placeholder == nil ? "" : option.namesFile ? " -r -F" : " -x"
        lines.append(
          "complete -c iap \(seen) -l \(option.name)\(value) -d "
            + fishQuoted(option.help(language))
        )
      }
      let words = choices(of: command)
      if !words.isEmpty {
        lines.append("complete -c iap \(seen) -a \(fishQuoted(words.joined(separator: " ")))")
      } else if !command.operands.isEmpty {
        lines.append("complete -c iap \(seen) -F")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  // MARK: words

  private func choices(of command: any Command.Type) -> [String] {
    command.operands.first?.choices ?? []
  }

  /// A word of bash and zsh.
  private func quoted(_ text: String) -> String {
    "'" + text.replacing("\n", with: " ").replacing("'", with: "'\\''") + "'"
  }

  private func fishQuoted(_ text: String) -> String {
    let plain = text.replacing("\n", with: " ").replacing("\\", with: "\\\\")
    return "'" + plain.replacing("'", with: "\\'") + "'"
  }

  /// A help text within the brackets of zsh's `_arguments`.
  private func bracketed(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("[", with: "\\[").replacing("]", with: "\\]")
      .replacing(":", with: "\\:")
  }
}

extension CommandOption {
  /// What stands for the value; nil when it takes none.
  var placeholder: String? {
    switch shape {
    case .flag: nil
    case .value(let placeholder), .repeated(let placeholder): placeholder
    }
  }

  /// Whether it may be given more than once.
  var isRepeated: Bool {
    if case .repeated = shape { return true }
    return false
  }

  /// Whether a file or folder is meant.
  var namesFile: Bool {
    placeholder.map { word in
      ["FILE", "FOLDER", "PLACE"].contains { word.hasSuffix($0) }
    } ?? false
  }
}
