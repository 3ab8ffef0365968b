import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
} from 'jose'
import { isJsonObject, type JsonObject, parseJson } from '../../jsonrpc/index.ts'
import { oauthError, quote } from '../http/oauth-error.ts'
import type { OAuthHttp } from '../http/oauth-http.ts'
import { loadDocument } from '../discovery/metadata-document.ts'
import { serverMetadataUrls } from '../discovery/server-metadata.ts'

const ONE_HOUR = 3_600_000
const TEN_MINUTES = 600_000
/** A key that is not in the set may be a new key. Asking for each made-up key would let callers attack the server. */
const THIRTY_SECONDS = 30_000
/** The same after a failure, which the key set itself does not remember. */
const AFTER_FAILURE = 5_000

/** One authorization server whose tokens are accepted: its metadata and its keys, found out when needed. */
export class Issuer {
  readonly name: string
  readonly #http: OAuthHttp
  readonly #document: KeptValue<JsonObject>
  readonly #fixedKeys: JWTVerifyGetKey | undefined
  readonly #remote = new Map<string, JWTVerifyGetKey>()

  constructor(name: string, http: OAuthHttp, jwks?: JSONWebKeySet | string) {
    this.name = name
    this.#http = http
    this.#document = new KeptValue(() => loadIssuerDocument(name, http), ONE_HOUR)
    // An address that the operator wrote may be anywhere; an address from the metadata may not.
    if (typeof jwks === 'string') this.#fixedKeys = remoteKeys(jwks, http.trusting(jwks))
    else if (jwks !== undefined) this.#fixedKeys = createLocalJWKSet(jwks)
  }

  get http(): OAuthHttp {
    return this.#http
  }

  metadata(): Promise<JsonObject> {
    return this.#document.get()
  }

  /** The keys that sign its tokens. They are loaded when a key is needed, and again when a key is missing. */
  async keys(): Promise<JWTVerifyGetKey> {
    if (this.#fixedKeys) return this.#fixedKeys
    const { jwks_uri: uri } = await this.metadata()
    if (typeof uri !== 'string') {
      throw oauthError('server_metadata', 'the issuer publishes no keys', {
        url: this.name,
        expected: 'a string member "jwks_uri"',
        found: quote(uri),
        fix: 'Give jwks, or introspection when its tokens are not JWTs.',
      })
    }
    let keys = this.#remote.get(uri)
    if (keys === undefined) {
      // The address may change with the metadata; the keys of the former one are of no use then.
      this.#remote.clear()
      keys = remoteKeys(uri, this.#http)
      this.#remote.set(uri, keys)
    }
    return keys
  }
}

function remoteKeys(uri: string, http: OAuthHttp): JWTVerifyGetKey {
  const url = http.check(uri, 'The jwks_uri')
  const send = http.sender('The key set')
  let failure: { error: unknown; since: number } | undefined
  return createRemoteJWKSet(url, {
    cacheMaxAge: TEN_MINUTES,
    cooldownDuration: THIRTY_SECONDS,
    // The sender has its own time limit; a second time limit would hide its message.
    timeoutDuration: 120_000,
    [customFetch]: async (address, { headers, method }) => {
      if (failure && Date.now() - failure.since < AFTER_FAILURE) throw failure.error
      try {
        const response = await readKeySet(await send(address, { headers, method }), address)
        failure = undefined
        return response
      } catch (error) {
        failure = { error, since: Date.now() }
        throw error
      }
    },
  })
}

/** A broken set is a failure like any other: it must not be asked for again at once. */
async function readKeySet(response: Response, url: string): Promise<Response> {
  const text = await response.text()
  let set: unknown
  try {
    set = response.status === 200 ? parseJson(text) : undefined
  } catch {
    set = undefined
  }
  if (isJsonObject(set) && Array.isArray(set.keys)) return new Response(text)
  throw oauthError('server_metadata', 'the key set cannot be read', {
    url,
    expected: 'a JSON Web Key Set',
    found: response.status === 200 ? quote(text.slice(0, 60)) : `HTTP status ${response.status}`,
  })
}

const WHAT = 'Authorization server metadata'

/** The issuer's metadata (RFC 8414 or OpenID Connect). It needs no token endpoint here. */
async function loadIssuerDocument(issuer: string, http: OAuthHttp): Promise<JsonObject> {
  const findings: string[] = []
  for (const url of serverMetadataUrls(http.check(issuer, 'The issuer'))) {
    const loaded = await loadDocument(url, WHAT, { http, step: () => {} })
    if (loaded.kind === 'failed') throw loaded.error
    if (loaded.kind === 'absent') {
      findings.push(`${url.href}: ${loaded.found}`)
      continue
    }
    // RFC 8414, section 3.3: identical, with no normalization, or the document is not used at all.
    if (loaded.document.issuer === issuer) return loaded.document
    throw oauthError('issuer_mismatch', 'the metadata is of another issuer', {
      url,
      expected: quote(issuer),
      found: quote(loaded.document.issuer),
      fix: 'Write the issuer exactly as its metadata and its tokens have it.',
    })
  }
  throw oauthError('server_metadata', 'the issuer publishes no metadata', {
    url: issuer,
    expected: 'a document by RFC 8414 or OpenID Connect Discovery',
    found: findings.join('; '),
    fix: 'Check the issuer, or give jwks.',
  })
}

/** How long a failure is remembered, so that callers cannot make us ask a broken server again and again. */
const FAILURE_MS = 5_000

/**
 * A value that is fetched by a request. Callers that wait share the request. The value is kept for a time, and for one
 * more period when fetching it again fails.
 */
class KeptValue<T> {
  readonly #load: () => Promise<T>
  readonly #ttlMs: number
  #value: { readonly of: T; readonly since: number } | undefined
  #failure: { readonly error: unknown; readonly since: number } | undefined
  #loading: Promise<T> | undefined

  constructor(load: () => Promise<T>, ttlMs: number) {
    this.#load = load
    this.#ttlMs = ttlMs
  }

  async get(): Promise<T> {
    const age = this.#value === undefined ? Number.POSITIVE_INFINITY : Date.now() - this.#value.since
    if (age < this.#ttlMs) return this.#value!.of
    try {
      return await this.#renew()
    } catch (error) {
      if (age < 2 * this.#ttlMs) return this.#value!.of
      throw error
    }
  }

  #renew(): Promise<T> {
    if (this.#failure && Date.now() - this.#failure.since < FAILURE_MS) {
      return Promise.reject(this.#failure.error)
    }
    this.#loading ??= this.#load()
      .then(
        (of) => {
          this.#value = { of, since: Date.now() }
          this.#failure = undefined
          return of
        },
        (error) => {
          this.#failure = { error, since: Date.now() }
          throw error
        },
      )
      .finally(() => {
        this.#loading = undefined
      })
    return this.#loading
  }
}
