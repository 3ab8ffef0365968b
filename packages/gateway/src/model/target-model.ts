import type { Secret, Text } from './secret.ts'

/** One server behind the gateway, as the configuration describes it. */
export type TargetModel = StdioTarget | UrlTarget | InProcessTarget | OpenApiTarget | ReplayTarget

export type TargetKind = TargetModel['kind']

/** Who shares a connection. `auto` (default): all callers, until the server asks its client something. */
export type Isolation = 'auto' | 'shared' | 'user' | 'session' | 'call'

/** Whose account a target is used with. */
export type CredentialsModel =
  | { readonly kind: 'shared' }
  /** Each person has an account: these are pasted, or the person logs in at the target when there are none. */
  | { readonly kind: 'user'; readonly secrets: readonly PersonalSecret[] }
  | ExchangeModel

/** A variable of a program or a header that each person fills in. */
export interface PersonalSecret {
  readonly name: string
  /** What people are told about it. */
  readonly label: string
}

/** Something that says who the caller is becomes a token of the target, without a question. */
export interface ExchangeModel {
  readonly kind: 'exchange'
  /** By one exchange (RFC 8693), or by an assertion that the target's authorization server redeems (ID-JAG). */
  readonly by: 'token' | 'id-jag'
  /** What is exchanged: the token of the call, or the ID token of the caller's login at the identity provider. */
  readonly subject: 'access-token' | 'id-token'
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: Secret | undefined
  readonly audience: string | undefined
  readonly scopes: readonly string[]
}

/** What every kind of target has. */
export interface TargetOptions {
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
  /** Most connections at a time when `isolation` makes several. */
  readonly maxInstances: number
  readonly start: 'eager' | 'lazy'
  /** Whether the gateway counts as not ready while this target cannot be used. */
  readonly required: boolean
  /** Milliseconds without use after which a connection is closed; undefined: never. */
  readonly idleStop: number | undefined
  readonly timeouts: TimeoutsModel
  /** Requests in flight on one connection, and how many more may wait. */
  readonly concurrency: number
  readonly queue: number
  readonly era: 'auto' | 'modern' | 'legacy'
  /** Whether the gateway waits for a task that a tool insists on, where a modern client has no tasks extension. */
  readonly tasks: 'wait' | 'refuse'
  readonly restart: RestartModel
  readonly health: HealthModel
  /** Header names of the client's request, in lower case, that travel on to the target. */
  readonly forwardHeaders: readonly string[]
  readonly tools: SelectionModel
  readonly prompts: SelectionModel
  /** Resources and templates; patterns are matched with the target's own URI. */
  readonly resources: SelectionModel
}

export interface TimeoutsModel {
  /** From spawning or connecting to the end of the handshake. */
  readonly start: number
  /** Instead of `start`, while a launcher such as `npx` installs a package. */
  readonly install: number
  /** Without an answer or a sign of progress. */
  readonly idle: number
  /** One request in all, however much progress it reports. */
  readonly request: number
}

export interface RestartModel {
  /** `always`: by itself; `on-demand`: with the next request; `never`: the target stays down. */
  readonly policy: 'always' | 'on-demand' | 'never'
  readonly minDelay: number
  readonly maxDelay: number
  /** Failures in a row after which the target is quarantined, and for how long. */
  readonly quarantineAfter: number
  readonly quarantineFor: number
}

export interface HealthModel {
  /** Milliseconds between pings; undefined: none are sent. */
  readonly interval: number | undefined
  readonly timeout: number
  /** Pings in a row that may fail before the connection counts as lost. */
  readonly failures: number
}

/** Which tools, prompts or resources are shown, and how. Keys are the target's own names or URIs. */
export interface SelectionModel {
  /** Wildcard patterns; empty means all. */
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  readonly rename: Readonly<Record<string, string>>
  readonly describe: Readonly<Record<string, string>>
}

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

export type TokenEndpointAuthMethod =
  | 'none'
  | 'client_secret_basic'
  | 'client_secret_post'
  | 'private_key_jwt'

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
  /** Loopback port for the redirect; undefined: any free one. */
  readonly callbackPort: number | undefined
  /** `server.trustedHosts`: hosts that the server's metadata may name although their addresses are private. */
  readonly trustedHosts: readonly string[]
}

export interface InProcessTarget extends TargetOptions {
  readonly kind: 'inProcess'
  /** Absolute path or package name of a module that exports a `Server`, or a function that makes one. */
  readonly module: string
  readonly exportName: string
  /** Given to the export when it is a function. */
  readonly options: unknown
}

export interface OpenApiTarget extends TargetOptions {
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
  /** One tool per operation, or one per tag or first path segment with the operation as an argument. */
  readonly group: 'none' | 'tag' | 'path'
  /** Hand-made groups: tool name → operation patterns. */
  readonly groups: Readonly<Record<string, readonly string[]>>
  /** `outputSchema` as described, without what real answers often break, or not at all. */
  readonly outputSchemas: 'exact' | 'lenient' | 'none'
  /** Bytes for the input schema of one tool, and half as many for its output schema. */
  readonly maxSchemaBytes: number
  /** Values for variables in the URLs of the description's servers. */
  readonly serverVariables: Readonly<Record<string, string>>
  /** Where a redirect of the API may lead. */
  readonly redirects: 'none' | 'same-origin' | 'any'
  /** Answers larger than this are not read to the end. */
  readonly maxResponseBytes: number
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
