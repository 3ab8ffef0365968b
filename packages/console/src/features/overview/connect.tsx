import { useEffect, useState } from 'react'
import type { EndpointInfo, Overview, Snippet } from '../../api/contract.ts'
import { Code } from '../../ui/text/code.tsx'
import { CopyButton } from '../../ui/controls/copy.tsx'
import { Select } from '../../ui/controls/fields.tsx'
import styles from './connect.module.css'

const KEY = 'gantry.snippet'
const CONNECTED = 'gantry.connected'

/** Folds away once a client has come: people know how by then. */
export function ConnectCard({ overview: { endpoint, snippets, hadClients } }: { overview: Overview }) {
  const [wasConnected, setConnected] = useState(() => localStorage.getItem(CONNECTED) !== null)
  useEffect(() => {
    if (!hadClients) return
    localStorage.setItem(CONNECTED, 'yes')
    setConnected(true)
  }, [hadClients])
  return (
    <details className={styles.card} open={!wasConnected}>
      <summary>
        <h2>Connect a client</h2>
        <code>{endpoint.mcp}</code>
      </summary>
      <Connect endpoint={endpoint} snippets={snippets} />
    </details>
  )
}

/** The endpoint, and text to paste for the client that people have. */
function Connect({ endpoint, snippets }: { endpoint: EndpointInfo; snippets: readonly Snippet[] }) {
  const [chosen, setChosen] = useState(() => localStorage.getItem(KEY) ?? '')
  const snippet = snippets.find(({ client }) => client === chosen) ?? snippets[0]
  const choose = (client: string) => {
    localStorage.setItem(KEY, client)
    setChosen(client)
  }
  return (
    <div className={styles.connect}>
      <div className={styles.endpoint}>
        <code>{endpoint.mcp}</code>
        <CopyButton text={endpoint.mcp} label="Copy the endpoint" compact />
      </div>
      {endpoint.auth === 'required' && <p className={styles.hint}>Clients have to send a key or token.</p>}
      {snippet && (
        <>
          <div className={styles.client}>
            <Select
              label="Client"
              value={snippet.client}
              onChange={choose}
              options={snippets.map(({ client, title }) => [client, title])}
            />
            <p className={styles.hint}>{snippet.where}</p>
          </div>
          <Code text={snippet.text} label={`text for ${snippet.title}`} />
        </>
      )}
    </div>
  )
}
