import { AsyncLocalStorage } from 'node:async_hooks'
import type { AuditActor, AuditEvent, AuditTrail } from '../../audit/index.ts'
import type { OnConsent } from '../../identity/consent.ts'
import type { OnRefused, Refused } from '../../identity/refusal.ts'
import type { GatewayObserver } from '../../gateway.ts'
import type { Target } from '../../targets/target.ts'
import type { ConfigEditor } from '../config/config-editor.ts'
import { textDiff } from '../config/text-diff.ts'

const SAID: Readonly<Record<string, readonly [string, AuditEvent['status']]>> = {
  ready: ['target/start', 'success'],
  stopped: ['target/stop', 'success'],
  'backing-off': ['target/start', 'failure'],
  quarantined: ['target/start', 'failure'],
  'needs-auth': ['target/sign-in', 'failure'],
}
/** What was recorded of a target last. */
interface Told {
  readonly state: string
  readonly starts: number
}

const FILE_EDIT: AuditActor = { client: { name: 'the file', version: '' }, from: 'file' }
/** Characters of a diff that are kept. */
const MOST_DIFF = 16 * 1024

/** Records what happens besides requests: targets that start and fail, and new configurations. */
export class AuditWatch implements GatewayObserver {
  /** The people who are changing the configuration by the console now. When there is nobody, the file was edited. */
  readonly author: AsyncLocalStorage<AuditActor> = new AsyncLocalStorage()
  readonly #trail: AuditTrail
  readonly #editor: ConfigEditor
  readonly #told = new WeakMap<Target, Told>()
  #text: Promise<string>

  constructor(trail: AuditTrail, editor: ConfigEditor) {
    this.#trail = trail
    this.#editor = editor
    this.#text = this.#read()
  }

  targetChanged(target: Target): void {
    const { state } = target
    const [operation, status] = SAID[state] ?? []
    if (operation === undefined) return
    const { reason, starts, failures } = target.main
    const told = this.#told.get(target)
    // A target that is away is tried every few seconds. The next event tells how often that failed.
    if (told?.state === state && (status === 'failure' || told.starts === starts)) return
    this.#told.set(target, { state, starts })
    this.#trail.add({
      at: Date.now(),
      operation,
      activity: 'other',
      actor: { from: 'gateway' },
      status: status!,
      outcome: state,
      detail: status === 'failure' ? reason : undefined,
      target: target.name,
      ...(failures > 1 && { more: { failures } }),
    })
  }

  modelChanged(): void {
    this.#text = this.#changed(this.#text, this.author.getStore() ?? FILE_EDIT)
  }

  /** Until the last change is in the trail. */
  async settled(): Promise<void> {
    await this.#text
  }

  async #changed(before: Promise<string>, actor: AuditActor): Promise<string> {
    const [old, text] = [await before, await this.#read()]
    const hunks = await textDiff(old, text)
    const lines = hunks.flatMap((hunk) =>
      hunk.lines.filter(({ type }) => type !== 'same').map((line) => `${SIGNS[line.type]}${line.text}`),
    )
    const diff = lines.join('\n').slice(0, MOST_DIFF)
    this.#trail.add({
      at: Date.now(),
      operation: 'configuration/change',
      activity: 'update',
      actor,
      status: 'success',
      outcome: 'ok',
      more: { diff },
    })
    return text
  }

  /** With secrets masked. */
  async #read(): Promise<string> {
    return (await this.#editor.current().catch(() => undefined))?.hidden.text ?? ''
  }
}

const SIGNS = { added: '+', removed: '-', same: ' ' } as const

const MOST_REFUSALS = 60
const MINUTE = 60_000

/**
 * Records refused credentials. A flood of them does not fill the trail: after the first ones of a minute, the others
 * are only counted.
 */
export function recordRefusals(trail: AuditTrail | undefined): OnRefused {
  let since = 0
  let count = 0
  return ({ status, reason, path }: Refused) => {
    const now = Date.now()
    const leftOut = count - MOST_REFUSALS
    if (now - since > MINUTE) {
      since = now
      count = 0
      if (leftOut > 0) trail?.add(refusal({ status: 401, reason: 'more like this', path: '' }, leftOut))
    }
    if (count++ < MOST_REFUSALS) trail?.add(refusal({ status, reason, path }, 1))
  }
}

/** Records what people agree to: programs that act for them, and accounts that are used for them. */
export function recordConsents(trail: AuditTrail | undefined): OnConsent {
  return ({ principal, answer, client, target }) =>
    trail?.add({
      at: Date.now(),
      operation: 'consent',
      activity: answer === 'withdrawn' ? 'delete' : 'create',
      actor: { principal, clientId: client?.id, from: 'http' },
      decision: answer === 'refused' ? 'denied' : 'allowed',
      status: 'success',
      outcome: answer,
      target,
      ...(client && { more: { scopes: client.scopes } }),
    })
}

function refusal({ status, reason, path }: Refused, times: number): AuditEvent {
  return {
    at: Date.now(),
    operation: 'sign-in',
    activity: 'other',
    actor: { from: 'http' },
    decision: 'denied',
    status: 'failure',
    outcome: 'denied',
    code: status,
    detail: path === '' ? reason : `${reason} (${path})`,
    more: { times },
  }
}
