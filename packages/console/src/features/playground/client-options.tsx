import { useStore } from '../../api/store.ts'
import type { Era, LogLevel, Revision } from '../../api/contract.ts'
import { Check, Select } from '../../ui/controls/fields.tsx'
import { changeClient, clientSettings, REVISIONS } from './client-settings.ts'
import styles from './client-options.module.css'

const LEVELS: readonly (readonly [string, string])[] = [
  ['', 'no logs'],
  ...['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'].map(
    (level) => [level, level] as const,
  ),
]

/** Who the playground pretends to be. */
export function ClientOptions() {
  const settings = useStore(clientSettings)
  const { era, revision, form, url, sampling, samplingTools, roots, tasks, apps, logLevel, timeoutSeconds } =
    settings
  return (
    <div className={styles.options}>
      <Select
        label="Era"
        shown
        value={era}
        onChange={(value) => changeClient({ era: value as Era })}
        options={[
          ['modern', 'modern'],
          ['legacy', 'legacy'],
        ]}
      />
      <Select
        label="Revision"
        shown
        value={revision}
        onChange={(value) => changeClient({ revision: value as Revision })}
        options={REVISIONS[era].map((one) => [one, one])}
      />
      <details className={styles.more}>
        <summary>Capabilities and limits</summary>
        <div className={styles.grid}>
          <Check
            label="Elicitation by form"
            checked={form}
            onChange={(checked) => changeClient({ form: checked })}
          />
          <Check
            label="Elicitation by URL"
            checked={url}
            onChange={(checked) => changeClient({ url: checked })}
          />
          <Check
            label="Sampling"
            checked={sampling}
            onChange={(checked) => changeClient({ sampling: checked })}
          />
          <Check
            label="Sampling with tools"
            checked={samplingTools}
            onChange={(checked) => changeClient({ samplingTools: checked })}
          />
          {era === 'modern' && (
            <Check label="Tasks" checked={tasks} onChange={(checked) => changeClient({ tasks: checked })} />
          )}
          <Check label="Apps" checked={apps} onChange={(checked) => changeClient({ apps: checked })} />
          <Select
            label="Log level"
            shown
            value={logLevel}
            onChange={(value) => changeClient({ logLevel: value as LogLevel | '' })}
            options={LEVELS}
          />
          <label className={styles.text}>
            Roots
            <input
              placeholder="file:///home/me/project"
              value={roots}
              onChange={(event) => changeClient({ roots: event.target.value })}
            />
          </label>
          <label className={styles.text}>
            Give up after seconds of silence
            <input
              inputMode="numeric"
              placeholder="as configured"
              value={timeoutSeconds}
              onChange={(event) => changeClient({ timeoutSeconds: event.target.value })}
            />
          </label>
        </div>
      </details>
    </div>
  )
}
