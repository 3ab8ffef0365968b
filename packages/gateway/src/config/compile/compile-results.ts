import {
  compileRe2,
  detectorNames,
  loadRe2,
  type ResultRule,
  type ResultRuleSettings,
  type Sensitive,
  type Settings,
  suggest,
} from '../../model/index.ts'
import { compilePatterns } from './compile-patterns.ts'
import type { Section } from './section.ts'

type Sought = ResultRuleSettings['mask'][number]

/** Loads what patterns of result rules need, if there are any. */
export async function preparePatterns({ results, views }: Settings): Promise<void> {
  const rules = [...results, ...Object.values(views).flatMap((view) => view.results)]
  const wanted = rules.flatMap(({ mask, drop, refuse }) => [...mask, ...drop, ...refuse])
  if (wanted.some((one) => typeof one === 'object' && 'pattern' in one)) await loadRe2()
}

export function compileResults(
  section: Section<readonly ResultRuleSettings[]>,
  targets: readonly string[],
): ResultRule[] {
  return section.each().map((rule, index) => {
    const all = (key: 'mask' | 'drop' | 'refuse'): Sensitive[] => rule.at(key).each().map(compileSensitive)
    const { name = `result rule ${index + 1}`, maxTokens, ...settings } = rule.value
    const compiled: ResultRule = {
      ...settings,
      name,
      for: compilePatterns(rule.at('for'), targets),
      mask: all('mask'),
      drop: all('drop'),
      refuse: all('refuse'),
      maxTokens,
    }
    reportIdle(compiled, rule)
    return compiled
  })
}

function compileSensitive(section: Section<Sought>): Sensitive {
  const sought = section.value
  if (typeof sought === 'string') {
    if (!detectorNames.includes(sought)) reportDetector(sought, section)
    return { kind: 'detector', name: sought }
  }
  if ('path' in sought) return { kind: 'path', name: sought.name ?? 'field', path: sought.path.split('.') }
  const { pattern, name = 'text' } = sought
  try {
    compileRe2(pattern)
  } catch (error) {
    const message = `"${pattern}" is not a pattern of RE2: ${(error as Error).message}`
    const fix = 'RE2 has no look-ahead, no look-behind and no back references'
    section.report({ code: 'invalid-value', message, fix }, 'pattern')
  }
  return { kind: 'pattern', name, source: pattern }
}

function reportDetector(name: string, section: Section<Sought>): void {
  const close = suggest(name, detectorNames)
  section.report({
    code: 'invalid-value',
    message: `No detector is called "${name}"`,
    fix: close ? `Did you mean "${close}"?` : `Known: ${detectorNames.join(', ')}`,
  })
}

function reportIdle(rule: ResultRule, section: Section<ResultRuleSettings>): void {
  const { name: _name, for: _for, ...rest } = rule
  if (Object.values(rest).some((value) => (Array.isArray(value) ? value.length > 0 : value))) return
  section.report({
    severity: 'warning',
    code: 'ineffective-rule',
    message: `"${rule.name}" does nothing`,
    fix: 'Add "mask", "drop", "refuse" or another of its settings',
  })
}
