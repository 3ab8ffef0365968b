import type { AuthInfo } from '@gantry/mcp/exchange'
import type { Door } from '../front/door.ts'
import type { FrontOptions } from '../front/front.ts'
import type { Gateway } from '../gateway.ts'
import type { Portal } from '../identity/portal/portal.ts'
import type { LazyAccounts } from '../identity/vault/lazy-accounts.ts'
import type { TargetModel } from '../model/index.ts'
import { isPersonal } from '../targets/personal.ts'

/** The targets that this caller may know, and uses with an account of its own. */
export function personalTargets(gateway: Gateway, auth: AuthInfo): TargetModel[] {
  return gateway.targets
    .filter(({ model }) => model.enabled && model.credentials.kind === 'user')
    .filter((target) => gateway.mayKnow(target, { auth }))
    .map(({ model }) => model)
}

/** The page where people manage their accounts. It is loaded only when a target has such accounts. */
export function lazyPortal(
  gateway: Gateway,
  accounts: LazyAccounts,
  door: Door,
): {
  handle: NonNullable<FrontOptions['portal']>
  /** Loads the page and the accounts now: the files may be of another version when the first visitor comes. */
  prepare(): Promise<unknown>
  close(): Promise<void>
} {
  const isWanted = (): boolean => gateway.targets.some(({ model }) => isPersonal(model))
  let loaded: Promise<Portal> | undefined
  const load = async (): Promise<Portal> => {
    const { Portal: Loaded } = await import('../identity/portal/portal.ts')
    return new Loaded({
      accounts,
      store: gateway.store,
      log: gateway.log,
      guard: () => door.guard,
      signIn: () => door.signIn,
      targets: (auth) => personalTargets(gateway, auth),
    })
  }
  return {
    handle(request, response, path) {
      if (path !== '/connect' && !path.startsWith('/connect/')) return false
      if (!isWanted()) return false
      loaded ??= load()
      loaded.then((portal) => portal.handle(request, response, path)).catch(() => response.destroy())
      return true
    },
    async prepare() {
      if (!isWanted()) return
      loaded ??= load()
      await Promise.all([loaded, accounts.get()])
    },
    close: async () => (await loaded?.catch(() => undefined))?.close(),
  }
}
