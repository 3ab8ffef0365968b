import { useMutation } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { call } from '../../api/call.ts'
import type { Access, EditView, EntryEdit, JsonObject } from '../../api/contract.ts'
import { keep, useKept } from '../../api/kept.ts'
import { queryClient } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Failure, Notice } from '../../ui/notice.tsx'
import { notify } from '../../ui/toasts.tsx'
import { useSettled } from '../../ui/use-settled.ts'
import { useIsHere } from '../../ui/use-is-here.ts'
import { SeenTable } from '../access/seen-table.tsx'
import { ApplyDialog } from '../configuration/apply-dialog.tsx'
import { inWords } from '../configuration/effects-in-words.ts'
import { toSave, type RawView } from './raw-view.ts'
import { ViewEntry } from './view-entry.tsx'
import { ViewFields } from './view-fields.tsx'
import styles from './views.module.css'

const route = getRouteApi('/view')

interface Draft {
  readonly name: string
  readonly view: RawView
}

interface Props {
  /** Empty: a new one. */
  readonly name: string
  readonly saved: RawView
  readonly access: Access
}

/** Edits a view, and shows at once what a model would read. Nothing is written before the difference was seen. */
export function ViewEditor({ name, saved, access }: Props) {
  const { q = '', show = '', entry = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const isHere = useIsHere()
  const slot = `view ${name}`
  const [draft, setDraft] = useKept<Draft>(slot, () => ({ name, view: saved }))
  const { view } = draft
  const setView = (next: RawView) => setDraft({ ...draft, view: next })
  const previewed = useSettled(draft)
  const shownView = toSave(previewed.view)
  // Those whom the view is for may see more than callers without credentials.
  const [key] = shownView.who?.apiKeys ?? access.keys.map((one) => one.name)
  const plan = useMutation({ mutationFn: (body: EditView) => call('editView', { body }) })
  const save = useMutation({
    mutationFn: ({ text, revision }: EntryEdit) => call('saveConfig', { body: { text, revision } }),
    onSuccess: async ({ effects }) => {
      const isGone = plan.variables?.view === null
      keep(slot, undefined)
      plan.reset()
      notify('The configuration was saved and applied.', 'ok', inWords(effects))
      await queryClient.invalidateQueries()
      if (!isHere()) return
      if (isGone) await navigate({ to: '/access', search: { tab: 'views' } })
      else await navigate({ search: (old) => ({ ...old, name: draft.name }) })
    },
  })
  const isChanged = JSON.stringify(view) !== JSON.stringify(saved)
  const canSave = draft.name !== '' && toSave(view).use !== undefined
  return (
    <div className={styles.part}>
      {isChanged && name !== '' && (
        <Notice tone="accent" title="Your changes are not saved yet.">
          <Button
            onClick={() => {
              keep(slot, undefined)
              setDraft({ name, view: saved })
            }}
          >
            Throw them away
          </Button>
        </Notice>
      )}
      <Card>
        <ViewFields
          draft={draft}
          isNew={name === ''}
          access={access}
          onName={(next) => setDraft({ ...draft, name: next })}
          onView={setView}
        />
      </Card>
      {plan.error && <Failure error={plan.error} />}
      <div className={styles.bar}>
        <Button
          tone="primary"
          disabled={!canSave || plan.isPending || (!isChanged && name !== '')}
          onClick={() => plan.mutate({ name: draft.name, view: toSave(view) as JsonObject })}
        >
          Review and save…
        </Button>
        {name !== '' && (
          <Button tone="danger" onClick={() => plan.mutate({ name, view: null })}>
            Remove…
          </Button>
        )}
      </div>
      <h2>What the model sees</h2>
      {shownView.use === undefined || previewed.name === '' ? (
        <p className={styles.muted}>Give it a name, and say what is in it.</p>
      ) : (
        <SeenTable
          ask={{
            endpoint: previewed.name,
            edited: shownView as JsonObject,
            ...(key !== undefined && { as: `key:${key}` }),
          }}
          isForAnybody
          shown={{ q, show, entry }}
          onShow={(change) => navigate({ search: (old) => ({ ...old, ...change }), replace: true })}
          beside={(one) => <ViewEntry entry={one} view={view} onView={setView} />}
        />
      )}
      {plan.data && (
        <ApplyDialog
          open
          check={plan.data.check}
          isSaving={save.isPending}
          error={save.error}
          onApply={() => save.mutate(plan.data)}
          onClose={plan.reset}
        />
      )}
    </div>
  )
}
