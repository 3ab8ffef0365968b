import {
  compileRe2,
  decodePercent,
  detectorsFor,
  replaceFound,
  withoutHidden,
  type ResultRule,
  type Sensitive,
} from '../../model/index.ts'
import { cleanEncodedRuns, hasEncodedText } from './encoded-runs.ts'
import { RefusedResult } from './refused-result.ts'

export type Action = 'mask' | 'drop' | 'refuse'

/** Hears what was found: the name of what was looked for, and what was done. */
export type OnFound = (name: string, action: Action) => void

/** Replaces what one detector or pattern finds in a text. */
type Step = (text: string, field: string, onFound: OnFound) => string

/** Of base64 in base64. */
const MOST_LAYERS = 3

export const maskOf = (name: string): string => `[masked ${name}]`

/** What is left of something that was found. */
export function replacementFor(name: string, action: Action, onFound: OnFound): string {
  onFound(name, action)
  if (action === 'refuse') throw new RefusedResult(`it holds ${name}`)
  return action === 'mask' ? maskOf(name) : ''
}

/** Cleans texts by the detectors and patterns of some rules. Refusing comes first, dropping second. */
export class TextCleaner {
  readonly #steps: readonly Step[]
  readonly #stripHidden: boolean
  /** One look instead of one for each detector: where it finds nothing, none of them does. */
  readonly #hint: RegExp | undefined
  /** The same for JSON. */
  readonly #jsonHint: RegExp | undefined

  constructor(rules: readonly ResultRule[]) {
    this.#hint = hintOf(rules.flatMap(({ refuse, drop, mask }) => [...refuse, ...drop, ...mask]))
    this.#jsonHint = this.#hint && new RegExp(`${KNOWN_NAMES}|(${this.#hint.source})`, `g${this.#hint.flags}`)
    this.#stripHidden = rules.some(({ stripHidden }) => stripHidden)
    this.#steps = (['refuse', 'drop', 'mask'] as const).flatMap((action) =>
      stepsFor(
        rules.flatMap((rule) => rule[action]),
        action,
      ),
    )
  }

  /** The same text when nothing was found. A field's name says what its value may be. */
  clean(text: string, field: string, onFound: OnFound): string {
    const shown = this.#stripHidden ? withoutHidden(text) : text
    if (this.#steps.length === 0) return shown
    const cleaned = this.#encoded(this.#apply(shown, field, onFound), onFound, 0)
    if (!SPELLED.test(cleaned)) return cleaned
    for (const spelling of spellingsOf(cleaned)) {
      const clear = this.#apply(spelling, field, onFound)
      if (clear !== spelling) return clear
    }
    return cleaned
  }

  /** Whether nothing in a value could be found, by its JSON as it came. False says nothing. */
  isCleanJson(json: string): boolean {
    if (this.#steps.length === 0) return !this.#stripHidden
    // Without signs that stand for others, each text in the value stands in the JSON as it is.
    if (!this.#jsonHint || SPELLED.test(json)) return false
    this.#jsonHint.lastIndex = 0
    let found = this.#jsonHint.exec(json)
    while (found && found[1] === undefined) found = this.#jsonHint.exec(json)
    return !found && !hasEncodedText(json)
  }

  /** What was encoded may have been encoded before. */
  #encoded(text: string, onFound: OnFound, depth: number): string {
    if (depth === MOST_LAYERS) return text
    return cleanEncodedRuns(text, (inner) =>
      this.#encoded(this.#apply(inner, '', onFound), onFound, depth + 1),
    )
  }

  #apply(text: string, field: string, onFound: OnFound): string {
    if (this.#hint && !this.#hint.test(text)) return text
    let shown = text
    for (const step of this.#steps) shown = step(shown, field, onFound)
    return shown
  }
}

/** Long names that results have: no detector is to look at them twice. */
const KNOWN_NAMES = String.raw`"(?:structuredContent|io\.modelcontextprotocol/serverInfo)":`

/** Undefined where patterns of the configuration have to see every text. */
function hintOf(wanted: readonly Sensitive[]): RegExp | undefined {
  if (wanted.some(({ kind }) => kind === 'pattern')) return undefined
  const hints = detectorsFor(namesIn(wanted)).map(({ hint }) => hint)
  if (hints.length === 0) return undefined
  const flags = hints.some(({ ignoreCase }) => ignoreCase) ? 'i' : ''
  return new RegExp(hints.map(({ source }) => `(?:${source})`).join('|'), flags)
}

function namesIn(wanted: readonly Sensitive[]): string[] {
  return wanted.filter(({ kind }) => kind === 'detector').map(({ name }) => name)
}

function stepsFor(wanted: readonly Sensitive[], action: Action): Step[] {
  const steps = detectorsFor(namesIn(wanted)).map<Step>(
    (detector) => (text, field, onFound) =>
      replaceFound(text, detector, field, () => replacementFor(detector.name, action, onFound)),
  )
  for (const one of wanted) if (one.kind === 'pattern') steps.push(patternStep(one.source, one.name, action))
  return steps
}

function patternStep(source: string, name: string, action: Action): Step {
  const pattern = compileRe2(source)
  return (text, _field, onFound) => {
    const matcher = pattern.matcher(text)
    let shown = ''
    let done = 0
    while (matcher.find()) {
      if (matcher.end() === matcher.start()) continue
      shown += text.slice(done, matcher.start()) + replacementFor(name, action, onFound)
      done = matcher.end()
    }
    return done === 0 ? text : shown + text.slice(done)
  }
}

const ENTITY = /&#(?:(\d{1,7})|x([\da-f]{1,6}));?|&(commat|period|lowbar|hyphen|plus);/gi
const NAMED: Record<string, string> = { commat: '@', period: '.', lowbar: '_', hyphen: '-', plus: '+' }
const ESCAPE = /\\(?:u([\da-f]{4})|[nrtbf])/gi
/** Printed numbers have them between their groups. */
const DASH = /[\u2010-\u2015\u2212]/g
const ALL_ASCII = /^[\u0000-\u007F]*$/
/** Texts that may be read in another way, too. */
const SPELLED = /[^\u0000-\u007F]|[%\\&]/

/** The same text read as people and programs may read it: without signs that hide it, and without escapes. */
function spellingsOf(text: string): string[] {
  const found: string[] = []
  const add = (other: string): void => {
    if (other !== text) found.push(other)
  }
  if (!ALL_ASCII.test(text)) add(withoutHidden(text.normalize('NFKC')).replaceAll(DASH, '-'))
  if (text.includes('%')) add(decodePercent(text))
  if (text.includes('\\')) {
    add(
      text.replaceAll(ESCAPE, (_, hex?: string) =>
        hex === undefined ? '\n' : fromCode(Number.parseInt(hex, 16)),
      ),
    )
  }
  if (text.includes('&')) {
    add(
      text.replaceAll(ENTITY, (_, decimal?: string, hex?: string, named?: string) =>
        named === undefined
          ? fromCode(decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal))
          : NAMED[named.toLowerCase()]!,
      ),
    )
  }
  return found
}

function fromCode(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : ''
}
