import { useState } from 'react'
import type { JsonObject } from '../../api/contract.ts'
import { keep, useKept } from '../../api/kept.ts'
import { RawJson } from '../../schema-form/raw-json.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/layout/dialog.tsx'

interface Props {
  readonly id: number
  readonly method: string
  readonly params: JsonObject
  readonly isSending: boolean
  readonly onSend: (params: JsonObject) => void
  readonly onClose: () => void
}

/** The parameters of an exchange, to be changed and sent again. Only what the editor shows can be sent. */
export function EditReplay({ id, method, params, isSending, onSend, onClose }: Props) {
  const slot = `replay ${id}`
  const [edited, setEdited] = useKept<unknown>(slot, () => params)
  const [isReadable, setReadable] = useState(true)
  const isObject = typeof edited === 'object' && edited !== null && !Array.isArray(edited)
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Replay ${method}`}
      wide
      actions={
        <Button
          tone="primary"
          disabled={isSending || !isReadable || !isObject}
          onClick={() => {
            keep(slot, undefined)
            onSend(edited as JsonObject)
          }}
        >
          Send
        </Button>
      }
    >
      <RawJson label="Parameters" value={edited} onChange={setEdited} onReadable={setReadable} />
      {isReadable && !isObject && <p role="alert">Parameters are a JSON object.</p>}
    </Dialog>
  )
}
