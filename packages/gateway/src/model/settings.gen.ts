// Written by scripts/config-types.mjs from packages/gateway/schema/gantry.schema.json. Change those.

/** A number, or text such as `30s` or `16mb`. */
export type Quantity = number | string

/** One file for the gateway: a superset of the `mcpServers` JSON that MCP clients use, written as JSON, JSON with comments, or YAML. Any text may refer to the environment (`${env:NAME}`, `${env:NAME:-default}`) or to a file (`${file:PATH}`); `$${` stands for a plain `${`. Paths are relative to the file, and `~/` is the home folder. */
export interface RawConfig {
  /** Where this schema is, for editors. */
  $schema?: string
  /** The servers behind the gateway, by name. */
  mcpServers?: Record<string, RawTarget>
  /** The same as `mcpServers`, as Visual Studio Code spells it. */
  servers?: Record<string, RawTarget>
  /** Questions that Visual Studio Code asks its user. The gateway asks nobody: refer to `${env:NAME}` or `${file:PATH}` instead of `${input:ID}`. */
  inputs?: unknown[]
  defaults?: RawDefaults
  server?: RawServer
  auth?: RawAuth
  policy?: RawPolicy
  /** What may come back from targets, and in what form. All rules that are about a tool, prompt, resource or method hold for it. */
  results?: RawResultRule[]
  /** Selections of what the targets have, each at an endpoint of its own: `/mcp/NAME`. No target may have the same name. */
  views?: Record<string, RawView>
  limits?: RawUsageLimits
  names?: RawNames
  catalog?: RawCatalog
  store?: RawStore
  telemetry?: RawTelemetry
  audit?: RawAudit
  /** Folder for what outlives the process: sealing keys and the store. By default a folder of its own for each configuration file, where the platform keeps such things. */
  stateDir?: string
  [extra: string]: unknown
}

/** Where the gateway listens, and its limits. */
export interface RawServer {
  /** Address to listen on. Anything that other machines can reach needs `auth`. */
  host?: string
  /** Port to listen on; 0 takes any free one. */
  port?: number | string
  /** What clients call the gateway when it is behind a proxy. */
  publicUrl?: string
  /** Serves HTTPS, without a proxy in front. Files are read again when they change, and connections stay. */
  tls?: {
    /** The file with the certificate, and with the certificates between it and its authority, in PEM. */
    cert: string
    /** The file with its private key, in PEM. */
    key: string
  }
  /** Browser origins that may call the gateway, besides its own; `*` allows any. Requests from other pages are refused, which is what stops DNS rebinding. */
  allowedOrigins?: string[]
  /** Values of the `Host` header to accept, besides those that follow from `host` and `publicUrl`; `*` allows any. */
  allowedHosts?: string[]
  /** Hosts (`name` or `name:port`) inside your network that may be named by metadata of OAuth, by redirects and by API descriptions. Without an entry here, such a name is refused when its address is private. An authorization server on this list may be reached by plain HTTP. Servers that you write into this file yourself need no entry. */
  trustedHosts?: string[]
  /** Whether the web console and its API are served. */
  console?: boolean
  /** The server name that clients see. */
  name?: string
  /** The server title that clients show to people. */
  title?: string
  /** Text for the model, put in front of the instructions of the targets. */
  instructions?: string
  /** Secrets of at least 32 characters that seal session ids, task ids and request state: the first seals, all of them open, so put a new one in front to rotate. Replicas need the same ones. Without any, one is made and kept in `stateDir`. */
  sealingKeys?: string[]
  /** How long the gateway goes on taking requests after SIGTERM, while `/ready` already answers 503: load balancers need a moment to notice. Ctrl+C does not wait. */
  drainDelay?: Quantity
  /** Processes that share the port: a number, or `auto` for one on each processor. See docs/scaling.md. */
  workers?: 'auto' | number
  /** Several gateways act as one: a program runs once for all of them, and each reaches it. They share a `store` and `sealingKeys`. This is the port for the other gateways; clients never use it. */
  cluster?: {
    /** The address to listen on. Other machines reach it only when it is not loopback; keep the port inside your network. */
    host?: string
    /** The port to listen on; 0 takes any that is free. */
    port?: number
    /** How the other gateways reach it, when not by `host` and `port`. It begins with `https://` when there is `tls`. */
    address?: string
    /** Encrypts what travels between gateways, and asks each for a certificate of the same authority (mTLS, TLS 1.3). All of them need it. Files are read again when they change. */
    tls?: {
      /** The file with the certificate of this gateway, in PEM. It is shown to gateways that connect, and to gateways that this gateway connects to. */
      cert: string
      /** The file with its private key, in PEM. */
      key: string
      /** The file with the authority of all gateways, in PEM. Use one that signs nothing else. */
      ca: string
      /** The name in the certificates of all gateways, where they have no addresses of their own. Without it, a certificate has to have the host of the gateway's `address`. */
      name?: string
    }
  }
  /** How long calls in flight may take to end when the gateway stops. A call that takes longer is answered with an error. */
  shutdownGrace?: Quantity
  limits?: RawLimits
}

/** Bounds that keep one client or target from taking everything. */
export interface RawLimits {
  /** Largest message a client may send. */
  bodyBytes?: Quantity
  /** How long a message of a client may take to arrive. */
  bodyTimeout?: Quantity
  /** Bytes of messages that are being received, over all clients. More are refused with 429. */
  receivingBytes?: Quantity
  /** Largest message a target may send. */
  resultBytes?: Quantity
  /** Bytes of answers that their clients have not read, over all clients. Long answers are refused with 429 when there is no room for them. */
  unreadBytes?: Quantity
  /** What sessions of legacy clients keep for clients whose stream breaks and that come back for the rest, over all clients. An answer that has no room is not kept, and a client that comes back for it is told so. */
  eventBytes?: Quantity
  /** A client that reads nothing of its answer for this long is cut off, over HTTP and on standard input and output. So is a target that stops in the middle of a long message; when others wait for its room, after a sixth of this time. */
  stallTimeout?: Quantity
  /** Sessions of legacy clients at a time. */
  sessions?: number
  /** How long a session may be idle before its state is dropped. A client that comes back later gets it rebuilt. */
  sessionIdle?: Quantity
  /** What clients listen for at a time, over all clients: each listener, and each resource and task that it names, counts. */
  subscriptions?: number
  /** Resources and tasks that one request may listen for. */
  subscriptionsPerRequest?: number
  /** Requests in flight at a time, over all clients. At the limit a caller that has its fair part is refused with 429; others wait for the next place. */
  requestsInFlight?: number
  /** Calls of legacy targets that may wait at a time for a modern client's answer. */
  parkedCalls?: number
  /** How long such a call waits, and how long any `requestState` is good. */
  parkedFor?: Quantity
  /** Targets that may be starting at the same time. */
  startingTargets?: number
  /** How much of each of these limits one caller may hold: a principal, or a session without one. */
  callerShare?: number
}

/** Who may come in. Off on loopback unless something is set here; needed to listen anywhere else. */
export interface RawAuth {
  /** Keys that clients send as `Authorization: Bearer KEY` or `X-API-Key: KEY`. */
  apiKeys?: RawApiKey[]
  /** Whether keys of `gantry keys add` open the door. They are kept in the store as hashes, with an expiry, scopes and views, and take effect without a restart. Clients send them as they send `apiKeys`. */
  keys?: boolean
  /** Groups whose members may use the console and its API. Viewers read lists and figures, and no bodies; operators restart targets, make calls and see bodies; admins change everything. Keys get a role by a scope: `gantry:viewer`, `gantry:operator`, `gantry:admin`. */
  roles?: {
    /** Groups of admins. */
    admin?: string[]
    /** Groups of operators. */
    operator?: string[]
    /** Groups of viewers. */
    viewer?: string[]
  }
  /** Client certificates open the door, on a port with `server.tls`. Their holders are workloads of the issuer `mtls`; the subject is the URI of the certificate (`spiffe://…`), else its DNS name, else its common name. */
  mtls?: {
    /** The file with the authorities whose certificates are accepted, in PEM. */
    ca: string
  }
  /** Access tokens of an OAuth authorization server, or of several. The gateway publishes protected resource metadata that leads clients to them. */
  bearer?: RawBearer | RawBearer[]
  signIn?: RawSignIn
  /** Where the groups of a caller come from: a claim by its name or path, several, or an expression in CEL that gives a text or a list of texts. Rules know them as `groups`. Without it they are the claim `groups`. */
  groups?: string | string[] | RawGroupsExpression
}

/** An authorization server of the gateway's own, for identity providers that MCP clients cannot register with. People log in with the identity provider, and clients get short tokens for this gateway alone. */
export interface RawSignIn {
  /** The identity provider: any OpenID provider. */
  issuer: string
  /** The gateway's client id there. Its redirect URI is `/oauth/callback` below `server.publicUrl`. */
  clientId: string
  /** Its secret, as a reference. */
  clientSecret: string
  /** What the identity provider is asked for. */
  upstreamScopes?: string[]
  /** Scopes that every request needs. Clients are told to ask for them. */
  scopes?: string[]
  /** Further scopes that clients may ask for. */
  offeredScopes?: string[]
  /** How long a sign-in lasts before the person has to log in again. */
  lifetime?: Quantity
  /** How long an access token is good. Clients get a new one by themselves. */
  tokenLifetime?: Quantity
  /** Clients that are known beforehand. Others come with a metadata document, or register themselves. */
  clients?: RawSignInClient[]
}

export interface RawSignInClient {
  /** What the client calls itself. */
  clientId: string
  /** What people are shown. By default the client id. */
  name?: string
  /** Its secret, as a reference; without one it is a public client. */
  clientSecret?: string
  /** Where answers may go. On loopback the port does not matter. */
  redirectUris: string[]
}

export interface RawGroupsExpression {
  /** An expression in CEL over `claims` and `principal`. One that has no value gives no group. */
  expression: string
}

export interface RawApiKey {
  /** Names the key in rules and logs. */
  name: string
  /** The key; best a reference, so that it is not in this file. */
  key?: string
  /** SHA-256 of the key in hexadecimal, instead of the key. */
  sha256?: string
  /** What rules know about this key. */
  scopes?: string[]
}

/** Access tokens of an OAuth authorization server. The gateway publishes protected resource metadata that points clients to it. */
export interface RawBearer {
  /** The authorization server. */
  issuer: string
  /** What a token's `aud` has to be: the gateway's own URL. */
  audience: string
  /** Scopes that every request needs. */
  scopes?: string[]
  /** Where the signing keys are; found through the issuer when left out. */
  jwksUri?: string
  /** For tokens that are not JWTs (RFC 7662). */
  introspection?: {
    /** The introspection endpoint. */
    url: string
    /** The gateway's client id. */
    clientId: string
    /** Its secret, as a reference. */
    clientSecret: string
  }
}

/** Who may do what. Of the rules that match the caller, a matching `deny` forbids, else a matching `allow` permits, else `default` decides. Denied objects are not listed either. */
export interface RawPolicy {
  /** What holds when no rule has an opinion. */
  default?: 'allow' | 'deny'
  /** The rules; their order does not matter. */
  rules?: RawRule[]
  /** `audit` tries the whole policy out, its default too: nothing is denied, and what would have been is logged. */
  mode?: 'enforce' | 'audit'
  /** What the rules have to decide. The tests are run when the configuration is loaded, by `gantry check` and by `gantry policy test`. A configuration with a failing test is not taken. */
  tests?: RawPolicyTest[]
  /** Told of every call that waits for approval, and may answer with a decision. Both are signed as Standard Webhooks has it ([approval](approval.md)). */
  webhook?: {
    /** Where the gateway sends calls that wait. */
    url: string
    /** Signs messages in both directions; at least 24 characters, or `whsec_` and Base64. */
    secret: string
  }
}

export interface RawPolicyTest {
  /** What the test is about. */
  name?: string
  /** Who calls: `key:NAME`, `person:SUBJECT` or `workload:SUBJECT`. Without it, a caller without credentials. */
  as?: string
  /** Whose token that person or workload has. By default the configured issuer. */
  issuer?: string
  /** The scopes of the token. By default the scopes of the API key; a caller without a key has no scopes. */
  scopes?: string[]
  /** The groups of the caller, instead of the groups that `auth.groups` finds. */
  groups?: string[]
  /** Further claims of the token. */
  claims?: Record<string, unknown>
  /** What the client says of itself, and the client id of its token. */
  client?: {
    /** The client id of its token. */
    id?: string
    /** Its name. */
    name?: string
    /** Its version. */
    version?: string
  }
  /** Which MCP the client speaks. */
  era?: 'legacy' | 'modern'
  /** The endpoint: the name in `/mcp/NAME`, or nothing for `/mcp`. */
  view?: string
  /** What is called: `[KIND:]TARGET/NAME`. Without a kind it is a resource if NAME is a URI, else a tool. */
  call?: string
  /** The same for a list: `allow` means that it is listed. */
  list?: string
  /** The arguments of the call. */
  args?: Record<string, unknown>
  /** The annotations of the tool. */
  annotations?: Record<string, unknown>
  /** When the call is made; by default, when the test is run. */
  now?: string
  /** How many calls `count()` finds, in every window. */
  count?: number
  /** What the policy has to decide. `approve` and `confirm`: it allows the call when that was done. */
  expect: 'allow' | 'deny' | 'approve' | 'confirm'
  /** The name of the rule that has to decide. */
  rule?: string
}

export interface RawView {
  /** What the view offers, as `[KIND:]TARGET/NAME` with wildcards. Policy holds besides. */
  use: string[]
  /** What clients show of it. */
  title?: string
  /** For models, in the place of `server.instructions`. */
  instructions?: string
  /** Who may use the view. For everybody else it does not exist. Everyone when it is left out. */
  who?: NonNullable<RawRule['who']>
  /** How tools look in the view, by `TARGET/NAME` with the name that the target uses. */
  tools?: Record<string, RawViewEntry>
  /** The same for prompts. */
  prompts?: Record<string, RawViewEntry>
  /** Rules for results, in addition to the rules of the gateway. */
  results?: RawResultRule[]
  /** How often something may be called in this view. */
  limits?: {
    /** How often something may be called in this view, besides the limits of the gateway. */
    rates?: RawRate[]
  }
}

export interface RawViewEntry {
  /** What clients call it; as on the common endpoint when it is left out. */
  name?: string
  /** What clients show of it. */
  title?: string
  /** What models read of it. */
  description?: string
  /** What becomes of its parameters, by the names that the target uses. */
  parameters?: Record<string, RawViewParameter>
}

export interface RawViewParameter {
  /** Clients do not see the parameter, and it always has this value. `{ "expression": "claims.team" }` is worked out for each call. */
  fixed?: unknown
  /** What the parameter is when a client leaves it out; also an expression. */
  default?: unknown
  /** What clients call the parameter. */
  rename?: string
  /** What models read of it. */
  description?: string
  /** The only values that are accepted. */
  enum?: unknown[]
  /** The least number that is accepted. */
  minimum?: number
  /** The greatest number that is accepted. */
  maximum?: number
  /** The longest text that is accepted. */
  maxLength?: number
  /** A pattern that texts have to match. */
  pattern?: string
  /** The longest list that is accepted. */
  maxItems?: number
}

export interface RawRate {
  /** For messages; `limit 1` and so on when it is left out. */
  name?: string
  /** What is counted, as `[KIND:]TARGET/NAME` with wildcards. Every call when it is left out. */
  for?: string[]
  /** An expression: calls for which it has the same value are counted together. The calls of one caller when it is left out. */
  by?: string
  /** Calls in a second, minute, hour or day. */
  rate?: string
  /** How many calls may come at once after a pause. As many as `rate` names when it is left out. */
  burst?: number
  /** Calls between midnight and midnight (UTC). */
  perDay?: number
  /** Calls under way at the same time, in one process. */
  concurrent?: number
  /** How much of the limit a call takes: a number, or `{ "expression": "args.pages" }`. */
  cost?: number | {
    /** An expression whose value is a number. */
    expression: string
  }
  /** Counts in the store, for all processes that use it. Each call then waits for the store. */
  shared?: boolean
  /** What a shared limit does while the store cannot be reached: `local` lets each process count for itself, `refuse` refuses calls. */
  storeAway?: 'local' | 'refuse'
}

export interface RawRetry {
  /** Which tools, as `TARGET/NAME` with wildcards. */
  for: string[]
  /** Further tries when the server could not be reached or was too busy. */
  attempts?: number
  /** Time before the first of them; it doubles. A server that says when to come back is left alone until then. */
  pause?: Quantity
  /** Makes a second call beside the first when that has not been answered after so long. The first answer counts, and the other call is cancelled. */
  hedgeAfter?: Quantity
}

/** What callers may use, and how often. */
export interface RawUsageLimits {
  /** How often something may be called. A call takes its share of every limit that is about it. When one of them has nothing left, it takes no share and is refused with HTTP 429 and `Retry-After`. */
  rates?: RawRate[]
  /** Stops models that repeat a call which fails: after the same call of a caller has failed in the same way `after` times in a row, the gateway answers it for `pause`, with the advice to try something else. Without it calls may be repeated at will. */
  repeatedErrors?: {
    /** Failures in a row. */
    after?: number
    /** How long after the last failure the call is not made again. */
    pause?: Quantity
  }
  /** Calls of tools that are made once more. A tool must also say by its annotations that it only reads or is idempotent. Of 100 calls at most 2 are repeated. */
  retries?: RawRetry[]
}

export interface RawResultRule {
  /** For explanations; `result rule 1` and so on when it is left out. */
  name?: string
  /** What the rule is about, as `[KIND:]TARGET/NAME` with wildcards. Everything when it is left out. */
  for?: string[]
  /** A word such as `[masked email]` takes the place of what is found. Structured content still fits its schema, or the call fails. */
  mask?: (string | {
    /** A regular expression in the syntax of RE2. */
    pattern: string
    /** What it finds: the word in the mask. */
    name?: string
  } | {
    /** A place in structured content, such as `customers.*.ssn`. `*` stands for one step, `**` for any number of them. */
    path: string
    /** What stands there: the word in the mask. */
    name?: string
  })[]
  /** What is found is left out: characters of a text, a field of structured content. */
  drop?: (string | {
    /** A regular expression in the syntax of RE2. */
    pattern: string
    /** What it finds: the word in the mask. */
    name?: string
  } | {
    /** A place in structured content, such as `customers.*.ssn`. `*` stands for one step, `**` for any number of them. */
    path: string
    /** What stands there: the word in the mask. */
    name?: string
  })[]
  /** A result in which this is found is not passed on: the call fails. */
  refuse?: (string | {
    /** A regular expression in the syntax of RE2. */
    pattern: string
    /** What it finds: the word in the mask. */
    name?: string
  } | {
    /** A place in structured content, such as `customers.*.ssn`. `*` stands for one step, `**` for any number of them. */
    path: string
    /** What stands there: the word in the mask. */
    name?: string
  })[]
  /** Marks results with `dev.gantry/untrusted` in `_meta`: clients can show the model that the text comes from outside. */
  untrusted?: boolean
  /** Takes characters out of results that people do not see: tags, directions, zero-width signs. From titles and descriptions they are always taken out. */
  stripHidden?: boolean
  /** Longer results of tools are cut to their head and tail, with a link to all of it: pages of a resource that belongs to the caller and ends after an hour. A token counts as four bytes. */
  maxTokens?: number
  /** Leaves out texts that only repeat the structured content. For clients that read structured content. */
  dropRepeated?: boolean
}

export interface RawRule {
  /** Shown when `gantry why` explains a refusal. */
  name?: string
  /** A condition in CEL: the rule holds only for requests for which it is true. A condition that fails denies. [Policy](policy.md) lists the variables. */
  when?: string
  /** What callers are told when the rule denies a call, or when `when` keeps it from allowing one. By default, what is denied looks as if it did not exist. */
  message?: string
  /** `audit` tries the rule out: it decides nothing, and what it would have denied is logged. As `policy.mode` when left out. */
  mode?: 'enforce' | 'audit'
  /** What the rule allows waits until another person has approved it ([approval](approval.md)). No other rule spares a call that. */
  approve?: {
    /** Who may decide, never the caller itself: `operator` (may administer the gateway), `group:NAME`, `scope:NAME`, `key:NAME`, `person:SUBJECT` or `workload:SUBJECT`. */
    by?: string | string[]
    /** How long a call waits for the decision, and how long it may be made after that. A call without a decision is denied. */
    within?: Quantity
    /** What the approvers and the caller are told. */
    message?: string
  }
  /** The caller is asked before what the rule allows is done; `message` is the question. The client that asks answers itself, so this is no approval. */
  confirm?: boolean
  /** Whom the rule is about: one entry of any list has to match. Everyone when left out. */
  who?: {
    /** Callers with a token. A text is the subject of people, with wildcards. API keys go into `apiKeys`. */
    principals?: (string | {
      /** A workload is a program with a token of its own: one without a subject, or whose subject is its client id. */
      kind?: 'person' | 'workload'
      /** Exactly the issuer of the token. The configured one when left out. */
      issuer?: string
      /** The subject of the token (`sub`), with wildcards; of a workload without one, its client id. */
      subject: string
    })[]
    /** Scopes, with wildcards. */
    scopes?: string[]
    /** Names of API keys, with wildcards. */
    apiKeys?: string[]
  }
  /** What they may use. */
  allow?: string[]
  /** What they may not use. */
  deny?: string[]
}

/** How the names of tools and prompts are made. */
export interface RawNames {
  /** Whether names start with the target's name, so that adding a target never renames anything. A target may say otherwise. */
  prefix?: boolean
  /** Stands between the target's name and the tool's. */
  separator?: string
  /** Longer names are cut and get a hash at the end; many clients refuse more than 64 characters. */
  maxLength?: number
}

/** The merged lists of tools, prompts and resources. */
export interface RawCatalog {
  /** How long a list counts as fresh when its target does not say. */
  ttl?: Quantity
  /** How long one target may delay a list; after that the list goes out without it and says so. At the endpoint of one target a list waits up to 25 seconds for its start. */
  deadline?: Quantity
  /** Entries in one page of a list. */
  pageSize?: number
  /** Whether the last-known lists are kept on disk and served at once after a restart. */
  persist?: boolean
}

/** Where state that outlives a request is kept: sign-ins of targets, finished tasks, last-known lists. Session ids and request state are sealed and need no store. See docs/store.md. */
export interface RawStore {
  /** `embedded` keeps it in a file, which several gateways of one machine may share; `memory` forgets it when the gateway stops. */
  kind?: 'embedded' | 'memory'
  /** The file, on a disk of this machine; `store.mdb` in `stateDir` when left out. */
  path?: string
  /** Most that it may hold. A write that does not fit fails, and says so. */
  maxSize?: Quantity
  redis?: RawRedis
}

/** Keeps state in Redis or Valkey, which replicas on several machines share. One of `url`, `sentinels` and `nodes` says where it is. All replicas need the same `server.sealingKeys`. */
export interface RawRedis {
  /** One server: `redis://HOST:PORT`, or `rediss://` with TLS. It may hold a user, a password and the number of a database. */
  url?: string
  /** Sentinels, `HOST:PORT`, which name the server that writes. */
  sentinels?: string[]
  /** What the Sentinels call the server, as in `sentinel monitor NAME …`. */
  masterName?: string
  /** Some nodes of a cluster, `HOST:PORT`; the others are found by them. */
  nodes?: string[]
  /** The user of Redis' access control list; the default user when left out. */
  username?: string
  /** Its password. */
  password?: string
  /** The user at the Sentinels. */
  sentinelUsername?: string
  /** Its password. */
  sentinelPassword?: string
  /** Encrypts connections; `true` trusts the usual authorities. */
  tls?: boolean | {
    /** The file with the authorities to trust instead of the usual ones, in PEM. */
    ca?: string
    /** The file with the certificate of this gateway, in PEM, where the server asks for one. */
    cert?: string
    /** The file with its private key, in PEM. */
    key?: string
  }
  /** The number of the database. */
  database?: number
  /** In front of all keys and channels, in braces: a cluster keeps all of them on one node. Gateways with different prefixes know nothing of each other. */
  prefix?: string
  /** How long Redis may take to answer before it counts as away. */
  timeout?: Quantity
}

/** Logs, the exchange log, traces and metrics. Nothing is sent anywhere unless `otlp` or the standard `OTEL_*` variables say so. */
export interface RawTelemetry {
  /** Least severe message that is logged. */
  logLevel?: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** Lines for people or for machines. */
  logFormat?: 'text' | 'json'
  /** The messages that the console shows. */
  wire?: {
    /** Messages kept in memory; 0 switches the view off. */
    size?: number
    /** How much of one message is kept. */
    bodyBytes?: Quantity
  }
  /** Share of exchanges whose messages the console can show; the others are listed and counted without them, unless they fail or are among the slowest. For gateways with much traffic. */
  sampling?: number
  /** Sends traces and metrics by OTLP over HTTP, after OpenTelemetry's conventions for MCP. Read when the gateway starts. */
  otlp?: {
    /** Address of the collector without `/v1/traces`, such as `http://localhost:4318`. Without it `OTEL_EXPORTER_OTLP_ENDPOINT` and its kin decide. */
    endpoint?: string
    /** Sent with every export, for a collector that wants a key. */
    headers?: Record<string, string | number | boolean>
    /** Share of the traces that begin here and are sent. Requests that the caller samples are sent as well, and so are all requests that fail or are slow. Without it `OTEL_TRACES_SAMPLER` decides, and else all are sent. */
    share?: number
    /** A request that takes so long is always sent. */
    slow?: Quantity
    /** Whether spans have the arguments and results of tools. Secrets are taken out first. */
    bodies?: boolean
    /** How often metrics are sent. Without it `OTEL_METRIC_EXPORT_INTERVAL` decides, and else every minute. */
    interval?: Quantity
  }
}

/** Records who did what, in a chain of events that cannot be changed unseen. Off unless it is there; `{}` switches it on. */
export interface RawAudit {
  /** Where the files are. By default the folder `audit` in `stateDir`. */
  folder?: string
  /** Whether a call waits until its record is on the disk, and is refused when it cannot be written. */
  required?: boolean
  /** Whether requests for lists are recorded as well. */
  lists?: boolean
  /** Whether arguments and results are recorded, with secrets masked. Otherwise there is a hash of the arguments. */
  bodies?: boolean
  /** How long a file gets before the next one is begun. */
  maxFileSize?: Quantity
  /** How long files are kept. */
  keepFor?: Quantity
  /** How much is kept in all. The oldest files go first. */
  keepSize?: Quantity
  /** How long an event may be unsafe from a crash of the machine. With `required` nothing is. */
  sync?: Quantity
  /** How often the head of the chain is signed. */
  signEvery?: Quantity
  /** Whether events are printed on standard output as well. */
  stdout?: boolean
  /** Also sends events to a URL, as CloudEvents in batches. */
  http?: {
    /** Where events are posted to. */
    url: string
    /** Headers of every request. Values are treated as secrets. */
    headers?: Record<string, string | number | boolean>
  }
  /** Also sends events to an OpenTelemetry collector, as log records over HTTP with protobuf. */
  otlp?: {
    /** Where events are posted to. */
    url: string
    /** Headers of every request. Values are treated as secrets. */
    headers?: Record<string, string | number | boolean>
  }
}

/** One server. Exactly one of `command`, `url`, `module`, `openapi` and `replay` says what it is. */
export interface RawTarget {
  /** Program to start; it is spoken to over stdin and stdout, and never run by a shell. */
  command?: string
  /** Its arguments. */
  args?: string[]
  /** Variables for it, besides a short list of safe ones such as PATH and HOME. Values are treated as secrets. */
  env?: Record<string, string | number | boolean>
  /** A file of NAME=VALUE lines, read first; `env` has the last word. */
  envFile?: string
  /** Folder to run it in; the folder of this file when left out. */
  cwd?: string
  /** Address of a remote server. */
  url?: string
  /** How to talk to `url`: Streamable HTTP, the older HTTP+SSE, or find out. */
  transport?: 'auto' | 'http' | 'sse'
  /** Headers for every request to `url` or to the API. Values are treated as secrets. */
  headers?: Record<string, string | number | boolean>
  /** How to log in to `url` when it asks for it. Everything is found out by default; false switches it off. */
  oauth?: false | RawOauth
  /** A module that exports a server of `@gantry/mcp`, or a function that makes one; it runs inside the gateway. */
  module?: string
  /** Which export of `module`. */
  export?: string
  /** Handed to the export when it is a function. */
  options?: unknown
  openapi?: RawOpenapi
  /** A recording made by `gantry record`, played as a mock server. */
  replay?: string
  /** 1 replays at the recorded pace, 0 answers at once. */
  speed?: number
  /** What clients call the transport. Optional: `command` and `url` tell; `sse` and `http` are taken as `transport`. */
  type?: 'stdio' | 'http' | 'sse' | 'streamable-http' | 'streamableHttp' | 'streamable_http'
  /** A name for people. */
  title?: string
  /** A note for people. */
  description?: string
  /** Whether the target is used at all. */
  enabled?: boolean | string
  /** Whether `/ready` answers 503 while this target cannot be used. Without it a target that is down does not matter for `/ready`. */
  required?: boolean
  /** What names start with, instead of the target's name; false for nothing. Two prefixes must differ in more than capitals, `_` and `-`: they begin URIs too. */
  prefix?: false | string
  /** Who shares one connection, and one process: everybody, one user, one client session, or one call. Without it: everybody, until a server asks its client something that names no call; from then on each session has its own. Lists are those of a common connection; what a server adds on the connection of one caller is there for that caller. */
  isolation?: 'shared' | 'user' | 'session' | 'call'
  /** Whose account the target is used with. `shared` (default): the account of the configuration, for all callers. `user`: each person connects an account of their own at `/connect`; with `url` alone the person logs in at the target, with `env` or `headers` they paste a key. `exchange`: the caller's token is exchanged for a token of the target, without asking the caller. */
  credentials?: 'shared' | 'user' | RawCredentials
  /** Most connections at a time when `isolation` makes several. */
  maxInstances?: number
  /** Started with the gateway, or when first needed. `isolation` other than `shared` is always lazy. */
  start?: 'eager' | 'lazy'
  /** Closes a connection after this long without use; it is opened again when needed. Off for a shared one, 5 minutes for others. */
  idleStop?: Quantity | false
  /** How long things may take. */
  timeouts?: {
    /** From spawning or connecting to the end of the handshake. */
    start?: Quantity
    /** Instead of `start`, as long as a launcher (`npx`, `uvx` and the like) is seen to install a package. */
    install?: Quantity
    /** Without an answer or a sign of progress. */
    idle?: Quantity
    /** One request in all, however much progress it reports. */
    request?: Quantity
  }
  /** Requests in flight on one connection. */
  concurrency?: number
  /** How many more of one caller may wait; the next is refused. Callers take turns. */
  queue?: number
  /** Which protocol the server speaks: 2026-07-28 and later (`modern`), 2025-11-25 and earlier (`legacy`), or find out. */
  era?: 'auto' | 'modern' | 'legacy'
  /** What becomes of a tool that insists on the tasks of 2025-11-25, for modern clients without the tasks extension: the gateway waits for the task, or refuses the call (-32021). */
  tasks?: 'wait' | 'refuse'
  /** What happens when the connection is lost. */
  restart?: {
    /** By itself, with the next request, or not at all. */
    policy?: 'always' | 'on-demand' | 'never'
    /** First pause between attempts; it doubles, with some chance in it. */
    minDelay?: Quantity
    /** Longest pause; `1m` for programs and `5s` for servers at a URL when it is left out. A server at a URL is also asked at once when a caller wants it. */
    maxDelay?: Quantity
    /** Failures in a row after which a program is left alone for a while: starts, and connections that are lost before they have answered anybody or lasted half a minute. Servers at a URL are never left alone: they may be back at any moment. */
    quarantineAfter?: number
    /** For how long. */
    quarantineFor?: Quantity
  }
  /** Pings, where the protocol revision has them. */
  health?: {
    /** Time between pings. */
    interval?: Quantity | false
    /** How long an answer may take. */
    timeout?: Quantity
    /** Pings in a row that may fail before the connection counts as lost. */
    failures?: number
  }
  /** Headers of the client's request that travel on to the target. `Authorization` hands the caller's credential to it: only do that when both trust the same issuer. */
  forwardHeaders?: string[]
  /** Which tools are shown, and how. */
  tools?: RawSelection
  /** The same for prompts. */
  prompts?: RawSelection
  /** The same for resources and templates; patterns are for their URIs. */
  resources?: RawSelection
  /** The opposite of `enabled`, as some clients spell it. It is obeyed; write `enabled`. */
  disabled?: boolean
  /** Tools to hide, as Windsurf spells it. It is obeyed; write `tools.exclude`. */
  disabledTools?: string[]
  /** `url`, as Windsurf spells it. It is obeyed; write `url`. */
  serverUrl?: string
  /** `url`, as some clients spell it. It is obeyed; write `url`. */
  httpUrl?: string
  /** Means something to a client only; ignored. */
  autoApprove?: unknown
  /** Means something to a client only; ignored. */
  alwaysAllow?: unknown
  /** Means something to a client only; ignored. */
  trust?: unknown
  /** Seconds to some clients and milliseconds to others, so it is ignored; write `timeouts.request`. */
  timeout?: unknown
  /** How some programs name the transport; ignored, because `command` or `url` says it. */
  transportType?: string
  /** Means something to Visual Studio Code only; ignored. */
  dev?: unknown
  /** Means something to Visual Studio Code only; ignored. */
  gallery?: unknown
  /** Means something to Visual Studio Code only; ignored. */
  version?: unknown
  /** Means something to Visual Studio Code only; ignored. */
  sandbox?: unknown
  /** Means something to Visual Studio Code only; ignored. */
  sandboxEnabled?: unknown
  /** A command of Claude Code's that prints headers; ignored. Use `headers` with references. */
  headersHelper?: unknown
  /** Cursor's OAuth client; ignored. Write `oauth`. */
  auth?: unknown
}

export interface RawSelection {
  /** Only these; wildcards `*` and `?`. All when left out. */
  include?: string[]
  /** Not these, even when included. */
  exclude?: string[]
  /** New names by old ones; the prefix still comes in front. */
  rename?: Record<string, string>
  /** New descriptions by old names. */
  describe?: Record<string, string>
}

export interface RawCredentials {
  /** `user`: an account of each person. `exchange`: a token of the target for what says who the caller is, without a question. */
  kind: 'user' | 'exchange'
  /** `exchange`: how. `token`: by one exchange (RFC 8693). `id-jag`: the identity provider makes an assertion of the caller's ID token, and the authorization server of the target redeems it as the client in `oauth`. */
  by?: 'token' | 'id-jag'
  /** `exchange`: what is exchanged. `access-token`: the token that the call came with. `id-token`: the ID token of the caller's login by `auth.signIn`; always used for `id-jag`. */
  subject?: 'access-token' | 'id-token'
  /** `user`, for programs: variables that each person fills in, and what to say about them. They are there in that person's own process only. */
  env?: Record<string, string>
  /** `user`, for `url` and `openapi`: headers that each person fills in, and what to say about them. `Bearer` is put in front of a key for `Authorization`. */
  headers?: Record<string, string>
  /** `exchange`: the token endpoint of the authorization server that exchanges. */
  tokenUrl?: string
  /** `exchange`: what the gateway is called there. */
  clientId?: string
  /** `exchange`: its secret, as a reference. */
  clientSecret?: string
  /** `exchange`: what the target is called there. */
  audience?: string
  /** `exchange`: scopes to ask for. */
  scopes?: string[]
}

export interface RawOauth {
  /** A person logs in, or the gateway has an account of its own. */
  grant?: 'authorization_code' | 'client_credentials'
  /** Registered by itself when left out. */
  clientId?: string
  /** Its secret, as a reference. */
  clientSecret?: string
  /** PEM text of a key for `private_key_jwt`, as a reference. */
  privateKey?: string
  /** URL of a client ID metadata document. */
  clientMetadataUrl?: string
  /** Scopes to ask for. */
  scopes?: string[] | string
  /** How the client authenticates at the token endpoint; the best that the server announces when left out. */
  tokenEndpointAuthMethod?: 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'
  /** Port for the redirect, when the client is registered with one. */
  callbackPort?: number
  /** Means something to Claude Code only; ignored: the metadata is discovered. */
  authServerMetadataUrl?: unknown
}

/** An HTTP API with an OpenAPI 3.0 or 3.1 description; its operations become tools. */
export interface RawOpenapi {
  /** Path or URL of the description. */
  document: string
  /** Where the API is, instead of what the description says. */
  baseUrl?: string
  auth?: RawOpenapiAuth
  /** Only these operations: an `operationId`, `GET /pets/*` or `tag:NAME`, with wildcards. */
  include?: string[]
  /** Not these. */
  exclude?: string[]
  /** Tool names by `operationId` or `METHOD path`. */
  rename?: Record<string, string>
  /** Descriptions by `operationId` or `METHOD path`. */
  describe?: Record<string, string>
  /** One tool for each operation, or one for each tag or first path segment that takes the operation as an argument: fewer tools for a large API. */
  group?: 'none' | 'tag' | 'path'
  /** Groups made by hand: a tool name and its operations. */
  groups?: Record<string, string[]>
  /** Output schemas as described; without what real answers often break (required fields, enums, formats, bounds); or none. */
  outputSchemas?: 'exact' | 'lenient' | 'none'
  /** Largest input schema of one tool; its output schema may have half of that. Beyond it, the farthest definitions lose their details. */
  maxSchemaBytes?: Quantity
  /** Values for the variables in the description's server URLs (`https://{region}.example.com`), instead of their defaults. */
  serverVariables?: Record<string, string | number | boolean>
  /** Redirects of the API that are followed, up to five: no redirects; redirects that stay on its origin; or all, without credentials elsewhere. */
  redirects?: 'none' | 'same-origin' | 'any'
  /** Largest answer of the API that is read; a larger one is an error. */
  maxResponseBytes?: Quantity
  /** Folder whose files `$ref` may read, instead of the folder of the description. */
  referenceRoot?: string
}

/** Credentials for the API. */
export interface RawOpenapiAuth {
  /** A bearer token, as a reference. */
  bearer?: string
  /** User name and password. */
  basic?: {
    /** The user. */
    username: string
    /** The password, as a reference. */
    password: string
  }
  /** Keys sent in headers, queries or cookies. */
  apiKeys?: ({
    /** Name of the header, parameter or cookie. */
    name: string
    /** Where it goes. */
    in?: 'header' | 'query' | 'cookie'
    /** The key, as a reference. */
    value: string
  })[]
  /** Values by the names of security schemes in the description, which says where they go. */
  schemes?: Record<string, string | number | boolean>
  /** OAuth client credentials. */
  clientCredentials?: {
    /** The token endpoint. */
    tokenUrl: string
    /** The client id. */
    clientId: string
    /** Its secret, as a reference. */
    clientSecret: string
    /** Scopes to ask for. */
    scopes?: string[]
  }
}

/** Settings for every target that does not say otherwise. */
export interface RawDefaults {
  isolation?: NonNullable<RawTarget['isolation']>
  maxInstances?: NonNullable<RawTarget['maxInstances']>
  start?: NonNullable<RawTarget['start']>
  idleStop?: NonNullable<RawTarget['idleStop']>
  timeouts?: NonNullable<RawTarget['timeouts']>
  concurrency?: NonNullable<RawTarget['concurrency']>
  queue?: NonNullable<RawTarget['queue']>
  era?: NonNullable<RawTarget['era']>
  tasks?: NonNullable<RawTarget['tasks']>
  restart?: NonNullable<RawTarget['restart']>
  health?: NonNullable<RawTarget['health']>
  forwardHeaders?: NonNullable<RawTarget['forwardHeaders']>
}

/** One file for the gateway: a superset of the `mcpServers` JSON that MCP clients use, written as JSON, JSON with comments, or YAML. Any text may refer to the environment (`${env:NAME}`, `${env:NAME:-default}`) or to a file (`${file:PATH}`); `$${` stands for a plain `${`. Paths are relative to the file, and `~/` is the home folder. */
export interface Settings {
  /** Where this schema is, for editors. */
  readonly $schema?: string
  /** The servers behind the gateway, by name. */
  readonly mcpServers?: Readonly<Record<string, TargetSettings>>
  /** The same as `mcpServers`, as Visual Studio Code spells it. */
  readonly servers?: Readonly<Record<string, TargetSettings>>
  /** Questions that Visual Studio Code asks its user. The gateway asks nobody: refer to `${env:NAME}` or `${file:PATH}` instead of `${input:ID}`. */
  readonly inputs?: readonly unknown[]
  readonly defaults?: DefaultsSettings
  readonly server: ServerSettings
  readonly auth: AuthSettings
  readonly policy: PolicySettings
  /** What may come back from targets, and in what form. All rules that are about a tool, prompt, resource or method hold for it. */
  readonly results: readonly ResultRuleSettings[]
  /** Selections of what the targets have, each at an endpoint of its own: `/mcp/NAME`. No target may have the same name. */
  readonly views: Readonly<Record<string, ViewSettings>>
  readonly limits: UsageLimitsSettings
  readonly names: NamesSettings
  readonly catalog: CatalogSettings
  readonly store: StoreSettings
  readonly telemetry: TelemetrySettings
  readonly audit?: AuditSettings
  /** Folder for what outlives the process: sealing keys and the store. By default a folder of its own for each configuration file, where the platform keeps such things. */
  readonly stateDir?: string
}

/** Where the gateway listens, and its limits. */
export interface ServerSettings {
  /** Address to listen on. Anything that other machines can reach needs `auth`. */
  readonly host: string
  /** Port to listen on; 0 takes any free one. */
  readonly port: number | string
  /** What clients call the gateway when it is behind a proxy. */
  readonly publicUrl?: string
  /** Serves HTTPS, without a proxy in front. Files are read again when they change, and connections stay. */
  readonly tls?: {
    /** The file with the certificate, and with the certificates between it and its authority, in PEM. */
    readonly cert: string
    /** The file with its private key, in PEM. */
    readonly key: string
  }
  /** Browser origins that may call the gateway, besides its own; `*` allows any. Requests from other pages are refused, which is what stops DNS rebinding. */
  readonly allowedOrigins: readonly string[]
  /** Values of the `Host` header to accept, besides those that follow from `host` and `publicUrl`; `*` allows any. */
  readonly allowedHosts: readonly string[]
  /** Hosts (`name` or `name:port`) inside your network that may be named by metadata of OAuth, by redirects and by API descriptions. Without an entry here, such a name is refused when its address is private. An authorization server on this list may be reached by plain HTTP. Servers that you write into this file yourself need no entry. */
  readonly trustedHosts: readonly string[]
  /** Whether the web console and its API are served. */
  readonly console: boolean
  /** The server name that clients see. */
  readonly name: string
  /** The server title that clients show to people. */
  readonly title?: string
  /** Text for the model, put in front of the instructions of the targets. */
  readonly instructions?: string
  /** Secrets of at least 32 characters that seal session ids, task ids and request state: the first seals, all of them open, so put a new one in front to rotate. Replicas need the same ones. Without any, one is made and kept in `stateDir`. */
  readonly sealingKeys: readonly string[]
  /** How long the gateway goes on taking requests after SIGTERM, while `/ready` already answers 503: load balancers need a moment to notice. Ctrl+C does not wait. */
  readonly drainDelay: number
  /** Processes that share the port: a number, or `auto` for one on each processor. See docs/scaling.md. */
  readonly workers: 'auto' | number
  /** Several gateways act as one: a program runs once for all of them, and each reaches it. They share a `store` and `sealingKeys`. This is the port for the other gateways; clients never use it. */
  readonly cluster?: {
    /** The address to listen on. Other machines reach it only when it is not loopback; keep the port inside your network. */
    readonly host: string
    /** The port to listen on; 0 takes any that is free. */
    readonly port: number
    /** How the other gateways reach it, when not by `host` and `port`. It begins with `https://` when there is `tls`. */
    readonly address?: string
    /** Encrypts what travels between gateways, and asks each for a certificate of the same authority (mTLS, TLS 1.3). All of them need it. Files are read again when they change. */
    readonly tls?: {
      /** The file with the certificate of this gateway, in PEM. It is shown to gateways that connect, and to gateways that this gateway connects to. */
      readonly cert: string
      /** The file with its private key, in PEM. */
      readonly key: string
      /** The file with the authority of all gateways, in PEM. Use one that signs nothing else. */
      readonly ca: string
      /** The name in the certificates of all gateways, where they have no addresses of their own. Without it, a certificate has to have the host of the gateway's `address`. */
      readonly name?: string
    }
  }
  /** How long calls in flight may take to end when the gateway stops. A call that takes longer is answered with an error. */
  readonly shutdownGrace: number
  readonly limits: LimitsSettings
}

/** Bounds that keep one client or target from taking everything. */
export interface LimitsSettings {
  /** Largest message a client may send. */
  readonly bodyBytes: number
  /** How long a message of a client may take to arrive. */
  readonly bodyTimeout: number
  /** Bytes of messages that are being received, over all clients. More are refused with 429. */
  readonly receivingBytes: number
  /** Largest message a target may send. */
  readonly resultBytes: number
  /** Bytes of answers that their clients have not read, over all clients. Long answers are refused with 429 when there is no room for them. */
  readonly unreadBytes: number
  /** What sessions of legacy clients keep for clients whose stream breaks and that come back for the rest, over all clients. An answer that has no room is not kept, and a client that comes back for it is told so. */
  readonly eventBytes: number
  /** A client that reads nothing of its answer for this long is cut off, over HTTP and on standard input and output. So is a target that stops in the middle of a long message; when others wait for its room, after a sixth of this time. */
  readonly stallTimeout: number
  /** Sessions of legacy clients at a time. */
  readonly sessions: number
  /** How long a session may be idle before its state is dropped. A client that comes back later gets it rebuilt. */
  readonly sessionIdle: number
  /** What clients listen for at a time, over all clients: each listener, and each resource and task that it names, counts. */
  readonly subscriptions: number
  /** Resources and tasks that one request may listen for. */
  readonly subscriptionsPerRequest: number
  /** Requests in flight at a time, over all clients. At the limit a caller that has its fair part is refused with 429; others wait for the next place. */
  readonly requestsInFlight: number
  /** Calls of legacy targets that may wait at a time for a modern client's answer. */
  readonly parkedCalls: number
  /** How long such a call waits, and how long any `requestState` is good. */
  readonly parkedFor: number
  /** Targets that may be starting at the same time. */
  readonly startingTargets: number
  /** How much of each of these limits one caller may hold: a principal, or a session without one. */
  readonly callerShare: number
}

/** Who may come in. Off on loopback unless something is set here; needed to listen anywhere else. */
export interface AuthSettings {
  /** Keys that clients send as `Authorization: Bearer KEY` or `X-API-Key: KEY`. */
  readonly apiKeys: readonly ApiKeySettings[]
  /** Whether keys of `gantry keys add` open the door. They are kept in the store as hashes, with an expiry, scopes and views, and take effect without a restart. Clients send them as they send `apiKeys`. */
  readonly keys: boolean
  /** Groups whose members may use the console and its API. Viewers read lists and figures, and no bodies; operators restart targets, make calls and see bodies; admins change everything. Keys get a role by a scope: `gantry:viewer`, `gantry:operator`, `gantry:admin`. */
  readonly roles?: {
    /** Groups of admins. */
    readonly admin: readonly string[]
    /** Groups of operators. */
    readonly operator: readonly string[]
    /** Groups of viewers. */
    readonly viewer: readonly string[]
  }
  /** Client certificates open the door, on a port with `server.tls`. Their holders are workloads of the issuer `mtls`; the subject is the URI of the certificate (`spiffe://…`), else its DNS name, else its common name. */
  readonly mtls?: {
    /** The file with the authorities whose certificates are accepted, in PEM. */
    readonly ca: string
  }
  /** Access tokens of an OAuth authorization server, or of several. The gateway publishes protected resource metadata that leads clients to them. */
  readonly bearer?: BearerSettings | readonly BearerSettings[]
  readonly signIn?: SignInSettings
  /** Where the groups of a caller come from: a claim by its name or path, several, or an expression in CEL that gives a text or a list of texts. Rules know them as `groups`. Without it they are the claim `groups`. */
  readonly groups?: string | readonly string[] | GroupsExpressionSettings
}

/** An authorization server of the gateway's own, for identity providers that MCP clients cannot register with. People log in with the identity provider, and clients get short tokens for this gateway alone. */
export interface SignInSettings {
  /** The identity provider: any OpenID provider. */
  readonly issuer: string
  /** The gateway's client id there. Its redirect URI is `/oauth/callback` below `server.publicUrl`. */
  readonly clientId: string
  /** Its secret, as a reference. */
  readonly clientSecret: string
  /** What the identity provider is asked for. */
  readonly upstreamScopes: readonly string[]
  /** Scopes that every request needs. Clients are told to ask for them. */
  readonly scopes: readonly string[]
  /** Further scopes that clients may ask for. */
  readonly offeredScopes: readonly string[]
  /** How long a sign-in lasts before the person has to log in again. */
  readonly lifetime: number
  /** How long an access token is good. Clients get a new one by themselves. */
  readonly tokenLifetime: number
  /** Clients that are known beforehand. Others come with a metadata document, or register themselves. */
  readonly clients: readonly SignInClientSettings[]
}

export interface SignInClientSettings {
  /** What the client calls itself. */
  readonly clientId: string
  /** What people are shown. By default the client id. */
  readonly name?: string
  /** Its secret, as a reference; without one it is a public client. */
  readonly clientSecret?: string
  /** Where answers may go. On loopback the port does not matter. */
  readonly redirectUris: readonly string[]
}

export interface GroupsExpressionSettings {
  /** An expression in CEL over `claims` and `principal`. One that has no value gives no group. */
  readonly expression: string
}

export interface ApiKeySettings {
  /** Names the key in rules and logs. */
  readonly name: string
  /** The key; best a reference, so that it is not in this file. */
  readonly key?: string
  /** SHA-256 of the key in hexadecimal, instead of the key. */
  readonly sha256?: string
  /** What rules know about this key. */
  readonly scopes: readonly string[]
}

/** Access tokens of an OAuth authorization server. The gateway publishes protected resource metadata that points clients to it. */
export interface BearerSettings {
  /** The authorization server. */
  readonly issuer: string
  /** What a token's `aud` has to be: the gateway's own URL. */
  readonly audience: string
  /** Scopes that every request needs. */
  readonly scopes: readonly string[]
  /** Where the signing keys are; found through the issuer when left out. */
  readonly jwksUri?: string
  /** For tokens that are not JWTs (RFC 7662). */
  readonly introspection?: {
    /** The introspection endpoint. */
    readonly url: string
    /** The gateway's client id. */
    readonly clientId: string
    /** Its secret, as a reference. */
    readonly clientSecret: string
  }
}

/** Who may do what. Of the rules that match the caller, a matching `deny` forbids, else a matching `allow` permits, else `default` decides. Denied objects are not listed either. */
export interface PolicySettings {
  /** What holds when no rule has an opinion. */
  readonly default: 'allow' | 'deny'
  /** The rules; their order does not matter. */
  readonly rules: readonly RuleSettings[]
  /** `audit` tries the whole policy out, its default too: nothing is denied, and what would have been is logged. */
  readonly mode: 'enforce' | 'audit'
  /** What the rules have to decide. The tests are run when the configuration is loaded, by `gantry check` and by `gantry policy test`. A configuration with a failing test is not taken. */
  readonly tests: readonly PolicyTestSettings[]
  /** Told of every call that waits for approval, and may answer with a decision. Both are signed as Standard Webhooks has it ([approval](approval.md)). */
  readonly webhook?: {
    /** Where the gateway sends calls that wait. */
    readonly url: string
    /** Signs messages in both directions; at least 24 characters, or `whsec_` and Base64. */
    readonly secret: string
  }
}

export interface PolicyTestSettings {
  /** What the test is about. */
  readonly name?: string
  /** Who calls: `key:NAME`, `person:SUBJECT` or `workload:SUBJECT`. Without it, a caller without credentials. */
  readonly as?: string
  /** Whose token that person or workload has. By default the configured issuer. */
  readonly issuer?: string
  /** The scopes of the token. By default the scopes of the API key; a caller without a key has no scopes. */
  readonly scopes?: readonly string[]
  /** The groups of the caller, instead of the groups that `auth.groups` finds. */
  readonly groups?: readonly string[]
  /** Further claims of the token. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** What the client says of itself, and the client id of its token. */
  readonly client?: {
    /** The client id of its token. */
    readonly id?: string
    /** Its name. */
    readonly name?: string
    /** Its version. */
    readonly version?: string
  }
  /** Which MCP the client speaks. */
  readonly era: 'legacy' | 'modern'
  /** The endpoint: the name in `/mcp/NAME`, or nothing for `/mcp`. */
  readonly view: string
  /** What is called: `[KIND:]TARGET/NAME`. Without a kind it is a resource if NAME is a URI, else a tool. */
  readonly call?: string
  /** The same for a list: `allow` means that it is listed. */
  readonly list?: string
  /** The arguments of the call. */
  readonly args?: Readonly<Record<string, unknown>>
  /** The annotations of the tool. */
  readonly annotations?: Readonly<Record<string, unknown>>
  /** When the call is made; by default, when the test is run. */
  readonly now?: string
  /** How many calls `count()` finds, in every window. */
  readonly count: number
  /** What the policy has to decide. `approve` and `confirm`: it allows the call when that was done. */
  readonly expect: 'allow' | 'deny' | 'approve' | 'confirm'
  /** The name of the rule that has to decide. */
  readonly rule?: string
}

export interface ViewSettings {
  /** What the view offers, as `[KIND:]TARGET/NAME` with wildcards. Policy holds besides. */
  readonly use: readonly string[]
  /** What clients show of it. */
  readonly title?: string
  /** For models, in the place of `server.instructions`. */
  readonly instructions?: string
  /** Who may use the view. For everybody else it does not exist. Everyone when it is left out. */
  readonly who?: NonNullable<RuleSettings['who']>
  /** How tools look in the view, by `TARGET/NAME` with the name that the target uses. */
  readonly tools: Readonly<Record<string, ViewEntrySettings>>
  /** The same for prompts. */
  readonly prompts: Readonly<Record<string, ViewEntrySettings>>
  /** Rules for results, in addition to the rules of the gateway. */
  readonly results: readonly ResultRuleSettings[]
  /** How often something may be called in this view. */
  readonly limits: {
    /** How often something may be called in this view, besides the limits of the gateway. */
    readonly rates: readonly RateSettings[]
  }
}

export interface ViewEntrySettings {
  /** What clients call it; as on the common endpoint when it is left out. */
  readonly name?: string
  /** What clients show of it. */
  readonly title?: string
  /** What models read of it. */
  readonly description?: string
  /** What becomes of its parameters, by the names that the target uses. */
  readonly parameters: Readonly<Record<string, ViewParameterSettings>>
}

export interface ViewParameterSettings {
  /** Clients do not see the parameter, and it always has this value. `{ "expression": "claims.team" }` is worked out for each call. */
  readonly fixed?: unknown
  /** What the parameter is when a client leaves it out; also an expression. */
  readonly default?: unknown
  /** What clients call the parameter. */
  readonly rename?: string
  /** What models read of it. */
  readonly description?: string
  /** The only values that are accepted. */
  readonly enum?: readonly unknown[]
  /** The least number that is accepted. */
  readonly minimum?: number
  /** The greatest number that is accepted. */
  readonly maximum?: number
  /** The longest text that is accepted. */
  readonly maxLength?: number
  /** A pattern that texts have to match. */
  readonly pattern?: string
  /** The longest list that is accepted. */
  readonly maxItems?: number
}

export interface RateSettings {
  /** For messages; `limit 1` and so on when it is left out. */
  readonly name?: string
  /** What is counted, as `[KIND:]TARGET/NAME` with wildcards. Every call when it is left out. */
  readonly for: readonly string[]
  /** An expression: calls for which it has the same value are counted together. The calls of one caller when it is left out. */
  readonly by?: string
  /** Calls in a second, minute, hour or day. */
  readonly rate?: string
  /** How many calls may come at once after a pause. As many as `rate` names when it is left out. */
  readonly burst?: number
  /** Calls between midnight and midnight (UTC). */
  readonly perDay?: number
  /** Calls under way at the same time, in one process. */
  readonly concurrent?: number
  /** How much of the limit a call takes: a number, or `{ "expression": "args.pages" }`. */
  readonly cost: number | {
    /** An expression whose value is a number. */
    readonly expression: string
  }
  /** Counts in the store, for all processes that use it. Each call then waits for the store. */
  readonly shared: boolean
  /** What a shared limit does while the store cannot be reached: `local` lets each process count for itself, `refuse` refuses calls. */
  readonly storeAway: 'local' | 'refuse'
}

export interface RetrySettings {
  /** Which tools, as `TARGET/NAME` with wildcards. */
  readonly for: readonly string[]
  /** Further tries when the server could not be reached or was too busy. */
  readonly attempts: number
  /** Time before the first of them; it doubles. A server that says when to come back is left alone until then. */
  readonly pause: number
  /** Makes a second call beside the first when that has not been answered after so long. The first answer counts, and the other call is cancelled. */
  readonly hedgeAfter?: number
}

/** What callers may use, and how often. */
export interface UsageLimitsSettings {
  /** How often something may be called. A call takes its share of every limit that is about it. When one of them has nothing left, it takes no share and is refused with HTTP 429 and `Retry-After`. */
  readonly rates: readonly RateSettings[]
  /** Stops models that repeat a call which fails: after the same call of a caller has failed in the same way `after` times in a row, the gateway answers it for `pause`, with the advice to try something else. Without it calls may be repeated at will. */
  readonly repeatedErrors?: {
    /** Failures in a row. */
    readonly after: number
    /** How long after the last failure the call is not made again. */
    readonly pause: number
  }
  /** Calls of tools that are made once more. A tool must also say by its annotations that it only reads or is idempotent. Of 100 calls at most 2 are repeated. */
  readonly retries: readonly RetrySettings[]
}

export interface ResultRuleSettings {
  /** For explanations; `result rule 1` and so on when it is left out. */
  readonly name?: string
  /** What the rule is about, as `[KIND:]TARGET/NAME` with wildcards. Everything when it is left out. */
  readonly for: readonly string[]
  /** A word such as `[masked email]` takes the place of what is found. Structured content still fits its schema, or the call fails. */
  readonly mask: readonly (string | {
    /** A regular expression in the syntax of RE2. */
    readonly pattern: string
    /** What it finds: the word in the mask. */
    readonly name?: string
  } | {
    /** A place in structured content, such as `customers.*.ssn`. `*` stands for one step, `**` for any number of them. */
    readonly path: string
    /** What stands there: the word in the mask. */
    readonly name?: string
  })[]
  /** What is found is left out: characters of a text, a field of structured content. */
  readonly drop: readonly (string | {
    /** A regular expression in the syntax of RE2. */
    readonly pattern: string
    /** What it finds: the word in the mask. */
    readonly name?: string
  } | {
    /** A place in structured content, such as `customers.*.ssn`. `*` stands for one step, `**` for any number of them. */
    readonly path: string
    /** What stands there: the word in the mask. */
    readonly name?: string
  })[]
  /** A result in which this is found is not passed on: the call fails. */
  readonly refuse: readonly (string | {
    /** A regular expression in the syntax of RE2. */
    readonly pattern: string
    /** What it finds: the word in the mask. */
    readonly name?: string
  } | {
    /** A place in structured content, such as `customers.*.ssn`. `*` stands for one step, `**` for any number of them. */
    readonly path: string
    /** What stands there: the word in the mask. */
    readonly name?: string
  })[]
  /** Marks results with `dev.gantry/untrusted` in `_meta`: clients can show the model that the text comes from outside. */
  readonly untrusted: boolean
  /** Takes characters out of results that people do not see: tags, directions, zero-width signs. From titles and descriptions they are always taken out. */
  readonly stripHidden: boolean
  /** Longer results of tools are cut to their head and tail, with a link to all of it: pages of a resource that belongs to the caller and ends after an hour. A token counts as four bytes. */
  readonly maxTokens?: number
  /** Leaves out texts that only repeat the structured content. For clients that read structured content. */
  readonly dropRepeated: boolean
}

export interface RuleSettings {
  /** Shown when `gantry why` explains a refusal. */
  readonly name?: string
  /** A condition in CEL: the rule holds only for requests for which it is true. A condition that fails denies. [Policy](policy.md) lists the variables. */
  readonly when?: string
  /** What callers are told when the rule denies a call, or when `when` keeps it from allowing one. By default, what is denied looks as if it did not exist. */
  readonly message?: string
  /** `audit` tries the rule out: it decides nothing, and what it would have denied is logged. As `policy.mode` when left out. */
  readonly mode?: 'enforce' | 'audit'
  /** What the rule allows waits until another person has approved it ([approval](approval.md)). No other rule spares a call that. */
  readonly approve?: {
    /** Who may decide, never the caller itself: `operator` (may administer the gateway), `group:NAME`, `scope:NAME`, `key:NAME`, `person:SUBJECT` or `workload:SUBJECT`. */
    readonly by: string | readonly string[]
    /** How long a call waits for the decision, and how long it may be made after that. A call without a decision is denied. */
    readonly within: number
    /** What the approvers and the caller are told. */
    readonly message?: string
  }
  /** The caller is asked before what the rule allows is done; `message` is the question. The client that asks answers itself, so this is no approval. */
  readonly confirm: boolean
  /** Whom the rule is about: one entry of any list has to match. Everyone when left out. */
  readonly who?: {
    /** Callers with a token. A text is the subject of people, with wildcards. API keys go into `apiKeys`. */
    readonly principals?: readonly (string | {
      /** A workload is a program with a token of its own: one without a subject, or whose subject is its client id. */
      readonly kind: 'person' | 'workload'
      /** Exactly the issuer of the token. The configured one when left out. */
      readonly issuer?: string
      /** The subject of the token (`sub`), with wildcards; of a workload without one, its client id. */
      readonly subject: string
    })[]
    /** Scopes, with wildcards. */
    readonly scopes?: readonly string[]
    /** Names of API keys, with wildcards. */
    readonly apiKeys?: readonly string[]
  }
  /** What they may use. */
  readonly allow?: readonly string[]
  /** What they may not use. */
  readonly deny?: readonly string[]
}

/** How the names of tools and prompts are made. */
export interface NamesSettings {
  /** Whether names start with the target's name, so that adding a target never renames anything. A target may say otherwise. */
  readonly prefix: boolean
  /** Stands between the target's name and the tool's. */
  readonly separator: string
  /** Longer names are cut and get a hash at the end; many clients refuse more than 64 characters. */
  readonly maxLength: number
}

/** The merged lists of tools, prompts and resources. */
export interface CatalogSettings {
  /** How long a list counts as fresh when its target does not say. */
  readonly ttl: number
  /** How long one target may delay a list; after that the list goes out without it and says so. At the endpoint of one target a list waits up to 25 seconds for its start. */
  readonly deadline: number
  /** Entries in one page of a list. */
  readonly pageSize: number
  /** Whether the last-known lists are kept on disk and served at once after a restart. */
  readonly persist: boolean
}

/** Where state that outlives a request is kept: sign-ins of targets, finished tasks, last-known lists. Session ids and request state are sealed and need no store. See docs/store.md. */
export interface StoreSettings {
  /** `embedded` keeps it in a file, which several gateways of one machine may share; `memory` forgets it when the gateway stops. */
  readonly kind: 'embedded' | 'memory'
  /** The file, on a disk of this machine; `store.mdb` in `stateDir` when left out. */
  readonly path?: string
  /** Most that it may hold. A write that does not fit fails, and says so. */
  readonly maxSize: number
  readonly redis?: RedisSettings
}

/** Keeps state in Redis or Valkey, which replicas on several machines share. One of `url`, `sentinels` and `nodes` says where it is. All replicas need the same `server.sealingKeys`. */
export interface RedisSettings {
  /** One server: `redis://HOST:PORT`, or `rediss://` with TLS. It may hold a user, a password and the number of a database. */
  readonly url?: string
  /** Sentinels, `HOST:PORT`, which name the server that writes. */
  readonly sentinels?: readonly string[]
  /** What the Sentinels call the server, as in `sentinel monitor NAME …`. */
  readonly masterName?: string
  /** Some nodes of a cluster, `HOST:PORT`; the others are found by them. */
  readonly nodes?: readonly string[]
  /** The user of Redis' access control list; the default user when left out. */
  readonly username?: string
  /** Its password. */
  readonly password?: string
  /** The user at the Sentinels. */
  readonly sentinelUsername?: string
  /** Its password. */
  readonly sentinelPassword?: string
  /** Encrypts connections; `true` trusts the usual authorities. */
  readonly tls?: boolean | {
    /** The file with the authorities to trust instead of the usual ones, in PEM. */
    readonly ca?: string
    /** The file with the certificate of this gateway, in PEM, where the server asks for one. */
    readonly cert?: string
    /** The file with its private key, in PEM. */
    readonly key?: string
  }
  /** The number of the database. */
  readonly database: number
  /** In front of all keys and channels, in braces: a cluster keeps all of them on one node. Gateways with different prefixes know nothing of each other. */
  readonly prefix: string
  /** How long Redis may take to answer before it counts as away. */
  readonly timeout: number
}

/** Logs, the exchange log, traces and metrics. Nothing is sent anywhere unless `otlp` or the standard `OTEL_*` variables say so. */
export interface TelemetrySettings {
  /** Least severe message that is logged. */
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** Lines for people or for machines. */
  readonly logFormat: 'text' | 'json'
  /** The messages that the console shows. */
  readonly wire: {
    /** Messages kept in memory; 0 switches the view off. */
    readonly size: number
    /** How much of one message is kept. */
    readonly bodyBytes: number
  }
  /** Share of exchanges whose messages the console can show; the others are listed and counted without them, unless they fail or are among the slowest. For gateways with much traffic. */
  readonly sampling: number
  /** Sends traces and metrics by OTLP over HTTP, after OpenTelemetry's conventions for MCP. Read when the gateway starts. */
  readonly otlp?: {
    /** Address of the collector without `/v1/traces`, such as `http://localhost:4318`. Without it `OTEL_EXPORTER_OTLP_ENDPOINT` and its kin decide. */
    readonly endpoint?: string
    /** Sent with every export, for a collector that wants a key. */
    readonly headers: Readonly<Record<string, string | number | boolean>>
    /** Share of the traces that begin here and are sent. Requests that the caller samples are sent as well, and so are all requests that fail or are slow. Without it `OTEL_TRACES_SAMPLER` decides, and else all are sent. */
    readonly share?: number
    /** A request that takes so long is always sent. */
    readonly slow: number
    /** Whether spans have the arguments and results of tools. Secrets are taken out first. */
    readonly bodies: boolean
    /** How often metrics are sent. Without it `OTEL_METRIC_EXPORT_INTERVAL` decides, and else every minute. */
    readonly interval?: number
  }
}

/** Records who did what, in a chain of events that cannot be changed unseen. Off unless it is there; `{}` switches it on. */
export interface AuditSettings {
  /** Where the files are. By default the folder `audit` in `stateDir`. */
  readonly folder?: string
  /** Whether a call waits until its record is on the disk, and is refused when it cannot be written. */
  readonly required: boolean
  /** Whether requests for lists are recorded as well. */
  readonly lists: boolean
  /** Whether arguments and results are recorded, with secrets masked. Otherwise there is a hash of the arguments. */
  readonly bodies: boolean
  /** How long a file gets before the next one is begun. */
  readonly maxFileSize: number
  /** How long files are kept. */
  readonly keepFor: number
  /** How much is kept in all. The oldest files go first. */
  readonly keepSize: number
  /** How long an event may be unsafe from a crash of the machine. With `required` nothing is. */
  readonly sync: number
  /** How often the head of the chain is signed. */
  readonly signEvery: number
  /** Whether events are printed on standard output as well. */
  readonly stdout: boolean
  /** Also sends events to a URL, as CloudEvents in batches. */
  readonly http?: {
    /** Where events are posted to. */
    readonly url: string
    /** Headers of every request. Values are treated as secrets. */
    readonly headers: Readonly<Record<string, string | number | boolean>>
  }
  /** Also sends events to an OpenTelemetry collector, as log records over HTTP with protobuf. */
  readonly otlp?: {
    /** Where events are posted to. */
    readonly url: string
    /** Headers of every request. Values are treated as secrets. */
    readonly headers: Readonly<Record<string, string | number | boolean>>
  }
}

/** One server. Exactly one of `command`, `url`, `module`, `openapi` and `replay` says what it is. */
export interface TargetSettings {
  /** Program to start; it is spoken to over stdin and stdout, and never run by a shell. */
  readonly command?: string
  /** Its arguments. */
  readonly args: readonly string[]
  /** Variables for it, besides a short list of safe ones such as PATH and HOME. Values are treated as secrets. */
  readonly env: Readonly<Record<string, string | number | boolean>>
  /** A file of NAME=VALUE lines, read first; `env` has the last word. */
  readonly envFile?: string
  /** Folder to run it in; the folder of this file when left out. */
  readonly cwd?: string
  /** Address of a remote server. */
  readonly url?: string
  /** How to talk to `url`: Streamable HTTP, the older HTTP+SSE, or find out. */
  readonly transport: 'auto' | 'http' | 'sse'
  /** Headers for every request to `url` or to the API. Values are treated as secrets. */
  readonly headers: Readonly<Record<string, string | number | boolean>>
  /** How to log in to `url` when it asks for it. Everything is found out by default; false switches it off. */
  readonly oauth: false | OauthSettings
  /** A module that exports a server of `@gantry/mcp`, or a function that makes one; it runs inside the gateway. */
  readonly module?: string
  /** Which export of `module`. */
  readonly export: string
  /** Handed to the export when it is a function. */
  readonly options?: unknown
  readonly openapi?: OpenapiSettings
  /** A recording made by `gantry record`, played as a mock server. */
  readonly replay?: string
  /** 1 replays at the recorded pace, 0 answers at once. */
  readonly speed: number
  /** What clients call the transport. Optional: `command` and `url` tell; `sse` and `http` are taken as `transport`. */
  readonly type?: 'stdio' | 'http' | 'sse' | 'streamable-http' | 'streamableHttp' | 'streamable_http'
  /** A name for people. */
  readonly title?: string
  /** A note for people. */
  readonly description?: string
  /** Whether the target is used at all. */
  readonly enabled: boolean | string
  /** Whether `/ready` answers 503 while this target cannot be used. Without it a target that is down does not matter for `/ready`. */
  readonly required: boolean
  /** What names start with, instead of the target's name; false for nothing. Two prefixes must differ in more than capitals, `_` and `-`: they begin URIs too. */
  readonly prefix?: false | string
  /** Who shares one connection, and one process: everybody, one user, one client session, or one call. Without it: everybody, until a server asks its client something that names no call; from then on each session has its own. Lists are those of a common connection; what a server adds on the connection of one caller is there for that caller. */
  readonly isolation?: 'shared' | 'user' | 'session' | 'call'
  /** Whose account the target is used with. `shared` (default): the account of the configuration, for all callers. `user`: each person connects an account of their own at `/connect`; with `url` alone the person logs in at the target, with `env` or `headers` they paste a key. `exchange`: the caller's token is exchanged for a token of the target, without asking the caller. */
  readonly credentials?: 'shared' | 'user' | CredentialsSettings
  /** Most connections at a time when `isolation` makes several. */
  readonly maxInstances: number
  /** Started with the gateway, or when first needed. `isolation` other than `shared` is always lazy. */
  readonly start: 'eager' | 'lazy'
  /** Closes a connection after this long without use; it is opened again when needed. Off for a shared one, 5 minutes for others. */
  readonly idleStop?: number | false
  /** How long things may take. */
  readonly timeouts: {
    /** From spawning or connecting to the end of the handshake. */
    readonly start: number
    /** Instead of `start`, as long as a launcher (`npx`, `uvx` and the like) is seen to install a package. */
    readonly install: number
    /** Without an answer or a sign of progress. */
    readonly idle: number
    /** One request in all, however much progress it reports. */
    readonly request: number
  }
  /** Requests in flight on one connection. */
  readonly concurrency: number
  /** How many more of one caller may wait; the next is refused. Callers take turns. */
  readonly queue: number
  /** Which protocol the server speaks: 2026-07-28 and later (`modern`), 2025-11-25 and earlier (`legacy`), or find out. */
  readonly era: 'auto' | 'modern' | 'legacy'
  /** What becomes of a tool that insists on the tasks of 2025-11-25, for modern clients without the tasks extension: the gateway waits for the task, or refuses the call (-32021). */
  readonly tasks: 'wait' | 'refuse'
  /** What happens when the connection is lost. */
  readonly restart: {
    /** By itself, with the next request, or not at all. */
    readonly policy: 'always' | 'on-demand' | 'never'
    /** First pause between attempts; it doubles, with some chance in it. */
    readonly minDelay: number
    /** Longest pause; `1m` for programs and `5s` for servers at a URL when it is left out. A server at a URL is also asked at once when a caller wants it. */
    readonly maxDelay?: number
    /** Failures in a row after which a program is left alone for a while: starts, and connections that are lost before they have answered anybody or lasted half a minute. Servers at a URL are never left alone: they may be back at any moment. */
    readonly quarantineAfter: number
    /** For how long. */
    readonly quarantineFor: number
  }
  /** Pings, where the protocol revision has them. */
  readonly health: {
    /** Time between pings. */
    readonly interval: number | false
    /** How long an answer may take. */
    readonly timeout: number
    /** Pings in a row that may fail before the connection counts as lost. */
    readonly failures: number
  }
  /** Headers of the client's request that travel on to the target. `Authorization` hands the caller's credential to it: only do that when both trust the same issuer. */
  readonly forwardHeaders: readonly string[]
  /** Which tools are shown, and how. */
  readonly tools: SelectionSettings
  /** The same for prompts. */
  readonly prompts: SelectionSettings
  /** The same for resources and templates; patterns are for their URIs. */
  readonly resources: SelectionSettings
  /** The opposite of `enabled`, as some clients spell it. It is obeyed; write `enabled`. */
  readonly disabled?: boolean
  /** Tools to hide, as Windsurf spells it. It is obeyed; write `tools.exclude`. */
  readonly disabledTools?: readonly string[]
  /** `url`, as Windsurf spells it. It is obeyed; write `url`. */
  readonly serverUrl?: string
  /** `url`, as some clients spell it. It is obeyed; write `url`. */
  readonly httpUrl?: string
  /** Means something to a client only; ignored. */
  readonly autoApprove?: unknown
  /** Means something to a client only; ignored. */
  readonly alwaysAllow?: unknown
  /** Means something to a client only; ignored. */
  readonly trust?: unknown
  /** Seconds to some clients and milliseconds to others, so it is ignored; write `timeouts.request`. */
  readonly timeout?: unknown
  /** How some programs name the transport; ignored, because `command` or `url` says it. */
  readonly transportType?: string
  /** Means something to Visual Studio Code only; ignored. */
  readonly dev?: unknown
  /** Means something to Visual Studio Code only; ignored. */
  readonly gallery?: unknown
  /** Means something to Visual Studio Code only; ignored. */
  readonly version?: unknown
  /** Means something to Visual Studio Code only; ignored. */
  readonly sandbox?: unknown
  /** Means something to Visual Studio Code only; ignored. */
  readonly sandboxEnabled?: unknown
  /** A command of Claude Code's that prints headers; ignored. Use `headers` with references. */
  readonly headersHelper?: unknown
  /** Cursor's OAuth client; ignored. Write `oauth`. */
  readonly auth?: unknown
}

export interface SelectionSettings {
  /** Only these; wildcards `*` and `?`. All when left out. */
  readonly include: readonly string[]
  /** Not these, even when included. */
  readonly exclude: readonly string[]
  /** New names by old ones; the prefix still comes in front. */
  readonly rename: Readonly<Record<string, string>>
  /** New descriptions by old names. */
  readonly describe: Readonly<Record<string, string>>
}

export interface CredentialsSettings {
  /** `user`: an account of each person. `exchange`: a token of the target for what says who the caller is, without a question. */
  readonly kind: 'user' | 'exchange'
  /** `exchange`: how. `token`: by one exchange (RFC 8693). `id-jag`: the identity provider makes an assertion of the caller's ID token, and the authorization server of the target redeems it as the client in `oauth`. */
  readonly by: 'token' | 'id-jag'
  /** `exchange`: what is exchanged. `access-token`: the token that the call came with. `id-token`: the ID token of the caller's login by `auth.signIn`; always used for `id-jag`. */
  readonly subject: 'access-token' | 'id-token'
  /** `user`, for programs: variables that each person fills in, and what to say about them. They are there in that person's own process only. */
  readonly env?: Readonly<Record<string, string>>
  /** `user`, for `url` and `openapi`: headers that each person fills in, and what to say about them. `Bearer` is put in front of a key for `Authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  /** `exchange`: the token endpoint of the authorization server that exchanges. */
  readonly tokenUrl?: string
  /** `exchange`: what the gateway is called there. */
  readonly clientId?: string
  /** `exchange`: its secret, as a reference. */
  readonly clientSecret?: string
  /** `exchange`: what the target is called there. */
  readonly audience?: string
  /** `exchange`: scopes to ask for. */
  readonly scopes: readonly string[]
}

export interface OauthSettings {
  /** A person logs in, or the gateway has an account of its own. */
  readonly grant: 'authorization_code' | 'client_credentials'
  /** Registered by itself when left out. */
  readonly clientId?: string
  /** Its secret, as a reference. */
  readonly clientSecret?: string
  /** PEM text of a key for `private_key_jwt`, as a reference. */
  readonly privateKey?: string
  /** URL of a client ID metadata document. */
  readonly clientMetadataUrl?: string
  /** Scopes to ask for. */
  readonly scopes: readonly string[] | string
  /** How the client authenticates at the token endpoint; the best that the server announces when left out. */
  readonly tokenEndpointAuthMethod?: 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'
  /** Port for the redirect, when the client is registered with one. */
  readonly callbackPort?: number
  /** Means something to Claude Code only; ignored: the metadata is discovered. */
  readonly authServerMetadataUrl?: unknown
}

/** An HTTP API with an OpenAPI 3.0 or 3.1 description; its operations become tools. */
export interface OpenapiSettings {
  /** Path or URL of the description. */
  readonly document: string
  /** Where the API is, instead of what the description says. */
  readonly baseUrl?: string
  readonly auth: OpenapiAuthSettings
  /** Only these operations: an `operationId`, `GET /pets/*` or `tag:NAME`, with wildcards. */
  readonly include: readonly string[]
  /** Not these. */
  readonly exclude: readonly string[]
  /** Tool names by `operationId` or `METHOD path`. */
  readonly rename: Readonly<Record<string, string>>
  /** Descriptions by `operationId` or `METHOD path`. */
  readonly describe: Readonly<Record<string, string>>
  /** One tool for each operation, or one for each tag or first path segment that takes the operation as an argument: fewer tools for a large API. */
  readonly group: 'none' | 'tag' | 'path'
  /** Groups made by hand: a tool name and its operations. */
  readonly groups: Readonly<Record<string, readonly string[]>>
  /** Output schemas as described; without what real answers often break (required fields, enums, formats, bounds); or none. */
  readonly outputSchemas: 'exact' | 'lenient' | 'none'
  /** Largest input schema of one tool; its output schema may have half of that. Beyond it, the farthest definitions lose their details. */
  readonly maxSchemaBytes: number
  /** Values for the variables in the description's server URLs (`https://{region}.example.com`), instead of their defaults. */
  readonly serverVariables: Readonly<Record<string, string | number | boolean>>
  /** Redirects of the API that are followed, up to five: no redirects; redirects that stay on its origin; or all, without credentials elsewhere. */
  readonly redirects: 'none' | 'same-origin' | 'any'
  /** Largest answer of the API that is read; a larger one is an error. */
  readonly maxResponseBytes: number
  /** Folder whose files `$ref` may read, instead of the folder of the description. */
  readonly referenceRoot?: string
}

/** Credentials for the API. */
export interface OpenapiAuthSettings {
  /** A bearer token, as a reference. */
  readonly bearer?: string
  /** User name and password. */
  readonly basic?: {
    /** The user. */
    readonly username: string
    /** The password, as a reference. */
    readonly password: string
  }
  /** Keys sent in headers, queries or cookies. */
  readonly apiKeys: readonly ({
    /** Name of the header, parameter or cookie. */
    readonly name: string
    /** Where it goes. */
    readonly in: 'header' | 'query' | 'cookie'
    /** The key, as a reference. */
    readonly value: string
  })[]
  /** Values by the names of security schemes in the description, which says where they go. */
  readonly schemes: Readonly<Record<string, string | number | boolean>>
  /** OAuth client credentials. */
  readonly clientCredentials?: {
    /** The token endpoint. */
    readonly tokenUrl: string
    /** The client id. */
    readonly clientId: string
    /** Its secret, as a reference. */
    readonly clientSecret: string
    /** Scopes to ask for. */
    readonly scopes: readonly string[]
  }
}

/** Settings for every target that does not say otherwise. */
export interface DefaultsSettings {
  readonly isolation?: NonNullable<TargetSettings['isolation']>
  readonly maxInstances: NonNullable<TargetSettings['maxInstances']>
  readonly start: NonNullable<TargetSettings['start']>
  readonly idleStop?: NonNullable<TargetSettings['idleStop']>
  readonly timeouts: NonNullable<TargetSettings['timeouts']>
  readonly concurrency: NonNullable<TargetSettings['concurrency']>
  readonly queue: NonNullable<TargetSettings['queue']>
  readonly era: NonNullable<TargetSettings['era']>
  readonly tasks: NonNullable<TargetSettings['tasks']>
  readonly restart: NonNullable<TargetSettings['restart']>
  readonly health: NonNullable<TargetSettings['health']>
  readonly forwardHeaders: NonNullable<TargetSettings['forwardHeaders']>
}
