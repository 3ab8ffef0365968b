import { McpError } from '@gantry/mcp/client'
import type { TargetModel } from '../../model/index.ts'
import type { ProcessFacts } from '../link.ts'
import { InstallWatch } from './install-watch.ts'
import { launcherOf } from './launcher.ts'

const LOOK_EVERY = 250

/** How long a target may take to start. An install gets more time: ending it leaves a broken cache. */
export class StartLimit {
  readonly #model: TargetModel
  readonly #onInstalling: () => void
  readonly #abort = new AbortController()
  readonly #began = Date.now()
  #watch: InstallWatch | undefined
  #timer: NodeJS.Timeout
  #isTold = false

  constructor(model: TargetModel, onInstalling: () => void) {
    this.#model = model
    this.#onInstalling = onInstalling
    this.#timer = setTimeout(() => this.#check(), model.timeouts.start)
  }

  /** Aborted when the time is over. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  watch(process: ProcessFacts): void {
    const launcher = this.#model.kind === 'stdio' ? launcherOf(this.#model.command) : undefined
    this.#watch?.stop()
    this.#watch = launcher ? new InstallWatch(process, launcher, this.#model.timeouts.start) : undefined
  }

  #check(): void {
    const { start, install } = this.#model.timeouts
    const isInstalling = this.#watch?.isInstalling ?? false
    if (!isInstalling) return this.#end(`It did not start within ${start} ms`, start)
    if (Date.now() - this.#began >= install) {
      return this.#end(`Installing it took longer than ${install} ms (timeouts.install)`, install)
    }
    if (!this.#isTold) this.#onInstalling()
    this.#isTold = true
    this.#timer = setTimeout(() => this.#check(), LOOK_EVERY)
  }

  #end(message: string, timeout: number): void {
    this.#abort.abort(new McpError('timeout', message, { details: { timeout } }))
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#watch?.stop()
  }
}
