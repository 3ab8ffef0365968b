import type { Condition, Truth } from '../model/index.ts'
import { Facts, KnownCall, type KnownCaller, type KnownObject, type PolicyCall } from './facts.ts'

/** Where nothing is counted, nothing was. */
const NOTHING = (): number => 0

/** What conditions are asked about. The facts are put together when the first is asked. */
export class RuleQuestion {
  readonly object: KnownObject
  readonly #caller: KnownCaller
  readonly #call: PolicyCall | undefined
  #facts: Facts | undefined

  constructor(caller: KnownCaller, object: KnownObject, call?: PolicyCall) {
    this.#caller = caller
    this.object = object
    this.#call = call
  }

  get facts(): Facts {
    this.#facts ??= new Facts({
      caller: this.#caller,
      object: this.object,
      call: this.#call && new KnownCall(this.#call, NOTHING),
    })
    return this.#facts
  }

  /** During a call every fact is known, so a condition that stays open has failed. */
  answer(when: Condition): Truth {
    const truth = when.evaluate(this.facts)
    return truth === 'maybe' && this.#call ? 'fails' : truth
  }
}
