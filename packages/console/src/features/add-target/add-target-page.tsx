import { useMutation } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { call } from '../../api/call.ts'
import type { TrialsStarted } from '../../api/contract.ts'
import { forget, useKept } from '../../api/kept.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { Explain, Failure } from '../../ui/signs/notice.tsx'
import { Page } from '../../ui/layout/page.tsx'
import styles from './add-target-page.module.css'
import { Trial } from './trial.tsx'

const route = getRouteApi('/add-target')

const EXAMPLES = [
  ['A command', 'npx -y @modelcontextprotocol/server-everything'],
  ['A URL', 'https://example.com/mcp'],
  [
    'A client’s settings',
    '{\n  "mcpServers": {\n    "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."] }\n  }\n}',
  ],
  ['An OpenAPI description', 'https://example.com/openapi.json'],
] as const

/** Paste anything; it is tried before it is saved. */
export function AddTargetPage() {
  const { text: given = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const [text, setText] = useKept('pasted', () => '')
  const [started, setStarted] = useState<TrialsStarted>()
  const start = useMutation({
    mutationFn: () => call('startTrial', { body: { text } }),
    onSuccess: setStarted,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a link brings its text one time
  useEffect(() => {
    if (given === '') return
    setText(given)
    void navigate({ search: {}, replace: true })
  }, [given])
  return (
    <Page
      title="Add a target"
      lead="Paste a command, a URL, an mcpServers snippet or an OpenAPI description. It is tried before anything is saved."
    >
      <Card>
        <form
          className={styles.form}
          onSubmit={(event) => {
            event.preventDefault()
            start.mutate()
          }}
        >
          <textarea
            aria-label="Command, URL, snippet or description"
            rows={6}
            value={text}
            spellCheck={false}
            placeholder={EXAMPLES[0][1]}
            onChange={(event) => setText(event.target.value)}
          />
          <div className={styles.bar}>
            <Button type="submit" tone="primary" disabled={text.trim() === '' || start.isPending}>
              Try it
            </Button>
            <span>Examples:</span>
            {EXAMPLES.map(([title, example]) => (
              <Button key={title} tone="ghost" onClick={() => setText(example)}>
                {title}
              </Button>
            ))}
          </div>
        </form>
      </Card>
      {start.error && <Failure error={start.error} />}
      {started?.refused.map(({ name, problem }) => (
        <Card key={name} title={name}>
          <Explain problem={problem} />
        </Card>
      ))}
      {started?.trials.map((trial) => (
        <Trial
          key={trial.id}
          first={trial}
          // The others of a snippet are still wanted.
          onSaved={() => started.trials.length === 1 && forget('pasted')}
        />
      ))}
    </Page>
  )
}
