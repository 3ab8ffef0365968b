import { useEffect, useState } from 'react'
import type { PlaygroundEvent } from '../../../api/contract.ts'
import { callEvents } from './start-call.ts'

export interface CallEvents {
  readonly events: readonly PlaygroundEvent[]
  readonly error?: unknown
}

const NONE: CallEvents = { events: [] }

export function useCallEvents(id: string): CallEvents {
  const [state, setState] = useState(NONE)
  useEffect(() => {
    const connection = new AbortController()
    setState(NONE)
    const read = async () => {
      for await (const event of callEvents(id, connection.signal)) {
        setState(({ events }) => ({ events: [...events, event] }))
      }
    }
    read().catch(
      (error: unknown) => !connection.signal.aborted && setState(({ events }) => ({ events, error })),
    )
    return () => connection.abort()
  }, [id])
  return state
}
