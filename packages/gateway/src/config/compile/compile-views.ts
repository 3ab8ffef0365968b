import {
  parseObjectPattern,
  type ViewEntry,
  viewEntryKey,
  type ViewModel,
  type ViewParameter,
} from '../../model/index.ts'
import type { ConfigPath } from '../problem.ts'
import type { RawConfig, RawView, RawViewEntry, RawViewParameter } from '../raw-config.ts'
import { type Expressions, toFilled } from './compile-conditions.ts'
import type { CompileContext } from './compile-context.ts'
import { compileWho, type PolicyNames, warnUnknown } from './compile-policy.ts'
import { compileResults } from './compile-results.ts'

interface Services {
  readonly context: CompileContext
  readonly expressions: Expressions
  warn(target: string, at: ConfigPath): void
}

export function compileViews(
  raw: NonNullable<RawConfig['views']>,
  context: CompileContext,
  names: PolicyNames,
  expressions: Expressions,
): ViewModel[] {
  return Object.entries(raw).map(([name, view]) => {
    const path: ConfigPath = ['views', name]
    reportTaken(name, path, names.targets, context)
    const warn = (target: string, at: ConfigPath): void =>
      warnUnknown({ wanted: target, known: names.targets, what: 'target' }, at, context)
    return {
      name,
      title: view.title,
      instructions: view.instructions,
      use: (view.use ?? []).map((text, at) => {
        const pattern = parseObjectPattern(text)
        warn(pattern.target, [...path, 'use', at])
        return pattern
      }),
      who: compileWho(view.who, [...path, 'who'], context, names),
      entries: compileEntries(view, path, { context, warn, expressions }),
      results: compileResults(view.results ?? [], context, names.targets, [...path, 'results']),
    }
  })
}

/** Views and targets share one place: `/mcp/NAME`. */
function reportTaken(
  name: string,
  path: ConfigPath,
  targets: readonly string[],
  context: CompileContext,
): void {
  if (!targets.includes(name)) return
  context.report({
    code: 'duplicate-name',
    path,
    part: 'key',
    message: `A target is called "${name}" too, and both would be served at /mcp/${name}`,
    fix: 'Rename one of the two',
  })
}

function compileEntries(view: RawView, path: ConfigPath, services: Services): Map<string, ViewEntry> {
  const { context, warn } = services
  const entries = new Map<string, ViewEntry>()
  const taken = new Map<string, string>()
  for (const kind of ['tools', 'prompts'] as const) {
    for (const [key, raw] of Object.entries(view[kind] ?? {})) {
      const at: ConfigPath = [...path, kind, key]
      const slash = key.indexOf('/')
      if (slash < 1 || /[*?]/.test(key)) reportKey(key, at, context)
      const target = key.slice(0, slash)
      warn(target, at)
      entries.set(viewEntryKey(kind, target, key.slice(slash + 1)), compileEntry(raw, at, services))
      reportTwice(`${kind} ${raw.name}`, raw.name, key, at, taken, context)
    }
  }
  return entries
}

function compileEntry(raw: RawViewEntry, path: ConfigPath, { context, expressions }: Services): ViewEntry {
  const parameters = new Map<string, ViewParameter>()
  const shown = new Map<string, string>()
  for (const [own, parameter] of Object.entries(raw.parameters ?? {})) {
    const at: ConfigPath = [...path, 'parameters', own]
    parameters.set(own, compileParameter(parameter, expressions))
    reportTwice(parameter.rename ?? own, parameter.rename ?? own, own, at, shown, context)
  }
  return { name: raw.name, title: raw.title, description: raw.description, parameters }
}

function compileParameter(raw: RawViewParameter, expressions: Expressions): ViewParameter {
  const { fixed, default: given, rename, description, ...narrow } = raw
  return {
    fixed: toFilled(fixed, expressions),
    default: toFilled(given, expressions),
    rename,
    description,
    narrow,
  }
}

function reportKey(key: string, path: ConfigPath, context: CompileContext): void {
  context.report({
    code: 'invalid-value',
    path,
    part: 'key',
    message: `"${key}" does not name one tool of a target`,
    fix: 'Write TARGET/NAME with the name that the target itself uses, without wildcards',
  })
}

function reportTwice(
  key: string,
  name: string | undefined,
  own: string,
  path: ConfigPath,
  taken: Map<string, string>,
  context: CompileContext,
): void {
  if (name === undefined) return
  const other = taken.get(key)
  taken.set(key, own)
  if (other === undefined) return
  context.report({
    code: 'duplicate-name',
    path,
    message: `"${other}" and "${own}" would both be called "${name}"`,
    fix: 'Give one of them another name',
  })
}
