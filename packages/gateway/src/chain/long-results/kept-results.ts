import { randomBytes } from 'node:crypto'
import {
  bindingOf,
  isJsonObject,
  jsonReader,
  callerKey,
  writeJson,
  type JsonObject,
} from '@gantry/mcp/exchange'
import { parseUrl } from '@gantry/mcp/foreign'
import type { Rows, Store } from '../../store/index.ts'
import type { ResultRule } from '../../model/index.ts'
import type { GatewayExchange } from '../gateway-exchange.ts'
import { isPermitted } from '../policy/policy-call.ts'
import { isAbout } from '../results/result-handling.ts'
import type { KeptShares } from './kept-shares.ts'

const SCHEME = 'gantry-result:'
const ID = /^[\w-]{1,100}$/
const PAGE = 16_000
const MAX_MATCHES = 100
const LINE = 400
const KEPT_FOR = 60 * 60 * 1000
const MAX_ROWS = 10_000
/** Longer texts are not kept. A character has up to three bytes, and sealing makes four of three. */
const MAX_LENGTH = 4 * 1024 * 1024
const MAX_BYTES = 24 * 1024 * 1024

export interface KeptResultsOptions {
  readonly store: Store
  readonly shares: KeptShares
  readonly endpoint: string
  /** The rules that mask, drop or refuse parts of results. */
  readonly rules: readonly ResultRule[]
}

/**
 * The remainders of results that were cut. A remainder belongs to the caller who got the result. It can be read for an
 * hour, while the caller may make the call and the rules for its result have not changed.
 */
export class KeptResults {
  readonly #rows: Rows
  readonly #endpoint: string
  readonly #shares: KeptShares
  readonly #rules: readonly ResultRule[]

  constructor({ store, shares, endpoint, rules }: KeptResultsOptions) {
    this.#rows = store.rows({
      name: 'long-results',
      secret: true,
      maxRows: MAX_ROWS,
      maxValueBytes: MAX_BYTES,
    })
    this.#endpoint = endpoint
    this.#shares = shares
    this.#rules = rules
  }

  /**
   * Returns the URI by which the caller reads it; undefined when it is too long, or there is no room. `bytesOf`: the
   * type of the file that a text is in base64.
   */
  async keep(text: string, exchange: GatewayExchange, bytesOf?: string): Promise<string | undefined> {
    if (text.length > MAX_LENGTH) return undefined
    const id = randomBytes(18).toString('base64url')
    const { target, name } = exchange.resolved!
    const call = { target: target.name, name, args: exchange.params.arguments }
    const value = writeJson({ binding: this.#bindingOf(exchange, call), ...call, text, bytesOf })
    const kept = { id, bytes: Buffer.byteLength(value), expires: Date.now() + KEPT_FOR }
    const gone = this.#shares.take(callerKey(exchange), kept)
    if (!gone) return undefined
    for (const one of gone) await this.#rows.remove(one)
    // A store that is full is no reason to fail a call that has succeeded.
    const isKept = await this.#rows.put(id, value, { ttl: KEPT_FOR }).then(
      () => true,
      () => false,
    )
    return isKept ? `${SCHEME}${id}` : undefined
  }

  /** Whether a URI is one of ours; then nothing else has it. */
  static isOne(uri: unknown): uri is string {
    return typeof uri === 'string' && uri.startsWith(SCHEME)
  }

  /** The answer to `resources/read`; undefined when there is no text, or it belongs to another caller. */
  async read(uri: string, exchange: GatewayExchange): Promise<JsonObject | undefined> {
    const url = parseUrl(uri)
    const row = url && ID.test(url.pathname) ? await this.#rows.get(url.pathname) : undefined
    const kept = row && jsonReader('rounded')(row.value)
    if (!isJsonObject(kept)) return undefined
    const call = { target: String(kept.target), name: String(kept.name), args: kept.args }
    if (kept.binding !== this.#bindingOf(exchange, call) || !mayCall(call, exchange)) return undefined
    const text = String(kept.text)
    if (typeof kept.bytesOf === 'string') return { contents: [{ uri, mimeType: kept.bytesOf, blob: text }] }
    const search = url!.searchParams.get('search')
    const shown =
      search === null ? pageOf(text, url!, `${SCHEME}${url!.pathname}`) : matchesOf(text, search.trim())
    return { contents: [{ uri, mimeType: 'text/plain', text: shown }] }
  }

  #bindingOf({ auth }: GatewayExchange, { target, name }: KeptCall): string {
    // The text was cleaned by the rules of its time, and newer rules cannot be applied to what is left.
    const rules = this.#rules.filter((rule) =>
      isAbout(rule, { kind: 'tools', target: { name: target }, name }),
    )
    const cleaned = rules.map(({ mask, drop, refuse, stripHidden }) => ({ mask, drop, refuse, stripHidden }))
    return bindingOf('long result', auth?.principal, `${this.#endpoint} ${writeJson(cleaned)}`)
  }
}

/** The call whose result is kept. */
interface KeptCall {
  readonly target: string
  readonly name: string
  readonly args: unknown
}

/** A caller that may no longer make a call may no longer read its result. The number of calls does not matter here. */
function mayCall({ target, name, args }: KeptCall, { visible }: GatewayExchange): boolean {
  const catalog = visible.catalogs.find((one) => one.target.name === target)
  if (!catalog || !visible.maySee('tools', catalog, name)) return false
  const resolved = { kind: 'tools', catalog, name } as const
  const params = args === undefined ? {} : { arguments: args }
  return (
    visible.windows(resolved).length > 0 || isPermitted({ method: 'tools/call', params, resolved }, visible)
  )
}

/** How many pages a text has. */
export function pagesOf(text: string): number {
  return Math.max(1, Math.ceil(text.length / PAGE))
}

function pageOf(text: string, url: URL, address: string): string {
  const pages = pagesOf(text)
  const wanted = Number(url.searchParams.get('page') ?? 1)
  if (!Number.isInteger(wanted) || wanted < 1 || wanted > pages) {
    return `There are pages 1 to ${pages}: ${address}?page=1`
  }
  const page = text.slice(startOf(text, wanted), startOf(text, wanted + 1))
  const next = wanted < pages ? ` Next: ${address}?page=${wanted + 1}` : ''
  return pages === 1 ? page : `${page}\n[Page ${wanted} of ${pages}.${next}]`
}

/** Where a page begins: not within a character that has two places. */
function startOf(text: string, page: number): number {
  const at = (page - 1) * PAGE
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, at - 1), at + 1)) ? at + 1 : at
}

/** The lines that hold a text, with their numbers; capitals make no difference. */
function matchesOf(text: string, search: string): string {
  const wanted = search.toLowerCase()
  if (wanted === '') return 'Write what to search for: ?search=word'
  const found: string[] = []
  let count = 0
  let number = 0
  for (let start = 0; start <= text.length; number++) {
    const next = text.indexOf('\n', start)
    const end = next < 0 ? text.length : next
    const line = text.slice(start, end)
    start = end + 1
    if (!line.toLowerCase().includes(wanted)) continue
    count++
    if (found.length < MAX_MATCHES) found.push(`${number + 1}: ${around(line, wanted)}`)
  }
  const left = count > found.length ? `\n[${count - found.length} more lines]` : ''
  return count === 0 ? `No line holds "${search}".` : `${found.join('\n')}${left}`
}

function around(line: string, wanted: string): string {
  const from = Math.max(0, line.toLowerCase().indexOf(wanted) - LINE / 2)
  return line.length <= LINE ? line : `…${line.slice(from, from + LINE)}…`
}
