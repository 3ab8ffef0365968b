import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useEffect, useRef, type ReactNode } from 'react'
import type { AskSeen, SeenEntry } from '../../api/contract.ts'
import { seenQuery } from '../../api/queries.ts'
import { KindBadge } from '../../ui/signs/badge.tsx'
import { IconButton } from '../../ui/controls/button.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { formatCount } from '../../ui/text/format.ts'
import { JsonTree } from '../../ui/text/json-tree.tsx'
import { Skeleton } from '../../ui/signs/skeleton.tsx'
import { useEscape } from '../../ui/hooks/use-escape.ts'
import styles from './access.module.css'

interface Props {
  readonly ask: AskSeen
  readonly entry: SeenEntry
  readonly onClose: () => void
  readonly children?: ReactNode
}

/** One definition as the model reads it, beside the target's own. */
export function SeenDetail({ ask, entry, onClose, children }: Props) {
  const { data } = useQuery(seenQuery(ask))
  const box = useRef<HTMLDivElement>(null)
  useEscape(onClose)
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [])
  const title = (
    <>
      <KindBadge kind={entry.kind} /> <code>{entry.key ?? entry.own}</code>
    </>
  )
  return (
    <div ref={box}>
      <Card title={title} actions={<IconButton label="Close" icon={X} onClick={onClose} />}>
        <div className={styles.part}>
          {children}
          {!data?.entry && <Skeleton lines={4} />}
          {data?.entry && (
            <div className={styles.sides}>
              <section aria-label="What the model sees">
                <h3>
                  What the model sees
                  <span className={styles.muted}>{entry.key && `~${formatCount(entry.tokens)} tokens`}</span>
                </h3>
                {data.entry.definition ? (
                  <JsonTree value={data.entry.definition} open={4} />
                ) : (
                  <p className={styles.muted}>Nothing.</p>
                )}
              </section>
              <section aria-label="What the target has">
                <h3>
                  What the target has
                  <span className={styles.muted}>~{formatCount(entry.ownTokens)} tokens</span>
                </h3>
                <JsonTree value={data.entry.ownDefinition} open={4} />
              </section>
            </div>
          )}
        </div>
      </Card>
    </div>
  )
}
