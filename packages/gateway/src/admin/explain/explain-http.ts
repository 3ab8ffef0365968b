import type { McpError } from '@gantry/mcp/client'
import type { Explanation } from '../contract.ts'
import type { FailureContext } from './failure-context.ts'

/** Network failures by their codes, as Node has them in causes of causes. */
const NETWORK: readonly [RegExp, string, string, string][] = [
  [
    /ECONNREFUSED/,
    'refused',
    'Nothing listens at this address.',
    'Start the server, or correct host and port of the URL.',
  ],
  [
    /ENOTFOUND|EAI_AGAIN/,
    'unknown_host',
    'There is no host of this name.',
    'Correct the host in the URL, and check the network.',
  ],
  [
    /CERT|self.signed|certificate|UNABLE_TO_VERIFY/i,
    'certificate',
    'Its certificate is not trusted.',
    'Let NODE_EXTRA_CA_CERTS name the file of your certificate authority before you start the gateway.',
  ],
  [
    /wrong version number|EPROTO|packet length too long/i,
    'not_tls',
    'There is no TLS at this address.',
    'Try http:// instead of https://.',
  ],
  [
    /ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|EHOSTUNREACH|ENETUNREACH/,
    'unreachable',
    'The host does not answer.',
    'Check the network, a VPN or a firewall.',
  ],
  [
    /ECONNRESET|socket hang up|other side closed/i,
    'reset',
    'The connection was cut.',
    'Look at the log of the server or of the proxy before it.',
  ],
]

export function explainHttp(error: McpError, context: FailureContext): Explanation {
  const what = error.message
  if (error.code === 'network') return explainNetwork(error)
  if (error.code === 'unauthorized' || error.code === 'oauth') return explainLogin(error, context)
  const { status, body } = error.details
  if (context.step === 'initialized') {
    return {
      code: 'initialized_refused',
      what,
      meaning:
        'The server answered `initialize` and then refused `notifications/initialized`. It has to accept it with 202.',
      fix: 'Look at the server, or the proxy before it: it treats notifications like requests.',
    }
  }
  if (typeof body === 'string' && /^\s*<(!doctype|html)/i.test(body)) {
    return {
      code: 'web_page',
      what,
      meaning: 'A web page answered, not an MCP server.',
      fix: 'Use the URL of the MCP endpoint; mostly it ends in /mcp or /sse.',
    }
  }
  return { code: 'http_status', what, ...STATUS[Number(status)] }
}

const STATUS: Readonly<Record<number, { meaning: string; fix: string }>> = {
  400: { meaning: 'The server did not like the message.', fix: 'Its answer says why.' },
  403: { meaning: 'It knows who you are, and refuses.', fix: 'Check the permissions of the key or account.' },
  404: {
    meaning: 'There is nothing at this path.',
    fix: 'Correct the path of the URL; mostly it ends in /mcp or /sse.',
  },
  405: {
    meaning: 'This path takes no POST.',
    fix: 'Correct the path, or set "transport": "sse" for an old server.',
  },
  406: { meaning: 'It cannot answer in a form that MCP uses.', fix: 'Check that this is the MCP endpoint.' },
  429: { meaning: 'It limits the rate.', fix: 'Wait; the gateway tries again by itself.' },
  500: { meaning: 'The server failed.', fix: 'Look at its log.' },
  502: { meaning: 'A proxy did not reach the server.', fix: 'Check that the server behind it runs.' },
  503: { meaning: 'It is not available now.', fix: 'The gateway tries again by itself.' },
  504: { meaning: 'A proxy gave up waiting.', fix: 'Look at the server behind it.' },
}

function explainNetwork(error: McpError): Explanation {
  const text = [error.message, ...causes(error)].join(' ')
  for (const [pattern, code, meaning, fix] of NETWORK) {
    if (pattern.test(text)) return { code, what: error.message, meaning, fix }
  }
  return { code: 'network', what: error.message }
}

function causes(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error) || depth > 5) return []
  const { code, errors } = error as { code?: unknown; errors?: unknown }
  const inner = Array.isArray(errors) ? errors.flatMap((one) => causes(one, depth + 1)) : []
  return [error.message, String(code ?? ''), ...inner, ...causes(error.cause, depth + 1)]
}

function explainLogin(error: McpError, { model }: FailureContext): Explanation {
  const hasHeader =
    model.kind === 'url' && Object.keys(model.headers).some((name) => /^authorization$/i.test(name))
  return {
    code: 'needs_login',
    what: error.message,
    meaning: hasHeader
      ? 'The server does not accept the credentials in "headers".'
      : 'The server wants to know who you are.',
    fix: hasHeader
      ? 'Renew the token that "headers.Authorization" refers to, then restart the target.'
      : 'Add "headers": { "Authorization": "Bearer ${env:TOKEN}" } to this target, or "oauth" when it logs people in.',
  }
}
