import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { AdminError } from '../../api/contract.ts'
import { call } from '../../api/call.ts'
import type { ConfigText } from '../../api/contract.ts'
import { configQuery, configSchemaQuery, queryClient } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Editor } from '../../ui/editor/lazy-editor.tsx'
import { Failure, Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Clock } from '../../ui/time.tsx'
import { notify } from '../../ui/toasts.tsx'
import { ApplyDialog } from './apply-dialog.tsx'
import styles from './configuration-page.module.css'
import { Problems } from './problems.tsx'
import { schemaCompletions } from './schema-completions.ts'
import { useConfigCheck } from './use-config-check.ts'

const route = getRouteApi('/configuration')

export function ConfigurationPage() {
  const { data, error } = useQuery(configQuery)
  return (
    <Page title="Configuration" lead={data?.file ?? (data && 'Made in memory; nothing can be saved')} fill>
      {error && <Failure error={error} />}
      {!data && !error && <Skeleton lines={12} />}
      {data && <Edit config={data} />}
    </Page>
  )
}

function Edit({ config }: { config: ConfigText }) {
  const [base, setBase] = useState(config)
  const [text, setText] = useState(config.text)
  const [isReviewing, setReviewing] = useState(false)
  const { line } = route.useSearch()
  const [shownLine, setShownLine] = useState(line === undefined ? undefined : Number(line))
  const { data: schema } = useQuery(configSchemaQuery)
  const isDirty = text !== base.text
  // Somebody else changed the file: take it, unless there are edits to lose.
  if (config.revision !== base.revision && (!isDirty || config.text === text)) {
    setBase(config)
    setText(config.text)
  }
  const isBehind = config.revision !== base.revision && isDirty && config.text !== text
  const check = useConfigCheck(text, base.revision, isDirty)
  const completions = useMemo(
    () => schema && schemaCompletions(schema, config.format),
    [schema, config.format],
  )
  const problems = isDirty ? check.problems : config.problems
  const save = useMutation({
    mutationFn: () => call('saveConfig', { body: { text, revision: base.revision } }),
    onSuccess: async (saved) => {
      setReviewing(false)
      setBase({ ...base, text, revision: saved.revision })
      notify('The configuration was saved and applied.', 'ok', inWords(saved.effects))
      await queryClient.invalidateQueries()
    },
  })
  return (
    <div className={styles.edit}>
      {isBehind && (
        <Notice tone="warn" title="The file was changed by somebody else while you edited">
          <Button
            onClick={() => {
              setBase(config)
              setText(config.text)
            }}
          >
            Take the file, drop my edits
          </Button>{' '}
          <Button onClick={() => setBase(config)}>Keep my edits, over the new file</Button>
        </Notice>
      )}
      <div className={styles.bar}>
        <span className={styles.status} role="status">
          {isDirty ? 'Edited' : 'As saved'} · loaded <Clock at={config.status.loadedAt} /> · {config.format}
          {config.status.rejected && ' · the file was refused, an earlier one is in use'}
        </span>
        <Button disabled={!isDirty} onClick={() => setText(base.text)}>
          Undo all
        </Button>
        <Button
          tone="primary"
          disabled={!isDirty || !config.writable || !check.result?.ok || check.isPending}
          onClick={() => setReviewing(true)}
        >
          Review and apply…
        </Button>
      </div>
      <div className={styles.editor}>
        <Editor
          label="Configuration file"
          format={config.format}
          value={text}
          onChange={config.writable ? setText : undefined}
          problems={problems}
          line={shownLine}
          tall
          {...(completions && { completions })}
        />
      </div>
      {check.error !== undefined && <Failure error={check.error} />}
      <Problems problems={problems} onShow={setShownLine} />
      {check.result && (
        <ApplyDialog
          open={isReviewing}
          check={check.result}
          isSaving={save.isPending}
          error={save.error && explain(save.error)}
          onApply={() => save.mutate()}
          onClose={() => setReviewing(false)}
        />
      )}
    </div>
  )
}

function explain(error: Error): Error {
  if (!(error instanceof AdminError) || error.problem.code !== 'conflict') return error
  const fix = 'Close this, look at what the file says now, and decide which to keep.'
  return new AdminError(error.status, { code: 'conflict', message: error.message, fix })
}

function inWords(effects: {
  added: readonly string[]
  removed: readonly string[]
  changed: readonly { name: string }[]
}): string {
  const parts = [
    effects.added.length > 0 && `added ${effects.added.join(', ')}`,
    effects.removed.length > 0 && `removed ${effects.removed.join(', ')}`,
    effects.changed.length > 0 && `changed ${effects.changed.map(({ name }) => name).join(', ')}`,
  ].filter(Boolean)
  return parts.length === 0 ? 'No target was touched.' : `${parts.join('; ')}.`
}
