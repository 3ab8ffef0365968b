import { complete, MODERN_REVISIONS, type JsonObject, type Outcome } from '@gantry/mcp/exchange'
import type { CallerView } from '../policy/caller-view.ts'
import type { Link } from '../link.ts'
import { Pages, type PagesOptions } from './pages.ts'

export interface ListsOptions extends PagesOptions {
  /** Of the gateway's own. */
  readonly instructions: string | undefined
}

/** What the endpoint says of itself and of what it has, from what its caller may see. */
export function listsLink({ instructions, ...options }: ListsOptions): Link {
  const pages = new Pages(options)
  return (exchange, next) => {
    switch (exchange.method) {
      case 'server/discover':
        return discover(exchange.view, instructions)
      case 'tools/list':
      case 'prompts/list':
      case 'resources/list':
      case 'resources/templates/list':
      case 'skills/list':
        return pages.page(exchange, exchange.view)
      default:
        return next()
    }
  }
}

async function discover(view: CallerView, own: string | undefined): Promise<Outcome> {
  await view.ready()
  const result: JsonObject = {
    supportedVersions: [...MODERN_REVISIONS],
    capabilities: view.capabilities(),
    ttlMs: 0,
    cacheScope: 'private',
    _meta: view.meta(),
  }
  const instructions = view.instructions(own)
  if (instructions !== undefined) result.instructions = instructions
  return complete(result)
}
