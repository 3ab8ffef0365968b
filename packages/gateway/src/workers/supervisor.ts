import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../telemetry/log.ts'
import { READY, REPLACED, WORKER, type WorkerPlace } from './worker-place.ts'

const FIRST_PAUSE = 200
const LONGEST_PAUSE = 10_000
/** A worker that lived so long did not fail because of how it starts. */
const LONG_LIFE = 30_000

/** Runs this command in several processes that share the port, until a signal comes. False when they do not start. */
export async function supervise(count: number, log: Log): Promise<boolean> {
  const supervisor = new Supervisor(count, log)
  return supervisor.run()
}

class Supervisor {
  readonly #count: number
  readonly #log: Log
  /** Only this user can open it. */
  readonly #folder = mkdtempSync(join(tmpdir(), 'gantry-workers-'))
  readonly #workers: (Worker | undefined)[] = []
  readonly #pauses: number[] = []
  #isStopping = false
  #reloading: Promise<void> | undefined
  #announces = true

  constructor(count: number, log: Log) {
    this.#count = count
    this.#log = log
  }

  async run(): Promise<boolean> {
    const stopped = this.#takeSignals()
    try {
      // What keeps the first from starting would keep all of them.
      await this.#start(0)
      await Promise.all(Array.from({ length: this.#count - 1 }, (_, index) => this.#start(index + 1)))
      this.#log('info', 'All workers serve', { workers: this.#count })
      await stopped
      return true
    } catch {
      // The worker has said why.
      return false
    } finally {
      this.#isStopping = true
      await Promise.all(
        Object.values(cluster.workers ?? {}).map(
          (worker) => worker && end(worker, () => worker.process.kill('SIGTERM')),
        ),
      )
      rmSync(this.#folder, { recursive: true, force: true })
    }
  }

  #takeSignals(): Promise<void> {
    process.on('SIGHUP', () => void this.#reload())
    return new Promise((resolve) => {
      const stop = (): void => {
        if (this.#isStopping) {
          for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL')
          rmSync(this.#folder, { recursive: true, force: true })
          process.exit(1)
        }
        this.#isStopping = true
        resolve()
      }
      process.on('SIGTERM', stop)
      process.on('SIGINT', stop)
    })
  }

  /** Resolves when the worker serves; rejects when it ends before. */
  async #start(slot: number): Promise<void> {
    const worker = await this.#fork(slot)
    this.#workers[slot] = worker
    this.#follow(worker, slot)
  }

  async #fork(slot: number): Promise<Worker> {
    const place: WorkerPlace = { slot, count: this.#count, folder: this.#folder, announces: this.#announces }
    this.#announces = false
    const worker = cluster.fork({ [WORKER]: JSON.stringify(place) })
    const aborted = new AbortController()
    const serves = new Promise<void>((resolve) => {
      worker.on('message', (message) => {
        if (message === READY) resolve()
      })
    })
    const ended = once(worker, 'exit', { signal: aborted.signal }).then(([code, signal]) => {
      throw new Error(`A worker ended while it started: ${signal ?? code}`)
    })
    await Promise.race([serves, ended])
    ended.catch(() => {})
    aborted.abort()
    return worker
  }

  /** One that dies is replaced, after pauses that grow while it dies at once. */
  #follow(worker: Worker, slot: number): void {
    const began = Date.now()
    worker.once('exit', (code, signal) => {
      if (this.#workers[slot] !== worker) return
      this.#workers[slot] = undefined
      if (this.#isStopping) return
      this.#log('warn', 'A worker ended, and is started again', {
        worker: slot,
        reason: String(signal ?? code),
        event: 'worker-ended',
      })
      if (Date.now() - began > LONG_LIFE) this.#pauses[slot] = 0
      void this.#replace(slot)
    })
  }

  async #replace(slot: number): Promise<void> {
    while (!this.#isStopping && !this.#workers[slot]) {
      const pause = this.#pauses[slot] || 0
      this.#pauses[slot] = Math.min(Math.max(2 * pause, FIRST_PAUSE), LONGEST_PAUSE)
      await delay(pause, undefined, { ref: false })
      if (!this.#isStopping) await this.#start(slot).catch(() => {})
    }
  }

  /** One after another: the next serves before the one before is asked to end. */
  #reload(): Promise<void> {
    this.#reloading ??= this.#replaceAll().finally(() => {
      this.#reloading = undefined
    })
    return this.#reloading
  }

  async #replaceAll(): Promise<void> {
    this.#log('info', 'The workers are replaced one after another', { workers: this.#count })
    for (let slot = 0; slot < this.#count && !this.#isStopping; slot++) {
      const before = this.#workers[slot]
      try {
        await this.#start(slot)
      } catch (error) {
        return this.#log('error', 'A new worker does not start, so the others stay as they are', {
          detail: String(error),
          event: 'reload-failed',
        })
      }
      if (before) await end(before, () => before.send(REPLACED))
    }
    this.#log('info', 'All workers are replaced')
  }
}

async function end(worker: Worker, tell: () => void): Promise<void> {
  if (worker.isDead()) return
  const exit = once(worker, 'exit')
  tell()
  await exit
}
