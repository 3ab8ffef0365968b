import type { Secret, Text } from './secret.ts'
import type { OauthSettings, OpenapiSettings, SelectionSettings, TargetSettings } from './settings.gen.ts'

/** One server behind the gateway, as the configuration describes it. */
export type TargetModel = StdioTarget | UrlTarget | InProcessTarget | OpenApiTarget | ReplayTarget

export type TargetKind = TargetModel['kind']

/** The callers that share a connection. `auto` (default): all, until the server asks its client something. */
export type Isolation = 'auto' | 'shared' | 'user' | 'session' | 'call'

/** The accounts that a target is used with. */
export type CredentialsModel =
  | { readonly kind: 'shared' }
  /**
   * Each person has an account. Its secrets are typed in by the person; when `secrets` is empty, the person logs in at
   * the target.
   */
  | { readonly kind: 'user'; readonly secrets: readonly PersonalSecret[] }
  | ExchangeModel

/** A variable of a program or a header that each person fills in. */
export interface PersonalSecret {
  readonly name: string
  /** The text that asks people for it. */
  readonly label: string
}

/** A token that says who the caller is is exchanged for a token of the target, without asking the caller. */
export interface ExchangeModel {
  readonly kind: 'exchange'
  /** By a token exchange (RFC 8693), or by an assertion that the target's authorization server redeems (ID-JAG). */
  readonly by: 'token' | 'id-jag'
  /** The token to exchange: the token of the call, or the ID token of the caller's login at the identity provider. */
  readonly subject: 'access-token' | 'id-token'
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: Secret | undefined
  readonly audience: string | undefined
  readonly scopes: readonly string[]
}

/** The settings of every kind of target. */
export interface TargetOptions
  extends Pick<
    TargetSettings,
    'maxInstances' | 'start' | 'required' | 'timeouts' | 'concurrency' | 'queue' | 'era' | 'tasks'
  > {
  /** The key in the configuration; any text without `/`. */
  readonly name: string
  readonly title: string | undefined
  readonly enabled: boolean
  /** Why a target that the file does not switch off is off nevertheless: an unset variable, say. */
  readonly disabledReason: string | undefined
  /** Put in front of every name, followed by the separator; empty when names stay as they are. */
  readonly prefix: string
  readonly isolation: Isolation
  readonly credentials: CredentialsModel
  /** Milliseconds without use after which a connection is closed; undefined: never. */
  readonly idleStop: number | undefined
  readonly restart: RestartModel
  readonly health: HealthModel
  /** Header names of the client's request, in lower case, that travel on to the target. */
  readonly forwardHeaders: readonly string[]
  readonly tools: SelectionModel
  readonly prompts: SelectionModel
  /** Resources and templates; patterns are matched with the target's own URI. */
  readonly resources: SelectionModel
}

export type TimeoutsModel = TargetSettings['timeouts']

export type RestartModel = Required<TargetSettings['restart']>

export interface HealthModel extends Pick<TargetSettings['health'], 'timeout' | 'failures'> {
  /** Milliseconds between pings; undefined when no pings are sent. */
  readonly interval: number | undefined
}

/** Which tools, prompts or resources are shown, and how. Keys are the target's own names or URIs. */
export type SelectionModel = SelectionSettings

export interface StdioTarget extends TargetOptions {
  readonly kind: 'stdio'
  readonly command: string
  readonly args: readonly Text[]
  /** Added to the short list of safe variables that every child gets. */
  readonly env: Readonly<Record<string, Secret>>
  /** Absolute; the folder of the configuration file unless it says otherwise. */
  readonly cwd: string
}

export interface UrlTarget extends TargetOptions {
  readonly kind: 'url'
  readonly url: Text
  readonly transport: 'auto' | 'http' | 'sse'
  readonly headers: Readonly<Record<string, Secret>>
  /** How to log in when the server asks for it; undefined: do not try. */
  readonly oauth: OAuthModel | undefined
}

export type TokenEndpointAuthMethod = NonNullable<OauthSettings['tokenEndpointAuthMethod']>

export interface OAuthModel {
  readonly grant: 'authorization_code' | 'client_credentials'
  readonly clientId: string | undefined
  readonly clientSecret: Secret | undefined
  /** PEM text for `private_key_jwt`. */
  readonly privateKey: Secret | undefined
  /** How the client authenticates at the token endpoint; undefined: the best that the server announces. */
  readonly tokenEndpointAuthMethod: TokenEndpointAuthMethod | undefined
  /** URL of a client ID metadata document, used as the client id where the server allows it. */
  readonly clientMetadataUrl: string | undefined
  readonly scopes: readonly string[]
  /** Loopback port for the redirect; undefined: any free port. */
  readonly callbackPort: number | undefined
  /** `server.trustedHosts`: hosts that the server's metadata may name although their addresses are private. */
  readonly trustedHosts: readonly string[]
}

export interface InProcessTarget extends TargetOptions {
  readonly kind: 'inProcess'
  /** Absolute path or package name of a module that exports a `Server`, or a function that makes a `Server`. */
  readonly module: string
  readonly exportName: string
  /** Given to the export when it is a function. */
  readonly options: unknown
}

export interface OpenApiTarget
  extends TargetOptions,
    Pick<
      OpenapiSettings,
      'group' | 'groups' | 'outputSchemas' | 'maxSchemaBytes' | 'redirects' | 'maxResponseBytes'
    > {
  readonly kind: 'openapi'
  /** Absolute path, or URL, of the description. */
  readonly document: string
  /** Instead of the description's `servers`. */
  readonly baseUrl: string | undefined
  /** `server.trustedHosts`: hosts that the description may name although their addresses are private. */
  readonly trustedHosts: readonly string[]
  readonly headers: Readonly<Record<string, Secret>>
  readonly auth: OpenApiAuthModel
  /** `operationId`, `GET /pets/*` or `tag:NAME`, with wildcards; an empty include means all. */
  readonly operations: SelectionModel
  /** Values for variables in the URLs of the description's servers. */
  readonly serverVariables: Readonly<Record<string, string>>
  /** A folder whose files `$ref` may read, instead of the description's. */
  readonly referenceRoot: string | undefined
}

export interface OpenApiAuthModel {
  readonly bearer: Secret | undefined
  readonly basic: { readonly username: Text; readonly password: Secret } | undefined
  readonly apiKeys: readonly {
    readonly in: 'header' | 'query' | 'cookie'
    readonly name: string
    readonly value: Secret
  }[]
  /** Values for security schemes of the description, by their names there. */
  readonly schemes: Readonly<Record<string, Secret>>
  readonly clientCredentials:
    | {
        readonly tokenUrl: string
        readonly clientId: string
        readonly clientSecret: Secret
        readonly scopes: readonly string[]
      }
    | undefined
}

export interface ReplayTarget extends TargetOptions {
  readonly kind: 'replay'
  /** Absolute path of a recording made by `gantry record`. */
  readonly file: string
  /** 1 keeps the recorded pace, 0 answers at once. */
  readonly speed: number
}
