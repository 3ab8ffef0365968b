import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { Access } from '../../api/contract.ts'
import { queryClient } from '../../api/queries.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Code } from '../../ui/text/code.tsx'
import { Dialog } from '../../ui/layout/dialog.tsx'
import { Check, Select } from '../../ui/controls/fields.tsx'
import { Failure } from '../../ui/signs/notice.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import styles from './access.module.css'

const DAY = 24 * 60 * 60 * 1000

/** Makes a key. It is shown this once. */
export function AddKey({ access, onClose }: { access: Access; onClose: () => void }) {
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState('')
  const [days, setDays] = useState('')
  const [views, setViews] = useState<readonly string[]>([])
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
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['access'] }),
  })
  if (add.data) {
    return (
      <Dialog
        open
        onClose={onClose}
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
        <TextField label="Name" value={name} onChange={setName} placeholder="support-desk" isCode />
        <TextField
          label="Scopes"
          value={scopes}
          onChange={setScopes}
          hint="Rules can ask for them. gantry:admin opens this console."
          isCode
        />
        <Select
          label="Expires"
          shown
          value={days}
          onChange={setDays}
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
              setViews((old) => (isChosen ? [...old, view.name] : old.filter((one) => one !== view.name)))
            }
          />
        ))}
      </div>
    </Dialog>
  )
}
