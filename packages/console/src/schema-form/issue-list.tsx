import type { Issue } from './check-value.ts'
import { goToField } from './issues.ts'
import styles from './schema-form.module.css'

const SHOWN = 8

/** What the schema says against a value; each leads to its field. */
export function IssueList({ form, issues }: { form: string; issues: readonly Issue[] }) {
  if (issues.length === 0) return null
  return (
    <ul className={styles.issues} aria-label="What the schema says">
      {issues.slice(0, SHOWN).map(({ path, message }) => (
        <li key={`${path} ${message}`}>
          <button type="button" onClick={() => goToField(form, path)}>
            <code>{path || 'value'}</code> {message}
          </button>
        </li>
      ))}
      {issues.length > SHOWN && <li>{issues.length - SHOWN} more</li>}
    </ul>
  )
}
