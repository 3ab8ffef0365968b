import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { McpError } from '@gantry/mcp/client'
import { revealAll, type Text } from '../../../model/index.ts'
import { createReachFetch, type Answer, sendRequest } from '../request/send-request.ts'
import { parseUrl } from '@gantry/mcp/foreign'

export interface DocumentSourceOptions {
  referenceRoot?: string | undefined
  headers?: Readonly<Record<string, Text>> | undefined
  trustedHosts?: readonly string[] | undefined
  fetch?: typeof fetch | undefined
  signal?: AbortSignal | undefined
}

const MOST_BYTES = 64 * 1024 * 1024
const FETCH_TIMEOUT = 30_000

/** Reads the description and its references only: files below one folder, URLs of one origin, 64 MB in all. */
export class DocumentSource {
  /** Where the description is: a `file:`, `http:` or `https:` URL. */
  readonly uri: string
  readonly #options: DocumentSourceOptions
  #root: string | undefined
  #bytesLeft = MOST_BYTES

  constructor(document: string | URL, options: DocumentSourceOptions) {
    this.uri = toUri(document)
    this.#options = options
  }

  /** Throws an `McpError` that says why a document may not or cannot be read. */
  async read(uri: string): Promise<string> {
    const url = new URL(uri)
    if (url.protocol === 'file:') return await this.#readFile(url)
    if (url.protocol === 'http:' || url.protocol === 'https:') return await this.#readUrl(url)
    throw new McpError(
      'invalid_config',
      `cannot read ${url.protocol} URLs: only files, http: and https: are supported`,
    )
  }

  async #readFile(url: URL): Promise<string> {
    if (!this.uri.startsWith('file:')) {
      throw new McpError(
        'invalid_config',
        `refused to read ${displayUri(url)}: a description from the network may not name files`,
      )
    }
    const path = await realpath(fileURLToPath(url)).catch((error: NodeJS.ErrnoException) => {
      throw new McpError(
        'invalid_config',
        `cannot read ${fileURLToPath(url)}: ${error.code ?? error.message}`,
      )
    })
    this.#root ??= await realpath(this.#options.referenceRoot ?? dirname(path))
    if (!path.startsWith(this.#root.endsWith(sep) ? this.#root : this.#root + sep)) {
      throw new McpError(
        'invalid_config',
        `refused to read ${path}: it is outside ${this.#root} (set openapi.referenceRoot to a folder that holds both)`,
      )
    }
    const file = await stat(path)
    if (!file.isFile()) throw new McpError('invalid_config', `cannot read ${path}: it is not a file`)
    this.#spend(file.size, path)
    return await readFile(path, 'utf8')
  }

  async #readUrl(url: URL): Promise<string> {
    if (url.origin !== new URL(this.uri).origin) {
      throw new McpError(
        'invalid_config',
        `refused to fetch ${displayUri(url)}: it is not on the origin of ${displayUri(this.uri)}`,
      )
    }
    const { status, statusText, bytes, complete } = await this.#fetch(url)
    if (status < 200 || status > 299) {
      throw new McpError(
        status === 401 || status === 403 ? 'unauthorized' : 'http_status',
        `cannot fetch ${displayUri(url)}: HTTP ${status} ${statusText}`,
        { details: { status } },
      )
    }
    if (!complete) this.#spend(Number.POSITIVE_INFINITY, displayUri(url))
    this.#spend(bytes.length, displayUri(url))
    return new TextDecoder().decode(bytes)
  }

  async #fetch(url: URL): Promise<Answer> {
    const timeout = AbortSignal.timeout(FETCH_TIMEOUT)
    const { signal, trustedHosts = [] } = this.#options
    const { fetch = createReachFetch({ serverUrl: new URL(this.uri), trustedHosts }) } = this.#options
    const headers = { ...credentialsOf(url), ...revealAll(this.#options.headers ?? {}) }
    const plain = new URL(url)
    plain.username = ''
    plain.password = ''
    try {
      const accept = 'application/json, application/yaml, */*;q=0.5'
      const sent = new Headers({ accept, ...headers })
      return await sendRequest(
        { method: 'GET', url: plain, headers: sent, body: undefined },
        {
          fetch,
          signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
          maxResponseBytes: this.#bytesLeft,
          // A redirect could lead to another origin, where the headers above must not go.
          redirects: Object.keys(headers).length > 0 || url.href !== this.uri ? 'none' : 'any',
        },
      )
    } catch (error) {
      const cause =
        error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
      throw new McpError('network', `cannot fetch ${displayUri(url)}: ${cause}`, { cause: error })
    }
  }

  #spend(bytes: number, what: string): void {
    this.#bytesLeft -= bytes
    if (this.#bytesLeft < 0) {
      throw new McpError(
        'invalid_config',
        `cannot read ${what}: the description is larger than ${MOST_BYTES} bytes in all`,
      )
    }
  }
}

function toUri(document: string | URL): string {
  if (document instanceof URL) return document.href
  return /^(https?|file):\/\//i.test(document)
    ? new URL(document).href
    : pathToFileURL(resolve(document)).href
}

/** `fetch` refuses URLs with a user and password in them; this is what they mean. */
function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

/** A place for messages: a path for files, and URLs without user, password and query, which may be secret. */
export function displayUri(uri: string | URL): string {
  const url = parseUrl(String(uri))
  if (url === undefined) return 'an address that is not a URL'
  return url.protocol === 'file:' ? decoded(url.pathname) : url.origin + url.pathname
}

function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}
