import type { GatewayObserver } from '../../gateway.ts'
import type { Target } from '../../targets/target.ts'
import type { LogEntry } from '../../telemetry/log-ring.ts'
import type { ExchangeRecord } from '../../telemetry/exchange-record.ts'
import type { AdminHost } from '../admin-host.ts'
import type { ChangeLog } from '../catalog/change-log.ts'
import type { Clients } from '../clients/client-list.ts'
import type { ConfigEditor } from '../config/config-editor.ts'
import type { StderrLine, Topic, TrafficStats } from '../contract.ts'
import { inFlight } from '../overview/overview-handlers.ts'
import { type TargetCards, toTrafficStats } from '../targets/target-cards.ts'
import { presentRecord } from '../wire/present-messages.ts'
import type { EventHub } from './event-hub.ts'
import { presentLine } from './log-handlers.ts'

export interface EventSourcesOptions {
  readonly host: AdminHost
  readonly hub: EventHub
  readonly cards: TargetCards
  readonly clients: Clients
  readonly editor: ConfigEditor
  readonly changes: ChangeLog
}

const GATHER = 100
const STATS_EVERY = 2000

/** Turns what happens in the gateway into events: gathered for a moment, and only while a client listens. */
export class EventSources implements GatewayObserver {
  readonly #options: EventSourcesOptions
  readonly #targets = new Set<Target>()
  readonly #stderr = new Map<string, StderrLine[]>()
  readonly #records = new Set<ExchangeRecord>()
  #lines: LogEntry[] = []
  #catalog = false
  #known: Set<string>
  #timer: NodeJS.Timeout | undefined
  #ticker: NodeJS.Timeout | undefined
  #watched: 'messages' | 'exchanges' | undefined
  #stopWatching: (() => void) | undefined
  #stopApprovals: (() => void) | undefined
  #lastClients = ''
  readonly #calls = new Map<string, number>()

  constructor(options: EventSourcesOptions) {
    this.#options = options
    this.#known = this.#names()
    options.host.log.onAdded = (entry) => {
      if (!options.hub.wants('log')) return
      this.#lines.push(entry)
      this.#soon()
    }
  }

  /** Sets the topics that some client listens to. The others cost nothing. */
  setTopics(wanted: ReadonlySet<Topic>): void {
    const { exchanges } = this.#options.host.gateway
    const emitWaiting = (): void => this.#options.hub.emit('clients', { type: 'waiting' })
    exchanges.waiting.onChange = wanted.has('clients') ? emitWaiting : undefined
    if (wanted.has('clients')) {
      const { approvals } = this.#options.host.gateway
      this.#stopApprovals ??= approvals.observe(() =>
        this.#options.hub.emit('clients', { type: 'approvals' }),
      )
    } else {
      this.#stopApprovals?.()
      this.#stopApprovals = undefined
    }
    this.#watch(wanted.has('wire') ? 'messages' : wanted.has('exchanges') ? 'exchanges' : undefined)
    const needsTicks = wanted.has('stats') || wanted.has('clients')
    if (needsTicks) this.#ticker ??= setInterval(() => this.#tick(), STATS_EVERY).unref()
    else {
      clearInterval(this.#ticker)
      this.#ticker = undefined
    }
  }

  #watch(what: 'messages' | 'exchanges' | undefined): void {
    if (what === this.#watched) return
    this.#watched = what
    this.#stopWatching?.()
    const listener = (record: ExchangeRecord): void => {
      this.#records.add(record)
      this.#soon()
    }
    const messages = what === 'messages'
    this.#stopWatching = what && this.#options.host.gateway.exchanges.watch(listener, { messages })
  }

  targetChanged(target: Target): void {
    if (!this.#options.hub.hasReaders) return
    this.#targets.add(target)
    this.#soon()
  }

  stderr(target: Target, _line: string): void {
    if (!this.#options.hub.wants('stderr')) return
    const lines = this.#stderr.get(target.name) ?? []
    lines.push(...target.stderr.tail(1))
    this.#stderr.set(target.name, lines)
    this.#soon()
  }

  catalogChanged(): void {
    if (!this.#options.hub.hasReaders) return
    this.#catalog = true
    // Counts are on the cards.
    for (const target of this.#options.host.gateway.targets) this.#targets.add(target)
    this.#soon()
  }

  modelChanged(): void {
    const { hub, host } = this.#options
    const names = this.#names()
    for (const name of this.#known)
      if (!names.has(name)) hub.emit('targets', { type: 'target-removed', name })
    this.#known = names
    for (const target of host.gateway.targets) this.targetChanged(target)
    this.configChanged()
  }

  configChanged(): void {
    this.#options.hub.emit('config', { type: 'config', status: this.#options.editor.status })
  }

  #names(): Set<string> {
    return new Set(this.#options.host.gateway.model.targets.map(({ name }) => name))
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => this.#flush(), GATHER).unref()
  }

  #flush(): void {
    this.#timer = undefined
    const { hub, host, cards, changes } = this.#options
    for (const target of this.#targets) {
      // The configuration may have put another target of this name in its place.
      if (host.gateway.target(target.name) !== target) continue
      hub.emit('targets', { type: 'target', target: cards.quickCard(target) })
      hub.emit('targets', { type: 'target-steps', name: target.name })
    }
    this.#targets.clear()
    for (const [target, lines] of this.#stderr) hub.emit('stderr', { type: 'stderr', target, lines })
    this.#stderr.clear()
    if (this.#lines.length > 0) hub.emit('log', { type: 'log', lines: this.#lines.map(presentLine) })
    this.#lines = []
    if (this.#catalog) {
      const { generation } = host.gateway.catalog.merged
      hub.emit('catalog', { type: 'catalog', generation, newestChange: changes.newest })
      this.#catalog = false
    }
    if (this.#records.size > 0) {
      hub.emit('wire', { type: 'wire', records: [...this.#records].map(presentRecord) })
      this.#records.clear()
    }
  }

  #tick(): void {
    const { hub, host, clients } = this.#options
    const { gateway } = host
    const list = clients.list().clients
    const state = JSON.stringify(
      list.map(({ id, requests, connected, inFlight: calls }) => [id, requests, connected, calls.length]),
    )
    if (state !== this.#lastClients) hub.emit('clients', { type: 'clients' })
    this.#lastClients = state
    if (!hub.wants('stats')) return
    hub.emit('stats', {
      type: 'stats',
      total: toTrafficStats(gateway.exchanges.total.summary()),
      targets: this.#busyTargets(),
      clients: clients.count,
      inFlight: inFlight(host),
    })
  }

  /** Only targets that were called since: the charts of the others have not changed. */
  #busyTargets(): Record<string, TrafficStats> {
    const { gateway } = this.#options.host
    const busy: Record<string, TrafficStats> = {}
    for (const { name } of gateway.targets) {
      const stats = gateway.exchanges.statsOf(name).summary()
      if (this.#calls.get(name) === stats.calls) continue
      this.#calls.set(name, stats.calls)
      busy[name] = toTrafficStats(stats)
    }
    return busy
  }

  close(): void {
    clearTimeout(this.#timer)
    clearInterval(this.#ticker)
    this.#stopWatching?.()
    this.#stopApprovals?.()
  }
}
