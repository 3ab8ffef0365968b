import { TASKS_EXTENSION } from '@gantry/mcp/extensions/tasks'
import type { ServerCapabilities } from '@gantry/mcp/server'
import type { CatalogView } from '../catalog/catalog-view.ts'

/** What the targets can do, and what the gateway makes of it: older servers' long calls become tasks of its own. */
export function promisedCapabilities(catalog: CatalogView): ServerCapabilities {
  const capabilities = catalog.capabilities()
  if (!catalog.offersTasks || capabilities.extensions?.[TASKS_EXTENSION]) return capabilities
  return { ...capabilities, extensions: { ...capabilities.extensions, [TASKS_EXTENSION]: {} } }
}
