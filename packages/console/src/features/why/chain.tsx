import { Link } from '@tanstack/react-router'
import { CircleAlert, CircleCheck, CircleDot } from 'lucide-react'
import type { Cause } from '../../api/contract.ts'
import { Rich } from '../../ui/text/rich.tsx'
import styles from './why-page.module.css'

const ICONS = { ok: CircleCheck, note: CircleDot, problem: CircleAlert }

/** The links between the configuration and the client. */
export function Chain({ causes }: { causes: readonly Cause[] }) {
  return (
    <ol className={styles.chain} aria-label="Chain of causes">
      {causes.map((cause, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the chain is an answer of its own each time
        <Chained key={index} cause={cause} />
      ))}
    </ol>
  )
}

function Chained({ cause }: { cause: Cause }) {
  const Icon = ICONS[cause.status]
  return (
    <li className={styles[cause.status]} data-code={cause.code}>
      <Icon size={17} role="img" aria-label={cause.status} />
      <div>
        <strong>
          <Rich text={cause.title} />
        </strong>
        {cause.detail && (
          <p>
            <Rich text={cause.detail} />
          </p>
        )}
        {cause.stderr && cause.stderr.length > 0 && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable, so the keyboard has to get there
          <pre tabIndex={0}>{cause.stderr.join('\n')}</pre>
        )}
        {cause.fix && (
          <p className={styles.fix}>
            <b>Fix:</b> <Rich text={cause.fix} />
          </p>
        )}
        {cause.target !== undefined && cause.status === 'problem' && cause.fix !== undefined && (
          <p>
            <Link to="/targets/$name" params={{ name: cause.target }}>
              Open {cause.target}
            </Link>
          </p>
        )}
      </div>
    </li>
  )
}
