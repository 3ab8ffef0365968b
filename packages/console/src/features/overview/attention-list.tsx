import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { RotateCw } from 'lucide-react'
import { call } from '../../api/call.ts'
import type { TargetCard } from '../../api/contract.ts'
import { applyEvent } from '../../api/live.ts'
import { useMay } from '../../api/may.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { formatCount } from '../../ui/text/format.ts'
import { Rich } from '../../ui/text/rich.tsx'
import { StateBadge, StateDot } from '../../ui/signs/state.tsx'
import { Until } from '../../ui/text/time.tsx'
import { notify, notifyError } from '../../ui/signs/toasts.tsx'
import { SignIn } from '../target/sign-in.tsx'
import { quoted } from '../target/quoted.ts'
import type { Concern } from './attention.ts'
import styles from './attention-list.module.css'

interface Props {
  readonly concerns: readonly Concern[]
  readonly total: number
}

/** What fails, with its cause and what to do about it, before anything else. */
export function AttentionList({ concerns, total }: Props) {
  return (
    <section className={styles.attention} aria-label="Needs attention">
      <h2>
        {formatCount(concerns.length)} of {formatCount(total)} {concerns.length === 1 ? 'needs' : 'need'}{' '}
        attention
      </h2>
      <ul className={styles.list}>
        {concerns.map((concern) => (
          <li key={concern.card.name}>
            <Entry concern={concern} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Entry({ concern: { card, what, fix, sign } }: { concern: Concern }) {
  const { name, state, retryAt } = card
  const may = useMay()
  return (
    <article className={styles.entry} aria-label={name}>
      <header>
        <StateDot state={state} />
        <h3>
          <Link to="/targets/$name" params={{ name }}>
            {card.title ?? name}
          </Link>
        </h3>
        <StateBadge state={state} />
        {retryAt !== undefined && (
          <span className={styles.muted}>
            next try <Until at={retryAt} />
          </span>
        )}
      </header>
      <p>
        <Rich text={what} />
      </p>
      {fix !== undefined && (
        <p>
          <b>Fix:</b> <Rich text={fix} />
        </p>
      )}
      <div className={styles.actions}>
        {state === 'needs-auth' && may('signIn') && <SignIn name={name} />}
        {sign === 'failing' && (
          <Link to="/wire" search={{ filter: `target:${quoted(name)} status:error,tool-error` }}>
            Show the failed calls
          </Link>
        )}
        {sign === 'breaking' && may('target') && (
          <Link to="/targets/$name" params={{ name }} search={{ tab: 'stderr' }}>
            Show its log
          </Link>
        )}
        {sign === 'down' && state !== 'needs-auth' && may('targetAction') && <Restart card={card} />}
        <Link to="/why" search={{ name }}>
          Why?
        </Link>
      </div>
    </article>
  )
}

function Restart({ card: { name } }: { card: TargetCard }) {
  const restart = useMutation({
    mutationFn: () => call('targetAction', { params: { name }, body: { action: 'restart' } }),
    onSuccess: (card) => {
      applyEvent({ type: 'target', target: card, at: Date.now() })
      notify(`${name} was restarted.`)
    },
    onError: notifyError,
  })
  return (
    <Button icon={RotateCw} disabled={restart.isPending} onClick={() => restart.mutate()}>
      Restart
    </Button>
  )
}
