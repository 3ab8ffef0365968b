import type { LogEvent, LogLevel, Log } from '../../telemetry/log.ts'
import type { Instance } from './instance.ts'
import type { ConnectionState } from './life.ts'
import { TargetError } from '../target-error.ts'

/**
 * The log line for a connection that comes into a state for a reason. Starting and being ready are steps of the
 * handshake.
 */
const SAID: { readonly [state in ConnectionState]?: readonly [LogLevel, string, LogEvent] } = {
  idle: ['warn', 'the connection was lost', 'target-lost'],
  degraded: ['warn', 'it does not answer pings', 'target-silent'],
  'backing-off': ['warn', 'it failed, and is tried again', 'target-failed'],
  quarantined: ['error', 'it failed too often, and is left alone for a while', 'target-quarantined'],
  'needs-auth': ['warn', 'it needs a login', 'target-needs-login'],
  stopped: ['warn', 'it failed, and is not started again', 'target-stopped'],
}

/** In milliseconds: that a target still fails for the same reason is said again after so long. */
const AGAIN = 10 * 60_000

/**
 * Writes a line whenever a connection of a target is lost, fails, or is given up. Attempts that fail alike are counted.
 */
export function stateLog(target: string, log: Log): (instance: Instance) => void {
  const last = new WeakMap<Instance, string>()
  const told = new WeakMap<Instance, { readonly what: string; readonly at: number }>()
  return (instance) => {
    const { state, reason, since } = instance
    const now = `${state} ${since} ${reason}`
    if (last.get(instance) === now) return
    last.set(instance, now)
    const said = SAID[state]
    if (!said || reason === undefined) return
    const [level, what, event] = said
    const { reason: code } = TargetError.from(target, instance.failure)
    const { failures } = instance
    const before = told.get(instance)
    const at = performance.now()
    if (failures > 1 && before?.what === `${state} ${code}` && at - before.at < AGAIN) return
    told.set(instance, { what: `${state} ${code}`, at })
    const retryIn = instance.retryAt > Date.now() ? instance.retryAt - Date.now() : undefined
    log(level, `${target}: ${what}`, {
      target,
      state,
      reason: code,
      detail: reason,
      retryInMs: retryIn,
      failures: failures > 1 ? failures : undefined,
      event,
    })
  }
}
