import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { mayUse, type RouteName } from './contract.ts'
import { sessionQuery } from './queries.ts'

/** Says whether the person at this console may use a route: what they may not do is not offered. */
export function useMay(): (name: RouteName) => boolean {
  const { data } = useQuery(sessionQuery)
  return (name) => mayUse(data?.role, name)
}

/** For those who may use a route. */
export function May({ use, children }: { use: RouteName; children: ReactNode }) {
  return useMay()(use) ? children : null
}
