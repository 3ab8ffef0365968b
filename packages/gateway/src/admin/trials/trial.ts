import { describeTarget, type TargetModel } from '../../model/index.ts'
import { Handshake } from '../../telemetry/handshake.ts'
import { StderrRing } from '../../telemetry/stderr-ring.ts'
import type { AdminHost } from '../admin-host.ts'
import type { Explanation, JsonObject, TrialCall, TrialFindings, TrialReport } from '../contract.ts'
import { explainFailure } from '../explain/explain-failure.ts'
import { explainOff } from '../explain/failure-context.ts'
import { contextOf, presentSteps, presentWarnings } from '../explain/present-steps.ts'
import { runTrial } from './run-trial.ts'

export interface TrialInit {
  readonly id: string
  readonly name: string
  readonly model: TargetModel
  /** As it would be saved, with its secrets; undefined for a target that is configured already. */
  readonly entry: JsonObject | undefined
  /** The same to be shown. */
  readonly shown: JsonObject
  readonly source: string
  readonly notes: readonly string[]
  readonly call: TrialCall | undefined
}

export class Trial {
  readonly init: TrialInit
  readonly startedAt: number = Date.now()
  readonly done: Promise<void>
  readonly #handshake: Handshake
  readonly #stderr: StderrRing
  readonly #abort = new AbortController()
  #status: TrialReport['status'] = 'running'
  #duration: number | undefined
  #problem: Explanation | undefined
  #found: TrialFindings | undefined

  constructor(init: TrialInit, host: AdminHost, changed: (trial: Trial) => void) {
    this.init = init
    this.#stderr = new StderrRing((text) => host.gateway.scrubber.scrubText(text))
    this.#handshake = new Handshake(() => changed(this))
    this.done = this.#run(host, () => changed(this)).finally(() => changed(this))
  }

  get isOver(): boolean {
    return this.#duration !== undefined
  }

  async #run(host: AdminHost, onStderr: () => void): Promise<void> {
    const { model, call } = this.init
    try {
      if (!model.enabled) throw new Error('The target is off')
      this.#found = await runTrial({
        host,
        model,
        call,
        handshake: this.#handshake,
        stderr: this.#stderr,
        signal: this.#abort.signal,
        onStderr,
      })
      this.#status = 'ok'
    } catch (thrown) {
      this.#handshake.fail(thrown)
      this.#status = this.#abort.signal.aborted ? 'cancelled' : 'failed'
      this.#problem = this.#explain(thrown)
    }
    this.#duration = Date.now() - this.startedAt
  }

  #explain(thrown: unknown): Explanation {
    const { model } = this.init
    if (!model.enabled) return explainOff(model, 'Set what is missing, and try again.')
    const failed = this.#handshake.steps.find((step) => step.failure)
    return explainFailure(thrown, contextOf(this.#handshake, model, failed?.name, this.#stderr))
  }

  cancel(): void {
    this.#abort.abort(new Error('The trial was cancelled'))
  }

  report(): TrialReport {
    const { id, name, model, shown, source, notes } = this.init
    return {
      id,
      status: this.#status,
      startedAt: this.startedAt,
      ...(this.#duration !== undefined && { duration: this.#duration }),
      understoodAs: { kind: model.kind, source, what: describeTarget(model), entry: shown, notes },
      name,
      steps: presentSteps(this.#handshake, model, this.#stderr),
      ...(this.#problem && { problem: this.#problem }),
      warnings: presentWarnings(this.#handshake, this.#stderr.hide),
      stderr: this.#stderr.tail(200),
      ...(this.#found && { found: this.#found }),
    }
  }
}
