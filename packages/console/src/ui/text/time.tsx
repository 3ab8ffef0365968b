import { useEffect } from 'react'
import { createStore, useStore } from '../../api/store.ts'
import { formatAgo, formatDuration, formatTime } from './format.ts'

/** One clock for all ages on the page. */
const now = createStore(Date.now())
let users = 0
let timer: ReturnType<typeof setInterval> | undefined

export function useNow(): number {
  useEffect(() => {
    users += 1
    timer ??= setInterval(() => now.set(Date.now()), 1_000)
    return () => {
      users -= 1
      if (users > 0) return
      clearInterval(timer)
      timer = undefined
    }
  }, [])
  return useStore(now)
}

export function Ago({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
      {formatAgo(at, Math.max(useNow(), at))}
    </time>
  )
}

export function Clock({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
      {formatTime(at)}
    </time>
  )
}

/** `in 4 s`, counting down. */
export function Until({ at }: { at: number }) {
  const left = at - useNow()
  return <>{left <= 0 ? 'now' : `in ${formatDuration(left)}`}</>
}
