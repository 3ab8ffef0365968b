import type { CallTable } from '../../call-table.ts'
import { canAskForInput } from '../../client/params.ts'
import type { LegacyCall } from './call.ts'
import { relatedTaskOf } from './questions.ts'
import { type Owner, type OwnerOf, sameOwner } from '../../client/owner.ts'
import { relatedRequestOf } from '../../message-hints.ts'
import type { UnansweredCalls } from '../../client/unanswered-calls.ts'
import type { IncomingMessage } from '../../wire.ts'

export type Attribution =
  | { readonly to: 'call'; readonly call: LegacyCall; readonly isNamed: boolean }
  /** Several calls of one owner: whom to show it to is known, which call it belongs to is not. */
  | { readonly to: 'owner'; readonly calls: readonly LegacyCall[] }
  /** Calls of several owners: nobody may see it. */
  | { readonly to: 'strangers'; readonly calls: readonly LegacyCall[] }
  | { readonly to: 'nobody' }

const NOBODY: Attribution = { to: 'nobody' }

export interface AttributionOptions {
  calls: Pick<CallTable<unknown, LegacyCall>, 'get' | 'values'>
  unanswered: UnansweredCalls
  ownerOf: OwnerOf
}

/** The one rule by which questions and log messages that name no call reach a caller. */
export class Attributor {
  readonly #options: AttributionOptions

  constructor(options: AttributionOptions) {
    this.#options = options
  }

  /** The call that a message names. Undefined when it names none; 'nobody' when that call is over. */
  named(message: IncomingMessage): Attribution | undefined {
    const related = relatedRequestOf(message)
    if (related !== undefined) return toCall(this.#options.calls.get(related))
    const taskId = relatedTaskOf(message)
    return taskId === undefined ? undefined : toCall(this.#follower(taskId))
  }

  /** A call that was given up counts like one in flight, but gets nothing. */
  attribute(message: IncomingMessage): Attribution {
    const named = this.named(message)
    if (named) return named
    const isQuestion = 'id' in message
    const { calls, unanswered, ownerOf } = this.#options
    let owner: Owner | undefined
    let isOnlyOwner = true
    const candidates = calls.values().filter((call) => {
      const one = !isQuestion || canAskForInput(call.method) ? ownerOf(call.origin) : undefined
      if (one && owner) isOnlyOwner &&= sameOwner(one, owner)
      owner ??= one
      return one !== undefined
    })
    const [first] = candidates
    if (!first || !owner) return NOBODY
    isOnlyOwner &&= !unanswered.hasOther(owner, isQuestion)
    if (!isOnlyOwner) return { to: 'strangers', calls: candidates }
    // A call that waits for an answer already hardly asks a second time: it gives way to the one that works.
    const working = candidates.filter((call) => call.exchange !== undefined)
    const only = working.length === 1 ? working[0] : candidates.length === 1 ? first : undefined
    return only ? { to: 'call', call: only, isNamed: false } : { to: 'owner', calls: candidates }
  }

  /** Questions and progress of a task are delivered while its result is waited for (2025-11-25, Tasks). */
  #follower(taskId: string): LegacyCall | undefined {
    return this.#options.calls.values().find((call) => call.awaitedTask === taskId)
  }
}

function toCall(call: LegacyCall | undefined): Attribution {
  return call ? { to: 'call', call, isNamed: true } : NOBODY
}
