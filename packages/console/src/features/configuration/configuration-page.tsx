import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { AdminError } from '../../api/contract.ts'
import { call } from '../../api/call.ts'
import type { ConfigText } from '../../api/contract.ts'
import { keep, readKept } from '../../api/kept.ts'
import { May, useMay } from '../../api/may.tsx'
import { configQuery, configSchemaQuery, queryClient } from '../../api/queries.ts'
import { Bar } from '../../ui/layout/bar.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Editor } from '../../ui/editor/editor.tsx'
import { Failure, Notice } from '../../ui/signs/notice.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Skeleton } from '../../ui/signs/skeleton.tsx'
import { Clock } from '../../ui/text/time.tsx'
import { notify } from '../../ui/signs/toasts.tsx'
import { ApplyDialog } from './apply-dialog.tsx'
import styles from './configuration-page.module.css'
import { FileView } from './file-view.tsx'
import { History } from './history.tsx'
import { inWords } from './effects-in-words.ts'
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

const KEPT = 'configuration'

/** Edits that were not saved, and the file that they began with. */
interface Kept {
  readonly base: Pick<ConfigText, 'text' | 'revision'>
  readonly text: string
}

/** With `show=file` the file itself, though there are edits: its errors are not those of the edits. */
function Edit({ config }: { config: ConfigText }) {
  const [kept] = useState(() => readKept(KEPT) as Kept | undefined)
  const [base, setBase] = useState<Kept['base']>(kept?.base ?? config)
  const [text, setText] = useState(kept?.text ?? config.text)
  const [isReviewing, setReviewing] = useState(false)
  const { line, show } = route.useSearch()
  const navigate = route.useNavigate()
  const goToLine = (to: number) =>
    navigate({ search: (old) => ({ ...old, line: String(to) }), replace: true })
  const { data: schema } = useQuery(configSchemaQuery)
  const may = useMay()
  const isWritable = config.writable && may('saveConfig')
  const isDirty = isWritable && text !== base.text
  useEffect(() => {
    keep(KEPT, isDirty ? { base: { text: base.text, revision: base.revision }, text } : undefined)
  }, [base, text, isDirty])
  // The file was changed elsewhere: take it, unless there are edits to lose.
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
      // The page would take an older file for a change made elsewhere, and put it in the place of what is typed now.
      await queryClient.cancelQueries(configQuery)
      const { revision } = saved
      queryClient.setQueryData(configQuery.queryKey, (old) => old && { ...old, text, revision })
      setBase({ ...base, text, revision })
      notify('The configuration was saved and applied.', 'ok', inWords(saved.effects))
      await queryClient.invalidateQueries()
    },
  })
  if (show === 'file' && isDirty) {
    return (
      <FileView
        config={config}
        line={line}
        onShow={goToLine}
        onBack={() => navigate({ search: {}, replace: true })}
      />
    )
  }
  return (
    <div className={styles.edit}>
      {isBehind && (
        <Notice tone="warn" title="The file was changed elsewhere while you edited">
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
      <Bar>
        <span className={styles.status} role="status">
          {isDirty ? 'Edited' : 'As saved'} · loaded <Clock at={config.status.loadedAt} /> · {config.format}
          {config.status.rejected && ' · the file was refused, an earlier one is in use'}
        </span>
        <History disabled={isDirty || !isWritable} />
        <May use="saveConfig">
          <Button disabled={!isDirty} onClick={() => setText(base.text)}>
            Undo all
          </Button>
          <Button
            tone="primary"
            disabled={!isDirty || !check.result?.ok || check.isPending}
            onClick={() => setReviewing(true)}
          >
            Review and apply…
          </Button>
        </May>
      </Bar>
      <div className={styles.editor}>
        <Editor
          label="Configuration file"
          format={config.format}
          value={text}
          onChange={isWritable ? setText : undefined}
          problems={problems}
          line={line === undefined ? undefined : Number(line)}
          tall
          {...(completions && { completions })}
        />
      </div>
      {check.error !== undefined && <Failure error={check.error} />}
      <Problems problems={problems} onShow={goToLine} />
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
