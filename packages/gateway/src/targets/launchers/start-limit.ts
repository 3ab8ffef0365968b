import { McpError } from '@gantry/mcp/client'
import type { TargetModel } from '../../model/index.ts'
import type { ProcessFacts } from '../connected/target-connection.ts'
import { launcherOf } from './launcher.ts'

const LOOK_EVERY = 250
/** How long an installation that is under way may go on when its target is stopped. */
const LAST_CHANCE = 10_000

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

  /** How long the program may take to end when it is stopped now: half an installation must not be left behind. */
  get grace(): number | undefined {
    return this.#watch?.isInstalling && !this.signal.aborted ? LAST_CHANCE : undefined
  }

  #end(message: string, timeout: number): void {
    this.#abort.abort(new McpError('timeout', message, { details: { timeout } }))
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#watch?.stop()
    this.#watch = undefined
  }
}

const LOOK_AT_TREE_EVERY = 500
/** Without a sign of work for so long nothing is being installed. */
const QUIET = { least: 3_000, most: 10_000 }

/** Tells a launcher that installs from a server that hangs, by the work of its processes. */
export class InstallWatch {
  readonly #process: ProcessFacts
  readonly #launcher: string
  readonly #quiet: number
  readonly #timer: NodeJS.Timeout
  #last = ''
  #activeAt = Date.now()
  #isAlone = true

  constructor(process: ProcessFacts, launcher: string, startLimit: number) {
    this.#process = process
    this.#launcher = launcher
    this.#quiet = Math.max(QUIET.least, Math.min(QUIET.most, startLimit))
    this.#timer = setInterval(() => void this.#look(), LOOK_AT_TREE_EVERY)
    this.#timer.unref()
  }

  get isInstalling(): boolean {
    return this.#isAlone || Date.now() - this.#activeAt < this.#quiet
  }

  async #look(): Promise<void> {
    const tree = await this.#process.tree().catch(() => [])
    const seen = tree.map(({ pid, cpu }) => `${pid} ${cpu}`).join()
    if (seen !== this.#last) this.#activeAt = Date.now()
    this.#last = seen
    // A launcher may also become the program that it starts.
    const [root, ...others] = tree
    this.#isAlone = others.length === 0 && root !== undefined && isStill(this.#launcher, root.command)
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}

function isStill(launcher: string, command: string): boolean {
  const words = launcher === 'npx' ? ['npx', 'npm'] : [launcher]
  return words.some((word) => new RegExp(`(^|[\\s/\\\\])${word}([\\s.-]|$)`).test(command))
}
