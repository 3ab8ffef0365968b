import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import { call } from '../../api/call.ts'
import type { CatalogEntryDetail, EditEntry } from '../../api/contract.ts'
import { useEdited, type Edited } from '../../api/kept.ts'
import { queryClient } from '../../api/queries.ts'
import { Button } from '../../ui/controls/button.tsx'
import { useConfigEdit } from '../configuration/use-config-edit.tsx'
import styles from './entry-settings.module.css'

type Change = Pick<EditEntry, 'enabled' | 'name' | 'description'>

interface Props {
  readonly entry: CatalogEntryDetail
  /** The name under which it was found is gone. */
  readonly onRenamed: () => void
}

/** Hides, renames and describes an entry in the configuration, after a look at the difference. */
export function EntrySettings({ entry, onRenamed }: Props) {
  const { kind, target, own, shownAs } = entry
  const texts = useEdited(`entry ${kind} ${target} ${own}`, {
    name: shownAs.name ?? '',
    description: shownAs.description ?? '',
  })
  const edit = useConfigEdit(
    (change: Change) => call('editEntry', { body: { kind, target, own, ...change } }),
    async ({ enabled, name }) => {
      if (name !== undefined && name !== (shownAs.name ?? '')) onRenamed()
      await queryClient.invalidateQueries({ queryKey: ['catalog'] })
      if (enabled === undefined) texts.forget()
    },
  )
  return (
    <section className={styles.settings} aria-label="How clients see it">
      <h3>How clients see it</h3>
      <Shown entry={entry} onChange={(enabled) => edit.review({ enabled })} />
      <Texts entry={entry} texts={texts} onReview={edit.review} isPending={edit.isPending} />
      {edit.problem}
      {edit.dialog}
    </section>
  )
}

function Shown({ entry, onChange }: { entry: CatalogEntryDetail; onChange: (enabled: boolean) => void }) {
  const { visible, hiddenBy, key } = entry
  const isOurs = visible || hiddenBy === 'exclude' || hiddenBy === 'include'
  if (!isOurs) {
    return (
      <p>
        It is hidden by another rule.{' '}
        <Link to="/why" search={{ name: key }}>
          Why?
        </Link>
      </p>
    )
  }
  return (
    <label className={styles.switch}>
      <input
        type="checkbox"
        role="switch"
        aria-checked={visible}
        checked={visible}
        onChange={(event) => onChange(event.target.checked)}
      />
      Shown to clients
    </label>
  )
}

interface TextsProps {
  readonly entry: CatalogEntryDetail
  readonly texts: Edited<{ readonly name: string; readonly description: string }>
  readonly onReview: (change: Change) => void
  readonly isPending: boolean
}

function Texts({ entry, texts, onReview, isPending }: TextsProps) {
  const { kind, own, ownDefinition } = entry
  const { name, description } = texts.value
  const id = useId()
  const canRename = kind === 'tool' || kind === 'prompt'
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        onReview({ description, ...(canRename && { name }) })
      }}
    >
      {canRename && (
        <>
          <label htmlFor={`${id}-name`}>Name</label>
          <input
            id={`${id}-name`}
            value={name}
            placeholder={own}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => texts.set({ name: event.target.value, description })}
          />
        </>
      )}
      <label htmlFor={`${id}-text`}>Description</label>
      <textarea
        id={`${id}-text`}
        rows={3}
        value={description}
        placeholder={String(ownDefinition.description ?? '')}
        onChange={(event) => texts.set({ name, description: event.target.value })}
      />
      <p className={styles.hint}>Empty fields keep what the target says.</p>
      <div className={styles.actions}>
        <Button type="submit" disabled={!texts.isChanged || isPending}>
          Review and save…
        </Button>
        {texts.isChanged && <Button onClick={texts.forget}>Undo</Button>}
      </div>
    </form>
  )
}
