import type { OidcContext, OidcProvider } from './oidc-provider.ts'

/** An error of oidc-provider: the part that clients get, and the part that they do not. */
interface Refusal extends Error {
  readonly error?: string
  readonly error_description?: string
  readonly error_detail?: string
}

type Tell = (level: 'warn', message: string, facts: Record<string, unknown>) => void

const REFUSED = ['authorization.error', 'grant.error', 'registration_create.error', 'revocation.error']
const LONGEST_ID = 200

/** Tells operators what was refused to clients and why: clients learn less. */
export function tellRefusals(provider: OidcProvider, log: Tell): void {
  const refused = ({ oidc }: OidcContext, thrown: Refusal): void => {
    // The person refused.
    if (thrown.error === 'access_denied') return
    const client = oidc?.client?.clientId ?? oidc?.params?.client_id
    log('warn', 'A sign-in was refused', {
      reason: reasonOf(thrown),
      ...(client !== undefined && { client: String(client).slice(0, LONGEST_ID) }),
      event: 'sign-in-refused',
    })
  }
  for (const event of REFUSED) provider.on(event, refused)
  provider.on('server_error', (_: OidcContext, thrown: Error) =>
    log('warn', 'The sign-in failed', { reason: thrown.message, event: 'sign-in-failed' }),
  )
}

function reasonOf({ message, error, error_description: said, error_detail: detail, cause }: Refusal): string {
  const parts = [error ?? message, said, detail, cause instanceof Error ? cause.message : undefined]
  return [...new Set(parts.filter((part) => part !== undefined && part !== ''))].join(': ')
}
