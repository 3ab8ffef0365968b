import {
  compileRe2,
  detectorsFor,
  replaceFound,
  SPELLED,
  withoutHidden,
  type ResultRule,
  type Sensitive,
} from '../../model/index.ts'
import { cleanEncodedRuns, hasEncodedText } from './encoded-runs.ts'
import { readingsOf } from './readings.ts'
import { RefusedResult } from './refused-result.ts'

export type Action = 'mask' | 'drop' | 'refuse'

/** Hears what was found: the name of what was looked for, and what was done. */
export type OnFound = (name: string, action: Action) => void

/** Looks for what one detector or pattern finds. */
interface Step {
  /** A cheap look: where it is false, nothing is found. */
  readonly mayFind: (text: string) => boolean
  replace(text: string, field: string, onFound: OnFound): string
}

/** How many layers of base64 are opened. */
const MOST_LAYERS = 3

/** How often each character may be read, and how many more of a short text. */
const MOST_READ = 60
const LITTLE = 1000

/** One text that is looked through. */
interface Looking {
  readonly field: string
  readonly onFound: OnFound
  /** How many characters may still be read. */
  left: number
}

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
  /** Those of all steps, each once. */
  readonly #looks: readonly Step['mayFind'][]
  readonly #stripHidden: boolean

  constructor(rules: readonly ResultRule[]) {
    this.#stripHidden = rules.some(({ stripHidden }) => stripHidden)
    this.#steps = (['refuse', 'drop', 'mask'] as const).flatMap((action) =>
      stepsFor(
        rules.flatMap((rule) => rule[action]),
        action,
      ),
    )
    this.#looks = [...new Set(this.#steps.map(({ mayFind }) => mayFind))]
  }

  /** The same text when nothing was found. A field's name says what its value may be. */
  clean(text: string, field: string, onFound: OnFound): string {
    const shown = this.#stripHidden ? withoutHidden(text) : text
    if (this.#steps.length === 0) return shown
    return this.#clean(shown, { field, onFound, left: MOST_READ * (shown.length + LITTLE) }, 0)
  }

  /** In all readings, and in what is encoded. */
  #clean(text: string, looking: Looking, layer: number): string {
    let cleaned = this.#asWritten(text, looking, layer)
    for (let next: string | undefined = cleaned; next !== undefined; ) {
      cleaned = next
      next = SPELLED.test(cleaned) ? this.#inReadings(cleaned, looking, layer) : undefined
    }
    return cleaned
  }

  /** A text in a reading in which something was found, without it. Other readings may hold more. */
  #inReadings(text: string, looking: Looking, layer: number): string | undefined {
    for (const reading of readingsOf(text)) {
      const clear = this.#asWritten(reading, looking, layer)
      if (clear !== reading) return clear
    }
    return undefined
  }

  #asWritten(text: string, looking: Looking, layer: number): string {
    looking.left -= text.length
    if (looking.left < 0) throw new RefusedResult('what it holds is escaped too often')
    const shown = this.#apply(text, layer === 0 ? looking.field : '', looking.onFound)
    if (layer === MOST_LAYERS) return shown
    return cleanEncodedRuns(shown, (inner) => this.#clean(inner, looking, layer + 1))
  }

  /** Whether nothing in a value could be found, by its JSON as it came. False says nothing. */
  isCleanJson(json: string): boolean {
    if (this.#steps.length === 0) return !this.#stripHidden
    // Without signs that stand for others, each text in the value stands in the JSON as it is.
    if (SPELLED.test(json)) return false
    for (const piece of withoutKnownNames(json)) if (this.#mayHold(piece)) return false
    return !hasEncodedText(json)
  }

  #mayHold(text: string): boolean {
    for (const look of this.#looks) if (look(text)) return true
    return false
  }

  #apply(text: string, field: string, onFound: OnFound): string {
    if (!this.#mayHold(text)) return text
    let shown = text
    for (const step of this.#steps) if (step.mayFind(shown)) shown = step.replace(shown, field, onFound)
    return shown
  }
}

/** Long names that results have: they are no words that are worth a second look. */
const KNOWN_NAMES = /"(?:structuredContent|io\.modelcontextprotocol\/serverInfo)":/

function withoutKnownNames(json: string): readonly string[] {
  const mayHave = json.includes('structuredContent') || json.includes('serverInfo')
  return mayHave ? json.split(KNOWN_NAMES) : [json]
}

function namesIn(wanted: readonly Sensitive[]): string[] {
  return wanted.filter(({ kind }) => kind === 'detector').map(({ name }) => name)
}

function stepsFor(wanted: readonly Sensitive[], action: Action): Step[] {
  const steps = detectorsFor(namesIn(wanted)).map<Step>((detector) => ({
    mayFind: detector.mayFind,
    replace: (text, field, onFound) =>
      replaceFound(text, detector, field, () => replacementFor(detector.name, action, onFound)),
  }))
  for (const one of wanted) if (one.kind === 'pattern') steps.push(patternStep(one.source, one.name, action))
  return steps
}

function patternStep(source: string, name: string, action: Action): Step {
  const pattern = compileRe2(source)
  const replace: Step['replace'] = (text, _field, onFound) => {
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
  return { mayFind: () => true, replace }
}
