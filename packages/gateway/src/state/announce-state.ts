import { removeStateFile, writeStateFile, type GatewayState } from '../config/index.ts'
import type { GatewayModel } from '../model/index.ts'
import type { Log } from '../telemetry/log.ts'

type Unset<T> = { readonly [K in keyof T]-?: T[K] | undefined }

/**
 * Writes a file in the state folder, by which commands find the gateway. When it cannot be written, commands do not
 * find the gateway, and nothing else is lost.
 */
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
