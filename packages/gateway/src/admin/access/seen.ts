import { isJsonObject, type JsonObject } from '@gantry/mcp/exchange'
import type { EndpointCatalog } from '../../catalog/endpoint-catalog.ts'
import type { MergedEntry } from '../../catalog/merged.ts'
import type { TargetCatalog } from '../../catalog/target-catalog.ts'
import { CallerCatalog } from '../../chain/policy/caller-catalog.ts'
import { endpointModel, type GatewayModel } from '../../model/index.ts'
import { concernOf } from '../../rules/concerns.ts'
import type { Subject } from '../../rules/facts.ts'
import { Permissions, permissionsOf } from '../../rules/permissions.ts'
import type { AdminHost } from '../admin-host.ts'
import { ApiError } from '../api-error.ts'
import { objectKind } from '../catalog/catalog-lister.ts'
import { KINDS } from '../catalog/compare-snapshots.ts'
import { estimateTokens } from '../catalog/estimate-tokens.ts'
import type { ConfigEditor } from '../config/config-editor.ts'
import type { AskSeen, EntryKind, Seen, SeenEntry } from '../contract.ts'
import { askedCaller } from './asked-caller.ts'
import { planViewEdit } from './view-edits.ts'

/** An endpoint as a caller sees it. The endpoint may be a view that is still being edited. */
export async function seenBy(host: AdminHost, editor: ConfigEditor, asked: AskSeen): Promise<Seen> {
  const subject = await askedCaller(asked, host)
  const { model, problems } = await modelFor(host, editor, asked)
  if (!model) return { mayUse: false, entries: [], problems }
  const { endpoint = '' } = asked
  const seer = new Seer({ host, model, endpoint, subject })
  return { ...seer.seen(asked.entry), problems }
}

/** The configuration to answer for: the present configuration, or the same with an edited view. */
async function modelFor(
  { gateway }: AdminHost,
  editor: ConfigEditor,
  { endpoint, edited }: AskSeen,
): Promise<{ model?: GatewayModel; problems: readonly string[] }> {
  if (edited === undefined) return { model: gateway.model, problems: [] }
  const { text } = await planViewEdit(editor, { name: endpoint ?? '', view: edited })
  const { model, problems } = await editor.modelOf(text)
  return { ...(model && { model }), problems: problems.map(({ message }) => message) }
}

interface Asking {
  readonly host: AdminHost
  readonly model: GatewayModel
  readonly endpoint: string
  readonly subject: Subject
}

class Seer {
  readonly #asking: Asking
  readonly #catalog: EndpointCatalog
  readonly #permissions: Permissions
  readonly #caller: CallerCatalog

  constructor(asking: Asking) {
    const { host, model, endpoint, subject } = asking
    const view = model.views.find(({ name }) => name === endpoint)
    const { catalog } = host.gateway
    if (endpoint !== '' && !view && !host.gateway.target(endpoint)) {
      throw new ApiError('not_found', `There is no view or target "${endpoint}"`)
    }
    this.#asking = asking
    this.#catalog = view ? catalog.preview(view) : endpoint === '' ? catalog.merged : catalog.alone(endpoint)
    const rules = endpointModel(model, endpoint).policy
    const caller = { auth: subject, view: endpoint }
    this.#permissions = new Permissions(rules, caller)
    this.#caller = new CallerCatalog(this.#catalog, permissionsOf(rules, caller))
  }

  seen(wanted: AskSeen['entry']): Omit<Seen, 'problems'> {
    const { model, endpoint, subject } = this.#asking
    const view = model.views.find(({ name }) => name === endpoint)
    const instructions = this.#catalog.instructions(
      endpointModel(model, endpoint).server.instructions,
      this.#caller.catalogs,
    )
    return {
      mayUse: !view || concernOf(view, subject) === 'fully',
      ...(instructions !== undefined && { instructions }),
      entries: wanted ? [] : this.#asking.host.gateway.catalog.catalogs.flatMap((one) => this.#ofTarget(one)),
      ...(wanted && this.#detail(wanted)),
    }
  }

  #ofTarget(catalog: TargetCatalog): SeenEntry[] {
    const { endpoint, host } = this.#asking
    // The endpoint of one target has nothing of the others.
    if (host.gateway.target(endpoint) && catalog.target.name !== endpoint) return []
    return KINDS.flatMap(({ kind, list, id }) => {
      const shown = new Map<string, MergedEntry>()
      for (const entry of this.#caller.entries(list))
        if (entry.target === catalog) shown.set(entry.own, entry)
      return (catalog.snapshot?.[list] ?? []).flatMap((item) => {
        const own = item[id]
        return typeof own === 'string' ? [this.#describe(catalog, kind, own, item, shown.get(own))] : []
      })
    })
  }

  #describe(
    { target }: TargetCatalog,
    kind: EntryKind,
    own: string,
    item: JsonObject,
    shown: MergedEntry | undefined,
  ): SeenEntry {
    const definition = shown?.item ?? item
    return {
      kind,
      target: target.name,
      own,
      ...(shown && { key: shown.key }),
      ...(typeof definition.title === 'string' && { title: definition.title }),
      ...(typeof definition.description === 'string' && { description: definition.description }),
      tokens: shown ? estimateTokens(definition) : 0,
      ownTokens: estimateTokens(item),
      ...(!shown && this.#hiddenBy(kind, target.name, own, item)),
    }
  }

  #hiddenBy(
    kind: EntryKind,
    target: string,
    name: string,
    item: JsonObject,
  ): Pick<SeenEntry, 'hiddenBy' | 'rule'> {
    const { model } = this.#asking
    const object = { kind: objectKind(kind), target, name, item, isTemplate: kind === 'template' }
    const { allowed, rule } = this.#permissions.verdict(object)
    if (allowed) return { hiddenBy: 'configuration' }
    if (rule !== undefined) return { hiddenBy: 'policy', rule }
    const caller = { auth: this.#asking.subject, view: this.#asking.endpoint }
    const isLeftOut = new Permissions(model.policy, caller).verdict(object).allowed
    return { hiddenBy: isLeftOut ? 'view' : 'policy' }
  }

  #detail({ kind, target, own }: NonNullable<AskSeen['entry']>): Pick<Seen, 'entry'> {
    const { list, id } = KINDS.find((one) => one.kind === kind)!
    const catalog = this.#asking.host.gateway.catalog.catalogs.find((one) => one.target.name === target)
    const item = catalog?.snapshot?.[list].find((one) => one[id] === own)
    if (!isJsonObject(item)) return {}
    const shown = this.#caller.entries(list).find((one) => one.target === catalog && one.own === own)
    return { entry: { ...(shown && { definition: shown.item }), ownDefinition: item } }
  }
}
