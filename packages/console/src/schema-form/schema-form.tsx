import { useState } from 'react'
import { Field } from './field.tsx'
import { RawJson } from './raw-json.tsx'
import type { Schema } from './schema.ts'
import styles from './schema-form.module.css'

interface Props {
  readonly schema: Schema
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly label: string
}

/**
 * A form for a value of this schema, or its JSON. Both show the same value, which is never kept as text, so
 * switching back and forth changes nothing.
 */
export function SchemaForm({ schema, value, onChange, label }: Props) {
  const [isRaw, setRaw] = useState(false)
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
        <RawJson label={label} value={value} onChange={onChange} />
      ) : (
        <Field name="" schema={schema} root={schema} value={value} onChange={onChange} isRequired depth={0} />
      )}
    </div>
  )
}
