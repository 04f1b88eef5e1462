import Foundation
import HTTPClient
import HTTPValues
import IAPModel

// Whether a running server answers, from where the App Store reaches it.
extension Doctor {
  /// How long a server may take to answer.
  private static let timeout = Duration.seconds(10)

  mutating func examineServer() async {
    guard let server = wishes.server else {
      if wishes.isRelease || !settings.isSimulated {
        add(
          .note,
          "server.unknown",
          "",
          Words("no server was asked", zh: "未询问任何服务器"),
          advice: Words(
            "Set publicURL, or give --server URL: then its readiness is looked at too.",
            zh: "请设置 publicURL 或给出 --server URL，即可检查其就绪状态。"
          )
        )
      }
      return
    }
    let base = server.hasSuffix("/") ? String(server.dropLast()) : server
    examineAddress(base)
    do throws(HTTPClientError) {
      let request = HTTPOutgoingRequest(
        method: .get,
        url: base + "/readyz",
        timeout: Self.timeout
      )
      judge(try await notes.send(request, in: world), base)
    } catch {
      add(
        .error,
        "server.unreachable",
        base,
        Words("it does not answer (\(error.code.rawValue))", zh: "没有应答（\(error.code.rawValue)）"),
        advice: Words(
          "Does it run ('systemctl status iap'), is the name right, does the proxy lead to it, "
            + "is the "
            + "certificate whole? Apple needs a public name and a certificate that everybody "
            + "trusts.",
          zh: "服务是否运行（systemctl status iap）？域名、代理和证书链是否正确？Apple 需要公网域名和受信任的证书。"
        )
      )
    }
  }

  private mutating func examineAddress(_ base: String) {
    guard !base.hasPrefix("https://"), let host = URLComponents(string: base)?.host,
      !ListenAddress.isLoopback(host)
    else { return }
    add(
      .warning,
      "server.plain",
      base,
      Words("the address is not encrypted", zh: "该地址未加密"),
      advice: Words(
        "App Store and apps need https: put a proxy that ends TLS in front "
          + "(docs/operators/proxy.md).",
        zh: "App Store 与 App 需要 https：请在前面部署终止 TLS 的代理（docs/operators/proxy.md）。"
      )
    )
  }

  private mutating func judge(_ response: HTTPResponse, _ base: String) {
    let body = try? JSONParser.parseObject(response.body)
    // A server that is not ready says so with 503 and its error object; others have other answers.
    let isOurs = body?["status"] != nil || (response.status == 503 && body?["error"] != nil)
    guard let body, isOurs else {
      add(
        .error,
        "server.other",
        base,
        Words(
          "what answers (status \(response.status)) is no entitlement server",
          zh: "应答者（状态 \(response.status)）不是权益服务器"
        ),
        advice: Words(
          "The proxy leads somewhere else: look at its rules for this name.",
          zh: "代理指向了别处：请检查该域名的规则。"
        )
      )
      return
    }
    let isSimulated = body["simulated"] == true
    if isSimulated != settings.isSimulated {
      add(
        .error,
        "server.environment",
        base,
        isSimulated
          ? Words("it trusts a simulated store, these settings do not", zh: "它信任模拟商店，而当前设置不信任")
          : Words("it trusts Apple, these settings a simulated store", zh: "它信任 Apple，而当前设置使用模拟商店"),
        advice: Words("This is another server: compare addresses.", zh: "这是另一台服务器：请核对地址。")
      )
    }
    guard response.status == 200 else {
      let message = body["error"]?.objectValue?["message"]?.stringValue ?? "\(response.status)"
      add(
        .error,
        "server.notReady",
        base,
        Words(message),
        advice: Words("Its log says more: journalctl -u iap.", zh: "详见其日志：journalctl -u iap。")
      )
      return
    }
    let problems = (body["problems"]?.arrayValue ?? []).compactMap(\.objectValue)
    for problem in problems {
      let code = problem["code"]?.stringValue ?? "problem"
      add(
        .warning,
        "server.\(code)",
        base,
        Words(problem["message"]?.stringValue ?? code),
        advice: Words("See docs/operators/alerts.md.", zh: "见 docs/operators/alerts.md。")
      )
    }
    if problems.isEmpty {
      add(.good, "server", base, Words("it is ready", zh: "已就绪"))
    }
  }
}
