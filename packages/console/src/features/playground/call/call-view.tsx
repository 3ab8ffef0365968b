import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Square } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { call } from '../../../api/call.ts'
import type { PlaygroundCallDetail, PlaygroundEvent } from '../../../api/contract.ts'
import { EraBadge } from '../../../ui/signs/badge.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { Card } from '../../../ui/layout/card.tsx'
import { formatDuration } from '../../../ui/text/format.ts'
import { JsonTree } from '../../../ui/text/json-tree.tsx'
import { ShortText } from '../../../ui/text/long-text.tsx'
import { Failure, Notice } from '../../../ui/signs/notice.tsx'
import { useNow } from '../../../ui/text/time.tsx'
import { notifyError } from '../../../ui/signs/toasts.tsx'
import { CallApp, SubjectOfApps, useAppSubject } from './call-app.tsx'
import { Answers, Logs, Notifications, only, Progress, type EventOf } from './call-events.tsx'
import { CallStatusBadge } from './call-status.tsx'
import styles from './call-view.module.css'
import { OpenedPage, Question } from '../question.tsx'
import { ResultView } from '../result-view.tsx'
import { SaveAsTest } from '../saved/save-as-test.tsx'
import { isEnd } from './start-call.ts'
import { TaskView } from './task-view.tsx'
import { useCallEvents } from './use-call-events.ts'

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
  const answers = only(events, 'answered')
  const settled = new Set([...answers, ...only(events, 'withdrawn')].map(({ question }) => question))
  const accepted = new Set(
    answers.filter(({ answer }) => answer.action === 'accept').map(({ question }) => question),
  )
  const task = only(events, 'task').at(-1)
  const subject = useAppSubject(detail, end?.type === 'result' ? end.result : undefined)
  const box = useRef<HTMLDivElement>(null)
  // A gateway that was started again knows nothing of the call: nobody waits for an answer any more.
  const isLost = end === undefined && error !== undefined
  const questions = end || isLost ? [] : only(events, 'question')
  const open = questions.filter(({ question }) => !settled.has(question.id))
  const opened = questions.filter(({ question }) => question.kind === 'url' && accepted.has(question.id))
  // The form above may be long, and a question should not wait out of sight.
  const waiting = open.length
  // biome-ignore lint/correctness/useExhaustiveDependencies: also when a question comes
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'nearest', behavior: 'smooth' })
  }, [waiting])
  return (
    <div ref={box}>
      <Card
        title={<Title id={id} detail={detail} events={events} isLost={isLost} />}
        actions={<Actions id={id} end={end} isLost={isLost} />}
      >
        <div className={styles.call}>
          {error !== undefined && <Failure error={error} />}
          {!end && !isLost && <Progress events={events} />}
          <div aria-live="polite" className={styles.call}>
            {open.map(({ question }) => (
              <Question key={question.id} call={id} question={question} />
            ))}
            {opened.map(({ question }) => (
              <OpenedPage key={question.id} question={question} />
            ))}
          </div>
          <Logs events={events} />
          <Notifications events={events} />
          {task && <TaskView task={task.task} />}
          <div aria-live="polite">
            {end?.type === 'result' && (
              <SubjectOfApps value={subject}>
                {detail?.method === 'tools/call' && <CallApp name={subjectOf(detail)} subject={subject} />}
                <ResultView method={detail?.method ?? ''} result={end.result} />
              </SubjectOfApps>
            )}
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

/** What a call has come to: its last event is here before what the gateway says of it is asked for again. */
function statusOf(end: PlaygroundEvent, detail: PlaygroundCallDetail): PlaygroundCallDetail['status'] {
  if (isOver(detail)) return detail.status
  if (end.type !== 'result') return end.type === 'cancelled' ? 'cancelled' : 'error'
  return end.result.isError === true ? 'tool-error' : 'ok'
}

function isOver({ status }: PlaygroundCallDetail): boolean {
  return status !== 'running' && status !== 'waiting' && status !== 'task'
}

function Title({
  id,
  detail,
  events,
  isLost,
}: {
  id: string
  detail: PlaygroundCallDetail | undefined
  events: readonly PlaygroundEvent[]
  isLost: boolean
}) {
  const [connected] = only(events, 'connected')
  const end = events.find(isEnd)
  const now = useNow()
  return (
    <span className={styles.title}>
      {detail?.method ?? `Call ${id}`} {detail && <code>{subjectOf(detail)}</code>}
      {detail && !isLost && <CallStatusBadge status={end ? statusOf(end, detail) : detail.status} />}
      {connected && <EraBadge era={connected.era} revision={connected.revision} />}
      <span className={styles.muted}>
        {end && 'duration' in end
          ? formatDuration(end.duration)
          : detail && !isLost && formatDuration(Math.max(0, now - detail.startedAt))}
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

function CallError({ event: { error, duration }, name }: { event: EventOf<'error'>; name: string }) {
  return (
    <Notice tone="bad" title={<ShortText text={error.message} />}>
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
