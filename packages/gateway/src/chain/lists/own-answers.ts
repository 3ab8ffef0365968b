import { complete, MODERN_REVISIONS, type JsonObject, type Outcome } from '@gantry/mcp/exchange'
import type { GatewayModel } from '../../model/index.ts'
import type { HandleGatewayExchange } from '../gateway-exchange.ts'
import type { CallerCatalog } from '../policy/caller-catalog.ts'
import { listedResources } from '../results/listed-resources.ts'
import type { ResultFindings } from '../results/result-findings.ts'
import { CatalogPages, type CatalogPagesOptions } from './catalog-pages.ts'

interface OwnServices {
  readonly findings: ResultFindings
}

/** The methods that the endpoint answers itself, from the caller's catalog. */
export function ownAnswers(
  { info, catalog, findings }: Pick<CatalogPagesOptions, 'info' | 'catalog'> & OwnServices,
  { server, results, catalog: { pageSize } }: Pick<GatewayModel, 'server' | 'catalog' | 'results'>,
): Record<string, HandleGatewayExchange> {
  const pages = new CatalogPages({ info, catalog, pageSize, show: listedResources(results, findings) })
  const page: HandleGatewayExchange = (exchange) => pages.page(exchange, exchange.visible)
  return {
    'server/discover': ({ visible }) => discover(visible, server.instructions),
    'tools/list': page,
    'prompts/list': page,
    'resources/list': page,
    'resources/templates/list': page,
    'skills/list': page,
  }
}

async function discover(visible: CallerCatalog, own: string | undefined): Promise<Outcome> {
  await visible.ready()
  const result: JsonObject = {
    supportedVersions: [...MODERN_REVISIONS],
    capabilities: visible.capabilities(),
    ttlMs: 0,
    cacheScope: 'private',
    _meta: visible.meta(),
  }
  const instructions = visible.instructions(own)
  if (instructions !== undefined) result.instructions = instructions
  return complete(result)
}
