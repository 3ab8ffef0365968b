import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Play, X } from 'lucide-react'
import type { CatalogEntryDetail, EntryKind } from '../../api/contract.ts'
import { May } from '../../api/may.tsx'
import { entryQuery } from '../../api/queries.ts'
import { isJsonObject, writeJson } from '../../api/json.ts'
import { Badge, KindBadge } from '../../ui/signs/badge.tsx'
import { IconButton } from '../../ui/controls/button.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { Code } from '../../ui/text/code.tsx'
import { formatCount } from '../../ui/text/format.ts'
import { Markdown } from '../../ui/text/lazy-markdown.tsx'
import { Failure } from '../../ui/signs/notice.tsx'
import { Skeleton } from '../../ui/signs/skeleton.tsx'
import { useEscape } from '../../ui/hooks/use-escape.ts'
import { AnnotationBadges } from './annotation-badges.tsx'
import { ChangeView } from './change-view.tsx'
import styles from './entry-detail.module.css'
import { EntrySettings } from './entry-settings.tsx'
import { Portability } from './portability.tsx'
import { SchemaView } from './schema-view.tsx'

interface Props {
  readonly kind: EntryKind
  readonly name: string
  readonly onClose: () => void
}

export function EntryDetail({ kind, name, onClose }: Props) {
  const { data, error } = useQuery(entryQuery(kind, name))
  useEscape(onClose)
  const title = (
    <span className={styles.title}>
      <KindBadge kind={kind} /> <code>{name}</code>
    </span>
  )
  return (
    <Card title={title} actions={<IconButton label="Close" icon={X} onClick={onClose} />}>
      {error && <Failure error={error} />}
      {!data && !error && <Skeleton lines={5} />}
      {data && <Content entry={data} onClose={onClose} />}
    </Card>
  )
}

function Content({ entry, onClose }: { entry: CatalogEntryDetail; onClose: () => void }) {
  const input = entry.definition.inputSchema
  const output = entry.definition.outputSchema
  return (
    <div className={styles.detail}>
      <p className={styles.links}>
        <May use="startCall">
          <Link to="/playground" search={{ kind: entry.kind, name: entry.key }} className={styles.try}>
            <Play size={13} aria-hidden /> Open in the playground
          </Link>
        </May>
        <Link to="/targets/$name" params={{ name: entry.target }}>
          {entry.target}
        </Link>
        <Link to="/why" search={{ name: entry.key }}>
          {entry.visible ? 'Explain' : 'Why is it hidden?'}
        </Link>
        <span>~{formatCount(entry.tokens)} tokens</span>
        {entry.renamed && <Badge>own name: {entry.own}</Badge>}
        {entry.shortened && <Badge tone="warn">shortened</Badge>}
      </p>
      {entry.title !== undefined && <p className={styles.name}>{entry.title}</p>}
      <p className={styles.links}>
        <AnnotationBadges annotations={entry.annotations} />
      </p>
      {entry.description && <Markdown text={entry.description} />}
      <May use="editEntry">
        <EntrySettings key={`${entry.kind} ${entry.target} ${entry.own}`} entry={entry} onRenamed={onClose} />
      </May>
      {entry.kind === 'tool' && (
        <section>
          <h3>Portability</h3>
          <Portability findings={entry.portability} />
        </section>
      )}
      {isJsonObject(input) && (
        <section>
          <h3>Input</h3>
          <SchemaView schema={input} />
        </section>
      )}
      {isJsonObject(output) && (
        <section>
          <h3>Output</h3>
          <SchemaView schema={output} />
        </section>
      )}
      {entry.changes.length > 0 && (
        <section>
          <h3>What changed</h3>
          {entry.changes.map((change) => (
            <ChangeView key={change.id} change={change} isOpen />
          ))}
        </section>
      )}
      <details>
        <summary>Definition as clients get it</summary>
        <Code label="definition" text={writeJson(entry.definition, undefined, 2)} />
      </details>
      <details>
        <summary>Definition as the target gave it</summary>
        <Code label="own definition" text={writeJson(entry.ownDefinition, undefined, 2)} />
      </details>
    </div>
  )
}
