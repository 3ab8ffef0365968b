import { useId } from 'react'
import { readJson, toNumber, writeJson } from '../api/json.ts'
import { useSlot } from './issues.ts'
import { Labelled, type FieldProps } from './labelled.tsx'
import type { Choice, Schema } from './schema.ts'
import { Unreadable } from './unreadable.tsx'
import { useTyped, type Spelling } from './use-typed.ts'

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
    (toNumber(maxLength) ?? 0) > 200
  )
}

const NUMBER: Spelling = {
  write: (value) => (value === undefined ? '' : String(value)),
  read(text) {
    if (text.trim() === '') return undefined
    const exact = readJson(text)?.value
    if (toNumber(exact) !== undefined) return exact
    const number = Number(text)
    if (!Number.isFinite(number)) throw new Error('This is not a number.')
    return number
  },
}

export function NumberField(props: Props) {
  const { value, onChange, name, path } = props
  const id = useId()
  const { text, change, problem } = useTyped(useSlot(path), value, onChange, NUMBER)
  return (
    <Labelled {...props} htmlFor={id}>
      <input
        id={id}
        inputMode="decimal"
        value={text}
        aria-invalid={problem !== undefined}
        aria-label={name === '' ? 'Value' : undefined}
        onChange={(event) => change(event.target.value)}
      />
      {problem !== undefined && <Unreadable text={problem} />}
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
  const index = choices.findIndex((choice) => writeJson(choice.value) === writeJson(value))
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
