import { useMemo } from 'react'
import { useKept } from '../api/kept.ts'
import type { Issue } from './check-value.ts'
import { Field } from './field.tsx'
import { FormIssues } from './issues.ts'
import { RawJson } from './raw-json.tsx'
import type { Schema } from './schema.ts'
import styles from './schema-form.module.css'

interface Props {
  readonly schema: Schema
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly label: string
  /** Shown beside their fields. */
  readonly issues?: readonly Issue[]
  /** The name of the form: what is typed halfway is kept by it, and lists of issues lead to its fields. */
  readonly slot: string
}

/**
 * A form for a value of this schema, or its JSON. Both show the same value, so switching back and forth changes
 * nothing.
 */
export function SchemaForm({ schema, value, onChange, label, issues = [], slot }: Props) {
  const [isRaw, setRaw] = useKept(`${slot}/is raw`, () => false)
  const context = useMemo(() => ({ form: slot, issues }), [slot, issues])
  return (
    <div className={styles.form}>
      <fieldset className={styles.switch} aria-label={`${label}: form or JSON`}>
        <button type="button" aria-pressed={!isRaw} onClick={() => setRaw(false)}>
          Form
        </button>
        <button type="button" aria-pressed={isRaw} onClick={() => setRaw(true)}>
          JSON
        </button>
      </fieldset>
      {isRaw ? (
        <RawJson label={label} slot={`${slot}/raw`} value={value} onChange={onChange} />
      ) : (
        <FormIssues value={context}>
          <Field
            name=""
            path=""
            schema={schema}
            root={schema}
            value={value}
            onChange={onChange}
            isRequired
            depth={0}
          />
        </FormIssues>
      )}
    </div>
  )
}
