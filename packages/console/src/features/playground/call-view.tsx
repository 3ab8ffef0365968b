import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Square } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { call } from '../../api/call.ts'
import type { PlaygroundCallDetail, PlaygroundEvent } from '../../api/contract.ts'
import { Badge, EraBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { formatDuration } from '../../ui/format.ts'
import { JsonTree } from '../../ui/json-tree.tsx'
import { Failure, Notice } from '../../ui/notice.tsx'
import { useNow } from '../../ui/time.tsx'
import { notifyError } from '../../ui/toasts.tsx'
import { CallStatusBadge } from './call-status.tsx'
import styles from './call-view.module.css'
import { Question } from './question.tsx'
import { ResultView } from './result-view.tsx'
import { SaveAsTest } from './save-as-test.tsx'
import { isEnd } from './start-call.ts'
import { TaskView } from './task-view.tsx'
import { useCallEvents } from './use-call-events.ts'

type EventOf<Type extends PlaygroundEvent['type']> = Extract<PlaygroundEvent, { type: Type }>

function only<Type extends PlaygroundEvent['type']>(
  events: readonly PlaygroundEvent[],
  type: Type,
): EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event.type === type)
}

/** One call, live: who it was made as, progress, logs, questions, and what came of it. */
export function CallView({ id }: { id: string }) {
  const { events, error } = useCallEvents(id)
  const { data: detail } = useQuery({
    queryKey: ['calls', id],
    queryFn: () => call('playgroundCall', { params: { id } }),
    // The exchanges behind it are known once it ran.
    refetchInterval: ({ state }) => (state.data && !isOver(state.data) ? 2_000 : false),
  })
  const end = events.find(isEnd)
  const answered = new Set(only(events, 'answered').map(({ question }) => question))
  const task = only(events, 'task').at(-1)
  const box = useRef<HTMLDivElement>(null)
  const open = end ? [] : only(events, 'question').filter(({ question }) => !answered.has(question.id))
  // The form above may be long, and a question should not wait out of sight.
  const waiting = open.length
  // biome-ignore lint/correctness/useExhaustiveDependencies: also when a question comes
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'nearest', behavior: 'smooth' })
  }, [waiting])
  return (
    <div ref={box}>
      <Card
        title={<Title id={id} detail={detail} events={events} />}
        actions={<Actions id={id} end={end} isLost={error !== undefined} />}
      >
        <div className={styles.call}>
          {error !== undefined && <Failure error={error} />}
          {!end && <Progress events={events} />}
          <div aria-live="polite" className={styles.call}>
            {open.map(({ question }) => (
              <Question key={question.id} call={id} question={question} />
            ))}
          </div>
          <Logs events={events} />
          <Notifications events={events} />
          {task && <TaskView task={task.task} />}
          <div aria-live="polite">
            {end?.type === 'result' && <ResultView method={detail?.method ?? ''} result={end.result} />}
            {end?.type === 'error' && <CallError event={end} name={detail ? subjectOf(detail) : ''} />}
            {end?.type === 'cancelled' && (
              <Notice tone="warn" title={`Cancelled after ${formatDuration(end.duration)}`} />
            )}
          </div>
          <Answers events={events} />
        </div>
      </Card>
    </div>
  )
}

function Actions({ id, end, isLost }: { id: string; end: PlaygroundEvent | undefined; isLost: boolean }) {
  if (!end) return isLost ? null : <Cancel id={id} />
  return end.type === 'cancelled' ? null : <SaveAsTest id={id} />
}

function subjectOf({ params }: PlaygroundCallDetail): string {
  return String(params.name ?? params.uri ?? '')
}

function isOver({ status }: PlaygroundCallDetail): boolean {
  return status !== 'running' && status !== 'waiting' && status !== 'task'
}

function Title({
  id,
  detail,
  events,
}: {
  id: string
  detail: PlaygroundCallDetail | undefined
  events: readonly PlaygroundEvent[]
}) {
  const [connected] = only(events, 'connected')
  const end = events.find(isEnd)
  const now = useNow()
  return (
    <span className={styles.title}>
      {detail?.method ?? `Call ${id}`} {detail && <code>{subjectOf(detail)}</code>}
      {detail && <CallStatusBadge status={detail.status} />}
      {connected && <EraBadge era={connected.era} revision={connected.revision} />}
      <span className={styles.muted}>
        {end && 'duration' in end
          ? formatDuration(end.duration)
          : detail && formatDuration(Math.max(0, now - detail.startedAt))}
      </span>
      {detail && detail.records.length > 0 && (
        <span className={styles.records}>
          {'on the wire: '}
          {detail.records.map((record) => (
            <Link
              key={record}
              to="/wire"
              search={{ id: String(record) }}
              aria-label={`on the wire: #${record}`}
            >
              #{record}
            </Link>
          ))}
        </span>
      )}
    </span>
  )
}

function Cancel({ id }: { id: string }) {
  const cancel = useMutation({
    mutationFn: () => call('cancelCall', { params: { id } }),
    onError: notifyError,
  })
  return (
    <Button icon={Square} disabled={cancel.isPending} onClick={() => cancel.mutate()}>
      Cancel
    </Button>
  )
}

function Progress({ events }: { events: readonly PlaygroundEvent[] }) {
  const last = only(events, 'progress').at(-1)
  return (
    <div className={styles.progress}>
      <progress
        aria-label="Progress"
        max={last?.total ?? 1}
        value={last?.total === undefined ? undefined : last.progress}
      />
      <span>
        {last
          ? `${last.progress}${last.total === undefined ? '' : ` of ${last.total}`} ${last.message ?? ''}`
          : 'Waiting for the answer'}
      </span>
    </div>
  )
}

function Logs({ events }: { events: readonly PlaygroundEvent[] }) {
  const logs = only(events, 'log')
  if (logs.length === 0) return null
  return (
    <details open>
      <summary>{logs.length === 1 ? '1 log message' : `${logs.length} log messages`}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable, so the keyboard has to get there */}
      <ul className={styles.logs} aria-label="Logs" tabIndex={0}>
        {logs.slice(-500).map((log) => (
          <li key={log.seq}>
            <Badge
              tone={
                /error|critical|alert|emergency/.test(log.level)
                  ? 'bad'
                  : log.level === 'warning'
                    ? 'warn'
                    : 'plain'
              }
            >
              {log.level}
            </Badge>
            {log.logger && <span className={styles.muted}>{log.logger}</span>}
            {typeof log.data === 'string' ? <span>{log.data}</span> : <JsonTree value={log.data} open={1} />}
          </li>
        ))}
      </ul>
    </details>
  )
}

function Notifications({ events }: { events: readonly PlaygroundEvent[] }) {
  const list = only(events, 'notification')
  if (list.length === 0) return null
  return (
    <section>
      <h3>Notifications</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable, so the keyboard has to get there */}
      <ul className={styles.logs} aria-label="Notifications" tabIndex={0}>
        {list.slice(-200).map((event) => (
          <li key={event.seq}>
            <code>{event.method}</code>
            <JsonTree value={event.params ?? {}} open={1} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Answers({ events }: { events: readonly PlaygroundEvent[] }) {
  const questions = only(events, 'question')
  const answers = only(events, 'answered')
  if (answers.length === 0) return null
  return (
    <details>
      <summary>
        {answers.length === 1 ? '1 question was answered' : `${answers.length} questions were answered`}
      </summary>
      {answers.map(({ seq, question, answer }) => (
        <div key={seq} className={styles.answer}>
          <JsonTree
            value={{
              question: questions.find((one) => one.question.id === question)?.question.params,
              answer,
            }}
            open={2}
          />
        </div>
      ))}
    </details>
  )
}

function CallError({ event: { error, duration }, name }: { event: EventOf<'error'>; name: string }) {
  return (
    <Notice tone="bad" title={error.message}>
      <p>
        Code {error.code}, after {formatDuration(duration)}. {error.fix}{' '}
        {name !== '' && (
          <Link to="/why" search={{ name }}>
            Why?
          </Link>
        )}
      </p>
      {error.data !== undefined && <JsonTree value={error.data} open={2} />}
    </Notice>
  )
}
