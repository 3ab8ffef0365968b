import { parseUrl } from '@gantry/mcp/foreign'
import { McpError } from '@gantry/mcp/client'
import type { Operation, ServerObject } from '../operations/operation.ts'
import type { OpenApiTargetOptions } from '../options.ts'
import { own, ownArray } from '../own.ts'
import type { Warnings } from '../warnings.ts'

/** Finds the base URL of an operation; undefined when the description does not say where the API is. */
export class ServerUrls {
  readonly #options: Pick<OpenApiTargetOptions, 'baseUrl' | 'serverVariables'>
  readonly #documentUri: string
  readonly #warnings: Warnings
  readonly #known = new Map<string, URL | undefined>()
  readonly #override: URL | undefined

  constructor(
    options: Pick<OpenApiTargetOptions, 'baseUrl' | 'serverVariables'>,
    documentUri: string,
    warnings: Warnings,
  ) {
    this.#options = options
    this.#documentUri = documentUri
    this.#warnings = warnings
    const { baseUrl } = options
    if (baseUrl === undefined) return
    this.#override = toBase(baseUrl, undefined)
    if (/^https?:\/\/[^/]*@/i.test(baseUrl)) {
      throw new McpError(
        'invalid_config',
        'openapi.baseUrl must not hold a user or password: use openapi.auth.basic',
      )
    }
    if (!this.#override)
      throw new McpError('invalid_config', 'openapi.baseUrl must be an absolute http: or https: URL')
  }

  /** The first server that can be used: of the operation, else of its path, else of the description. */
  find(operation: Operation): URL | undefined {
    if (this.#override) return this.#override
    const servers = operation.servers.length > 0 ? operation.servers : [{ url: '/', variables: {} }]
    for (const server of servers) {
      const url = this.#expand(server)
      if (url) return url
    }
    this.#warnings.add(
      `no usable server URL (${servers.map((server) => server.url).join(', ')}): set openapi.baseUrl, or calls will fail`,
    )
    return undefined
  }

  #expand(server: ServerObject): URL | undefined {
    const known = this.#known.get(server.url)
    if (known || this.#known.has(server.url)) return known
    const filled = server.url.replace(/\{([^{}]+)\}/g, (_, name: string) => this.#variable(server, name))
    const url = toBase(filled, /^https?:/.test(this.#documentUri) ? this.#documentUri : undefined)
    this.#known.set(server.url, url)
    return url
  }

  #variable(server: ServerObject, name: string): string {
    const variable = own(server.variables, name)
    const chosen = own(this.#options.serverVariables, name)
    const value = chosen ?? own(variable, 'default')
    if (value === undefined) {
      this.#warnings.add(`the server variable {${name}} has no value: set openapi.serverVariables.${name}`)
      return `{${name}}`
    }
    const allowed = ownArray(variable, 'enum')
    if (chosen !== undefined && allowed.length > 0 && !allowed.includes(chosen)) {
      this.#warnings.add(
        `openapi.serverVariables.${name} is ${chosen}, which is not one of ${allowed.join(', ')}`,
      )
    }
    return String(value)
  }
}

/** Query and fragment have no place in a base; the path loses its last slash, because paths begin with one. */
function toBase(text: string, relativeTo: string | undefined): URL | undefined {
  const url = /[{}]/.test(text) ? undefined : parseUrl(text, relativeTo)
  if (url === undefined) return undefined
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined
  // `fetch` refuses URLs with a user or password in them.
  url.username = ''
  url.password = ''
  url.search = ''
  url.hash = ''
  url.pathname = url.pathname.replace(/\/+$/, '')
  return url
}
