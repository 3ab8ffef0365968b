import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { setTitleMark } from '../../ui/layout/page-title.ts'
import { notifyAway } from './notifications.ts'
import { inWords, useWaiting } from './use-waiting.ts'

/** Counts waiting calls in the title of the tab, and tells of new ones. It shows nothing itself. */
export function WaitingWatch() {
  const calls = useWaiting()
  const navigate = useNavigate()
  const known = useRef<ReadonlySet<number>>(new Set())
  useEffect(() => {
    setTitleMark(calls.length === 0 ? '' : `(${calls.length}) `)
    for (const call of calls) {
      if (known.current.has(call.id)) continue
      notifyAway(inWords(call), `call ${call.id}`, () => void navigate({ to: '/waiting' }))
    }
    known.current = new Set(calls.map(({ id }) => id))
  }, [calls, navigate])
  return null
}
