import { useQuery } from '@tanstack/react-query'
import type { WaitingCall } from '../../api/contract.ts'
import { useMay } from '../../api/may.tsx'
import { waitingQuery } from '../../api/queries.ts'

const NONE: readonly WaitingCall[] = []

/** Calls of anybody that wait for an answer, oldest first. */
export function useWaiting(): readonly WaitingCall[] {
  const may = useMay()
  const { data } = useQuery({ ...waitingQuery, enabled: may('waiting') })
  return data?.calls ?? NONE
}

/** `greeter asks claude-code: What is your name?` */
export function inWords({ target, client, questions, call }: WaitingCall): string {
  const who = call === undefined ? (client.name ?? client.principal ?? 'a client') : 'you'
  const [first] = questions
  const what = first?.message ?? (first?.method === 'sampling/createMessage' ? 'for a model’s answer' : '')
  return `${target ?? 'A server'} asks ${who}${what === '' ? '' : `: ${what}`}`
}
