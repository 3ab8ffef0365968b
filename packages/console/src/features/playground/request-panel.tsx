import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Bell, Play, X } from 'lucide-react'
import { useEffect } from 'react'
import type { CatalogEntryDetail } from '../../api/contract.ts'
import { entryQuery } from '../../api/queries.ts'
import { useStore } from '../../api/store.ts'
import { checkValue, type Issue } from '../../schema-form/check-value.ts'
import { initialValue } from '../../schema-form/initial-value.ts'
import { IssueList } from '../../schema-form/issue-list.tsx'
import { RawJson } from '../../schema-form/raw-json.tsx'
import type { Schema } from '../../schema-form/schema.ts'
import { SchemaForm } from '../../schema-form/schema-form.tsx'
import { goToUnreadable } from '../../schema-form/unreadable.tsx'
import { KindBadge } from '../../ui/signs/badge.tsx'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { submitByKeys } from '../../ui/controls/keys.ts'
import { Markdown } from '../../ui/text/lazy-markdown.tsx'
import { Failure, Notice } from '../../ui/signs/notice.tsx'
import { Skeleton } from '../../ui/signs/skeleton.tsx'
import { useIsHere } from '../../ui/hooks/use-is-here.ts'
import { ArgumentForm } from './argument-form.tsx'
import { clientSettings } from './client-settings.ts'
import { CopyAs } from './copy-as.tsx'
import { setDraft, slotOf, useDraft, type Pick } from './drafts.ts'
import styles from './request-panel.module.css'
import { SaveRequest } from './saved/saved-requests.tsx'
import { startCall } from './call/start-call.ts'
import { toRequest, type Request } from './to-request.ts'

interface Props {
  readonly pick: Pick
  readonly onStarted: (id: string) => void
  readonly onLeave: () => void
}

const VERBS = { tool: 'Call', prompt: 'Get', resource: 'Read', template: 'Read', request: 'Send' }

/** What will be sent, and the button that sends it. */
export function RequestPanel({ pick, onStarted, onLeave }: Props) {
  const { kind, name } = pick
  const { data: entry, error } = useQuery({
    ...entryQuery(kind === 'request' ? 'tool' : kind, name),
    enabled: kind !== 'request',
  })
  const { era } = useStore(clientSettings)
  const draft = useDraft(pick)
  const isHere = useIsHere()
  const start = useMutation({
    mutationFn: startCall,
    onSuccess: (id) => {
      if (isHere()) onStarted(id)
    },
  })
  const schema = entry?.definition.inputSchema as Schema | undefined
  useEffect(() => {
    if (draft === undefined && schema) setDraft({ kind, name }, initialValue(schema, schema) ?? {})
  }, [draft, schema, kind, name])
  const request = toRequest(pick, draft)
  const issues = schema && draft !== undefined ? checkValue(schema, schema, draft) : []
  const title = (
    <span className={styles.title}>
      <KindBadge kind={kind} /> <code>{name}</code>
    </span>
  )
  return (
    <Card title={title} actions={<IconButton label="Choose something else" icon={X} onClick={onLeave} />}>
      <form
        className={styles.panel}
        noValidate
        onKeyDown={submitByKeys}
        onSubmit={(event) => {
          event.preventDefault()
          if (!goToUnreadable(event.currentTarget)) start.mutate(request)
        }}
      >
        {entry?.description && <Markdown text={entry.description} />}
        {entry && !entry.visible && <Hidden entry={entry} />}
        {error && <Missing name={name} error={error} />}
        {kind !== 'request' && !entry && !error && <Skeleton lines={3} />}
        <Inputs pick={pick} entry={entry} draft={draft} schema={schema} issues={issues} />
        <IssueList form={slotOf(pick)} issues={issues} />
        {start.error && <Failure error={start.error} />}
        <div className={styles.actions}>
          <Button type="submit" tone="primary" icon={Play} disabled={start.isPending}>
            {VERBS[kind]}
          </Button>
          {kind === 'resource' && (
            <Button
              icon={Bell}
              disabled={start.isPending}
              onClick={() => start.mutate(toSubscription(era, name))}
            >
              Subscribe
            </Button>
          )}
          <CopyAs request={request} />
          <SaveRequest pick={pick} draft={draft} />
        </div>
      </form>
    </Card>
  )
}

function toSubscription(era: string, uri: string): Request {
  return era === 'modern'
    ? { method: 'subscriptions/listen', params: { notifications: { resourceSubscriptions: [uri] } } }
    : { method: 'resources/subscribe', params: { uri } }
}

interface InputsProps {
  readonly pick: Pick
  readonly entry: CatalogEntryDetail | undefined
  readonly draft: unknown
  readonly schema: Schema | undefined
  readonly issues: readonly Issue[]
}

function Inputs({ pick, entry, draft, schema, issues }: InputsProps) {
  const change = (value: unknown) => setDraft(pick, value)
  if (pick.kind === 'request') return <OtherRequest pick={pick} draft={draft} />
  if (!entry) return null
  if (schema) {
    const value = draft ?? NOTHING
    return (
      <SchemaForm
        label="Arguments"
        schema={schema}
        value={value}
        onChange={change}
        issues={issues}
        slot={slotOf(pick)}
      />
    )
  }
  if (pick.kind === 'prompt' || pick.kind === 'template') {
    return <ArgumentForm kind={pick.kind} entry={entry} values={draft} onChange={change} />
  }
  return null
}

/** The same value each time: another one would be another draft. */
const NOTHING = {}

const METHODS = [
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'completion/complete',
  'server/discover',
  'subscriptions/listen',
  'resources/subscribe',
  'tasks/get',
  'tasks/cancel',
  'logging/setLevel',
  'ping',
]

function OtherRequest({ pick, draft }: { pick: Pick; draft: unknown }) {
  return (
    <>
      <p className={styles.method}>
        {METHODS.map((method) => (
          <Link
            key={method}
            to="/playground"
            search={{ kind: 'request', name: method }}
            aria-current={method === pick.name}
          >
            {method}
          </Link>
        ))}
      </p>
      <RawJson
        label="Parameters"
        slot={`${slotOf(pick)}/raw`}
        value={draft ?? NOTHING}
        onChange={(value) => setDraft(pick, value)}
      />
    </>
  )
}

function Hidden({ entry }: { entry: CatalogEntryDetail }) {
  return (
    <Notice tone="warn" title="Clients do not see this entry">
      Calling it will fail.{' '}
      <Link to="/why" search={{ name: entry.key }}>
        Why?
      </Link>
    </Notice>
  )
}

function Missing({ name, error }: { name: string; error: unknown }) {
  return (
    <>
      <Failure error={error} />
      <p>
        <Link to="/why" search={{ name }}>
          Why is {name} missing?
        </Link>
      </p>
    </>
  )
}
