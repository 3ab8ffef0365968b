import type { Overview, TargetCard } from '../../api/contract.ts'
import { plural } from '../../ui/text/format.ts'
import { isOff } from '../../ui/signs/state.tsx'

/** Why a target needs a person. */
export interface Concern {
  readonly card: TargetCard
  readonly what: string
  readonly fix?: string
  /** Where the cause is found: it does not run, or it runs and its calls fail, or it breaks again and again. */
  readonly sign: 'down' | 'failing' | 'breaking'
}

const FEW = 3
const MOST_FAIL = 0.5

/**
 * What is wrong with a target now. Nothing is wrong with one that people switched off. Calls and breaks before `since`
 * do not count: a card is as old as the last call.
 */
export function concernOf(card: TargetCard, since: number): Concern | undefined {
  if (isOff(card.state)) return undefined
  const { problem } = card
  if (problem) {
    return {
      card,
      what: problem.what,
      sign: 'down',
      ...(problem.fix !== undefined && { fix: problem.fix }),
    }
  }
  if (card.state === 'needs-auth') return { card, what: 'It wants you to sign in.', sign: 'down' }
  if (card.state === 'quarantined' || card.state === 'backing-off') {
    return { card, what: 'It does not run.', sign: 'down' }
  }
  return breaking(card, since) ?? failingCalls(card, since)
}

/** Where the last ten minutes begin. */
export function tenMinutesOf({ total }: Overview): number {
  return total.traffic[0]?.at ?? 0
}

function breaking(card: TargetCard, since: number): Concern | undefined {
  const { at: breaks = [], what } = card.breaks ?? {}
  const recent = breaks.filter((at) => at >= since)
  if (recent.length < FEW) return undefined
  return {
    card,
    what: `Its connection broke ${recent.length} times in the last ten minutes, and was made again: ${what}`,
    sign: 'breaking',
  }
}

function failingCalls(card: TargetCard, since: number): Concern | undefined {
  const recent = card.stats.traffic.filter(({ at }) => at >= since)
  const calls = recent.reduce((sum, bucket) => sum + bucket.calls, 0)
  const errors = recent.reduce((sum, bucket) => sum + bucket.errors, 0)
  if (errors < FEW || errors / calls < MOST_FAIL) return undefined
  const what = `${errors} of ${plural(calls, 'call')} failed in the last ten minutes.`
  return { card, what, sign: 'failing' }
}
