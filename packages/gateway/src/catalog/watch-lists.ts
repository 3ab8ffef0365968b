import type { Notification } from '@gantry/mcp/exchange'
import type { SubscriptionFilter } from '@gantry/mcp/server'
import type { ListenWish } from '../targets/shared-listener.ts'
import type { ListKind } from './fetch-lists.ts'

const KINDS: Readonly<Record<string, ListKind>> = {
  'notifications/tools/list_changed': 'tools',
  'notifications/prompts/list_changed': 'prompts',
  'notifications/resources/list_changed': 'resources',
}

/** Hears of changed lists for as long as a target is connected; its catalog is no reason to start it. */
export class ListWatch implements ListenWish {
  readonly filter: SubscriptionFilter = {
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
  }
  readonly isPassive = true
  readonly #onChange: (kind?: ListKind) => void

  /** `onChange` is called with the list that the target says has changed, or with none when all may have. */
  constructor(onChange: (kind?: ListKind) => void) {
    this.#onChange = onChange
  }

  heard({ method }: Notification): void {
    const kind = Object.hasOwn(KINDS, method) ? KINDS[method] : undefined
    if (kind) this.#onChange(kind)
  }

  granted(): void {}

  missed(): void {
    this.#onChange()
  }
}
