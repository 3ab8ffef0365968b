import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../../api/call.ts'
import type { TrialReport } from '../../api/contract.ts'
import { queryClient } from '../../api/queries.ts'
import { writeJson } from '../../api/json.ts'
import { useKept } from '../../api/kept.ts'
import { Badge, EraBadge, type Tone } from '../../ui/signs/badge.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { Code } from '../../ui/text/code.tsx'
import { formatDuration, plural } from '../../ui/text/format.ts'
import { Explain, Failure } from '../../ui/signs/notice.tsx'
import { Rich } from '../../ui/text/rich.tsx'
import { notify } from '../../ui/signs/toasts.tsx'
import { useIsHere } from '../../ui/hooks/use-is-here.ts'
import { Steps } from '../target/steps.tsx'
import styles from './add-target-page.module.css'

const TONES: Record<TrialReport['status'], Tone> = {
  running: 'accent',
  ok: 'ok',
  failed: 'bad',
  cancelled: 'plain',
}

/** How far a trial got, and the way to save what was tried. */
export function Trial({ first, onSaved }: { first: TrialReport; onSaved: () => void }) {
  const { data: trial } = useQuery({
    queryKey: ['trial', first.id],
    queryFn: () => call('trial', { params: { id: first.id }, query: {} }),
    initialData: first,
    // The event stream brings each step; this is for when it does not.
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? 2_000 : false),
  })
  const title = (
    <>
      {trial.name} <Badge tone={TONES[trial.status]}>{trial.status === 'ok' ? 'works' : trial.status}</Badge>
    </>
  )
  return (
    <Card
      title={title}
      actions={trial.duration !== undefined && <span>{formatDuration(trial.duration)}</span>}
    >
      <div className={styles.trial} aria-live="polite">
        <p>
          Understood as {trial.understoodAs.source}: <Rich text={trial.understoodAs.what} />
        </p>
        {trial.understoodAs.notes.length > 0 && (
          <ul className={styles.notes}>
            {trial.understoodAs.notes.map((note) => (
              <li key={note}>
                <Rich text={note} />
              </li>
            ))}
          </ul>
        )}
        {trial.problem && <Explain problem={trial.problem} />}
        {trial.warnings.map((warning) => (
          <Explain key={warning.code + warning.what} problem={warning} tone="warn" />
        ))}
        {trial.found && <Found found={trial.found} />}
        {trial.status === 'running' ? <Cancel id={trial.id} /> : <Save trial={trial} onSaved={onSaved} />}
        <Steps steps={trial.steps} />
        {trial.stderr.length > 0 && (
          <details open={trial.status === 'failed'}>
            <summary>{plural(trial.stderr.length, 'line')} on stderr</summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable, so the keyboard has to get there */}
            <pre className={styles.log} tabIndex={0}>
              {trial.stderr.map(({ text }) => text).join('\n')}
            </pre>
          </details>
        )}
        <details>
          <summary>What would be written</summary>
          <Code label="entry" text={writeJson({ [trial.name]: trial.understoodAs.entry }, undefined, 2)} />
        </details>
      </div>
    </Card>
  )
}

function Found({ found }: { found: NonNullable<TrialReport['found']> }) {
  return (
    <>
      <div className={styles.found}>
        <EraBadge era={found.era} revision={found.revision} />
        <Badge>{found.transport}</Badge>
        {found.serverInfo && (
          <span>
            {found.serverInfo.title ?? found.serverInfo.name} {found.serverInfo.version}
          </span>
        )}
        <span>
          {plural(found.counts.tools, 'tool')}, {plural(found.counts.prompts, 'prompt')},{' '}
          {plural(found.counts.resources, 'resource')}
        </span>
      </div>
      <div className={styles.tools}>
        {found.tools.map((tool) => (
          <Badge key={tool}>{tool}</Badge>
        ))}
      </div>
    </>
  )
}

function Cancel({ id }: { id: string }) {
  return (
    <div>
      <Button onClick={() => void call('cancelTrial', { params: { id } }).catch(() => {})}>
        Stop trying
      </Button>
    </div>
  )
}

function Save({ trial, onSaved }: { trial: TrialReport; onSaved: () => void }) {
  const [name, setName] = useKept(`pasted/${trial.name}`, () => trial.name)
  const navigate = useNavigate()
  const isHere = useIsHere()
  const save = useMutation({
    mutationFn: () => call('addTarget', { body: { trial: trial.id, name } }),
    onSuccess: async () => {
      notify(`${name} was added.`)
      onSaved()
      await queryClient.invalidateQueries({ queryKey: ['overview'] })
      if (isHere()) await navigate({ to: '/targets/$name', params: { name } })
    },
  })
  return (
    <>
      {save.error && <Failure error={save.error} />}
      <form
        className={styles.save}
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <label>
          Name
          <input value={name} onChange={(event) => setName(event.target.value)} spellCheck={false} />
        </label>
        <Button
          type="submit"
          tone={trial.status === 'ok' ? 'primary' : 'plain'}
          disabled={name === '' || save.isPending}
        >
          {trial.status === 'ok' ? 'Add to the configuration' : 'Add it all the same'}
        </Button>
      </form>
    </>
  )
}
