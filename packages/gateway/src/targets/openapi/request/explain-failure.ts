import type { Operation } from '../operations/operation.ts'

/** What each failure of the network means and what to check; the request did not reach the API with these. */
const NEVER_SENT: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing accepts connections there: is the API running, and is the URL right?',
  ENOTFOUND: 'the host name does not exist: check the URL, or baseUrl in the configuration',
  OUT_OF_REACH:
    'the description or a redirect leads into a private network: if this is meant, name the host in server.trustedHosts',
  EAI_AGAIN: 'the host name could not be looked up: check the network and DNS',
  EHOSTUNREACH: 'the host cannot be reached from the gateway: check the network',
  ENETUNREACH: 'the network cannot be reached from the gateway: check the network',
  UND_ERR_CONNECT_TIMEOUT: 'the host did not accept the connection in time: check the network and firewalls',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed: set NODE_EXTRA_CA_CERTS for the gateway',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is from a private authority: set NODE_EXTRA_CA_CERTS',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate cannot be verified: set NODE_EXTRA_CA_CERTS',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
}

/** A sentence for the model and the operator: where, why, what to check, and whether it may have happened. */
export function explainFailure(
  error: unknown,
  context: { operation: Operation; origin: string; timeout: number; timedOut: boolean; cancelled: boolean },
): string {
  const { operation, origin, timeout } = context
  const request = `${operation.key} at ${origin}`
  const isSafe = operation.method === 'get' || operation.method === 'head' || operation.method === 'options'
  const doubt = isSafe ? '' : ' The request may have been carried out; check before you repeat it.'
  if (context.cancelled) return `${request} was cancelled.${doubt}`
  if (context.timedOut) return `${request} gave no complete answer within ${timeout} ms.${doubt}`
  const code = codeOf(error)
  const known = code !== undefined && Object.hasOwn(NEVER_SENT, code) ? NEVER_SENT[code] : undefined
  if (known) return `${request} failed (${code}): ${known}. The request was not sent.`
  return `${request} failed${code ? ` (${code})` : ''}: the connection broke before the answer was complete.${doubt}`
}

/** `fetch` hides the reason one or two causes deep; several addresses make an AggregateError of it. */
function codeOf(error: unknown): string | undefined {
  let at: unknown = error
  for (let depth = 0; depth < 5 && at instanceof Error; depth++) {
    const code: unknown = Reflect.get(at, 'code')
    if (typeof code === 'string') return code
    at = at instanceof AggregateError ? at.errors[0] : at.cause
  }
  return undefined
}
