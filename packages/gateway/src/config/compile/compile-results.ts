import {
  compileRe2,
  detectorNames,
  loadRe2,
  parseObjectPattern,
  type ResultRule,
  type Sensitive,
  suggest,
} from '../../model/index.ts'
import type { ConfigPath } from '../problem.ts'
import type { RawConfig, RawResultRule, RawSensitive } from '../raw-config.ts'
import type { CompileContext } from './compile-context.ts'
import { warnUnknown } from './compile-policy.ts'

/** Loads what patterns of result rules need, if there are any. */
export async function preparePatterns({ results = [], views = {} }: RawConfig): Promise<void> {
  const rules = [...results, ...Object.values(views).flatMap((view) => view.results ?? [])]
  const wanted = rules.flatMap(({ mask = [], drop = [], refuse = [] }) => [...mask, ...drop, ...refuse])
  if (wanted.some((one) => typeof one === 'object' && 'pattern' in one)) await loadRe2()
}

export function compileResults(
  raw: readonly RawResultRule[],
  context: CompileContext,
  targets: readonly string[],
  section: ConfigPath = ['results'],
): ResultRule[] {
  return raw.map((rule, index) => {
    const path: ConfigPath = [...section, index]
    const all = (key: 'mask' | 'drop' | 'refuse'): Sensitive[] =>
      (rule[key] ?? []).map((one, at) => compileSensitive(one, [...path, key, at], context))
    const compiled: ResultRule = {
      name: rule.name ?? `result rule ${index + 1}`,
      for: (rule.for ?? []).map((text, at) => {
        const pattern = parseObjectPattern(text)
        const known = { wanted: pattern.target, known: targets, what: 'target' }
        warnUnknown(known, [...path, 'for', at], context)
        return pattern
      }),
      mask: all('mask'),
      drop: all('drop'),
      refuse: all('refuse'),
      untrusted: rule.untrusted ?? false,
      stripHidden: rule.stripHidden ?? false,
      maxTokens: rule.maxTokens,
      dropRepeated: rule.dropRepeated ?? false,
    }
    reportIdle(compiled, path, context)
    return compiled
  })
}

function compileSensitive(raw: RawSensitive, path: ConfigPath, context: CompileContext): Sensitive {
  if (typeof raw === 'string') {
    if (!detectorNames.includes(raw)) reportDetector(raw, path, context)
    return { kind: 'detector', name: raw }
  }
  if ('path' in raw) return { kind: 'path', name: raw.name ?? 'field', path: raw.path.split('.') }
  try {
    compileRe2(raw.pattern)
  } catch (error) {
    context.report({
      code: 'invalid-value',
      path: [...path, 'pattern'],
      message: `"${raw.pattern}" is not a pattern of RE2: ${(error as Error).message}`,
      fix: 'RE2 has no look-ahead, no look-behind and no back references',
    })
  }
  return { kind: 'pattern', name: raw.name ?? 'text', source: raw.pattern }
}

function reportDetector(name: string, path: ConfigPath, context: CompileContext): void {
  const close = suggest(name, detectorNames)
  context.report({
    code: 'invalid-value',
    path,
    message: `No detector is called "${name}"`,
    fix: close ? `Did you mean "${close}"?` : `Known: ${detectorNames.join(', ')}`,
  })
}

function reportIdle(rule: ResultRule, path: ConfigPath, context: CompileContext): void {
  const { name: _name, for: _for, ...rest } = rule
  if (Object.values(rest).some((value) => (Array.isArray(value) ? value.length > 0 : value))) return
  context.report({
    severity: 'warning',
    code: 'ineffective-rule',
    path,
    message: `"${rule.name}" does nothing`,
    fix: 'Add "mask", "drop", "refuse" or another of its settings',
  })
}
