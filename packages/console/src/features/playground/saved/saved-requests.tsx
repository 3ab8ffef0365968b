import { Trash2 } from 'lucide-react'
import { useId, useState } from 'react'
import { forget, useKept } from '../../../api/kept.ts'
import { useStore } from '../../../api/store.ts'
import { Button, IconButton } from '../../../ui/controls/button.tsx'
import { Card } from '../../../ui/layout/card.tsx'
import { Dialog } from '../../../ui/layout/dialog.tsx'
import { notify } from '../../../ui/signs/toasts.tsx'
import type { Pick } from '../drafts.ts'
import styles from './saved-requests.module.css'
import { forgetRequest, savedRequests, saveRequest, type SavedRequest } from './saved-store.ts'

/** Requests that were saved under a name. */
export function SavedRequests({ onOpen }: { onOpen: (saved: SavedRequest) => void }) {
  const saved = useStore(savedRequests)
  if (saved.length === 0) return null
  return (
    <Card title="Saved requests" flush>
      <ul className={styles.list} aria-label="Saved requests">
        {saved.map((one) => (
          <li key={one.title}>
            <button type="button" onClick={() => onOpen(one)}>
              <strong>{one.title}</strong> <code>{one.pick.name}</code>
            </button>
            <IconButton
              label={`Forget ${one.title}`}
              icon={Trash2}
              onClick={() => forgetRequest(one.title)}
            />
          </li>
        ))}
      </ul>
    </Card>
  )
}

const SLOT = 'name of a request'

export function SaveRequest({ pick, draft }: { pick: Pick; draft: unknown }) {
  const [isOpen, setOpen] = useState(false)
  const [title, setTitle] = useKept(SLOT, () => '')
  const id = useId()
  const save = () => {
    if (title.trim() === '') return
    saveRequest({ title: title.trim(), pick, draft })
    notify(`Saved as “${title.trim()}”.`)
    setTitle('')
    forget(SLOT)
    setOpen(false)
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>Save…</Button>
      <Dialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title="Save this request"
        actions={
          <>
            <Button onClick={() => setOpen(false)}>Not now</Button>
            <Button tone="primary" disabled={title.trim() === ''} onClick={save}>
              Save request
            </Button>
          </>
        }
      >
        <div className={styles.title}>
          <label htmlFor={id}>Name of the request</label>
          <input
            id={id}
            value={title}
            autoComplete="off"
            onChange={(event) => setTitle(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              event.preventDefault()
              save()
            }}
          />
        </div>
      </Dialog>
    </>
  )
}
