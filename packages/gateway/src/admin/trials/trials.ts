import { randomUUID } from 'node:crypto'
import { dirname } from 'node:path'
import { hideSecrets, parseConfig, parseSource, type RawConfig, type RawTarget } from '../../config/index.ts'
import { findTarget, type TargetModel } from '../../model/index.ts'
import type { AdminHost } from '../admin-host.ts'
import { ApiError } from '../api-error.ts'
import { authorOf } from '../config/author-of.ts'
import { unknownTarget, type TargetEntries } from '../config/target-entries.ts'
import type { ConfigEditor } from '../config/config-editor.ts'
import type {
  Explanation,
  JsonObject,
  StartTrial,
  TrialCall,
  TrialReport,
  TrialsStarted,
} from '../contract.ts'
import type { EventHub } from '../events/event-hub.ts'
import type { Handlers } from '../handlers.ts'
import { Trial, type TrialInit } from './trial.ts'
import { understand, type Candidate } from './understand.ts'

const MAX_KEPT = 50
const MAX_RUNNING = 16
const LONGEST_WAIT = 120_000

export class Trials {
  readonly #host: AdminHost
  readonly #hub: EventHub
  readonly #editor: ConfigEditor
  readonly #entries: TargetEntries
  readonly #trials = new Map<string, Trial>()

  constructor(host: AdminHost, hub: EventHub, editor: ConfigEditor, entries: TargetEntries) {
    this.#host = host
    this.#hub = hub
    this.#editor = editor
    this.#entries = entries
  }

  async start(request: StartTrial): Promise<TrialsStarted> {
    if ('target' in request) return { trials: [await this.#doctor(request)], refused: [] }
    if ('entry' in request) {
      const { hidden } = await this.#editor.current()
      const entry = hidden.restoreValue(request.entry) as RawTarget
      const candidate = { name: request.name, entry, source: 'an entry', notes: [] }
      return this.#tryAll([candidate], [], request.call)
    }
    const { gateway, places, configFile } = this.#host
    const { candidates, refused } = await understand(request.text, {
      name: request.name,
      places,
      folder: configFile ? dirname(configFile.file) : places.cwd,
      stateDir: gateway.model.stateDir,
    })
    return this.#tryAll(candidates, refused)
  }

  async #doctor({ target: name, call }: Extract<StartTrial, { target: string }>): Promise<TrialReport> {
    const { model: gateway } = this.#host.gateway
    const model = findTarget(gateway, name)
    if (!model)
      throw unknownTarget(
        name,
        gateway.targets.map((one) => one.name),
      )
    const { entry: shown } = await this.#entries.read(name)
    return this.#begin({ name, model, entry: undefined, shown, source: 'the configuration', notes: [], call })
  }

  async #tryAll(
    candidates: readonly Candidate[],
    refusals: readonly { name: string; reason: string }[],
    call?: TrialCall,
  ): Promise<TrialsStarted> {
    const trials: TrialReport[] = []
    const refused: { name: string; problem: Explanation }[] = refusals.map(({ name, reason }) => ({
      name,
      problem: { code: 'not_understood', what: reason },
    }))
    for (const candidate of candidates) {
      const name = this.#freeName(candidate.name)
      const compiled = await this.#compile(name, candidate.entry)
      if ('problem' in compiled) refused.push({ name, problem: compiled.problem })
      else trials.push(this.#begin({ ...candidate, ...compiled, name, call }))
    }
    return { trials, refused }
  }

  #begin(init: Omit<TrialInit, 'id'>): TrialReport {
    const running = [...this.#trials.values()].filter((trial) => !trial.isOver).length
    if (running >= MAX_RUNNING) {
      throw new ApiError('too_many', `${running} trials are running already`, {
        fix: 'Wait for them to end.',
      })
    }
    for (const [id, trial] of this.#trials) {
      if (this.#trials.size < MAX_KEPT) break
      if (trial.isOver) this.#trials.delete(id)
    }
    const trial = new Trial({ ...init, id: randomUUID() }, this.#host, (changed) => this.#changed(changed))
    this.#trials.set(trial.init.id, trial)
    return trial.report()
  }

  #changed(trial: Trial): void {
    if (this.#hub.wants('trials')) this.#hub.emit('trials', { type: 'trial', trial: trial.report() })
  }

  /** The model of an entry as if it were in the file: relative paths start there. */
  async #compile(
    name: string,
    entry: RawTarget,
  ): Promise<{ model: TargetModel; entry: JsonObject; shown: JsonObject } | { problem: Explanation }> {
    const { places, configFile } = this.#host
    const text = JSON.stringify({ mcpServers: { [name]: entry } })
    const loaded = await parseConfig(text, { places, file: configFile?.file, format: 'jsonc' })
    if (!loaded.ok) {
      const { message, fix } = loaded.problems.find(({ severity }) => severity === 'error')!
      return { problem: { code: 'invalid', what: message, ...(fix !== undefined && { fix }) } }
    }
    const { text: masked } = await hideSecrets(text, 'jsonc')
    const shown = ((await parseSource(masked, 'jsonc')).value as RawConfig).mcpServers![name] as JsonObject
    return { model: loaded.model.targets[0]!, entry: entry as JsonObject, shown }
  }

  #freeName(wanted: string): string {
    const { model } = this.#host.gateway
    const base = wanted.replaceAll(/[/\u0000-\u001f]+/g, '-').slice(0, 60) || 'server'
    let name = base
    for (let number = 2; findTarget(model, name); number++) name = `${base}-${number}`
    return name
  }

  #find(id: string): Trial {
    const trial = this.#trials.get(id)
    if (trial) return trial
    throw new ApiError('not_found', 'There is no such trial', { fix: `The last ${MAX_KEPT} are kept.` })
  }

  get handlers(): Pick<Handlers, 'startTrial' | 'trial' | 'cancelTrial' | 'addTarget'> {
    return {
      startTrial: ({ body }) => this.start(body),
      trial: async ({ params, query, signal }) => {
        const trial = this.#find(params.id)
        await waitFor(trial.done, Math.min(query?.wait ?? 0, LONGEST_WAIT), signal)
        return trial.report()
      },
      cancelTrial: ({ params }) => {
        this.#find(params.id).cancel()
        return { ok: true }
      },
      addTarget: ({ body, caller }) => {
        const by = authorOf(caller)
        if ('entry' in body) return this.#entries.add(body.name, body.entry, body.revision, by)
        const { entry, name } = this.#find(body.trial).init
        if (!entry) throw new ApiError('conflict', `"${name}" is in the configuration already`)
        return this.#entries.add(body.name ?? name, entry, body.revision, by)
      },
    }
  }

  async close(): Promise<void> {
    const running = [...this.#trials.values()].filter((trial) => !trial.isOver)
    for (const trial of running) trial.cancel()
    await Promise.all(running.map((trial) => trial.done))
  }
}

async function waitFor(done: Promise<void>, limit: number, signal: AbortSignal): Promise<void> {
  if (limit <= 0) return
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limit)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await Promise.race([done, late])
  clearTimeout(timer)
}
