import { ArrowLeft, ArrowRight, Shuffle } from 'lucide-react'
import { useState } from 'react'
import type { WireDetail, WireMessage } from '../../api/contract.ts'
import { writeJson } from '../../api/json.ts'
import { Badge } from '../../ui/signs/badge.tsx'
import { CopyButton } from '../../ui/controls/copy.tsx'
import { formatBytes, formatDuration } from '../../ui/text/format.ts'
import { JsonTree } from '../../ui/text/json-tree.tsx'
import { Rich } from '../../ui/text/rich.tsx'
import { clientOf } from './columns.tsx'
import styles from './messages.module.css'

/** The raw messages, the client's hop on the left and the target's on the right, in the order of time. */
export function Messages({ exchange }: { exchange: WireDetail }) {
  return (
    <div className={styles.messages}>
      <div className={styles.heads} aria-hidden>
        <span>{clientOf(exchange)} ↔ gateway</span>
        <span>gateway ↔ {exchange.target ?? 'target'}</span>
      </div>
      {exchange.hops.map((message) => (
        <Message key={message.seq} message={message} />
      ))}
    </div>
  )
}

function Message({ message }: { message: WireMessage }) {
  const [isOpen, setOpen] = useState(message.type !== 'notification')
  const goesRight = (message.hop === 'client') === (message.direction === 'in')
  const Arrow = goesRight ? ArrowRight : ArrowLeft
  return (
    <article
      id={`message-${message.seq}`}
      tabIndex={-1}
      className={`${styles.message} ${styles[message.hop]}`}
      aria-label={`${message.type} ${message.method ?? ''} on the ${message.hop} hop`}
      data-hop={message.hop}
    >
      <header>
        <Arrow size={14} aria-label={goesRight ? 'to the right' : 'to the left'} />
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {message.method ?? message.type}
        </button>
        {message.type === 'error' && <Badge tone="bad">error</Badge>}
        {message.truncated && <Badge tone="warn">cut</Badge>}
        <span>
          {formatDuration(message.offset)} · {formatBytes(message.bytes)}
        </span>
        <CopyButton label="Copy the message" text={() => writeJson(message.message, undefined, 2)} compact />
      </header>
      {message.note !== undefined && (
        <p className={styles.note}>
          <Shuffle size={13} aria-hidden />
          <span>
            <Rich text={message.note} />
          </span>
        </p>
      )}
      {isOpen && (
        <div className={styles.body}>
          {typeof message.message === 'string' ? (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable, so the keyboard has to get there
            <pre tabIndex={0}>{message.message}</pre>
          ) : (
            <JsonTree value={message.message} open={4} folded="_meta" />
          )}
        </div>
      )}
    </article>
  )
}
