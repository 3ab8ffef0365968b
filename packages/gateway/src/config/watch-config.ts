import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { FSWatcher } from 'chokidar'
import type { GatewayModel } from '../model/index.ts'
import { diffModels, isEmptyDiff, type ModelDiff } from './diff-models.ts'
import {
  type Loaded,
  loadConfig,
  type LoadOptions,
  type LoadResult,
  type NotLoaded,
  unreadable,
} from './load-config.ts'
import type { Problem } from './problem.ts'

export type ConfigEvent =
  | {
      readonly type: 'applied'
      readonly model: GatewayModel
      readonly diff: ModelDiff
      readonly warnings: readonly Problem[]
    }
  /** The file is not usable now; `model` is the model that stays in use. */
  | { readonly type: 'rejected'; readonly model: GatewayModel; readonly problems: readonly Problem[] }

export interface WatchOptions extends LoadOptions {
  /** The model in use; the file is loaded first when it is not given. */
  readonly current?: Loaded | undefined
  /** Quiet time after the last event before the file is read, in milliseconds. */
  readonly settle?: number | undefined
  /** Milliseconds between looks at the files themselves, for changes that come without an event. */
  readonly poll?: number | undefined
  /** Called when the file was read, also when its meaning is the same as before: its text may have changed. */
  readonly onRead?: (() => void) | undefined
}

export interface ConfigWatcher {
  readonly model: GatewayModel
  /** Reads the file now, whether or not an event was seen. */
  reload(): Promise<void>
  /** Writes the file and reads it, and nothing reads it in between: the change is the writer's. */
  change<T>(write: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Follows a configuration file: hands over good changes, reports bad ones and keeps the model in use. */
export async function watchConfig(
  path: string,
  onChange: (event: ConfigEvent) => void | Promise<void>,
  options: WatchOptions = {},
): Promise<ConfigWatcher> {
  const file = resolve(path)
  const first = options.current ?? (await loadConfig(file, options))
  if (!first.ok) throw new Error(`${file} is not usable`, { cause: first.problems })
  const follower = new ConfigFollower(file, first, onChange, options)
  await follower.start()
  return follower
}

class ConfigFollower implements ConfigWatcher {
  model: GatewayModel
  readonly #file: string
  readonly #onChange: (event: ConfigEvent) => void | Promise<void>
  readonly #options: WatchOptions
  readonly #settle: number
  #dependencies: readonly string[]
  #watcher: FSWatcher | undefined
  #timer: NodeJS.Timeout | undefined
  #poller: NodeJS.Timeout | undefined
  #seen = ''
  /** Loads and hand-overs happen one after another, in the order of the changes. */
  #work: Promise<void> = Promise.resolve()
  /** The last reported fault, so that one bad state of the file is reported once. */
  #complaint: string | undefined
  #isClosed = false

  constructor(
    file: string,
    first: Loaded,
    onChange: (event: ConfigEvent) => void | Promise<void>,
    options: WatchOptions,
  ) {
    this.#file = file
    this.model = first.model
    this.#dependencies = first.dependencies
    this.#onChange = onChange
    this.#options = options
    this.#settle = options.settle ?? 150
  }

  /** The folders are watched, and not the files: editors and ConfigMaps replace files instead of writing them. */
  async start(): Promise<void> {
    // Loaded on demand: most commands read the configuration once.
    const { watch } = await import('chokidar')
    const watcher = watch(this.#folders(), {
      depth: 0,
      ignoreInitial: true,
      ignored: (path) => !this.#concerns(path),
    })
    this.#watcher = watcher
    watcher.on('all', () => this.#schedule())
    watcher.on('error', () => this.#schedule())
    await new Promise<void>((ready) => watcher.once('ready', ready))
    // A change between the first load and now has no event.
    this.#schedule()
    // The system reports no changes on network drives, in many containers, and in folders that did not exist.
    this.#poller = setInterval(() => this.#look(), this.#options.poll ?? 5000).unref()
  }

  reload(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    return this.#enqueue()
  }

  change<T>(write: () => Promise<T>): Promise<T> {
    const written = this.#work.then(write)
    this.#work = written.then(
      () => this.#load(),
      () => {},
    )
    return this.#work.then(() => written)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    clearInterval(this.#poller)
    await this.#watcher?.close()
    await this.#work
  }

  #look(): void {
    const now = [this.#file, ...this.#dependencies].map(fingerprint).join()
    if (now !== this.#seen) this.#schedule()
    this.#seen = now
  }

  #schedule(): void {
    if (this.#isClosed) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.reload(), this.#settle)
  }

  #enqueue(): Promise<void> {
    this.#work = this.#work.then(() => this.#load())
    return this.#work
  }

  async #load(): Promise<void> {
    let result = await this.#read()
    if (!result.ok && this.#complaintOf(result) !== this.#complaint) {
      // It may be half-written, or gone for the moment between an editor's two renames.
      await new Promise((done) => setTimeout(done, this.#settle))
      result = await this.#read()
      // The file is still being written: it is read again afterwards.
      if (!result.ok && this.#timer) return
    }
    if (this.#isClosed) return
    this.#follow(result)
    await (result.ok ? this.#accept(result) : this.#reject(result))
    this.#options.onRead?.()
  }

  async #read(): Promise<LoadResult> {
    try {
      return await loadConfig(this.#file, this.#options)
    } catch (error) {
      // What it needs may be missing while another version of this program is installed. The next look tries again.
      this.#seen = ''
      return unreadable(this.#file, error as Error)
    }
  }

  async #accept({ model, warnings }: Loaded): Promise<void> {
    const diff = diffModels(this.model, model)
    const isRecovery = this.#complaint !== undefined
    this.#complaint = undefined
    if (isEmptyDiff(diff) && !isRecovery) return
    this.model = model
    await this.#emit({ type: 'applied', model, diff, warnings })
  }

  async #reject(result: NotLoaded): Promise<void> {
    const complaint = this.#complaintOf(result)
    if (complaint === this.#complaint) return
    this.#complaint = complaint
    await this.#emit({ type: 'rejected', model: this.model, problems: result.problems })
  }

  /** A listener that fails must not end the watching; its own error handling is its business. */
  async #emit(event: ConfigEvent): Promise<void> {
    try {
      await this.#onChange(event)
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : String(error))
    }
  }

  #complaintOf(result: NotLoaded): string {
    return JSON.stringify(result.problems)
  }

  #follow(result: LoadResult): void {
    this.#dependencies = result.dependencies
    this.#watcher?.add(this.#folders())
  }

  #files(): string[] {
    const files = [this.#file, ...this.#dependencies]
    return [...files, ...files.map(followLinks)]
  }

  #folders(): string[] {
    return [...new Set(this.#files().map((file) => dirname(file)))]
  }

  #concerns(path: string): boolean {
    // Kubernetes swaps the link `..data` beside the files.
    const normal = resolve(path)
    return this.#files().includes(normal) || this.#folders().includes(normal) || basename(path) === '..data'
  }
}

/** Differs when the file does, as far as can be told without reading it. */
function fingerprint(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats ? `${stats.ino}:${stats.mtimeMs}:${stats.size}` : 'none'
}

function followLinks(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}
