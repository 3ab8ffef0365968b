import { removeStateFile, writeStateFile, type GatewayState } from '../config/index.ts'
import type { GatewayModel } from '../model/index.ts'
import type { Log } from '../telemetry/log.ts'

type Unset<T> = { readonly [K in keyof T]-?: T[K] | undefined }

/** Commands find the gateway by a file in its state folder. One that cannot be written costs only that. */
export async function announceState(
  { model, log }: { model: GatewayModel; log: Log },
  isKept: boolean,
  facts: Pick<GatewayState, 'url' | 'version'> & Unset<Pick<GatewayState, 'token' | 'serves' | 'supervisor'>>,
): Promise<() => Promise<void>> {
  const { pid } = process
  // Undefined members are left out of the file.
  const state = { ...facts, pid, startedAt: Date.now() } as GatewayState
  await writeStateFile(model.stateDir, state).catch((error) => {
    // A folder that cannot be used is reported once.
    if (isKept)
      log('warn', `Commands will not find this gateway: ${String(error)}`, {
        event: 'gateway-not-announced',
      })
  })
  return () => removeStateFile(model.stateDir, pid)
}
