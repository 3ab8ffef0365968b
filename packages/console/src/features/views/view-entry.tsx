import { useQuery } from '@tanstack/react-query'
import type { CatalogEntry, SeenEntry } from '../../api/contract.ts'
import { entryQuery, targetEntriesQuery } from '../../api/queries.ts'
import { TextField } from '../../ui/controls/text-field.tsx'
import { entryOf, withEntry, withMember, type RawEntry, type RawView } from './raw-view.ts'
import { ViewParameter } from './view-parameter.tsx'
import styles from './views.module.css'

interface Props {
  readonly entry: SeenEntry
  readonly view: RawView
  readonly onView: (view: RawView) => void
}

/** How a tool or prompt looks in the view. Resources look as they are. */
export function ViewEntry({ entry, view, onView }: Props) {
  const { kind, target, own } = entry
  const { data: catalog } = useQuery(targetEntriesQuery(target, kind))
  const known = catalog?.entries.find((one) => one.own === own)
  if (kind !== 'tool' && kind !== 'prompt') return null
  const list = kind === 'tool' ? 'tools' : 'prompts'
  const key = `${target}/${own}`
  const raw = entryOf(view, list, key)
  const set = (next: RawEntry) => onView(withEntry(view, list, key, next))
  return (
    <section aria-label="How it looks in the view" className={styles.part}>
      <div className={styles.form}>
        <TextField
          label="Name in the view"
          value={raw.name ?? ''}
          placeholder={known?.key ?? own}
          onChange={(name) => set(withMember(raw, 'name', name))}
          isCode
        />
        <TextField
          label="Title in the view"
          value={raw.title ?? ''}
          placeholder={known?.title ?? ''}
          onChange={(title) => set(withMember(raw, 'title', title))}
        />
        <TextField
          label="Description in the view"
          value={raw.description ?? ''}
          placeholder={known?.description ?? ''}
          onChange={(description) => set(withMember(raw, 'description', description))}
          rows={2}
        />
      </div>
      {known && kind === 'tool' && <Parameters known={known} raw={raw} onChange={set} />}
    </section>
  )
}

interface ParametersProps {
  readonly known: CatalogEntry
  readonly raw: RawEntry
  readonly onChange: (raw: RawEntry) => void
}

function Parameters({ known, raw, onChange }: ParametersProps) {
  const { data } = useQuery(entryQuery(known.kind, known.key))
  const schema = data?.ownDefinition.inputSchema as { properties?: Record<string, unknown> } | undefined
  const names = Object.keys(schema?.properties ?? {})
  if (names.length === 0) return null
  return (
    <details open={raw.parameters !== undefined}>
      <summary>Parameters ({names.length})</summary>
      <div className={styles.parameters}>
        {names.map((name) => (
          <ViewParameter key={name} name={name} raw={raw} onChange={onChange} />
        ))}
      </div>
    </details>
  )
}
