import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { AdminError } from '../../api/contract.ts'
import { call } from '../../api/call.ts'
import type { JsonObject, TargetDetail } from '../../api/contract.ts'
import { useEdited } from '../../api/kept.ts'
import { queryClient, targetQuery } from '../../api/queries.ts'
import { isJsonObject, parseJson, writeJson } from '../../api/json.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/layout/dialog.tsx'
import { Editor } from '../../ui/editor/editor.tsx'
import { Failure, Notice } from '../../ui/signs/notice.tsx'
import { notify } from '../../ui/signs/toasts.tsx'
import { useIsHere } from '../../ui/hooks/use-is-here.ts'
import styles from './target-configuration.module.css'

/** The entry of this target, as JSON whatever the file is; saving keeps the file's comments. */
export function TargetConfiguration({ target }: { target: TargetDetail }) {
  const original = writeJson(target.config.entry, undefined, 2)
  const edit = useEdited(`target ${target.name}`, { text: original, name: target.name })
  const { text, name } = edit.value
  const navigate = useNavigate()
  const isHere = useIsHere()
  const canSave = target.config.revision !== undefined
  const save = useMutation({
    mutationFn: async ({ text, name }: typeof edit.value) => {
      const entry = parseEntry(text)
      // The rest of the file may be another one by now; this entry may not.
      const { config } = await queryClient.fetchQuery({ ...targetQuery(target.name), staleTime: 0 })
      if (writeJson(config.entry, undefined, 2) !== original)
        throw new Error('The entry has just been changed elsewhere: nothing was saved.')
      const body = { entry, revision: config.revision ?? '', ...(name !== target.name && { name }) }
      return call('updateTarget', { params: { name: target.name }, body })
    },
    onSuccess: async (saved, sent) => {
      const { name } = sent
      notify(`${name} was saved${saved.backup ? '; the previous file was kept' : ''}.`)
      if (name !== target.name && isHere())
        await navigate({ to: '/targets/$name', params: { name }, search: { tab: 'configuration' } })
      await queryClient.invalidateQueries()
      edit.forgetSaved(sent)
    },
  })
  return (
    <div className={styles.configuration}>
      <p>
        {target.config.line === undefined ? (
          'This configuration was made in memory: nothing can be saved.'
        ) : (
          <>
            From line {target.config.line} of the file.{' '}
            <Link to="/configuration" search={{ line: String(target.config.line) }}>
              Show it there
            </Link>{' '}
            with its comments. Masks such as <code>••••3••••</code> stand for secrets and may stay as they
            are.
          </>
        )}
      </p>
      {edit.isBehind && !save.isPending && (
        <Notice tone="warn" title="The entry was changed elsewhere while you edited">
          <Button onClick={edit.forget}>Take the file, drop my edits</Button>{' '}
          <Button onClick={edit.goOn}>Keep my edits, over the new entry</Button>
        </Notice>
      )}
      <label className={styles.name}>
        Name
        <input
          value={name}
          disabled={!canSave}
          onChange={(event) => edit.set({ text, name: event.target.value })}
          spellCheck={false}
        />
      </label>
      <Editor
        label={`Configuration of ${target.name}`}
        format="jsonc"
        value={text}
        onChange={canSave ? (next) => edit.set({ text: next, name }) : undefined}
      />
      {save.error && <Failure error={save.error} />}
      {save.error instanceof AdminError && save.error.problem.details?.problems !== undefined && (
        <Problems problems={save.error.problem.details.problems} />
      )}
      {canSave && (
        <div className={styles.actions}>
          <Button
            tone="primary"
            disabled={!edit.isChanged || edit.isBehind || save.isPending}
            onClick={() => save.mutate(edit.value)}
          >
            Save
          </Button>
          <Button
            disabled={!edit.isChanged}
            onClick={() => {
              edit.forget()
              save.reset()
            }}
          >
            Undo changes
          </Button>
          <Remove target={target} />
        </div>
      )}
    </div>
  )
}

function Problems({ problems }: { problems: unknown }) {
  const list = Array.isArray(problems)
    ? (problems as { message?: string; path?: string; fix?: string }[])
    : []
  return (
    <Notice tone="bad" title="What is wrong">
      <ul>
        {list.map(({ message, path, fix }) => (
          <li key={`${path} ${message}`}>
            {path && <code>{path}</code>} {message} {fix}
          </li>
        ))}
      </ul>
    </Notice>
  )
}

function Remove({ target }: { target: TargetDetail }) {
  const [isOpen, setOpen] = useState(false)
  const navigate = useNavigate()
  const isHere = useIsHere()
  const remove = useMutation({
    mutationFn: () =>
      call('removeTarget', {
        params: { name: target.name },
        query: { ...(target.config.revision !== undefined && { revision: target.config.revision }) },
      }),
    onSuccess: async () => {
      notify(`${target.name} was taken out of the configuration.`)
      if (isHere()) await navigate({ to: '/' })
      await queryClient.invalidateQueries()
    },
  })
  return (
    <>
      <Button tone="danger" onClick={() => setOpen(true)}>
        Remove…
      </Button>
      <Dialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title={`Remove ${target.name}?`}
        actions={
          <>
            <Button onClick={() => setOpen(false)}>Keep it</Button>
            <Button tone="danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
              Remove
            </Button>
          </>
        }
      >
        <p>
          Its entry is taken out of the configuration file, its connections end, and clients lose its tools.
          The rest of the file stays as it is, comments included.
        </p>
        {remove.error && <Failure error={remove.error} />}
      </Dialog>
    </>
  )
}

function parseEntry(text: string): JsonObject {
  const value = parseJson(text)
  if (!isJsonObject(value)) throw new Error('The entry has to be an object.')
  return value
}
