import type { NumberedMessage } from './operations/messages.ts'
import type { Away } from './store.ts'
import type { Argument, OperationName, Result } from './operations/index.ts'

export interface Heard {
  readonly messages: readonly NumberedMessage[]
  readonly missed: boolean
}

export type Hear = (news: Heard) => void

/** Runs operations, each in a transaction of its own, and hears what is published. */
export interface Driver {
  readonly kind: 'memory' | 'embedded' | 'redis'
  /** Set while it cannot be reached; what is asked of it fails at once then. */
  readonly away?: Away | undefined
  run<Name extends OperationName>(name: Name, argument: Argument<Name>): Promise<Result<Name>>
  /** Tells what is published after this resolves. Returns what ends it. */
  watch(hear: Hear): Promise<() => void>
  close(): Promise<void>
}
