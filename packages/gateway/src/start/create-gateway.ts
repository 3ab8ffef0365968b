import type { OpenedTrail } from '../audit/index.ts'
import { Gateway } from '../gateway.ts'
import { LazyAccounts } from '../identity/vault/lazy-accounts.ts'
import type { GatewayModel } from '../model/index.ts'
import { readVersion } from '../model/read-version.ts'
import { openState, type State } from '../state/open-state.ts'
import { vaultKeys } from '../state/vault-keys.ts'
import { isPersonal } from '../targets/personal.ts'
import { loadTracer } from '../telemetry/load-tracer.ts'
import type { Log, Verbosity } from '../telemetry/log.ts'
import type { LogRing } from '../telemetry/log-ring.ts'
import type { SecretScrubber } from '../telemetry/secret-scrubber.ts'
import { StderrLog } from '../telemetry/stderr-log.ts'
import { openLog } from './open-log.ts'
import type { StartOptions } from './start-options.ts'

export async function createGateway(
  options: StartOptions,
  isTraced = false,
): Promise<{
  gateway: Gateway
  state: State
  ring: LogRing
  audit: OpenedTrail | undefined
  verbosity: Verbosity
  accounts: LazyAccounts
}> {
  const { model, embedded } = options
  const { log, scrubber, ring, verbosity } = openLog(model, options.logLevel, undefined, options.logFormat)
  const state = await openState(model, log)
  const tracer = isTraced
    ? await loadTracer({ model, env: process.env, version: readVersion(), log, scrubber })
    : undefined
  const audit = model.audit && (await openAudit(model, log, scrubber))
  const accounts: LazyAccounts = new LazyAccounts({
    store: state.store,
    keys: vaultKeys(model, state, log),
    learnSecret: (value, owner) => scrubber.learn(value, owner),
    log,
    dropped: (change) => {
      for (const target of gateway.targets) {
        if (isPersonal(target.model) && (!change || change.target === target.name)) {
          void target.forget(change?.principal)
        }
      }
    },
  })
  const gateway: Gateway = new Gateway({
    model,
    accounts,
    sealer: state.sealer,
    store: state.store,
    scrubber,
    log,
    version: readVersion(),
    tracer,
    audit: audit?.trail,
    ...(embedded && { embedded }),
  })
  gateway.observers.add(new StderrLog(log))
  return { gateway, state, ring, audit, verbosity, accounts }
}

/** Loaded only where a trail is kept. */
async function openAudit(model: GatewayModel, log: Log, scrubber: SecretScrubber): Promise<OpenedTrail> {
  const { openTrail } = await import('../audit/open-trail.ts')
  return openTrail({
    settings: model.audit!,
    stateDir: model.stateDir,
    product: { name: model.server.name, version: readVersion() },
    clean: (text) => scrubber.scrubText(text),
    log,
  })
}
