import { LiveExchange, METHOD_NOT_FOUND } from '@gantry/mcp/exchange'
import type { Implementation } from '@gantry/mcp/server'
import type { Link } from '../targets/link.ts'
import type { ListKind } from './merged.ts'

const FIRST_PAUSE = 1000
const LONGEST_PAUSE = 60_000
const PARAMS = {
  notifications: { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true },
}

const KINDS: Readonly<Record<string, ListKind>> = {
  'notifications/tools/list_changed': 'tools',
  'notifications/prompts/list_changed': 'prompts',
  'notifications/resources/list_changed': 'resources',
}

export interface WatchOptions {
  readonly link: Link
  readonly info: Implementation
  /** Whether the connection is still the one in use. */
  isCurrent(): boolean
  /** Called with the list that the target says has changed, or with none when all may have. */
  onChange(kind?: ListKind): void
}

/** Hears of changed lists for as long as a connection is in use. A stream that breaks off is opened again. */
export async function watchLists({ link, info, isCurrent, onChange }: WatchOptions): Promise<void> {
  let pause = FIRST_PAUSE
  while (isCurrent()) {
    const began = Date.now()
    const exchange = new LiveExchange({
      method: 'subscriptions/listen',
      params: PARAMS,
      client: { info, capabilities: {}, version: '2026-07-28' },
      notify: ({ method }) => {
        const kind = Object.hasOwn(KINDS, method) ? KINDS[method] : undefined
        if (kind) onChange(kind)
      },
    })
    const outcome = await Promise.resolve(link.handle(exchange)).catch(() => undefined)
    if (outcome?.type === 'error' && outcome.error.code === METHOD_NOT_FOUND) return
    pause = Date.now() - began > LONGEST_PAUSE ? FIRST_PAUSE : Math.min(LONGEST_PAUSE, pause * 2)
    await new Promise((resolve) => setTimeout(resolve, pause).unref())
    // What changed while nobody listened is found out by asking.
    if (isCurrent()) onChange()
  }
}
