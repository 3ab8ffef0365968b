import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../telemetry/log.ts'
import { keepHandedConnections } from './keep-handed-connections.ts'
import {
  READY,
  isTold,
  PING,
  type ReloadResult,
  REPLACED,
  supervisorSocket,
  WORKER,
  type WorkerPlace,
} from './worker-place.ts'

const FIRST_PAUSE = 200
const LONGEST_PAUSE = 10_000
/** A worker that lived so long did not fail because of how it starts. */
const LONG_LIFE = 30_000
const PING_EVERY = 2_000
/** A worker that answers nothing for so long stands still: in an endless loop, or stopped. */
const SILENT_FOR = 10_000
const STARTS_WITHIN = 120_000

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
  /** Workers that do not serve yet. */
  readonly #starting: (Promise<void> | undefined)[] = []
  readonly #pauses: number[] = []
  readonly #turns: (0 | 1)[] = []
  #isStopping = false
  #reloading: Promise<ReloadResult> | undefined
  #asked: Promise<ReloadResult> | undefined
  #announces = true

  constructor(count: number, log: Log) {
    this.#count = count
    this.#log = log
  }

  async run(): Promise<boolean> {
    const stopped = this.#takeSignals()
    const port = this.#openPort()
    try {
      // A fault that keeps the first worker from starting would keep all workers from starting.
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
      port.close()
      await Promise.all(
        Object.values(cluster.workers ?? {}).map(
          (worker) => worker && end(worker, () => worker.process.kill('SIGTERM')),
        ),
      )
      rmSync(this.#folder, { recursive: true, force: true })
    }
  }

  /** `gantry reload` asks here, and is told what became of it. Only this user can open the folder. */
  #openPort(): Server {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      void this.#reload().then((result) => socket.end(JSON.stringify(result)))
    })
    // Without it, a signal still does.
    server.on('error', (error) =>
      this.#log('warn', 'Commands cannot ask for new workers', {
        detail: String(error),
        event: 'reload-not-offered',
      }),
    )
    return server.listen(supervisorSocket(this.#folder))
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
  #start(slot: number): Promise<void> {
    const started = this.#startNow(slot).finally(() => {
      this.#starting[slot] = undefined
    })
    this.#starting[slot] = started
    return started
  }

  async #startNow(slot: number): Promise<void> {
    const worker = await this.#fork(slot)
    this.#workers[slot] = worker
    this.#follow(worker, slot)
  }

  async #fork(slot: number): Promise<Worker> {
    const turn = this.#turns[slot] === 0 ? 1 : 0
    this.#turns[slot] = turn
    const place: WorkerPlace = {
      slot,
      turn,
      count: this.#count,
      folder: this.#folder,
      announces: this.#announces,
    }
    this.#announces = false
    const worker = cluster.fork({ [WORKER]: JSON.stringify(place) })
    keepHandedConnections(worker)
    this.#watch(worker, slot)
    const aborted = new AbortController()
    const serves = new Promise<void>((resolve) => {
      worker.on('message', (message) => {
        if (message === READY) resolve()
        else if (isTold(message)) tellOthers(worker, message.told)
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

  /** Kills a worker that stands still: it holds a connection and its sessions, and would hold a reload for ever. */
  #watch(worker: Worker, slot: number): void {
    let patience = STARTS_WITHIN
    const timer = setInterval(() => {
      patience -= PING_EVERY
      if (patience > 0) {
        if (worker.isConnected()) worker.send(PING)
        return
      }
      this.#log('warn', 'A worker stands still, and is killed', {
        worker: slot,
        event: 'worker-stands-still',
      })
      worker.process.kill('SIGKILL')
    }, PING_EVERY)
    worker.on('message', () => {
      patience = SILENT_FOR
    })
    worker.once('exit', () => clearInterval(timer))
  }

  /** A worker that dies is replaced. The pause before that grows while new ones die at once. */
  #follow(worker: Worker, slot: number): void {
    const began = Date.now()
    worker.once('exit', (code, signal) => {
      tellOthers(worker, undefined)
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
      if (this.#isStopping) return
      // A reload may just be starting one: with another one there would be two in its place.
      await (this.#starting[slot] ?? this.#start(slot)).catch(() => {})
    }
  }

  /**
   * A reload that is asked for during another reload runs after it, because workers of the first may have the old
   * version.
   */
  #reload(): Promise<ReloadResult> {
    this.#asked ??= Promise.resolve(this.#reloading).then(() => {
      this.#asked = undefined
      this.#reloading = this.#replaceAll()
      return this.#reloading
    })
    return this.#asked
  }

  /** One after another: the next serves before the one before is asked to end. */
  async #replaceAll(): Promise<ReloadResult> {
    this.#log('info', 'The workers are replaced one after another', { workers: this.#count })
    let replaced = 0
    for (; replaced < this.#count && !this.#isStopping; replaced++) {
      await this.#starting[replaced]?.catch(() => {})
      const before = this.#workers[replaced]
      try {
        await this.#start(replaced)
      } catch (error) {
        const failed = 'A new worker does not start, so the others stay as they are'
        this.#log('error', failed, { detail: String(error), event: 'reload-failed' })
        return { replaced, failed }
      }
      if (before) await end(before, () => before.send(REPLACED))
    }
    if (this.#isStopping) return { replaced, failed: 'The gateway is stopping' }
    this.#log('info', 'All workers are replaced')
    return { replaced }
  }
}

/** Passes on what a worker tells; undefined when the worker is gone. */
function tellOthers(worker: Worker, told: unknown): void {
  for (const other of Object.values(cluster.workers ?? {})) {
    if (other && other !== worker && other.isConnected()) other.send({ told: told ?? null, from: worker.id })
  }
}

async function end(worker: Worker, tell: () => void): Promise<void> {
  if (worker.isDead()) return
  const exit = once(worker, 'exit')
  tell()
  await exit
}
