import AppStoreSimulator
import Foundation
import IAPKit
import IAPKitUI
import IAPModel
import SimulatedApp
import SimulatedDevice

extension WebDemo {
  /// Does what a button says; what cannot be done is shown on the page.
  func perform(_ action: DemoAction, on name: DemoPhone.Name) async {
    await alone {
      trouble = nil
      do {
        try await carryOut(action, on: phone(name) ?? phones[0])
      } catch {
        trouble = Self.words(for: error)
      }
    }
    look()
  }

  private static func words(for error: any Error) -> Words {
    let reason =
      (error as? DeviceError)?.reason ?? (error as? SimulatorError)?.reason
      ?? (error as? DemoError)?.reason ?? "\(error)"
    return Words("That is not possible now: \(reason).", zh: "现在无法这样做：\(reason)。")
  }

  private func carryOut(_ action: DemoAction, on phone: DemoPhone) async throws {
    switch action {
    case .buy, .restore, .dismiss, .reload, .recheck: tap(action, on: phone)
    case .confirm: try phone.device.sheet.confirm()
    case .cancel: try phone.device.sheet.cancel()
    case .askParent: try phone.device.sheet.askParent()
    case .failPayment: try phone.device.sheet.fail(.paymentFailed)
    case .leave: phone.leave()
    case .comeBack: try await phone.comeBack()
    case .kill: phone.kill()
    case .launch: try await phone.launch(language)
    case .killAt(let step): phone.planDeath(at: step)
    case .network(let isOn): try await setNetwork(isOn, of: phone)
    case .generation(let generation): try await phone.launch(with: generation, language)
    case .secondPhone: try await addSecondPhone()
    case .server(let isUp): try await setServer(isUp)
    case .advance(let leap): await advance(leap)
    case .approve(let id): _ = try world.store.approve(id)
    case .decline(let id): try world.store.decline(id)
    case .refund(let id): try await refund(id)
    case .renewal(let isOn): try setRenewal(isOn, on: phone)
    case .card(let isGood):
      try world.store.setPayment(works: isGood, of: account)
      isCardGood = isGood
    case .storefront(let code): try moveHouse(to: code)
    case .startOver: try await startOver()
    }
  }

  /// What is tapped in the app; it goes on while others look.
  private func tap(_ action: DemoAction, on phone: DemoPhone) {
    switch action {
    case .buy(let id):
      guard let screen = phone.screen(selling: id) else { return }
      phone.act { _ in await screen.buy(id.rawValue) }
    case .restore: phone.act { await $0.plans.restore() }
    case .dismiss:
      phone.act { screens in
        screens.shop.dismissMessage()
        screens.plans.dismissMessage()
        screens.status.dismissMessage()
        screens.open.dismissMessage()
      }
    case .reload:
      phone.act { screens in
        await screens.shop.load()
        await screens.plans.load()
      }
    case .recheck(let id): phone.act { await $0.open.retry(id) }
    default: return
    }
  }

  private func setNetwork(_ isOn: Bool, of phone: DemoPhone) async throws {
    phone.device.isInAirplaneMode = !isOn
    guard isOn, phone.isInFront else { return }
    let app = phone.app
    // The system tells apps that the network is back.
    Task { try? await app.networkReturns() }
    phone.act { screens in
      if screens.shop.state.rows.isEmpty { await screens.shop.load() }
      if screens.plans.state.rows.isEmpty { await screens.plans.load() }
    }
  }

  private func setServer(_ isUp: Bool) async throws {
    if isUp { try await world.server.start() } else { await world.server.stop() }
    isServerUp = isUp
  }

  // MARK: Time

  private func advance(_ leap: DemoAction.Leap) async {
    isLeaping = true
    look()
    await world.store.advance(to: end(of: leap), pausing: world.rest)
    await world.store.drainNotifications()
    isLeaping = false
    await lookAtPhones()
  }

  private func end(of leap: DemoAction.Leap) -> Date {
    let now = world.store.clock.now
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    switch leap {
    case .hour: return now.addingTimeInterval(3600)
    case .days: return now.addingTimeInterval(3 * 24 * 3600)
    case .month:
      let end = calendar.date(byAdding: .month, value: 1, to: now)
      return end ?? now.addingTimeInterval(31 * 24 * 3600)
    }
  }

  /// The person takes up the telephones: StoreKit 1 brings some news only then.
  private func lookAtPhones() async {
    await world.rest()
    for phone in phones where phone.isInFront {
      let app = phone.app
      Task { try? await app.enterForeground() }
    }
  }

  // MARK: The store

  private func refund(_ id: TransactionID) async throws {
    try world.store.refund(id)
    await world.store.drainNotifications()
    await lookAtPhones()
  }

  private func setRenewal(_ isOn: Bool, on phone: DemoPhone) throws {
    let group = DemoCatalog.group
    try phone.device.manageSubscription(isOn ? .resume(group) : .cancel(group))
  }

  private func moveHouse(to code: String) throws {
    try world.store.setStorefront(try Storefront.of(countryCode: code), of: account)
    storefront = code
    for phone in phones {
      phone.act { screens in
        await screens.shop.load()
        await screens.plans.load()
      }
    }
  }
}
