import type { TargetModel } from '../../model/index.ts'
import type { Explanation } from '../contract.ts'

export interface FailureContext {
  readonly model: TargetModel
  /** The step that it failed in: `spawn`, `probe`, `initialize`, `response`, `initialized`, `list`, `call`. */
  readonly step: string | undefined
  readonly stderr: readonly string[]
  /** Takes secrets out of texts of the server. */
  hide(this: void, text: string): string
  readonly noise: readonly string[]
}

/** Text on stdout, which belongs to the protocol. */
export function noiseExplanation(noise: readonly string[]): Explanation {
  return {
    code: 'not_json',
    what: `It wrote text to stdout that is not a message: ${noise[0]}`,
    meaning:
      'With stdio, stdout belongs to the protocol. One stray print is skipped; a client may also give up on it.',
    fix: 'Make it log to stderr: `console.error` in JavaScript, `print(…, file=sys.stderr)` in Python.',
  }
}

/** A target that is off, by its entry or because something that it needs is missing. */
export function explainOff({ disabledReason }: TargetModel, fix: string): Explanation {
  return disabledReason === undefined
    ? { code: 'disabled', what: 'It is switched off in the configuration.', fix: 'Set "enabled": true.' }
    : { code: 'held_back', what: `It is held back: ${disabledReason}`, fix }
}
