import { ArrowDownLeft, ArrowUpRight, Check, Circle, CircleDashed, LoaderCircle, X } from 'lucide-react'
import type { HandshakeMessage, HandshakeStep } from '../../api/contract.ts'
import { formatDuration } from '../../ui/text/format.ts'
import { JsonTree } from '../../ui/text/json-tree.tsx'
import { Explain } from '../../ui/signs/notice.tsx'
import { Rich } from '../../ui/text/rich.tsx'
import styles from './steps.module.css'

const ICONS = { done: Check, running: LoaderCircle, failed: X, skipped: CircleDashed, pending: Circle }

/** The handshake as a timeline: bars show when each step ran, relative to the whole. */
export function Steps({ steps }: { steps: readonly HandshakeStep[] }) {
  const total = Math.max(1, ...steps.map(({ offset = 0, duration = 0 }) => offset + duration))
  return (
    <ol className={styles.steps} aria-label="Handshake">
      {steps.map((step, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the order of steps is fixed, and names may repeat
        <Step key={index} step={step} total={total} />
      ))}
    </ol>
  )
}

function Step({ step, total }: { step: HandshakeStep; total: number }) {
  const Icon = ICONS[step.status]
  const begun = step.offset !== undefined
  return (
    <li className={`${styles.step} ${styles[step.status]}`} data-step={step.name} data-status={step.status}>
      <span className={styles.icon} role="img" aria-label={step.status}>
        <Icon size={13} aria-hidden />
      </span>
      <div className={styles.line}>
        <strong>
          <Rich text={step.title} />
        </strong>
        {step.detail && (
          <span className={styles.detail}>
            <Rich text={step.detail} />
          </span>
        )}
        {begun && (
          <span className={styles.track} aria-hidden>
            <span
              style={{
                left: `${Math.min(99, (step.offset! / total) * 100)}%`,
                width: `${Math.max(1, ((step.duration ?? total - step.offset!) / total) * 100)}%`,
              }}
            />
          </span>
        )}
        <span className={styles.time}>
          {step.status === 'skipped' ? 'not needed' : begun ? formatDuration(step.duration) : ''}
        </span>
      </div>
      {step.problem && <Explain problem={step.problem} />}
      {step.messages.length > 0 && <Messages messages={step.messages} isOpen={step.status === 'failed'} />}
    </li>
  )
}

function Messages({ messages, isOpen }: { messages: readonly HandshakeMessage[]; isOpen: boolean }) {
  return (
    <details className={styles.messages} open={isOpen}>
      <summary>
        {messages.length} {messages.length === 1 ? 'message' : 'messages'}
      </summary>
      {messages.map(({ at, direction, message }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages are only ever appended
        <div key={index} className={styles.message}>
          {direction === 'out' ? (
            <ArrowUpRight size={13} aria-label="sent" />
          ) : (
            <ArrowDownLeft size={13} aria-label="received" />
          )}
          <div title={new Date(at).toISOString()}>
            <JsonTree value={message} open={3} />
          </div>
        </div>
      ))}
    </details>
  )
}
