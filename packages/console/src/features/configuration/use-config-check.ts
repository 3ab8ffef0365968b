import { useEffect, useState } from 'react'
import { call } from '../../api/call.ts'
import type { ConfigCheck, ConfigProblem } from '../../api/contract.ts'

const AFTER = 350

export interface CheckState {
  readonly result?: ConfigCheck
  readonly problems: readonly ConfigProblem[]
  readonly error?: unknown
  readonly isPending: boolean
}

const NONE: CheckState = { problems: [], isPending: false }

/** Asks the gateway about the text, a moment after the last keystroke. */
export function useConfigCheck(text: string, revision: string, isDirty: boolean): CheckState {
  const [state, setState] = useState<CheckState & { text?: string }>(NONE)
  useEffect(() => {
    if (!isDirty) return setState(NONE)
    let isCurrent = true
    const timer = setTimeout(async () => {
      try {
        const result = await call('checkConfig', { body: { text, revision } })
        if (isCurrent) setState({ result, problems: result.problems, isPending: false, text })
      } catch (error) {
        if (isCurrent) setState({ problems: [], error, isPending: false, text })
      }
    }, AFTER)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [text, revision, isDirty])
  return state.text === text ? state : { ...state, isPending: isDirty }
}
