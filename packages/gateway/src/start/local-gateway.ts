import { Admin } from '../admin/admin.ts'
import { ConfigFile } from '../admin/config/config-file.ts'
import type { AdminApi } from '../admin/contract.ts'
import { localApi } from '../admin/local-api.ts'
import { localUrl, publicUrl } from '../front/addresses.ts'
import { KeptKeys } from '../identity/keys/kept-keys.ts'
import type { GatewayModel } from '../model/index.ts'
import { createGateway } from './create-gateway.ts'
import { hostFacts, type StartOptions } from './start-options.ts'

export interface LocalGateway {
  readonly api: AdminApi
  close(): Promise<void>
}

/**
 * A gateway without a port, for commands that find no running gateway. Only the targets that the command needs are
 * started.
 */
export async function openLocalGateway(options: StartOptions): Promise<LocalGateway> {
  const local = { ...options, model: lazily(options.model) }
  const { gateway, state, ring, audit, accounts } = await createGateway(local)
  await gateway.load()
  const { host, port, loopback } = options.model.server
  const url = publicUrl(options.model) ?? localUrl(options.model, { address: host, port, loopback })
  const configFile = options.source && new ConfigFile({ ...options.source, gateway })
  const keys = new KeptKeys(state.store)
  const admin = new Admin({
    ...hostFacts(options),
    gateway,
    keys,
    accounts,
    log: ring,
    front: undefined,
    url,
    configFile,
  })
  return {
    api: localApi(admin.handlers, (value) => gateway.scrubber.toJson(value)),
    async close() {
      await admin.close()
      await gateway.close()
      await accounts.close()
      await audit?.close()
      await state.store.close()
    },
  }
}

/**
 * A command usually needs a single target. The other targets are not started only to find out whether their lists have
 * changed.
 */
function lazily(model: GatewayModel): GatewayModel {
  return { ...model, targets: model.targets.map((target) => ({ ...target, start: 'lazy' as const })) }
}
