import type { AuditTrail } from '../audit/index.ts'
import type { Snapshot } from '../catalog/fetch-lists.ts'
import type { GatewayObserver } from '../gateway.ts'
import type { Target } from '../targets/target.ts'
import type { AdminHost } from './admin-host.ts'
import { ApiError } from './api-error.ts'
import { approvalHandlers } from './approvals/approval-handlers.ts'
import { auditHandlers } from './audit/audit-handlers.ts'
import { AuditTail } from './audit/audit-tail.ts'
import { AuditWatch } from './audit/audit-watch.ts'
import { auditedHandlers } from './audit/audited-handlers.ts'
import { accessHandlers } from './access/access-handlers.ts'
import { seenBy } from './access/seen.ts'
import { planViewEdit, readView } from './access/view-edits.ts'
import { catalogHandlers, CatalogLister } from './catalog/catalog-lister.ts'
import { ChangeLog } from './catalog/change-log.ts'
import { compareSnapshots } from './catalog/compare-snapshots.ts'
import { Clients } from './clients/client-list.ts'
import { waitingHandlers } from './clients/waiting-handlers.ts'
import { connectionHandlers } from './connections/connection-handlers.ts'
import { ConfigEditor, configHandlers } from './config/config-editor.ts'
import { ConfigHistory, versionHandlers } from './config/config-history.ts'
import { planEntryEdit } from './config/entry-edits.ts'
import { TargetEntries } from './config/target-entries.ts'
import type { Topic } from './contract.ts'
import { EventHub, TOPICS } from './events/event-hub.ts'
import { EventSources } from './events/event-sources.ts'
import { logHandlers } from './events/log-handlers.ts'
import type { Handlers } from './handlers.ts'
import { keyHandlers } from './keys/key-handlers.ts'
import { createOpenApi } from './openapi.ts'
import { overviewHandlers } from './overview/overview-handlers.ts'
import { AppViews } from './playground/app-views.ts'
import { Playground } from './playground/playground.ts'
import { sessionHandlers } from './session-handlers.ts'
import { ProcessWatch } from './targets/process-watch.ts'
import { TargetCards } from './targets/target-cards.ts'
import { recordingHandlers } from './targets/recording-handlers.ts'
import { targetHandlers } from './targets/target-handlers.ts'
import { answerOther, Asking } from './together/asking.ts'
import { togetherHandlers } from './together/together-handlers.ts'
import { Trials } from './trials/trials.ts'
import { whyHandlers } from './why/why-handlers.ts'
import { wireHandlers } from './wire/wire-handlers.ts'

/** Everything behind the admin API, whatever way it is reached. */
export class Admin {
  readonly handlers: Handlers
  /** The questions of other gateways about this gateway. The answers are lines of JSON. */
  readonly answer: (question: string, signal: AbortSignal) => AsyncIterable<string>
  readonly views: AppViews = new AppViews()
  #auditWatch: AuditWatch | undefined
  readonly #host: AdminHost
  readonly #hub: EventHub
  readonly #sources: EventSources
  readonly #tail: AuditTail
  readonly #changes: ChangeLog
  readonly #history: ConfigHistory
  readonly #playground: Playground
  readonly #trials: Trials
  readonly #observer: GatewayObserver

  constructor(host: AdminHost) {
    const { gateway } = host
    this.#host = host
    this.#hub = new EventHub((wanted) => {
      this.#sources.setTopics(wanted)
      this.#tail.want(wanted.has('audit'))
    })
    this.#tail = new AuditTail(gateway.audit, (events) => this.#hub.emit('audit', { type: 'audit', events }))
    this.#changes = new ChangeLog(gateway.store, (error) =>
      gateway.log('warn', `The changes of the catalog cannot be kept: ${String(error)}`, {
        event: 'changes-not-kept',
      }),
    )
    const processes = new ProcessWatch((text) => gateway.scrubber.scrubText(text))
    const cards = new TargetCards(host, processes)
    const clients = new Clients(host)
    const editor = new ConfigEditor(host)
    this.#history = new ConfigHistory(gateway.store, editor, (error) =>
      gateway.log('warn', `Versions of the configuration cannot be kept: ${String(error)}`, {
        event: 'versions-not-kept',
      }),
    )
    editor.onWritten = (file, source, by) => this.#history.add(file, source, by)
    const entries = new TargetEntries(editor)
    const lister = new CatalogLister(host, cards, this.#changes)
    this.#playground = new Playground(host, this.#hub)
    this.#trials = new Trials(host, this.#hub, editor, entries)
    this.#sources = new EventSources({ host, hub: this.#hub, cards, clients, editor, changes: this.#changes })
    this.#observer = {
      snapshotReplaced: (target, before, after) => void this.#compare(lister, target, before, after),
    }
    gateway.observers.add(this.#sources).add(this.#observer).add(this.#playground)
    if (host.configFile) {
      const { configFile } = host
      configFile.onRead = () => this.#sources.configChanged()
      configFile.onChange = () => {
        if (!configFile.rejected) void this.#history.seen()
      }
    }
    const own: Handlers = {
      ...sessionHandlers(host),
      ...auditHandlers(host),
      ...overviewHandlers({ host, cards, clients, editor }),
      ...logHandlers(host),
      ...targetHandlers({ host, cards, processes, entries }),
      ...recordingHandlers(host),
      ...keyHandlers(host),
      ...this.#trials.handlers,
      ...catalogHandlers(host, lister, this.#changes),
      editEntry: ({ body }) => planEntryEdit(editor, body),
      ...accessHandlers(host),
      seen: ({ body }) => seenBy(host, editor, body ?? {}),
      view: ({ params }) => readView(editor, params.name),
      editView: async ({ body }) => {
        const planned = await planViewEdit(editor, body)
        return { ...planned, check: await editor.check(planned) }
      },
      ...this.#playground.handlers,
      ...wireHandlers(host, this.#playground),
      ...approvalHandlers(host),
      ...connectionHandlers(host),
      ...clients.handlers,
      ...waitingHandlers({ host, playground: this.#playground }),
      ...configHandlers(editor),
      ...versionHandlers(this.#history),
      ...whyHandlers(host, lister),
      openView: ({ body }) => this.views.open(body),
      openapi: () => createOpenApi(host.version, host.url),
      events: ({ query, lastEventId }) => this.#events(query?.topics, lastEventId),
    }
    const toJson = (value: unknown): string => gateway.scrubber.toJson(value)
    const handlers = host.others ? togetherHandlers(own, new Asking(host.others, toJson)) : own
    this.handlers = gateway.audit ? this.#audited(handlers, gateway.audit, editor) : handlers
    this.answer = (question, signal) => answerOther(own, toJson, question, signal)
  }

  #audited(handlers: Handlers, trail: AuditTrail, editor: ConfigEditor): Handlers {
    const watch = new AuditWatch(trail, editor)
    this.#auditWatch = watch
    this.#host.gateway.observers.add(watch)
    return auditedHandlers(handlers, trail, watch.author)
  }

  /** Takes up what an earlier run has left. */
  async load(): Promise<void> {
    await Promise.all([this.#changes.restore(), this.#history.seen()])
  }

  async #compare(lister: CatalogLister, target: Target, before: Snapshot, after: Snapshot): Promise<void> {
    const changes = await compareSnapshots(target.name, before, after, (kind, own) =>
      lister.keyOf(kind, target.name, own),
    )
    if (changes.length === 0) return
    this.#changes.add(changes)
    this.#sources.catalogChanged()
  }

  #events(topics: string | undefined, lastEventId: string | undefined): ReturnType<EventHub['open']> {
    const asked = topics === undefined || topics === '' ? TOPICS : topics.split(',')
    const unknown = asked.find((topic) => !(TOPICS as readonly string[]).includes(topic))
    if (unknown !== undefined) {
      throw new ApiError('bad_request', `There is no topic "${unknown}"`, {
        fix: `Topics: ${TOPICS.join(', ')}.`,
      })
    }
    const { startedAt, version } = this.#host
    return this.#hub.open(new Set(asked as Topic[]), { type: 'hello', startedAt, version }, lastEventId)
  }

  async close(): Promise<void> {
    const { observers } = this.#host.gateway
    observers.delete(this.#sources)
    observers.delete(this.#observer)
    observers.delete(this.#playground)
    this.#hub.close()
    this.#sources.close()
    this.#tail.close()
    this.#playground.close()
    await this.#trials.close()
    await this.#auditWatch?.settled()
    await this.#changes.flush()
  }
}
