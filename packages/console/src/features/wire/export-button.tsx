import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { gateway } from '../../api/call.ts'
import { Button } from '../../ui/button.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { notifyError } from '../../ui/toasts.tsx'

/** JSON lines of what the filter lets through, or of one exchange. */
export function ExportButton({ filter, id }: { filter?: string; id?: number }) {
  const download = useMutation({
    mutationFn: async () => {
      const query = id === undefined ? { ...(filter && { filter }) } : { ids: String(id) }
      const response = await gateway.request('wireExport', { query })
      saveFile(await response.blob(), id === undefined ? 'exchanges.jsonl' : `exchange-${id}.jsonl`)
    },
    onError: notifyError,
  })
  return (
    <Button icon={Download} disabled={download.isPending} onClick={() => download.mutate()}>
      Export
    </Button>
  )
}
