import type { TargetCard } from '../../api/contract.ts'
import { plural } from '../../ui/text/format.ts'
import { isOff } from '../../ui/signs/state.tsx'

/** Why a target needs a person. */
export interface Concern {
  readonly card: TargetCard
  readonly what: string
  readonly fix?: string
  /** Its connection works, and its calls fail. */
  readonly callsFail: boolean
}

const FEW = 3
const MOST_FAIL = 0.5

/** What is wrong with a target now. Nothing is wrong with one that people switched off. */
export function concernOf(card: TargetCard): Concern | undefined {
  if (isOff(card.state)) return undefined
  const { problem } = card
  if (problem) {
    return {
      card,
      what: problem.what,
      callsFail: false,
      ...(problem.fix !== undefined && { fix: problem.fix }),
    }
  }
  if (card.state === 'needs-auth') return { card, what: 'It wants you to sign in.', callsFail: false }
  if (card.state === 'quarantined' || card.state === 'backing-off') {
    return { card, what: 'It does not run.', callsFail: false }
  }
  return failingCalls(card)
}

function failingCalls(card: TargetCard): Concern | undefined {
  const calls = card.stats.traffic.reduce((sum, bucket) => sum + bucket.calls, 0)
  const errors = card.stats.traffic.reduce((sum, bucket) => sum + bucket.errors, 0)
  if (errors < FEW || errors / calls < MOST_FAIL) return undefined
  const what = `${errors} of ${plural(calls, 'call')} failed in the last ten minutes.`
  return { card, what, callsFail: true }
}
