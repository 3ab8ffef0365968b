import type { LoggingLevel } from '../../../protocol/index.ts'

/** What a client has asked of its session since it began. The id of the session cannot say it. */
export interface SessionSettings {
  readonly logLevel?: LoggingLevel | undefined
  /** Resources that it follows. */
  readonly resources?: readonly string[] | undefined
}

/** Where settings are kept, so that a session can go on in another process. */
export interface KeptSettings {
  /** The request that changes them is answered when this has ended. */
  keep(session: string, settings: SessionSettings): Promise<void>
  /** The session is over: no process takes it up again. */
  end(session: string): Promise<void>
  find(session: string): Promise<SessionSettings | 'ended' | undefined>
}
