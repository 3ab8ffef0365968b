import { useMutation } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { Access } from '../../api/contract.ts'
import { keep, useKept } from '../../api/kept.ts'
import { queryClient } from '../../api/queries.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Code } from '../../ui/text/code.tsx'
import { Dialog } from '../../ui/layout/dialog.tsx'
import { Check, Select } from '../../ui/controls/fields.tsx'
import { Failure } from '../../ui/signs/notice.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import styles from './access.module.css'

/** What was typed, until the key is made. */
interface Draft {
  readonly name: string
  readonly scopes: string
  readonly days: string
  readonly views: readonly string[]
}

const SLOT = 'new key'
const DAY = 24 * 60 * 60 * 1000

/** Makes a key. It is shown this once. */
export function AddKey({ access, onClose }: { access: Access; onClose: () => void }) {
  const [draft, setDraft] = useKept<Draft>(SLOT, () => ({ name: '', scopes: '', days: '', views: [] }))
  const { name, scopes, days, views } = draft
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const add = useMutation({
    mutationFn: () =>
      call('addKey', {
        body: {
          name,
          scopes: scopes.split(/[\s,]+/).filter((one) => one !== ''),
          views,
          ...(days !== '' && { expiresAt: Date.now() + Number(days) * DAY }),
        },
      }),
    onSuccess: () => {
      keep(SLOT, undefined)
      return queryClient.invalidateQueries({ queryKey: ['access'] })
    },
  })
  if (add.data) {
    return (
      <Dialog
        open
        title={`The key “${add.data.row.name}”`}
        actions={
          <Button tone="primary" onClick={onClose}>
            I have it
          </Button>
        }
      >
        <p>It is shown this once. Clients send it as a bearer token.</p>
        <Code label="key" text={add.data.key} />
      </Dialog>
    )
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Make a key"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="primary" disabled={name === '' || add.isPending} onClick={() => add.mutate()}>
            Make it
          </Button>
        </>
      }
    >
      {add.error && <Failure error={add.error} />}
      <div className={styles.part}>
        <TextField
          label="Name"
          value={name}
          onChange={(next) => change({ name: next })}
          placeholder="support-desk"
          isCode
        />
        <TextField
          label="Scopes"
          value={scopes}
          onChange={(next) => change({ scopes: next })}
          hint="Rules can ask for them. gantry:admin opens this console."
          isCode
        />
        <Select
          label="Expires"
          shown
          value={days}
          onChange={(next) => change({ days: next })}
          options={[
            ['', 'never'],
            ['7', 'in 7 days'],
            ['30', 'in 30 days'],
            ['90', 'in 90 days'],
            ['365', 'in a year'],
          ]}
        />
        {access.views.map((view) => (
          <Check
            key={view.name}
            label={`Only /mcp/${view.name}`}
            checked={views.includes(view.name)}
            onChange={(isChosen) =>
              change({ views: isChosen ? [...views, view.name] : views.filter((one) => one !== view.name) })
            }
          />
        ))}
      </div>
    </Dialog>
  )
}
