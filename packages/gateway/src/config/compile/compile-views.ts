import {
  matchesWildcard,
  parseObjectPattern,
  type Settings,
  type ViewEntry,
  viewEntryKey,
  type ViewEntrySettings,
  type ViewModel,
  type ViewParameter,
  type ViewParameterSettings,
  type ViewSettings,
} from '../../model/index.ts'
import { type Expressions, toFilled } from './compile-conditions.ts'
import { compilePatterns, warnUnknown } from './compile-patterns.ts'
import { compileWho, type PolicyNames } from './compile-policy.ts'
import { compileResults } from './compile-results.ts'
import type { Place, Section } from './section.ts'

export function compileViews(
  section: Section<Settings['views']>,
  names: PolicyNames,
  expressions: Expressions,
): ViewModel[] {
  return section.members().map(([name, view]) => {
    reportTaken(name, view, names.targets)
    return {
      name,
      title: view.value.title,
      instructions: view.value.instructions,
      use: compilePatterns(view.at('use'), names.targets),
      who: compileWho(view.value.who && view.at('who'), names),
      entries: compileEntries(view, names.targets, expressions),
      results: compileResults(view.at('results'), names.targets),
    }
  })
}

/** Views and targets share the addresses `/mcp/NAME`. */
function reportTaken(name: string, view: Section<ViewSettings>, targets: readonly string[]): void {
  if (!targets.includes(name)) return
  const message = `A target is called "${name}" too, and both would be served at /mcp/${name}`
  view.report({ code: 'duplicate-name', part: 'key', message, fix: 'Rename one of the two' })
}

function compileEntries(
  view: Section<ViewSettings>,
  targets: readonly string[],
  expressions: Expressions,
): Map<string, ViewEntry> {
  const entries = new Map<string, ViewEntry>()
  const taken = new Map<string, string>()
  for (const kind of ['tools', 'prompts'] as const) {
    for (const [key, entry] of view.at(kind).members()) {
      const slash = key.indexOf('/')
      if (slash < 1 || /[*?]/.test(key)) reportKey(key, entry)
      const target = key.slice(0, slash)
      warnUnknown({ wanted: target, known: targets, what: 'target' }, entry)
      const own = key.slice(slash + 1)
      warnLeftOut(view.value.use, { kind, target, own }, entry)
      entries.set(viewEntryKey(kind, target, own), compileEntry(entry, expressions))
      const { name } = entry.value
      reportTwice({ key: `${kind} ${name}`, name, own: key }, taken, entry)
    }
  }
  return entries
}

/** An entry of a view that the view does not offer has no effect. */
function warnLeftOut(
  use: ViewSettings['use'],
  { kind, target, own }: { kind: 'tools' | 'prompts'; target: string; own: string },
  entry: Place,
): void {
  const offers = (text: string): boolean => {
    const pattern = parseObjectPattern(text)
    const isKind = pattern.kind === undefined || pattern.kind === kind
    return isKind && matchesWildcard(pattern.target, target) && matchesWildcard(pattern.name, own)
  }
  if (use.some(offers)) return
  const message = `The view does not offer "${target}/${own}"`
  const fix = `Add "${kind}:${target}/${own}" to "use", or remove it here`
  entry.report({ severity: 'warning', code: 'ineffective-rule', part: 'key', message, fix })
}

function compileEntry(entry: Section<ViewEntrySettings>, expressions: Expressions): ViewEntry {
  const parameters = new Map<string, ViewParameter>()
  const shown = new Map<string, string>()
  for (const [own, parameter] of entry.at('parameters').members()) {
    parameters.set(own, compileParameter(parameter.value, expressions))
    const { rename: name = own } = parameter.value
    reportTwice({ key: name, name, own }, shown, parameter)
  }
  const { name, title, description } = entry.value
  return { name, title, description, parameters }
}

function compileParameter(settings: ViewParameterSettings, expressions: Expressions): ViewParameter {
  const { fixed, default: given, rename, description, ...narrow } = settings
  return {
    fixed: toFilled(fixed, expressions),
    default: toFilled(given, expressions),
    rename,
    description,
    narrow,
  }
}

function reportKey(key: string, entry: Place): void {
  const message = `"${key}" does not name one tool of a target`
  const fix = 'Write TARGET/NAME with the name that the target itself uses, without wildcards'
  entry.report({ code: 'invalid-value', part: 'key', message, fix })
}

function reportTwice(
  { key, name, own }: { key: string; name: string | undefined; own: string },
  taken: Map<string, string>,
  section: Place,
): void {
  if (name === undefined) return
  const other = taken.get(key)
  taken.set(key, own)
  if (other === undefined) return
  const message = `"${other}" and "${own}" would both be called "${name}"`
  section.report({ code: 'duplicate-name', message, fix: 'Give one of them another name' })
}
