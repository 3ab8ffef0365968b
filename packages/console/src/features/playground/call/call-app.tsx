import { useQuery } from '@tanstack/react-query'
import { createContext } from 'react'
import type { JsonObject, PlaygroundCallDetail } from '../../../api/contract.ts'
import { entryQuery } from '../../../api/queries.ts'
import { AppFrame, type AppSubject } from '../../apps/app-frame.tsx'
import { appUriOf, readApp } from '../../apps/app-of.ts'

/** The call whose result is shown, for views that are part of it. */
export const SubjectOfApps = createContext<AppSubject>({ target: undefined, input: {}, result: undefined })

export function useAppSubject(
  detail: PlaygroundCallDetail | undefined,
  result: JsonObject | undefined,
): AppSubject {
  const kind = detail?.method === 'resources/read' ? 'resource' : 'tool'
  const name = String(detail?.params.name ?? detail?.params.uri ?? '')
  const { data } = useQuery({ ...entryQuery(kind, name), enabled: name !== '', retry: false })
  return {
    target: data?.target,
    input: (detail?.params.arguments ?? {}) as JsonObject,
    result,
  }
}

/** The view that a tool is joined to. */
export function CallApp({ name, subject }: { name: string; subject: AppSubject }) {
  const { data } = useQuery({ ...entryQuery('tool', name), retry: false })
  const uri = data && appUriOf(data)
  if (uri === undefined) return null
  return <AppFrame subject={subject} load={() => readApp(uri)} />
}
