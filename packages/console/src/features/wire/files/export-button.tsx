import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { gateway } from '../../../api/call.ts'
import type { WireDetail } from '../../../api/contract.ts'
import { parseJson } from '../../../api/json.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { saveFile } from '../../../ui/text/save-file.ts'
import { notifyError } from '../../../ui/signs/toasts.tsx'
import { toHar } from './har.ts'

interface Props {
  readonly filter?: string
  readonly id?: number
  /** `har` is for other programs: an HTTP Archive. */
  readonly format?: 'jsonl' | 'har'
}

/** What the filter lets through, or one exchange, as a file. */
export function ExportButton({ filter, id, format = 'jsonl' }: Props) {
  const download = useMutation({
    mutationFn: async () => {
      const query = id === undefined ? { ...(filter && { filter }) } : { ids: String(id) }
      const response = await gateway.request('wireExport', { query })
      const name = `${id === undefined ? 'exchanges' : `exchange-${id}`}.${format}`
      saveFile(format === 'jsonl' ? await response.blob() : toHar(linesOf(await response.text())), name)
    },
    onError: notifyError,
  })
  return (
    <Button icon={Download} disabled={download.isPending} onClick={() => download.mutate()}>
      {format === 'har' ? 'Export HAR' : 'Export'}
    </Button>
  )
}

function linesOf(text: string): WireDetail[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseJson(line) as WireDetail)
}
