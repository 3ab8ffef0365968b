import { useMutation, useQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { previousConfigQuery, queryClient } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { notify } from '../../ui/toasts.tsx'
import { ApplyDialog } from './apply-dialog.tsx'
import { inWords } from './effects-in-words.ts'

/** Goes back to the file before the last save, after a look at the difference. */
export function Rollback({ disabled }: { disabled: boolean }) {
  const { data } = useQuery(previousConfigQuery)
  const [isOpen, setOpen] = useState(false)
  const restore = useMutation({
    mutationFn: (revision: string) => call('restoreConfig', { body: { revision } }),
    onSuccess: async ({ effects }) => {
      setOpen(false)
      notify('The file before the last save is in use again.', 'ok', inWords(effects))
      await queryClient.invalidateQueries()
    },
  })
  if (!data?.check || data.check.diff.length === 0) return null
  return (
    <>
      <Button icon={History} disabled={disabled} onClick={() => setOpen(true)}>
        Go back…
      </Button>
      <ApplyDialog
        open={isOpen}
        title="Go back to the file before the last save?"
        check={data.check}
        isSaving={restore.isPending}
        error={restore.error}
        onApply={() => restore.mutate(data.revision)}
        onClose={() => setOpen(false)}
      />
    </>
  )
}
