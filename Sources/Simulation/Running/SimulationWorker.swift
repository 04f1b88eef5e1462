import IAPModel

/// What a process does that is a simulation: one run after another, each a function of its seed.
package struct SimulationWorker {
  /// What the process was asked for.
  package struct Task: Hashable, Sendable {
    /// The first seed.
    package var seed: UInt64
    /// How many seeds, one after another.
    package var runs = 1
    /// What the runs are about.
    package var profile = RunProfile.standard
    /// Which steps of the plan are kept; nil for all.
    package var kept: Set<Int>?
    /// Whether everything is written down.
    package var traces = false
    /// Whether a run that fails is made again with fewer steps.
    package var shrinks = false

    /// Describes it.
    ///
    /// - Parameter seed: The first seed.
    package init(seed: UInt64) { self.seed = seed }
  }

  private let kit: SimulationKit
  private let output: (String) -> Void

  /// Makes a worker.
  ///
  /// - Parameters:
  ///   - kit: What all runs have in common.
  ///   - output: Takes one line.
  package init(kit: SimulationKit, output: @escaping (String) -> Void) {
    self.kit = kit
    self.output = output
  }

  /// Does the work.
  ///
  /// - Parameter task: What.
  package func perform(_ task: Task) {
    for number in 0..<UInt64(max(1, task.runs)) {
      var plan = RunPlan(seed: task.seed &+ number, profile: task.profile)
      if let kept = task.kept { plan = plan.keeping(kept) }
      let trace = RunTrace(isOn: task.traces)
      let report = run(plan, trace)
      for line in trace.lines { output("| " + line) }
      if task.shrinks, let rule = report.findings.first?.rule {
        var shrinking = PlanShrinking { shorter in
          run(shorter, RunTrace(isOn: false)).findings.contains { $0.rule == rule }
        }
        let shortest = shrinking.shrink(plan)
        for step in shortest.steps { output("# \(step.number) \(step.wait) \(step.action)") }
        output(RunReportLine(run(shortest, RunTrace(isOn: false)), steps: shortest.steps).text)
      } else {
        output(RunReportLine(report, steps: plan.steps).text)
      }
    }
  }

  private func run(_ plan: RunPlan, _ trace: RunTrace) -> RunReport {
    let jobs = SeededExecutors.jobs
    do {
      var run = try SimulationRun(plan, kit: kit, trace: trace, jobs: jobs)
      return run.run()
    } catch {
      var report = RunReport(seed: plan.seed)
      report.findings = [RunFinding(rule: .broken, text: "\(error)")]
      return report
    }
  }
}

/// A report as one line of JSON, between processes.
package struct RunReportLine: Hashable, Sendable {
  /// The line.
  package let text: String

  /// Writes a report.
  ///
  /// - Parameters:
  ///   - report: The report.
  ///   - steps: The steps of its plan.
  package init(_ report: RunReport, steps: [RunPlan.Step]) {
    var object: JSONObject = [
      "seed": .string("\(report.seed)"),
      "orders": .integer(Int64(report.orders)),
      "effects": .integer(Int64(report.effects)),
      "setAside": .integer(Int64(report.setAside)),
      "jobs": .integer(Int64(report.jobs)),
      "seconds": .integer(Int64(report.seconds)),
      "steps": .array(steps.map { .integer(Int64($0.number)) }),
      "counts": .object(
        JSONObject(
          report.counts.sorted { $0.key < $1.key }
            .map { JSONMember($0.key, .integer(Int64($0.value))) }
        )
      ),
      "points": .array(report.crashPoints.sorted().map { .string($0) }),
      "cells": .array(report.cells.sorted().map { .string($0) }),
      "findings": .array(
        report.findings.map { ["rule": .string($0.rule.rawValue), "text": .string($0.text)] }
      ),
    ]
    if let step = report.step { object["step"] = .integer(Int64(step)) }
    text = JSONValue.object(object).serializedText
  }
}
