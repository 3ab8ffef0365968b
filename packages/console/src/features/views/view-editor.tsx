import { getRouteApi } from '@tanstack/react-router'
import { call } from '../../api/call.ts'
import type { Access, EditView, JsonObject } from '../../api/contract.ts'
import { useEdited } from '../../api/kept.ts'
import { May, useMay } from '../../api/may.tsx'
import { Bar } from '../../ui/layout/bar.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { Notice } from '../../ui/signs/notice.tsx'
import { useSettled } from '../../ui/hooks/use-settled.ts'
import { useIsHere } from '../../ui/hooks/use-is-here.ts'
import { SeenTable } from '../access/seen-table.tsx'
import { useConfigEdit } from '../configuration/use-config-edit.tsx'
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
  const may = useMay()
  const isHere = useIsHere()
  const edited = useEdited<Draft>(`view ${name}`, { name, view: saved })
  const { value: draft, set: setDraft } = edited
  const { view } = draft
  const setView = (next: RawView) => setDraft({ ...draft, view: next })
  const previewed = useSettled(draft)
  const shownView = toSave(previewed.view)
  // Those whom the view is for may see more than callers without credentials.
  const [key] = shownView.who?.apiKeys ?? access.keys.map((one) => one.name)
  const edit = useConfigEdit(
    (body: EditView) => call('editView', { body }),
    async (change) => {
      edited.forget()
      if (!isHere()) return
      if (change.view === null) await navigate({ to: '/access', search: { tab: 'views' } })
      else await navigate({ search: (old) => ({ ...old, name: draft.name }) })
    },
  )
  const canSave = draft.name !== '' && toSave(view).use !== undefined
  return (
    <div className={styles.part}>
      {edited.isChanged && name !== '' && (
        <Notice
          tone={edited.isBehind ? 'warn' : 'accent'}
          title={
            edited.isBehind
              ? 'The view was changed elsewhere, and your changes are not saved yet.'
              : 'Your changes are not saved yet.'
          }
        >
          <Button onClick={edited.forget}>Throw them away</Button>
        </Notice>
      )}
      <Card>
        <fieldset className={styles.fields} disabled={!may('editView')}>
          <ViewFields
            draft={draft}
            isNew={name === ''}
            access={access}
            onName={(next) => setDraft({ ...draft, name: next })}
            onView={setView}
          />
        </fieldset>
      </Card>
      {edit.problem}
      <May use="editView">
        <Bar>
          <Button
            tone="primary"
            disabled={!canSave || edit.isPending || (!edited.isChanged && name !== '')}
            onClick={() => edit.review({ name: draft.name, view: toSave(view) as JsonObject })}
          >
            Review and save…
          </Button>
          {name !== '' && (
            <Button tone="danger" onClick={() => edit.review({ name, view: null })}>
              Remove…
            </Button>
          )}
        </Bar>
      </May>
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
          beside={(one) => may('editView') && <ViewEntry entry={one} view={view} onView={setView} />}
        />
      )}
      {edit.dialog}
    </div>
  )
}
