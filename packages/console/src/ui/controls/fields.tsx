import { Search, X } from 'lucide-react'
import { useId, type ReactNode } from 'react'
import styles from './fields.module.css'

interface SelectProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly options: readonly (readonly [value: string, title: string])[]
  /** Puts the label beside the field instead of in its name alone. */
  readonly shown?: boolean
}

export function Select({ label, value, onChange, options, shown = false }: SelectProps) {
  const id = useId()
  const select = (
    <select
      id={id}
      className={styles.input}
      aria-label={shown ? undefined : label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      {options.map(([option, title]) => (
        <option key={option} value={option}>
          {title}
        </option>
      ))}
    </select>
  )
  if (!shown) return select
  return (
    <span className={styles.inline}>
      <label htmlFor={id}>{label}</label>
      {select}
    </span>
  )
}

interface SearchProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly placeholder?: string
  readonly list?: readonly string[]
  readonly autoFocus?: boolean
}

export function SearchField({ label, value, onChange, placeholder, list, autoFocus }: SearchProps) {
  const listId = useId()
  return (
    <div className={styles.search}>
      <Search size={14} aria-hidden />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder ?? label}
        value={value}
        spellCheck={false}
        autoComplete="off"
        // biome-ignore lint/a11y/noAutofocus: on pages that are a question
        autoFocus={autoFocus}
        list={list ? listId : undefined}
        onChange={(event) => onChange(event.target.value)}
      />
      {value !== '' && (
        <button type="button" aria-label="Clear" onClick={() => onChange('')}>
          <X size={13} aria-hidden />
        </button>
      )}
      {list && (
        <datalist id={listId}>
          {list.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
    </div>
  )
}

/** A checkbox with its words. */
export function Check({
  label,
  checked,
  onChange,
}: {
  label: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
}) {
  return (
    <label className={styles.check}>
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <span>{label}</span>
    </label>
  )
}
