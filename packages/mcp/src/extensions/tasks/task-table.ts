import {
  type Budget,
  callerKey,
  failure,
  RefusedForLoad,
  type Exchange,
  type Notification,
  type Outcome,
  type TaskHandle,
} from '../../exchange/index.ts'
import { INTERNAL_ERROR, INVALID_PARAMS, ProtocolError, writeJson } from '../../jsonrpc/index.ts'
import { LONGEST_TIMER } from '../../protocol/index.ts'
import { RunningTask } from './running-task.ts'
import type { DetailedTask } from './task.ts'
import type { Listed } from './task-index.ts'
import { ownerOf } from './task-owner.ts'
import type { TaskRecords } from './task-records.ts'

export interface TaskTableOptions {
  records: TaskRecords
  /** Counts the handlers that run. No caller waits for them, so they could pile up. */
  slots: Budget
  ttlMs: number
  pollIntervalMs: number
  maxResultSize: number
  onChange(task: RunningTask): void
  onMessage(task: RunningTask, message: Notification): void
  onError(thrown: unknown): void
}

export interface BegunTask {
  readonly task: RunningTask
  readonly handle: TaskHandle
  conclude(outcome: Outcome): void
  /** The call ended before its caller was told of a task. */
  discard(): void
}

/** All tasks that clients can ask for: running ones of this process, and finished ones in the store. */
export class TaskTable {
  readonly #options: TaskTableOptions
  readonly #running = new Map<string, RunningTask>()

  constructor(options: TaskTableOptions) {
    this.#options = options
  }

  /** Makes a task that can be found from now on; throws the error that refuses it when there are too many. */
  begin(exchange: Exchange, wantedTtlMs: number = Number.POSITIVE_INFINITY): BegunTask {
    const { pollIntervalMs, onMessage } = this.#options
    const ttlMs = Math.min(this.#options.ttlMs, wantedTtlMs)
    const release = this.#count(callerKey(exchange))
    const task = new RunningTask({
      owner: ownerOf(exchange),
      session: exchange.session,
      ttlMs,
      pollIntervalMs,
      onChange: (changed) => this.#changed(changed),
      onMessage,
    })
    this.#running.set(task.taskId, task)
    const stop = later(ttlMs, () => {
      release()
      task.expire()
    })
    const end = (): void => {
      stop()
      release()
    }
    return {
      task,
      handle: { type: 'task', task: { ...task.toTask() } },
      conclude: (outcome) => {
        end()
        task.finish(this.#fitting(outcome))
      },
      discard: () => {
        end()
        this.#running.delete(task.taskId)
      },
    }
  }

  /** Returns what ends the counting; it may be called twice. */
  #count(caller: string): () => void {
    const { slots } = this.#options
    if (slots.take(caller, 1)) {
      throw new RefusedForLoad('Too many tasks are running: try again later', { reason: 'tasks' })
    }
    let isRunning = true
    return () => {
      if (isRunning) slots.give(caller, 1)
      isRunning = false
    }
  }

  running(taskId: string): RunningTask | undefined {
    return this.#running.get(taskId)
  }

  /** Another caller's task does not exist. */
  async find(taskId: string, exchange: Exchange): Promise<DetailedTask | undefined> {
    const running = this.#running.get(taskId)
    const found = running
      ? { owner: running.owner, task: running.toDetailedTask() }
      : await this.#options.records.load(taskId)
    return found && found.owner === ownerOf(exchange) ? found.task : undefined
  }

  async require(exchange: Exchange): Promise<DetailedTask> {
    const { taskId } = exchange.params
    if (typeof taskId !== 'string') {
      throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "taskId" must be a string')
    }
    const task = await this.find(taskId, exchange)
    if (!task) throw new ProtocolError(INVALID_PARAMS, 'Task not found: it never was, or has expired')
    return task
  }

  /** All that `find` would find for this owner, in no order. */
  async listed(owner: string): Promise<Pick<Listed, 'taskId' | 'createdAt'>[]> {
    const listed = new Map((await this.#options.records.listed(owner)).map((one) => [one.taskId, one]))
    const running = [...this.#running.values()].filter(
      (task) => task.owner === owner && !listed.has(task.taskId),
    )
    return [...listed.values(), ...running]
  }

  /** Cancels running tasks: all of them, or the tasks of one owner. */
  cancelAll(message: string, owner?: string): void {
    for (const task of [...this.#running.values()]) {
      if (owner === undefined || task.owner === owner) task.cancel(message)
    }
  }

  #fitting(outcome: Outcome): Outcome {
    if (outcome.type !== 'complete') return outcome
    try {
      if (writeJson(outcome.result).length <= this.#options.maxResultSize) return outcome
      return failure(new ProtocolError(INTERNAL_ERROR, 'The result is too large to be kept'))
    } catch (thrown) {
      this.#options.onError(thrown)
      return failure(ProtocolError.from(thrown), thrown)
    }
  }

  #changed(task: RunningTask): void {
    const { onChange, onError, records } = this.#options
    onChange(task)
    if (!task.isOver) return
    records.save(task).then(
      () => void this.#running.delete(task.taskId),
      (thrown: unknown) => {
        // Without the store it stays here for as long as it would have been kept there.
        onError(thrown)
        later(task.remainingMs, () => this.#running.delete(task.taskId))
      },
    )
  }
}

/** A timer that keeps no process alive; returns what stops it. */
function later(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, Math.min(milliseconds, LONGEST_TIMER))
  timer.unref?.()
  return () => clearTimeout(timer)
}
