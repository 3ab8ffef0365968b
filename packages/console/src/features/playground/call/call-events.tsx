import type { PlaygroundEvent } from '../../../api/contract.ts'
import { Badge } from '../../../ui/signs/badge.tsx'
import { JsonTree } from '../../../ui/text/json-tree.tsx'
import { ShortText } from '../../../ui/text/long-text.tsx'
import styles from './call-view.module.css'

export type EventOf<Type extends PlaygroundEvent['type']> = Extract<PlaygroundEvent, { type: Type }>

export function only<Type extends PlaygroundEvent['type']>(
  events: readonly PlaygroundEvent[],
  type: Type,
): EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event.type === type)
}

export function Progress({ events }: { events: readonly PlaygroundEvent[] }) {
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

export function Logs({ events }: { events: readonly PlaygroundEvent[] }) {
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
            {typeof log.data === 'string' ? (
              <span>
                <ShortText text={log.data} />
              </span>
            ) : (
              <JsonTree value={log.data} open={1} />
            )}
          </li>
        ))}
      </ul>
    </details>
  )
}

export function Notifications({ events }: { events: readonly PlaygroundEvent[] }) {
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

export function Answers({ events }: { events: readonly PlaygroundEvent[] }) {
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
