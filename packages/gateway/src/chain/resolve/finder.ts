import { orAbort } from '@gantry/mcp/exchange'
import type { EndpointCatalog } from '../../catalog/endpoint-catalog.ts'
import type { MergedEntry } from '../../catalog/merged.ts'
import { fitsTemplate, listedSpelling } from '../../catalog/offers-uri.ts'
import { lookUp, type TargetCatalog } from '../../catalog/target-catalog.ts'
import { readUri, sentUri } from '../../model/index.ts'
import { refused } from '../absent.ts'
import type { GatewayExchange } from '../gateway-exchange.ts'
import type { CallerCatalog } from '../policy/caller-catalog.ts'

/** A resource that the caller may use: whose it is, and the URI to ask for there. */
export interface FoundResource {
  readonly catalog: TargetCatalog
  readonly own: string
}

/**
 * Finds the target that serves a URI. Returns undefined for a resource that the configuration leaves out or that the
 * caller may not use.
 */
export async function findResource(
  uri: string,
  catalog: EndpointCatalog,
  visible: CallerCatalog,
): Promise<FoundResource | undefined> {
  const owner = await ownerOf(uri, catalog, visible)
  if (!owner) return undefined
  // Templates of the target may say whose the URI is.
  if (!owner.snapshot) await visible.ready()
  return usable(uri, owner, catalog, visible) ?? (await usableNow(uri, owner, catalog, visible))
}

function usable(
  uri: string,
  owner: TargetCatalog,
  catalog: EndpointCatalog,
  visible: CallerCatalog,
): FoundResource | undefined {
  const own = askedUri(catalog.urisOf(owner).toOwn(uri), owner, visible)
  return own !== undefined && visible.maySee('resources', owner, own) ? { catalog: owner, own } : undefined
}

/** A resource that the configuration leaves out may be shown by a template that was added later. */
async function usableNow(
  uri: string,
  owner: TargetCatalog,
  catalog: EndpointCatalog,
  visible: CallerCatalog,
): Promise<FoundResource | undefined> {
  if (owner.target.model.resources.include.length === 0) return undefined
  await lookUp([owner])
  return usable(uri, owner, catalog, visible)
}

/** By prefix; without one, by the lists, by the templates, and last by asking the only target that could have it. */
async function ownerOf(
  uri: string,
  catalog: EndpointCatalog,
  visible: CallerCatalog,
): Promise<TargetCatalog | undefined> {
  const prefixed = visible.catalogs.find((one) => catalog.urisOf(one).owns(uri))
  if (prefixed) return prefixed
  const known = visible.find('resources', uri)
  if (known) return known.target
  await visible.ready()
  const unprefixed = visible.catalogs.filter((one) => catalog.prefixOf(one) === '')
  const starting = unprefixed.filter((one) => one.isFirstAsked)
  if (starting.length > 0 && !visible.find('resources', uri)) await lookUp(starting)
  const listed = visible.find('resources', uri)
  if (listed) return listed.target
  const bare = unprefixed.filter((one) => one.snapshot?.discovery.capabilities.resources)
  const offering = offeredBy(bare, uri)
  // A target that has never answered may have it: then the request fails as all requests to it do.
  if (offering || bare.length < 2)
    return offering ?? bare[0] ?? unprefixed.find((one) => !one.snapshot && one.target.model.enabled)
  // It may have been added since.
  await lookUp(bare.filter((one) => one.target.connected))
  return visible.find('resources', uri)?.target ?? offeredBy(bare, uri) ?? bare[0]
}

function offeredBy(catalogs: readonly TargetCatalog[], uri: string): TargetCatalog | undefined {
  const forms = readUri(uri)
  return (
    catalogs.find(({ snapshot }) => listedSpelling(snapshot!, forms) !== undefined) ??
    catalogs.find(({ snapshot }) => snapshot!.templates.some((one) => fitsTemplate(one, uri)))
  )
}

/**
 * The URI to send. When the policy denies something, it is the canonical form, because the decision was about that
 * form.
 */
function askedUri(own: string, owner: TargetCatalog, visible: CallerCatalog): string | undefined {
  const { snapshot } = owner
  if (!visible.isRestricted(owner) || snapshot?.resources.some((one) => one.uri === own)) return own
  const forms = readUri(own)
  if (forms.isAmbiguous) return undefined
  return (snapshot && listedSpelling(snapshot, forms)) ?? sentUri(forms)
}

export type Named = 'tools' | 'prompts'

/** The entry of a list. Most are known at once; otherwise this waits for the targets that have not answered yet. */
export async function findEntry(
  kind: Named | 'templates',
  key: string,
  visible: CallerCatalog,
): Promise<MergedEntry | undefined> {
  const known = visible.find(kind, key)
  if (known) return known
  await visible.ready()
  return visible.find(kind, key)
}

/** An entry that may not be in the lists yet: the targets that could have it are asked before it is refused. */
export async function findNamed(
  kind: Named,
  name: string,
  exchange: GatewayExchange,
  catalog: EndpointCatalog,
): Promise<MergedEntry> {
  const { visible } = exchange
  const known = await findEntry(kind, name, visible)
  if (known) return known
  const owners = possibleOwners(name, catalog, visible)
  const answers = owners.length > 0 ? await orAbort(lookUp(owners), exchange.signal) : []
  const found = visible.find(kind, name)
  if (found) return found
  // A target that has never answered may have it: the call fails like any other call of that target.
  const failed = answers.find((one, at) => one.status === 'rejected' && !owners[at]!.snapshot)
  throw failed?.status === 'rejected' ? failed.reason : refused(exchange, visible.messageOf(kind, name))
}

/**
 * The targets whose prefix fits a name; there may be several: `git_hub_x` can belong to `git` or to `git_hub`. A target
 * without a prefix is asked when it runs, or starts for the first time. Policy is not asked here: the answer, and the
 * time that it takes, would tell that a denied name exists.
 */
function possibleOwners(name: string, catalog: EndpointCatalog, visible: CallerCatalog): TargetCatalog[] {
  return visible.catalogs.filter((one) => {
    const prefix = catalog.prefixOf(one)
    const start = prefix === '' ? '' : prefix + catalog.separator
    const isAsked = one.target.connected || one.isFirstAsked || visible.catalogs.length === 1
    const isNamed = prefix === '' ? isAsked : name.startsWith(start)
    return isNamed && one.target.model.enabled
  })
}
