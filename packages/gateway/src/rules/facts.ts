import { eraOf, type AuthInfo, type ClientFacts, type JsonObject } from '@gantry/mcp/exchange'
import { nameForms, readUri, type ObjectKind } from '../model/index.ts'
import { ALIKE, CheckedMembers, namesByForm } from './alike-names.ts'
import { toCel } from './cel-values.ts'
import { declaredNames } from './declared-names.ts'
import { Meter, withoutStack, Work } from './work.ts'

/** Who asks, as far as policy is concerned. Undefined: a caller without credentials. */
export type Subject =
  | (Pick<AuthInfo, 'principal' | 'scopes'> & Partial<Pick<AuthInfo, 'claims' | 'clientId'>>)
  | undefined

/** The sender of a request; without `auth` it came with no credentials. What is left out is not known yet. */
export interface Caller {
  readonly auth?: Subject
  readonly client?: Pick<ClientFacts, 'info' | 'version'> | undefined
  /** The endpoint that it uses. */
  readonly view?: string | undefined
}

/** Something of a target, by the target's own name for it. */
export interface PolicyObject {
  readonly kind: ObjectKind
  readonly target: string
  readonly name: string
  /** Its definition, where it is known. */
  readonly item?: JsonObject | undefined
  /** A family of resources: which of them is meant is not known yet. */
  readonly isTemplate?: boolean | undefined
}

/** The same before one object is named. */
export type KnownObject = Omit<PolicyObject, 'name'> & Partial<Pick<PolicyObject, 'name'>>

/** What is known of a request when it is made, and not when something is listed. */
export interface PolicyCall {
  /** Undefined where they are nothing that an expression could look at. */
  readonly args: JsonObject | undefined
  readonly now: Date
  /** Calls that were let through in the current window of this length; undefined where nothing is counted. */
  readonly count?: ((window: number) => number) | undefined
  /** Pays for what is evaluated for this call; undefined: what is asked about it at once is paid for together. */
  readonly work?: Work | undefined
}

/** An argument that an expression names, and what the most generous server takes for the same. */
export interface Field {
  readonly name: string
  readonly loose: string
}

export function toField(name: string): Field {
  return { name, loose: nameForms(name).loose }
}

/** Thrown when an expression asks for what is not known yet. `false && unknown` is false all the same. */
export const UNKNOWN: Error = withoutStack('it is not known yet')

const AMBIGUOUS = withoutStack('servers can read the URI in several ways')

/** `principal` in expressions. */
export class PrincipalValue {
  readonly kind: string
  readonly issuer: string
  readonly subject: string
  readonly scopes: readonly string[]

  constructor(subject: Subject) {
    this.kind = subject?.principal.kind ?? 'anonymous'
    this.issuer = subject?.principal.issuer ?? ''
    this.subject = subject?.principal.subject ?? ''
    this.scopes = subject ? [...subject.scopes] : []
  }
}

/** `client` in expressions. `id` is verified; name and version are what the client says of itself. */
export class ClientValue {
  readonly id: string
  readonly name: string
  readonly version: string

  constructor({ auth, client }: Caller) {
    this.id = textOf(auth?.clientId)
    this.name = textOf(client?.info?.name)
    this.version = textOf(client?.info?.version)
  }
}

/** `annotations` in expressions, with what the specification assumes where a server says nothing. */
export class AnnotationsValue {
  readonly title: string
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean

  constructor({ kind, item }: KnownObject) {
    const given = kind === 'tools' && isObject(item?.annotations) ? item.annotations : {}
    const flag = (name: string, assumed: boolean): boolean => {
      const value = Object.hasOwn(given, name) ? given[name] : undefined
      return typeof value === 'boolean' ? value : assumed
    }
    // Prompts and resources are only read. An unknown method can do anything.
    const isReading = kind === 'prompts' || kind === 'resources'
    this.title = textOf(given.title)
    this.readOnlyHint = flag('readOnlyHint', isReading)
    this.destructiveHint = flag('destructiveHint', !isReading)
    this.idempotentHint = flag('idempotentHint', isReading)
    this.openWorldHint = flag('openWorldHint', true)
  }
}

const KINDS = { tools: 'tool', prompts: 'prompt', resources: 'resource', methods: 'method' } as const

/**
 * The variables of an expression. Each is computed when the expression reads it. Reading an unknown variable throws
 * `UNKNOWN`, and then `isIncomplete` is true.
 */
export class Facts {
  isIncomplete = false
  /** The arguments that the expression names; undefined: all. */
  fields: readonly Field[] | undefined
  readonly #caller: KnownCaller | undefined
  readonly #object: KnownObject | undefined
  readonly #call: KnownCall | undefined
  #work: Work | undefined

  constructor(known: {
    caller?: KnownCaller
    object?: KnownObject | undefined
    call?: KnownCall | undefined
  }) {
    this.#caller = known.caller
    this.#object = known.object
    this.#call = known.call
  }

  /** Pays for conditions and expressions about these facts. */
  get work(): Work {
    this.#work ??= this.#call?.work ?? new Work()
    return this.#work
  }

  #known<T>(value: T | undefined): T {
    if (value !== undefined) return value
    this.isIncomplete = true
    throw UNKNOWN
  }

  get principal(): PrincipalValue {
    return this.#known(this.#caller).principal
  }
  get groups(): string[] {
    return this.#known(this.#caller).groups
  }
  get claims(): unknown {
    return this.#known(this.#caller).claims
  }
  get client(): ClientValue {
    return this.#known(this.#known(this.#caller).client)
  }
  get era(): string {
    return this.#known(this.#known(this.#caller).era)
  }
  get view(): string {
    return this.#known(this.#known(this.#caller).view)
  }
  get target(): string {
    return this.#known(this.#object).target
  }
  get kind(): string {
    return KINDS[this.#known(this.#object).kind]
  }
  get tool(): string {
    const { kind, name } = this.#known(this.#object)
    return kind === 'resources' ? '' : this.#known(name)
  }
  get uri(): string {
    const { kind, name, isTemplate } = this.#known(this.#object)
    return kind === 'resources' ? canonical(this.#known(isTemplate ? undefined : name)) : ''
  }
  get annotations(): AnnotationsValue {
    const object = this.#known(this.#object)
    return new AnnotationsValue(
      object.kind === 'tools' ? { ...object, item: this.#known(object.item) } : object,
    )
  }
  get args(): Map<string, unknown> {
    return this.#known(this.#known(this.#call).args(this.fields, this.#object?.item))
  }
  get now(): Date {
    return this.#known(this.#call).now
  }
  count(window: number): bigint {
    return BigInt(this.#known(this.#known(this.#call).count)(window))
  }
}

/** A caller as expressions see it. Claims are read when an expression asks for them. */
export class KnownCaller {
  readonly #caller: Caller
  #principal: PrincipalValue | undefined
  #claims: unknown

  constructor(caller: Caller) {
    this.#caller = caller
  }

  get principal(): PrincipalValue {
    this.#principal ??= new PrincipalValue(this.#caller.auth)
    return this.#principal
  }

  get claims(): unknown {
    this.#claims ??= toCel(this.#caller.auth?.claims ?? {}, new Meter())
    return this.#claims
  }

  /** The claim `groups`: a list of texts, or a single text. Other values are not groups. */
  get groups(): string[] {
    const groups = this.#caller.auth?.claims?.groups
    if (typeof groups === 'string') return [groups]
    return Array.isArray(groups) ? groups.filter((group) => typeof group === 'string') : []
  }

  get client(): ClientValue | undefined {
    return this.#caller.client && new ClientValue(this.#caller)
  }

  get era(): string | undefined {
    const version = this.#caller.client?.version
    return version && eraOf(version)
  }

  get view(): string | undefined {
    return this.#caller.view
  }
}

/** A call as expressions see it. Only the arguments that an expression names are read. */
export class KnownCall {
  readonly count: PolicyCall['count']
  readonly #call: PolicyCall
  readonly #given: JsonObject | undefined
  readonly #read = new Map<string, unknown>()
  /**
   * Names of arguments that no other argument resembles. They are kept because rules ask for the same names again and
   * again.
   */
  readonly #clear = new Set<string>()
  #named: ReadonlyMap<string, readonly string[]> | undefined
  readonly #meter = new Meter()
  /** Whether all arguments are read. */
  #isWhole = false

  /** `otherwise`: what was counted where the call does not say. */
  constructor(call: PolicyCall, otherwise?: PolicyCall['count']) {
    this.#call = call
    this.#given = call.args
    this.count = call.count ?? otherwise
  }

  get now(): Date {
    return this.#call.now
  }

  get work(): Work | undefined {
    return this.#call.work
  }

  /** Throws where a server could read another argument than the expression does: Go ignores case in JSON. */
  args(fields: readonly Field[] | undefined, item?: JsonObject): Map<string, unknown> | undefined {
    if (!this.#given) return undefined
    if (!fields && this.#isWhole) return this.#read
    const asked = fields ?? Object.keys(this.#given).map(toField)
    for (let at = 0; at < asked.length; at++) {
      if (!this.#clear.has(asked[at]!.name)) this.#readField(this.#given, asked[at]!, item)
    }
    if (!fields) this.#isWhole = true
    return this.#read
  }

  #readField(given: JsonObject, { name, loose }: Field, item: JsonObject | undefined): void {
    this.#named ??= namesByForm(Object.keys(given).map((one) => this.#meter.name(one)))
    const alike = this.#named.get(loose)
    if (alike?.some((other) => other !== name && !declaredNames(item).has(other))) throw ALIKE
    if (Object.hasOwn(given, name)) {
      this.#read.set(this.#meter.text(name), toCel(given[name], this.#meter, 1, toChecked))
    }
    this.#clear.add(name)
  }
}

const toChecked = (members: [string, unknown][]): CheckedMembers => new CheckedMembers(members)

/** A rule cannot decide about a URI that servers read in different ways. */
function canonical(uri: string): string {
  const { exact, isAmbiguous } = readUri(uri)
  if (isAmbiguous) throw AMBIGUOUS
  return exact
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
