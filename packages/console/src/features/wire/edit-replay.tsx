import { useRef } from 'react'
import type { JsonObject } from '../../api/contract.ts'
import { isJsonObject } from '../../api/json.ts'
import { forget, useKept } from '../../api/kept.ts'
import { RawJson } from '../../schema-form/raw-json.tsx'
import { goToUnreadable } from '../../schema-form/unreadable.tsx'
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
  const box = useRef<HTMLDivElement>(null)
  const isObject = isJsonObject(edited)
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Replay ${method}`}
      wide
      actions={
        <Button
          tone="primary"
          disabled={isSending || !isObject}
          onClick={() => {
            if (!isObject || goToUnreadable(box.current!)) return
            forget(slot)
            onSend(edited)
          }}
        >
          Send
        </Button>
      }
    >
      <div ref={box}>
        <RawJson label="Parameters" slot={`${slot}/raw`} value={edited} onChange={setEdited} />
      </div>
      {!isObject && <p role="alert">Parameters are a JSON object.</p>}
    </Dialog>
  )
}
