import {
  watchConfig,
  type ConfigEvent,
  type ConfigWatcher,
  type Loaded,
  type LoadOptions,
  type Problem,
  type ServerOverrides,
  type UserPlaces,
} from '../../config/index.ts'
import type { Gateway } from '../../gateway.ts'
import type { ConfigEffects } from '../contract.ts'
import { configEffects } from './config-effects.ts'

export interface ConfigFileOptions {
  readonly file: string
  readonly gateway: Gateway
  readonly loaded: Loaded
  readonly places: UserPlaces
  readonly overrides: ServerOverrides
  readonly isAccepted?: LoadOptions['isAccepted']
}

/** Follows the configuration file. Applies good versions to the gateway, and remembers the last bad one. */
export class ConfigFile {
  readonly file: string
  loadedAt: number = Date.now()
  /** Why the file is not usable now; the last good configuration is in use then. */
  rejected: { readonly at: number; readonly problems: readonly Problem[] } | undefined
  onChange: (() => void) | undefined
  /** Called when the file was read. Its text may have changed even if its meaning has not. */
  onRead: (() => void) | undefined
  readonly #options: ConfigFileOptions
  #watcher: ConfigWatcher | undefined

  constructor(options: ConfigFileOptions) {
    this.file = options.file
    this.#options = options
  }

  async follow(): Promise<void> {
    const { loaded: current, places, overrides, isAccepted } = this.#options
    const options = { current, places, overrides, isAccepted, onRead: () => this.onRead?.() }
    this.#watcher = await watchConfig(this.file, (event) => this.#take(event), options)
  }

  /** Writes the file; resolves when what it says is in use, or refused. */
  change<T>(write: () => Promise<T>): Promise<T> {
    return this.#watcher ? this.#watcher.change(write) : write()
  }

  async #take(event: ConfigEvent): Promise<void> {
    const { gateway } = this.#options
    if (event.type === 'rejected') {
      this.rejected = { at: Date.now(), problems: event.problems }
      for (const { severity, message, line, fix } of event.problems) {
        if (severity !== 'error') continue
        const hint = fix === undefined ? '' : ` (${fix})`
        gateway.log('warn', `The configuration is not taken up: line ${line}: ${message}${hint}`, {
          event: 'config-refused',
        })
      }
    } else {
      await this.#apply(event.model)
    }
    this.onChange?.()
  }

  async #apply(model: Gateway['model']): Promise<void> {
    const { gateway } = this.#options
    const effects = configEffects(gateway.model, model)
    try {
      await gateway.apply(model)
      this.rejected = undefined
      this.loadedAt = Date.now()
      gateway.log('info', `The new configuration is in use${inWords(effects)}`)
      for (const reason of effects.needsRestart) {
        gateway.log('warn', `${reason}: restart it for that`, { event: 'restart-needed' })
      }
    } catch (error) {
      gateway.log('error', `The new configuration failed: ${String(error)}`, { event: 'config-failed' })
    }
  }

  async close(): Promise<void> {
    await this.#watcher?.close()
  }
}

function inWords({ added, removed, changed }: ConfigEffects): string {
  const parts = [
    ...added.map((name) => `${name} is new`),
    ...removed.map((name) => `${name} is gone`),
    ...changed.map(({ name, reconnect }) => `${name} is ${reconnect ? 'started again' : 'changed'}`),
  ]
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`
}
