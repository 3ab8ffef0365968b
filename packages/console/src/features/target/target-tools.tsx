import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMay } from '../../api/may.tsx'
import { targetEntriesQuery } from '../../api/queries.ts'
import { Badge } from '../../ui/signs/badge.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { formatCount, plural } from '../../ui/text/format.ts'
import { AnnotationBadges } from '../catalog/annotation-badges.tsx'
import styles from './now.module.css'

const TOOLS = 30

/** What the target offers to models; each leads to its form. */
export function TargetTools({ name }: { name: string }) {
  const canCall = useMay()('startCall')
  const { data } = useQuery(targetEntriesQuery(name, 'tool', TOOLS))
  if (!data) return null
  const { entries: tools, total } = data
  return (
    <Card
      title={plural(total, 'tool')}
      actions={
        <Link to="/catalog" search={{ target: name }}>
          In the catalog
        </Link>
      }
    >
      {tools.length === 0 && <p className={styles.none}>It has offered none yet.</p>}
      <ul className={styles.tools}>
        {tools.map(({ key, title, annotations, visible }) => (
          <li key={key}>
            {canCall ? (
              <Link to="/playground" search={{ kind: 'tool', name: key }}>
                {key}
              </Link>
            ) : (
              <Link to="/catalog" search={{ entry: key, entryKind: 'tool' }}>
                {key}
              </Link>
            )}
            {title !== undefined && <span className={styles.client}>{title}</span>}
            <AnnotationBadges annotations={annotations} />
            {!visible && <Badge>hidden</Badge>}
          </li>
        ))}
      </ul>
      {total > tools.length && (
        <p className={styles.none}>{formatCount(total - tools.length)} more in the catalog</p>
      )}
    </Card>
  )
}
