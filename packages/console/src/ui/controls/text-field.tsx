import { useId } from 'react'
import styles from './fields.module.css'

interface Props {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly placeholder?: string
  readonly hint?: string
  /** What is wrong with it. */
  readonly wrong?: string | undefined
  /** More than one line. */
  readonly rows?: number
  /** Not prose: code and names. */
  readonly isCode?: boolean
  readonly list?: readonly string[]
  readonly disabled?: boolean
}

/** A text with its label above it. */
export function TextField({
  label,
  value,
  onChange,
  hint,
  wrong,
  rows,
  isCode = false,
  list,
  ...rest
}: Props) {
  const id = useId()
  const notes = wrong ?? hint
  const shared = {
    id,
    value,
    spellCheck: !isCode,
    autoComplete: 'off',
    'aria-describedby': notes === undefined ? undefined : `${id}-notes`,
    'aria-invalid': wrong !== undefined || undefined,
    className: isCode ? styles.code : undefined,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
    ...rest,
  }
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {rows === undefined ? (
        <input {...shared} list={list ? `${id}-list` : undefined} />
      ) : (
        <textarea {...shared} rows={rows} />
      )}
      {list && (
        <datalist id={`${id}-list`}>
          {list.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
      {notes !== undefined && (
        <p id={`${id}-notes`} className={wrong === undefined ? styles.hint : styles.wrong}>
          {notes}
        </p>
      )}
    </div>
  )
}
