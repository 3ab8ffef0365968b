import { bindingOf, type Exchange, type Sealer } from '@gantry/mcp/exchange'
import type { TargetCatalog } from '../../catalog/target-catalog.ts'
import type { ObjectKind } from '../../model/index.ts'

/** The origin of a task: its target, its id there, and the call that made it. */
export interface TaskOrigin {
  /** The name of the target. */
  readonly target: string
  readonly own: string
  /** Whether the gateway runs it itself, on behalf of an older target. */
  readonly isOwn: boolean
  readonly kind: ObjectKind
  /** The target's own name of what was called. */
  readonly name: string
  /** Which server the target was when the task began. Another server in its place has other tasks. */
  readonly server: string
  /** The process that has it, where tasks end with their process. */
  readonly process: string
  /** The gateway that runs it, where it is one of several; else empty. */
  readonly at: string
}

/** A task of this caller. */
export interface CallerTask extends Omit<TaskOrigin, 'target'> {
  readonly catalog: TargetCatalog
  /** The id that the caller knows. */
  readonly shown: string
}

/** Task ids that clients see, sealed for the caller and the endpoint. */
export class TaskIds {
  readonly #sealer: Sealer
  readonly endpoint: string

  constructor(options: { sealer: Sealer; endpoint: string }) {
    this.#sealer = options.sealer
    this.endpoint = options.endpoint
  }

  write(origin: TaskOrigin, exchange: Exchange): Promise<string> {
    const { target, own, isOwn, kind, name, server, process, at } = origin
    const parts = [target, own, isOwn, kind, name, server, process, at]
    return this.#sealer.seal(parts, this.#bindingOf(exchange))
  }

  /** Returns undefined when the id does not belong to this caller. */
  async read(taskId: unknown, exchange: Exchange): Promise<TaskOrigin | undefined> {
    if (typeof taskId !== 'string') return undefined
    const opened = await this.#sealer.open(taskId, this.#bindingOf(exchange))
    if (!Array.isArray(opened)) return undefined
    const [target, own, isOwn, kind, name, server, process = '', at = ''] = opened
    return { target, own, isOwn, kind, name, server, process, at }
  }

  #bindingOf({ auth }: Exchange): string {
    return bindingOf('task', auth?.principal, this.endpoint)
  }
}
