import type { ProcessFacts } from '../link.ts'

const LOOK_EVERY = 500
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
    this.#timer = setInterval(() => void this.#look(), LOOK_EVERY)
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
