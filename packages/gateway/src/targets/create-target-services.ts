import type { GatewayModel } from '../model/index.ts'
import { Deadlines } from './calls.ts'
import { StartGate } from './connection/start-gate.ts'
import { InstallTurns } from './launchers/install-turns.ts'
import { ArrivingResults } from './fetch/arriving-results.ts'
import { createPooledFetch } from './fetch/pooled-fetch.ts'
import type { TargetServices } from './operated-target.ts'

type Given = Pick<
  TargetServices,
  | 'info'
  | 'continuations'
  | 'accounts'
  | 'store'
  | 'embedded'
  | 'log'
  | 'learnSecret'
  | 'hide'
  | 'toJson'
  | 'exchanges'
  | 'tracer'
>

/** Makes the services that all targets of a gateway share, within the limits of its configuration. */
export function createTargetServices({ server, stateDir }: GatewayModel, given: Given): TargetServices {
  const { limits } = server
  const arriving = new ArrivingResults(
    { perCaller: limits.resultBytes, total: 2 * limits.resultBytes },
    {
      stallTimeout: limits.stallTimeout,
      onStalled: (target, { message, details }) =>
        given.log('warn', `${target} stopped in the middle of a long message: its connection is closed`, {
          target,
          detail: message,
          ...details,
          event: 'target-stalled',
        }),
    },
  )
  return {
    ...given,
    gate: new StartGate(limits.startingTargets),
    installs: new InstallTurns(),
    deadlines: new Deadlines(),
    arriving,
    fetch: createPooledFetch(arriving),
    stateDir,
    maxMessageBytes: limits.resultBytes,
    heldFor: limits.parkedFor,
  }
}
