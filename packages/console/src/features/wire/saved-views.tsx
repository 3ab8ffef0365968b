import { BookmarkPlus, X } from 'lucide-react'
import { useState } from 'react'
import { parseJson, writeJson } from '../../api/json.ts'
import { forget, useKept } from '../../api/kept.ts'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/layout/dialog.tsx'
import styles from './saved-views.module.css'

interface View {
  readonly name: string
  readonly filter: string
  readonly sort: string
}

const KEY = 'gantry.wire.views'

const BUILT_IN: readonly View[] = [
  { name: 'Everything', filter: '', sort: '' },
  { name: 'Failures', filter: 'status:error,refused', sort: '' },
  { name: 'Slowest', filter: 'method:tools/call', sort: '-duration' },
  { name: 'Questions', filter: 'status:input-required,refused', sort: '' },
]

interface Props {
  readonly filter: string
  readonly sort: string
  readonly onChoose: (view: { readonly filter: string; readonly sort: string }) => void
}

/** Filters with an order, by name. Those of the user stay in this browser. */
export function SavedViews({ filter, sort, onChoose }: Props) {
  const [own, setOwn] = useState(readViews)
  const [isNaming, setNaming] = useState(false)
  const write = (views: readonly View[]) => {
    localStorage.setItem(KEY, writeJson(views))
    setOwn(views)
  }
  const known = [...BUILT_IN, ...own]
  const isKnown = known.some((view) => view.filter === filter && view.sort === sort)
  return (
    <nav className={styles.views} aria-label="Saved views">
      {known.map((view) => (
        <span key={view.name}>
          <button
            type="button"
            aria-current={view.filter === filter && view.sort === sort ? 'true' : undefined}
            onClick={() => onChoose(view)}
          >
            {view.name}
          </button>
          {own.includes(view) && (
            <IconButton
              label={`Forget the view ${view.name}`}
              icon={X}
              onClick={() => write(own.filter((one) => one !== view))}
            />
          )}
        </span>
      ))}
      {!isKnown && (
        <Button icon={BookmarkPlus} tone="ghost" onClick={() => setNaming(true)}>
          Save view
        </Button>
      )}
      {isNaming && (
        <NameView
          onClose={() => setNaming(false)}
          onName={(name) => {
            write([...own.filter((view) => view.name !== name), { name, filter, sort }])
            setNaming(false)
          }}
        />
      )}
    </nav>
  )
}

const SLOT = 'name of a view'

function NameView({ onName, onClose }: { onName: (name: string) => void; onClose: () => void }) {
  const [name, setName] = useKept(SLOT, () => '')
  const isTaken = BUILT_IN.some((view) => view.name === name.trim())
  return (
    <Dialog open title="Save view" onClose={onClose}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (name.trim() === '' || isTaken) return
          forget(SLOT)
          onName(name.trim())
        }}
      >
        <label>
          Name of the view
          <input value={name} maxLength={40} onChange={(event) => setName(event.target.value)} />
        </label>
        {isTaken && <p role="alert">There is a view of this name already.</p>}
        <Button type="submit" tone="primary" disabled={name.trim() === '' || isTaken}>
          Save
        </Button>
      </form>
    </Dialog>
  )
}

function readViews(): readonly View[] {
  try {
    const views: unknown = parseJson(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(views) ? views.filter(isView) : []
  } catch {
    return []
  }
}

function isView(value: unknown): value is View {
  const { name, filter, sort } = (value ?? {}) as Partial<View>
  return [name, filter, sort].every((part) => typeof part === 'string')
}
