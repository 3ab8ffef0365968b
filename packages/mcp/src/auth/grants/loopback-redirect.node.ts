import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpError } from '../../jsonrpc/index.ts'
import { parseUrl, requireKnownOptions, splitTarget } from '../../protocol/index.ts'
import { oauthCheck, oauthError } from '../http/oauth-error.ts'
import type { Redirect } from '../oauth-options.ts'
import { spawn } from 'node:child_process'

export interface LoopbackRedirectOptions {
  /** Default: any free port. Servers that compare redirect URIs exactly need a fixed port. */
  port?: number
  /** Default: `/callback`. */
  path?: string
  /** Shows the sign-in page. Default: the user's browser, and the address on stderr if that fails. */
  open?: (url: string) => Promise<void> | void
}

/** One sign-in: a small server that runs from the moment its address is asked for until the answer has come. */
interface Listening {
  readonly server: Server
  readonly uri: string
  state: string | undefined
  readonly answered: Promise<URLSearchParams>
  onAnswer(answer: URLSearchParams): void
  /** Pages of users that are back, shown when it is known whether the sign-in has worked. */
  readonly waiting: ((failure: unknown) => void)[]
}

/** Brings the user back to this process: a server on 127.0.0.1 for the time of one sign-in (RFC 8252, 7.3). */
export function loopbackRedirect(options: LoopbackRedirectOptions = {}): Redirect {
  requireKnownOptions('redirect', { port: 'a number', path: 'text', open: 'a function' }, options)
  const { port = 0, path = '/callback', open = openOrPrint } = options
  let listening: Promise<Listening> | undefined
  return {
    async uri(registered) {
      const earlier = port === 0 ? portOf(registered, path) : undefined
      listening ??=
        earlier === undefined ? listen(port, path) : listen(earlier, path).catch(() => listen(port, path))
      return (await listening).uri
    },
    async open(url) {
      const current = await listening
      if (current === undefined) return open(url)
      current.state = parseUrl(url)?.searchParams.get('state') ?? undefined
      // The browser may wait for the last page, which comes only when the sign-in is over.
      const shown = Promise.resolve(open(url))
      await Promise.race([shown, current.answered])
      shown.catch(() => {})
    },
    async waitForCode({ signal }) {
      if (listening === undefined) throw oauthError('options', 'the redirect is closed')
      return waitForAnswer(await listening, signal)
    },
    async close(failure) {
      const current = await listening?.catch(() => undefined)
      listening = undefined
      if (current === undefined) return
      for (const show of current.waiting) show(failure)
      await shutDown(current.server)
    },
  }
}

async function listen(port: number, path: string): Promise<Listening> {
  const server = createServer((request, response) => receive(request, response, path, listening))
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const found = cause.code ?? cause.message
      const fix = 'Choose another port, or none for any free one.'
      reject(oauthError('options', `no server can listen on 127.0.0.1:${port}`, { found, fix, cause }))
    })
    // Not "localhost": that may be another interface, or another process on ::1 (RFC 8252, section 8.3).
    server.listen(port, '127.0.0.1', resolve)
  })
  // After this, an error is about a single connection and must not end the process.
  server.on('error', () => {})
  const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
  let onAnswer = (_answer: URLSearchParams): void => {}
  const answered = new Promise<URLSearchParams>((resolve) => {
    onAnswer = resolve
  })
  const listening: Listening = { server, uri, state: undefined, answered, onAnswer, waiting: [] }
  return listening
}

/** The port of a redirect URI that was made here. */
function portOf(uri: string | undefined, path: string): number | undefined {
  const match = /^http:\/\/127\.0\.0\.1:(\d+)(\/.*)$/.exec(uri ?? '')
  return match?.[2] === path ? Number(match[1]) : undefined
}

function receive(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  listening: Listening,
): void {
  const { path: asked, query } = splitTarget(request.url ?? '/')
  const reply = (status: number, title: string, text: string): void => {
    response.writeHead(status, {
      connection: 'close',
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    })
    response.end(page(title, text))
  }
  if (request.method !== 'GET' || asked !== path) {
    reply(404, 'Nothing here', 'This address only takes the answer of a sign-in.')
  } else if (listening.state === undefined || query.get('state') !== listening.state) {
    // An old tab or a stranger must not end the pending sign-in, and must not learn that it worked.
    reply(400, 'Not the sign-in that is waited for', 'Close this page and use the newest one.')
  } else {
    listening.waiting.push((failure) => {
      if (failure === undefined) {
        return reply(200, 'You are signed in', 'You can close this page and go back to the application.')
      }
      const isDenied = oauthCheck(failure) === 'authorization_denied'
      const advice = 'Go back to the application: it says why, and you can try again there.'
      reply(502, isDenied ? 'Access was not granted' : 'Signing in failed', `${fixOf(failure)}${advice}`)
    })
    listening.onAnswer(query)
  }
}

function waitForAnswer(listening: Listening, signal: AbortSignal): Promise<URLSearchParams> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    listening.answered.then((answer) => {
      signal.removeEventListener('abort', stop)
      resolve(answer)
    })
  })
}

/** Lets the last page go out, but does not wait for a browser that keeps a connection in reserve. */
async function shutDown(server: Server): Promise<void> {
  const impatience = setTimeout(() => server.closeAllConnections(), 500)
  await new Promise<void>((done) => {
    server.close(() => done())
    server.closeIdleConnections()
  })
  clearTimeout(impatience)
}

async function openOrPrint(url: string): Promise<void> {
  try {
    await openBrowser(url)
  } catch {
    process.stderr.write(`Open this page to sign in:\n${url}\n`)
  }
}

function page(title: string, text: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title>
<style>body{font:1.1rem/1.5 system-ui,sans-serif;display:grid;place-content:center;min-height:90vh;text-align:center;color-scheme:light dark}</style>
<h1>${title}</h1><p>${text}</p></html>`
}

/** Advice in our own words, without text of the server. */
function fixOf(failure: unknown): string {
  const fix = failure instanceof McpError ? failure.details.fix : undefined
  return oauthCheck(failure) === 'token_response' && typeof fix === 'string' ? `${fix} ` : ''
}

/** Opens a page in the user's browser. Only web addresses, and no shell: the URL comes from a server. */
export async function openBrowser(url: string): Promise<void> {
  const page = parseUrl(url)
  if (page?.protocol !== 'https:' && page?.protocol !== 'http:') {
    throw new Error(`Not a web address: ${page?.protocol ?? 'no URL'}`)
  }
  const [command, ...args] = browserCommand(page.href)
  await new Promise<void>((resolve, reject) => {
    const child = spawn(command as string, args, { stdio: 'ignore', detached: true })
    child.once('error', reject)
    child.once('spawn', () => {
      child.unref()
      resolve()
    })
  })
}

function browserCommand(href: string): string[] {
  if (process.platform === 'darwin') return ['open', href]
  // Not `cmd /c start`: cmd would interpret `&` and `%` in the address.
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', href]
  return ['xdg-open', href]
}
