import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect } from 'react'
import { recording } from '../../api/live.ts'
import { callsQuery } from '../../api/queries.ts'
import { Card } from '../../ui/layout/card.tsx'
import { Empty } from '../../ui/signs/empty.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { CallView } from './call/call-view.tsx'
import { ClientOptions } from './client-options.tsx'
import { setDraft, type Pick, type PickKind } from './drafts.ts'
import { EntryPicker } from './entry-picker.tsx'
import { History } from './history.tsx'
import styles from './playground-page.module.css'
import { RequestPanel } from './request-panel.tsx'
import { SavedRequests } from './saved/saved-requests.tsx'
import { fromCall } from './to-request.ts'

const route = getRouteApi('/playground')

export function PlaygroundPage() {
  const { kind, name, call } = route.useSearch()
  const navigate = route.useNavigate()
  const pick: Pick | undefined = name === undefined ? undefined : { kind: (kind ?? 'tool') as PickKind, name }
  // So that the exchange behind each call can be opened on the wire, with its messages.
  useEffect(() => recording.set(true), [])
  useFillIn(call, pick)
  return (
    <Page title="Playground" lead="Call anything as a client would, and answer what the server asks.">
      <Card title="Client">
        <ClientOptions />
      </Card>
      <div className={styles.columns}>
        <div className={`${styles.picker} ${pick ? styles.picked : ''}`}>
          <EntryPicker
            selected={pick}
            onPick={(next) => navigate({ search: { kind: next.kind, name: next.name } })}
          />
        </div>
        <div className={styles.work}>
          {pick ? (
            <RequestPanel
              key={`${pick.kind} ${pick.name}`}
              pick={pick}
              onStarted={(id) => navigate({ search: { ...pick, call: id }, replace: call !== undefined })}
              onLeave={() => navigate({ search: {} })}
            />
          ) : (
            <Card>
              <Empty title="Choose what to call">
                Tools get a form made from their schema; prompts and resources work the same way. “Other
                request” sends any method of the protocol.
              </Empty>
            </Card>
          )}
          {call !== undefined && (
            <div className={styles.call}>
              <CallView key={call} id={call} />
            </div>
          )}
          <SavedRequests
            onOpen={({ pick: next, draft }) => {
              setDraft(next, draft)
              void navigate({ search: { ...next } })
            }}
          />
          <History
            current={call}
            onOpen={({ id, ...past }) => {
              const { pick: next, draft } = fromCall(past)
              setDraft(next, draft)
              void navigate({ search: { ...next, call: id } })
            }}
          />
        </div>
      </div>
    </Page>
  )
}

/** A link with only a call in it (from a replay, say) also gets its form filled in. */
function useFillIn(call: string | undefined, pick: Pick | undefined): void {
  const navigate = route.useNavigate()
  const isBare = call !== undefined && pick === undefined
  const { data } = useQuery({ ...callsQuery, enabled: isBare })
  const past = data?.calls.find(({ id }) => id === call)
  useEffect(() => {
    if (!isBare || !past) return
    const { pick: next, draft } = fromCall(past)
    setDraft(next, draft)
    void navigate({ search: { ...next, call: past.id }, replace: true })
  }, [isBare, past, navigate])
}
