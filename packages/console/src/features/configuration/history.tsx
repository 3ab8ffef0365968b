import { useMutation, useQuery } from '@tanstack/react-query'
import { History as Icon } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { ConfigVersion } from '../../api/contract.ts'
import { useMay } from '../../api/may.tsx'
import { queryClient, versionQuery, versionsQuery } from '../../api/queries.ts'
import { Badge } from '../../ui/signs/badge.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/layout/dialog.tsx'
import { Failure } from '../../ui/signs/notice.tsx'
import { Skeleton } from '../../ui/signs/skeleton.tsx'
import { Ago } from '../../ui/text/time.tsx'
import { notify } from '../../ui/signs/toasts.tsx'
import { Difference } from './apply-dialog.tsx'
import { inWords } from './effects-in-words.ts'
import styles from './history.module.css'

/** Goes back to a file that was in use, after a look at the difference. */
export function History({ disabled }: { disabled: boolean }) {
  const may = useMay()
  const { data } = useQuery({ ...versionsQuery, enabled: may('configVersions') })
  const [isOpen, setOpen] = useState(false)
  const isAnyOther = data?.versions.some(({ isCurrent }) => !isCurrent)
  if (!isAnyOther) return null
  return (
    <>
      <Button icon={Icon} onClick={() => setOpen(true)}>
        History…
      </Button>
      {isOpen && <Versions versions={data!.versions} canRestore={!disabled} onClose={() => setOpen(false)} />}
    </>
  )
}

interface Props {
  readonly versions: readonly ConfigVersion[]
  readonly canRestore: boolean
  readonly onClose: () => void
}

function Versions({ versions, canRestore, onClose }: Props) {
  const [chosen, setChosen] = useState(() => versions.find(({ isCurrent }) => !isCurrent)?.id ?? '')
  const { data, error } = useQuery(versionQuery(chosen))
  const restore = useMutation({
    mutationFn: (revision: string) => call('restoreConfig', { params: { id: chosen }, body: { revision } }),
    onSuccess: async ({ effects }) => {
      onClose()
      notify('An earlier file is in use again.', 'ok', inWords(effects))
      await queryClient.invalidateQueries()
    },
  })
  const isSame = data?.check.diff.length === 0
  const canGo = canRestore && data?.check.ok && !isSame && !restore.isPending
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="Files that were in use"
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button tone="primary" disabled={!canGo} onClick={() => restore.mutate(data!.revision)}>
            Go back to this one
          </Button>
        </>
      }
    >
      <ul className={styles.versions} aria-label="Versions">
        {versions.map(({ id, at, by, isCurrent }) => (
          <li key={id}>
            <button type="button" aria-pressed={id === chosen} onClick={() => setChosen(id)}>
              <span>{new Date(at).toLocaleString()}</span> <Ago at={at} />
              <span className={styles.by}>{by === undefined ? 'changed in the file' : `saved by ${by}`}</span>
              {isCurrent && <Badge tone="ok">in use</Badge>}
            </button>
          </li>
        ))}
      </ul>
      {!canRestore && <p>There are edits that are not saved, or the file cannot be written.</p>}
      {(restore.error ?? error) && <Failure error={(restore.error ?? error)!} />}
      {!data && !error && <Skeleton lines={4} />}
      {isSame && <p>The file says the same now.</p>}
      {data && !isSame && <Difference check={data.check} />}
    </Dialog>
  )
}
