import { useId, useState } from 'react'
import { Labelled, type FieldProps } from './labelled.tsx'
import type { Choice, Schema } from './schema.ts'
import { Unreadable } from './unreadable.tsx'

type Props = FieldProps & { readonly schema: Schema }

const INPUT_TYPES: Record<string, string> = {
  date: 'date',
  email: 'email',
  uri: 'url',
  url: 'url',
  time: 'time',
  password: 'password',
}

export function TextField(props: Props) {
  const { schema, value, onChange, name, isRequired } = props
  const id = useId()
  const text = typeof value === 'string' ? value : ''
  // An empty optional text is left out; a required one is sent as it is.
  const change = (next: string) => onChange(next === '' && !isRequired ? undefined : next)
  const example = schema.examples?.[0]
  const common = {
    id,
    value: text,
    spellCheck: false,
    'aria-label': name === '' ? 'Value' : undefined,
    placeholder:
      typeof example === 'string'
        ? example
        : schema.format === 'date-time'
          ? '2026-01-31T12:00:00Z'
          : undefined,
  }
  return (
    <Labelled {...props} htmlFor={id}>
      {isLong(schema, text) ? (
        <textarea {...common} rows={4} onChange={(event) => change(event.target.value)} />
      ) : (
        <input
          {...common}
          type={INPUT_TYPES[schema.format ?? ''] ?? 'text'}
          onChange={(event) => change(event.target.value)}
        />
      )}
    </Labelled>
  )
}

function isLong(schema: Schema, text: string): boolean {
  const { maxLength, format, contentMediaType } = schema
  return (
    text.includes('\n') ||
    contentMediaType !== undefined ||
    format === 'textarea' ||
    (typeof maxLength === 'number' && maxLength > 200)
  )
}

export function NumberField(props: Props) {
  const { value, onChange, name } = props
  const id = useId()
  const [text, setText] = useState(value === undefined ? '' : String(value))
  const [seen, setSeen] = useState(value)
  if (value !== seen) {
    setSeen(value)
    setText(value === undefined ? '' : String(value))
  }
  const number = Number(text)
  const isBad = text.trim() !== '' && !Number.isFinite(number)
  const change = (next: string) => {
    setText(next)
    const parsed = next.trim() === '' || !Number.isFinite(Number(next)) ? undefined : Number(next)
    setSeen(parsed)
    onChange(parsed)
  }
  return (
    <Labelled {...props} htmlFor={id}>
      <input
        id={id}
        inputMode="decimal"
        value={text}
        aria-invalid={isBad}
        aria-label={name === '' ? 'Value' : undefined}
        onChange={(event) => change(event.target.value)}
      />
      {isBad && <Unreadable text="This is not a number." />}
    </Labelled>
  )
}

/** True, false or left out. */
export function TriState(props: Props) {
  const { value, onChange, isRequired, name } = props
  const id = useId()
  if (isRequired) {
    return (
      <Labelled {...props} htmlFor={id}>
        <input
          id={id}
          type="checkbox"
          checked={value === true}
          aria-label={name === '' ? 'Value' : undefined}
          onChange={(event) => onChange(event.target.checked)}
        />
      </Labelled>
    )
  }
  return (
    <Labelled {...props} htmlFor={id}>
      <select
        id={id}
        value={value === undefined ? '' : String(value)}
        onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value === 'true')}
      >
        <option value="">not set</option>
        <option value="true">true</option>
        <option value="false">false</option>
      </select>
    </Labelled>
  )
}

export function ChoiceField(props: Props & { choices: readonly Choice[] }) {
  const { value, onChange, choices, name } = props
  const id = useId()
  const index = choices.findIndex((choice) => JSON.stringify(choice.value) === JSON.stringify(value))
  return (
    <Labelled {...props} htmlFor={id}>
      <select
        id={id}
        value={index}
        aria-label={name === '' ? 'Value' : undefined}
        onChange={(event) => onChange(choices[Number(event.target.value)]?.value)}
      >
        <option value={-1}>not set</option>
        {choices.map((choice, position) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: values may be anything, positions are fixed
          <option key={position} value={position}>
            {choice.title}
          </option>
        ))}
      </select>
    </Labelled>
  )
}
