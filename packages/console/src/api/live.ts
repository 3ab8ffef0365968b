import { addAuditEvents } from './audit-tail.ts'
import type { AdminEvent, Overview, TargetCard, TargetDetail, Topic, WireRecord } from './contract.ts'
import { LiveStream } from './live-stream.ts'
import { overviewQuery, queryClient, targetQuery } from './queries.ts'
import { addStderr } from './stderr-store.ts'
import { createStore, type Store } from './store.ts'
import { addWireRecords, loadWire, wireStore } from './wire-store.ts'

const ALWAYS: readonly Topic[] = [
  'targets',
  'stderr',
  'catalog',
  'clients',
  'config',
  'stats',
  'trials',
  'playground',
  'log',
]
/** A tab that tells what happens while it is not looked at. */
function staysLive(): boolean {
  return 'Notification' in window && Notification.permission === 'granted'
}

/** A tab in the background gives its connection back after this; browsers allow six of them per origin. */
const HIDDEN_FOR = 60_000

export const live: LiveStream = new LiveStream(applyEvent)

/** Whether messages of exchanges are kept for us. It begins with the first look at Wire or Playground. */
export const recording: Store<boolean> = createStore(false)

/** Whether new events of the audit trail are wanted. */
export const following: Store<boolean> = createStore(false)

let startedAt: number | undefined

export function startLive(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const watch = () =>
    live.watch([
      ...ALWAYS,
      ...(recording.get() ? (['wire'] as const) : []),
      ...(following.get() ? (['audit'] as const) : []),
    ])
  const onVisibility = () => {
    clearTimeout(timer)
    if (document.visibilityState === 'visible') return watch()
    timer = setTimeout(() => !recording.get() && !staysLive() && live.watch([]), HIDDEN_FOR)
  }
  document.addEventListener('visibilitychange', onVisibility)
  const stops = [recording.subscribe(watch), following.subscribe(watch)]
  let wasLost = false
  // While nobody listens, the gateway tells of nothing: what happened meanwhile has to be asked for.
  const stopState = live.state.subscribe(() => {
    const state = live.state.get()
    if (state === 'live' && wasLost) refetchAll()
    wasLost = state === 'lost' || (wasLost && state !== 'live')
  })
  watch()
  return () => {
    for (const stop of stops) stop()
    stopState()
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', onVisibility)
    live.watch([])
  }
}

export function applyEvent(event: AdminEvent): void {
  switch (event.type) {
    case 'hello': {
      const restarted = startedAt !== undefined && startedAt !== event.startedAt
      startedAt = event.startedAt
      return restarted ? refetchAll() : undefined
    }
    case 'reset':
      return refetchAll()
    case 'target':
      return applyTarget(event.target)
    case 'target-steps':
      return invalidate('target', event.name)
    case 'target-removed':
      invalidate('waiting')
      invalidate('why')
      queryClient.removeQueries({ queryKey: ['target', event.name] })
      updateOverview((overview) => ({
        ...overview,
        targets: overview.targets.filter(({ name }) => name !== event.name),
      }))
      return
    case 'stderr':
      return addStderr(event.target, event.lines)
    case 'catalog':
      invalidate('why')
      invalidate('seen')
      return invalidate('catalog')
    case 'wire':
      addWireRecords(event.records)
      return invalidateOpen(event.records)
    case 'clients':
      invalidate('access')
      return invalidate('clients')
    case 'waiting':
      return invalidate('waiting')
    case 'approvals':
      return invalidate('approvals')
    case 'config':
      invalidate('approvals')
      updateOverview((overview) => ({ ...overview, config: event.status }))
      invalidate('overview')
      invalidate('target')
      invalidate('why')
      for (const one of ['access', 'seen', 'view']) invalidate(one)
      return invalidate('config')
    case 'stats':
      return applyStats(event)
    case 'trial':
      queryClient.setQueryData(['trial', event.trial.id], event.trial)
      return
    case 'playground':
      return invalidate('calls')
    case 'audit':
      return addAuditEvents(event.events)
    case 'log':
      return invalidate('log')
  }
}

/** Hundreds may come at once, of which hardly one is on the screen. */
function invalidateOpen(records: readonly WireRecord[]): void {
  for (const { queryKey } of queryClient.getQueryCache().findAll({ queryKey: ['wire'], type: 'active' })) {
    if (records.some(({ id }) => id === queryKey[1])) invalidate(...queryKey)
  }
}

function refetchAll(): void {
  void queryClient.invalidateQueries()
  if (wireStore.get().loaded) void loadWire()
}

function invalidate(...queryKey: unknown[]): void {
  void queryClient.invalidateQueries({ queryKey })
}

function updateOverview(change: (overview: Overview) => Overview): void {
  queryClient.setQueryData(overviewQuery.queryKey, (old) => old && change(old))
}

function applyTarget(card: TargetCard): void {
  const known = queryClient.getQueryData(overviewQuery.queryKey)
  if (known && !known.targets.some(({ name }) => name === card.name)) invalidate('overview')
  updateOverview((overview) => ({
    ...overview,
    targets: overview.targets.map((old) => (old.name === card.name ? card : old)),
  }))
  // Not `{ ...old, ...card }`: what is gone, such as a problem, would stay.
  queryClient.setQueryData(targetQuery(card.name).queryKey, (old) => old && { ...card, ...detailOf(old) })
  invalidate('target', card.name)
  invalidate('waiting')
  invalidate('why')
}

function detailOf({ instances, config, stderr, ...old }: TargetDetail): Omit<TargetDetail, keyof TargetCard> {
  const { capabilities, instructions, discovery } = old
  return {
    instances,
    config,
    stderr,
    ...(capabilities && { capabilities }),
    ...(instructions !== undefined && { instructions }),
    ...(discovery && { discovery }),
  }
}

function applyStats(event: Extract<AdminEvent, { type: 'stats' }>): void {
  const known = queryClient.getQueryData(overviewQuery.queryKey)
  if (known?.total.calls !== event.total.calls) {
    invalidate('tools')
    invalidate('access')
  }
  updateOverview((overview) => ({
    ...overview,
    total: event.total,
    clients: event.clients,
    inFlight: event.inFlight,
    gateway: withUnheard(overview.gateway, event.unheard),
    targets: overview.targets.map((card) => ({ ...card, stats: event.targets[card.name] ?? card.stats })),
  }))
}

function withUnheard(
  { unheard: _, ...gateway }: Overview['gateway'],
  unheard: Overview['gateway']['unheard'],
): Overview['gateway'] {
  return { ...gateway, ...(unheard && { unheard }) }
}
