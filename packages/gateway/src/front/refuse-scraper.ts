import type { IncomingMessage } from 'node:http'
import type { Guard } from '@gantry/mcp/server'
import { ADMIN_SCOPE, METRICS_SCOPE } from '../model/index.ts'

const SCOPES = [METRICS_SCOPE, ADMIN_SCOPE]

interface Refusal {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

/** Numbers tell what is behind a gateway: where it has a guard, they take a credential for them. */
export async function refuseScraper(
  request: IncomingMessage,
  guard: Guard | undefined,
): Promise<Refusal | undefined> {
  if (!guard) return undefined
  const headers = request.headers as Record<string, string | undefined>
  const verdict = await guard({ method: request.method ?? 'GET', url: request.url ?? '/', headers })
  if (!verdict.ok) return refusal(verdict.status, 'A key is needed', verdict.headers)
  if (verdict.auth?.scopes.some((scope) => SCOPES.includes(scope))) return undefined
  return refusal(403, `A key with the scope "${METRICS_SCOPE}" is needed`)
}

function refusal(status: number, text: string, headers: Record<string, string> = {}): Refusal {
  return { status, headers: { ...headers, 'content-type': 'text/plain' }, body: `${text}\n` }
}
