import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../../api/call.ts'
import type { EntryEdit } from '../../api/contract.ts'
import { queryClient } from '../../api/queries.ts'
import { Failure } from '../../ui/signs/notice.tsx'
import { notify } from '../../ui/signs/toasts.tsx'
import { ApplyDialog } from './apply-dialog.tsx'
import { inWords } from './effects-in-words.ts'

interface ConfigEdit<Change> {
  /** Asks how the file would change, and shows it. */
  readonly review: (change: Change) => void
  readonly isPending: boolean
  /** Why it cannot be planned. */
  readonly problem: ReactNode
  /** The difference, while it is looked at. */
  readonly dialog: ReactNode
}

/** A change of the configuration by a form: planned by the gateway, looked at as a difference, then saved. */
export function useConfigEdit<Change>(
  planned: (change: Change) => Promise<EntryEdit>,
  onSaved?: (change: Change) => unknown,
): ConfigEdit<Change> {
  const plan = useMutation({ mutationFn: planned })
  const save = useMutation({
    mutationFn: ({ text, revision }: EntryEdit) => call('saveConfig', { body: { text, revision } }),
    onSuccess: async ({ effects }) => {
      const change = plan.variables!
      plan.reset()
      notify('The configuration was saved and applied.', 'ok', inWords(effects))
      const after = onSaved?.(change)
      await queryClient.invalidateQueries()
      await after
    },
  })
  return {
    review: plan.mutate,
    isPending: plan.isPending,
    problem: plan.error && <Failure error={plan.error} />,
    dialog: plan.data && (
      <ApplyDialog
        open
        check={plan.data.check}
        isSaving={save.isPending}
        error={save.error}
        onApply={() => save.mutate(plan.data)}
        onClose={plan.reset}
      />
    ),
  }
}
