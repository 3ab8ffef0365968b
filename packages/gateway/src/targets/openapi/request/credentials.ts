import { McpError } from '@gantry/mcp/client'
import { reveal, type Text } from '../../../model/index.ts'
import type { JsonObject } from '@gantry/mcp/server'
import type { Operation, Parameter } from '../operations/operation.ts'
import { isSendableHeader } from '../operations/read-parameter.ts'
import type { OpenApiAuth } from '../options.ts'
import { own, ownString } from '../own.ts'
import type { Warnings } from '../warnings.ts'

export interface Credential {
  readonly in: 'header' | 'query' | 'cookie'
  readonly name: string
  readonly value: string
}

/** The configured credentials, and the operations that need them. */
export class Credentials {
  readonly #always: Credential[]
  readonly #schemes = new Map<string, Credential>()
  readonly #hasToken: boolean

  constructor(auth: OpenApiAuth, schemes: ReadonlyMap<string, JsonObject>, warnings: Warnings) {
    this.#always = staticCredentials(auth)
    this.#hasToken = auth.clientCredentials !== undefined
    for (const [name, value] of Object.entries(auth.schemes ?? {})) {
      const scheme = schemes.get(name)
      if (scheme === undefined) {
        const known = [...schemes.keys()].join(', ') || 'none'
        warnings.add(
          `openapi.auth.schemes.${name}: the description has no such security scheme (it has: ${known})`,
        )
        continue
      }
      const credential = fromScheme(scheme, secretText(value), `openapi.auth.schemes.${name}`)
      if (credential) this.#schemes.set(name, credential)
      else warnings.add(`openapi.auth.schemes.${name}: schemes of type ${scheme.type} are not supported`)
    }
    for (const credential of this.#all()) check(credential)
  }

  /**
   * The credentials of a call: the credentials of every call, and those of the operation's first alternative that is
   * configured.
   */
  for(operation: Operation): Credential[] {
    const alternative = operation.security.find((schemes) =>
      schemes.every(({ scheme }) => this.#schemes.has(scheme)),
    )
    return [...this.#always, ...(alternative ?? []).map(({ scheme }) => this.#schemes.get(scheme)!)]
  }

  /** Names of schemes that the operation asks for and nothing in the configuration answers. */
  missing(operation: Operation): string[] {
    if (this.#always.length > 0 || this.#hasToken || operation.security.length === 0) return []
    const met = operation.security.some((schemes) => schemes.every(({ scheme }) => this.#schemes.has(scheme)))
    return met ? [] : [...new Set(operation.security[0]!.map(({ scheme }) => scheme))]
  }

  /** A parameter that a credential fills in is not shown to the model. */
  fills(parameter: Parameter): boolean {
    const name = parameter.in === 'header' ? parameter.name.toLowerCase() : parameter.name
    return this.#all().some((credential) => {
      const own = credential.in === 'header' ? credential.name.toLowerCase() : credential.name
      return credential.in === parameter.in && own === name
    })
  }

  /** Everything that must not appear in a message. */
  secrets(): string[] {
    return this.#all().flatMap(({ value }) => {
      const bare = value.replace(/^\S+ /, '')
      if (!value.startsWith('Basic ')) return [value, bare]
      return [
        value,
        bare,
        Buffer.from(bare, 'base64')
          .toString()
          .replace(/^[^:]*:/, ''),
      ]
    })
  }

  #all(): Credential[] {
    return [...this.#always, ...this.#schemes.values()]
  }
}

/** A secret from a file ends in a line break more often than not. */
export function secretText(text: Text): string {
  return reveal(text).trim()
}

export function bearer(token: string): Credential {
  return { in: 'header', name: 'authorization', value: `Bearer ${token}` }
}

function basic(userAndPassword: string): Credential {
  const value = `Basic ${Buffer.from(userAndPassword).toString('base64')}`
  return { in: 'header', name: 'authorization', value }
}

function staticCredentials(auth: OpenApiAuth): Credential[] {
  const credentials: Credential[] = []
  if (auth.bearer !== undefined) credentials.push(bearer(secretText(auth.bearer)))
  if (auth.basic)
    credentials.push(basic(`${secretText(auth.basic.username)}:${secretText(auth.basic.password)}`))
  for (const key of auth.apiKeys ?? []) credentials.push({ ...key, value: secretText(key.value) })
  return credentials
}

function fromScheme(scheme: JsonObject, secret: string, where: string): Credential | undefined {
  const type = own(scheme, 'type')
  if (type === 'oauth2' || type === 'openIdConnect') return bearer(secret)
  if (type === 'basic') return basic(secret)
  if (type === 'http') {
    const kind = ownString(scheme, 'scheme')?.toLowerCase() ?? 'bearer'
    if (kind === 'basic') return basic(secret)
    return { ...bearer(secret), value: `${kind === 'bearer' ? 'Bearer' : scheme.scheme} ${secret}` }
  }
  const place = own(scheme, 'in')
  const name = ownString(scheme, 'name')
  if (type !== 'apiKey' || name === undefined) return undefined
  if (place === 'header' || place === 'query' || place === 'cookie') return { in: place, name, value: secret }
  throw new McpError('invalid_config', `${where}: the description puts this key in ${JSON.stringify(place)}`)
}

/** Says which setting is wrong, never what it holds. */
function check({ in: place, name, value }: Credential): void {
  if (place === 'query') return
  const allowed = place === 'cookie' ? /^[\x21\x23-\x3a\x3c-\x7e]*$/ : /^[\t\x20-\x7e\x80-\xff]*$/
  if (!isSendableHeader(name) || !allowed.test(value)) {
    throw new McpError(
      'invalid_config',
      `the credential for the ${place} ${JSON.stringify(name)} has a character that cannot be sent`,
    )
  }
}
