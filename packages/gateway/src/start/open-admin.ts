import { Admin } from '../admin/admin.ts'
import { AdminGate } from '../admin/http/admin-gate.ts'
import { AdminServer } from '../admin/http/admin-server.ts'
import { AdminToken } from '../admin/http/admin-token.ts'
import { ConsoleCookie } from '../admin/http/console-cookie.ts'
import { ConsoleFiles } from '../admin/http/console-files.ts'
import { ConsolePeople } from '../admin/http/console-people.ts'
import { consoleAddress } from '../front/addresses.ts'
import type { Door } from '../front/door.ts'
import type { Gateway } from '../gateway.ts'
import type { OnRefused } from '../identity/refusal.ts'
import type { State } from '../state/open-state.ts'

export interface AdminParts {
  readonly host: Omit<ConstructorParameters<typeof Admin>[0], 'renewToken'>
  readonly state: State
  readonly door: Door
  readonly onRefused: OnRefused
  /** Only this machine reaches the port, so a token is enough to sign in. */
  readonly isLocal: boolean
  /** Told of a new token. */
  renewed(token: AdminToken): Promise<unknown>
}

export interface OpenedAdmin {
  readonly admin: Admin
  readonly server: AdminServer
  readonly token: AdminToken | undefined
}

/** The admin API and the console, and who may use them. */
export async function openAdmin({
  host,
  state,
  door,
  onRefused,
  isLocal,
  renewed,
}: AdminParts): Promise<OpenedAdmin> {
  const { gateway, url } = host
  const token = isLocal ? await loadToken(gateway, state) : undefined
  const renewToken =
    token &&
    (async (): Promise<string> => {
      const value = await token.renew()
      await Promise.all([server.recheck(), renewed(token)])
      return consoleAddress(url, value)
    })
  const admin = new Admin({ ...host, renewToken })
  const cookie = new ConsoleCookie(state.sealer, url)
  const people = new ConsolePeople({
    store: state.store,
    logins: () => door.signIn?.logins,
    issuer: () => door.auth.signIn?.issuer,
  })
  const guard = () => door.guard
  const roles = () => door.auth.roles
  const server = new AdminServer({
    handlers: admin.handlers,
    gate: new AdminGate({ token, cookie, people, guard, roles, onRefused }),
    cookie,
    people,
    console: gateway.model.server.console ? new ConsoleFiles() : undefined,
    views: admin.views,
    toJson: (value) => gateway.scrubber.toJson(value),
    onError: (error) =>
      gateway.log('error', `The admin API failed: ${String(error)}`, { event: 'admin-failed' }),
  })
  door.follow(() => server.recheck())
  return { admin, server, token }
}

function loadToken({ log }: Gateway, { store }: State): Promise<AdminToken> {
  return AdminToken.load(store, (error) =>
    log('warn', `The address of the console changes with the next start: ${String(error)}`, {
      event: 'console-token-not-kept',
    }),
  )
}
