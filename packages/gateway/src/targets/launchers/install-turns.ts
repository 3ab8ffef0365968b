import type { TargetModel } from '../../model/index.ts'
import { StartGate } from '../connection/start-gate.ts'
import { npxFolders } from './broken-install.ts'

/**
 * npm installs a package into one folder for all processes, and up to version 10 it does not lock the folder: two
 * installations at the same time break it for good. So only one target at a time starts a package, until the package
 * has started once.
 */
export class InstallTurns {
  readonly #installed = new Set<string>()
  readonly #gates = new Map<string, StartGate>()

  /** Rejects with the signal's reason when it is aborted before its turn. */
  run<T>(model: TargetModel, start: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const folder = model.kind === 'stdio' ? npxFolders(model)[0] : undefined
    if (folder === undefined || this.#installed.has(folder)) return start()
    const gate = this.#gates.get(folder) ?? new StartGate(1)
    this.#gates.set(folder, gate)
    return gate.run(async () => {
      const started = await start()
      this.#installed.add(folder)
      this.#gates.delete(folder)
      return started
    }, signal)
  }
}
