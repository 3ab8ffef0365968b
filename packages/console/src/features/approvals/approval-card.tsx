import { Link } from '@tanstack/react-router'
import { escapeControls, type ApprovalNeedReport, type ApprovalReport } from '../../api/contract.ts'
import { Badge } from '../../ui/signs/badge.tsx'
import { JsonTree } from '../../ui/text/json-tree.tsx'
import { Ago, Until } from '../../ui/text/time.tsx'
import styles from './approvals-page.module.css'
import { Decide } from './decide.tsx'

const TONES = { pending: 'violet', approved: 'ok', denied: 'bad' } as const

export function ApprovalCard({ approval, isMarked }: { approval: ApprovalReport; isMarked: boolean }) {
  const { id, state, caller, client, view, target, name, args, needs, askedAt, expiresAt } = approval
  return (
    <li className={styles.approval} id={id} aria-current={isMarked || undefined}>
      <p className={styles.head}>
        <Badge tone={TONES[state]}>{state}</Badge>
        <strong>{escapeControls(caller ?? 'A caller without credentials')}</strong>
        <span>wants to use</span>
        <code>{name}</code>
        <span>of</span>
        <Link to="/targets/$name" params={{ name: target }}>
          {target}
        </Link>
        {view !== undefined && <Badge>view {view}</Badge>}
        <span className={styles.muted}>
          {client !== undefined && `with ${escapeControls(client)}, `}
          <Ago at={askedAt} />; {state === 'pending' ? 'denied ' : 'ends '}
          <Until at={expiresAt} />
        </span>
      </p>
      {args ? (
        <div className={styles.arguments}>
          <JsonTree value={args} open={2} />
        </div>
      ) : (
        <p className={styles.muted}>Rules for results withhold the arguments.</p>
      )}
      <ul>
        {needs.map((need) => (
          <Need key={need.rule} need={need} />
        ))}
      </ul>
      {state === 'pending' && <Decision approval={approval} />}
    </li>
  )
}

function Need({ need: { rule, by, message, decision } }: { need: ApprovalNeedReport }) {
  return (
    <li className={styles.head}>
      <span>
        “{rule}” wants the approval of <code>{by.join(' or ')}</code>
      </span>
      {message !== undefined && <span className={styles.muted}>{message}</span>}
      {decision && (
        <Badge tone={decision.approved ? 'ok' : 'bad'}>
          {decision.approved ? 'approved' : 'denied'} by {decision.by}
          {decision.reason !== undefined && `: ${decision.reason}`}
        </Badge>
      )}
    </li>
  )
}

function Decision({ approval }: { approval: ApprovalReport }) {
  if (approval.mayDecide) return <Decide approval={approval} />
  return (
    <p className={styles.muted}>
      {approval.isOwn ? 'This is your own call: another person decides it.' : 'Others decide this.'}
    </p>
  )
}
