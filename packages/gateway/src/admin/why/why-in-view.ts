import { describePrincipal } from '@gantry/mcp/exchange'
import type { GatewayModel } from '../../model/index.ts'
import { concernOf } from '../../rules/concerns.ts'
import type { Subject } from '../../rules/facts.ts'
import { ApiError } from '../api-error.ts'
import type { Cause, WhyReport } from '../contract.ts'

interface NamedInView {
  readonly view: string
  /** As its server knows it: `TARGET/NAME`. */
  readonly own: string
}

/**
 * Finds the entry that a view calls by this name. With an empty `view`, all views are searched and the first match
 * counts.
 */
export function namedInView(
  name: string,
  view: string,
  { views }: Pick<GatewayModel, 'views'>,
): NamedInView | undefined {
  const asked = views.filter((one) => view === '' || one.name === view)
  for (const { name: place, entries } of asked) {
    for (const [key, entry] of entries) {
      if (entry.name === name) return { view: place, own: key.slice(key.indexOf(':') + 1) }
    }
  }
  return undefined
}

/** Without this check, the answer for a misspelt view would say that everything is there. */
export function requireEndpoint(view: string, { views, targets }: GatewayModel): void {
  const known = [...views, ...targets].map(({ name }) => name)
  if (view === '' || known.includes(view)) return
  throw new ApiError('bad_request', `No view or target is called "${view}"`, {
    fix: `Views: ${views.map(({ name }) => name).join(', ') || 'none'}.`,
  })
}

/** Adds to a report what the view itself has to do with it. */
export function aboutView(
  report: WhyReport,
  { name, view, asker }: { name: string; view: string; asker: Subject },
  { views }: Pick<GatewayModel, 'views'>,
): WhyReport {
  const found = views.find((one) => one.name === view)
  if (!found) return report
  const isNamed = report.name !== name
  const own: Cause[] = []
  if (concernOf(found, asker) !== 'fully') {
    const who = asker ? describePrincipal(asker.principal) : 'clients without a name'
    own.push({
      code: 'not-for-caller',
      status: 'problem',
      title: `The view "${view}" is not for ${who}: for them it does not exist`,
      fix: 'Change "who" of the view.',
    })
  } else if (isNamed) {
    own.push({ code: 'renamed', status: 'note', title: `The view "${view}" calls it so` })
  }
  const [first] = own
  const isMissing = first?.status === 'problem'
  return {
    ...report,
    name,
    // The name that it has elsewhere is not a cause here.
    chain: [...own, ...report.chain.filter(({ code }) => !isNamed || code !== 'renamed')],
    ...(isMissing && { verdict: 'missing' }),
    ...(first && (isMissing || report.verdict === 'available') && { summary: first.title }),
  }
}
