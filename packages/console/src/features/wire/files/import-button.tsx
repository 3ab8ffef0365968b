import { Upload } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '../../../ui/controls/button.tsx'
import { notifyError } from '../../../ui/signs/toasts.tsx'
import { importFile } from './imported.ts'

/** Shows the exchanges of a file: an export of this page, or a HAR file. */
export function ImportButton() {
  const input = useRef<HTMLInputElement>(null)
  const read = (file: File | undefined) => {
    if (file) importFile(file).catch(notifyError)
  }
  return (
    <>
      <Button icon={Upload} onClick={() => input.current?.click()}>
        Import
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="File with exchanges"
        accept=".jsonl,.har,.json"
        onChange={(event) => {
          read(event.target.files?.[0])
          event.target.value = ''
        }}
      />
    </>
  )
}
