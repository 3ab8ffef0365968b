import { slotOf } from '../workers/worker-place.ts'
import { type AskedSession, type Passed, sessionOf, type SessionRouter } from '../workers/session-router.ts'
import type { WorkerPort } from '../workers/worker-port.ts'
import { isStatus } from './status-pages.ts'

interface OtherProcesses {
  /** The other processes of this machine that share the port. */
  readonly workers: WorkerPort | undefined
  /** Knows which gateway has a session. */
  readonly sessions: SessionRouter | undefined
  readonly path: string
  /** Called when the request turns out to be for this process. */
  readonly here: () => void
}

/**
 * The session of an older client is in one process, and so are the pages: a request that belongs to another process is
 * passed on.
 */
export function passedOn({ workers, sessions, path, here }: OtherProcesses, asked: Passed): boolean {
  const session = isMcp(path) ? sessionOf(asked.request) : undefined
  if (session && sessions?.isElsewhere(session)) {
    sessions.passOn(session, asked, here)
    return true
  }
  const slot = workers && slotFor(path, session, workers)
  if (slot === undefined || slot === workers?.place.slot) return false
  if (session) workers!.forwardSession(slot, asked)
  else workers!.forward(slot, asked, here)
  return true
}

export function isMcp(path: string): boolean {
  return /^\/(mcp|sse)(\/|$)/.test(path)
}

/** Which worker answers: the worker that has the session, or the first worker for all pages. Undefined: any worker. */
function slotFor(path: string, session: AskedSession | undefined, { place }: WorkerPort): number | undefined {
  if (isStatus(path)) return undefined
  if (!isMcp(path)) return 0
  return session && slotOf(session.id, place.count)
}
