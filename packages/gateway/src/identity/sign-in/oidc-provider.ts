import type { IncomingMessage, ServerResponse } from 'node:http'

// What this folder uses of oidc-provider, which has no types of its own.

export interface OidcClient {
  readonly clientId: string
  readonly clientName?: string
  readonly clientAuthMethod?: string
  readonly redirectUris: readonly string[]
  readonly clientIdMetadataDocument?: boolean
  grantTypeAllowed(type: string): boolean
}

export interface OidcContext {
  readonly oidc: {
    readonly body?: Record<string, unknown>
    readonly client?: OidcClient
    readonly params?: Record<string, string | undefined>
  }
  type: string
  body: unknown
  status: number
  set(name: string, value: string): void
}

export interface Interaction {
  readonly uid: string
  readonly params: Record<string, string | undefined>
  readonly prompt: {
    readonly name: string
    readonly details: {
      readonly missingOIDCScope?: readonly string[]
      readonly missingResourceScopes?: Readonly<Record<string, readonly string[]>>
    }
  }
  readonly session?: { readonly accountId?: string }
  readonly grantId?: string
}

export interface OidcGrant {
  addOIDCScope(scope: string): void
  addResourceScope(resource: string, scope: string): void
  save(): Promise<string>
}

export interface OidcAccessToken {
  resourceServer: object
  readonly scope?: string
  readonly expiration: number
  save(): Promise<string>
}

export interface OidcProvider {
  proxy: boolean
  callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
  on(event: string, listener: (...args: never[]) => void): void
  interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
  interactionFinished(
    request: IncomingMessage,
    response: ServerResponse,
    result: object,
    options?: { mergeWithLastSubmission?: boolean },
  ): Promise<void>
  registerGrantType(
    name: string,
    handler: (context: OidcContext) => Promise<void>,
    parameters: readonly string[],
  ): void
  readonly AccessToken: new (facts: object) => OidcAccessToken
  readonly ResourceServer: new (indicator: string, facts: object) => object
  readonly Client: { find(id: string): Promise<OidcClient | undefined> }
  readonly Grant: {
    new (facts: { accountId: string; clientId: string }): OidcGrant
    find(id: string): Promise<OidcGrant | undefined>
  }
}

type ErrorClass = new (description?: string) => Error

export interface OidcModule {
  readonly default: new (issuer: string, configuration: object) => OidcProvider
  readonly errors: {
    readonly InvalidGrant: ErrorClass
    readonly InvalidTarget: ErrorClass
    readonly UnauthorizedClient: ErrorClass
  }
}

/** Loaded when a configuration has a sign-in, and not before. */
export async function loadOidcProvider(): Promise<OidcModule> {
  return (await import('oidc-provider' as string)) as OidcModule
}
