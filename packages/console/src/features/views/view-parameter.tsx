import { useState } from 'react'
import { TextField } from '../../ui/controls/text-field.tsx'
import { withMember, withParameter, type RawEntry, type RawParameter } from './raw-view.ts'
import styles from './views.module.css'
import { readJson, writeJson } from '../../api/json.ts'

interface Props {
  /** The target's own name of it. */
  readonly name: string
  readonly raw: RawEntry
  readonly onChange: (raw: RawEntry) => void
}

/** What the view makes of one parameter. */
export function ViewParameter({ name, raw, onChange }: Props) {
  const parameter = raw.parameters?.[name] ?? {}
  const set = (next: RawParameter) => onChange(withParameter(raw, name, next))
  return (
    <fieldset className={styles.parameter}>
      <legend>
        <code>{name}</code>
      </legend>
      <ValueField
        label="Always this value, unseen"
        value={parameter.fixed}
        onChange={(fixed) => set(withMember(parameter, 'fixed', fixed))}
      />
      <ValueField
        label="When it is left out"
        value={parameter.default}
        onChange={(value) => set(withMember(parameter, 'default', value))}
      />
      <TextField
        label="Called"
        value={parameter.rename ?? ''}
        placeholder={name}
        onChange={(rename) => set(withMember(parameter, 'rename', rename))}
        isCode
      />
      <TextField
        label="Description"
        value={parameter.description ?? ''}
        onChange={(description) => set(withMember(parameter, 'description', description))}
      />
    </fieldset>
  )
}

interface ValueProps {
  readonly label: string
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

/** A value as JSON; what is no JSON is a text. */
function ValueField({ label, value, onChange }: ValueProps) {
  const [text, setText] = useState(() => textOf(value))
  return (
    <TextField
      label={label}
      value={text}
      isCode
      onChange={(next) => {
        setText(next)
        onChange(next === '' ? undefined : readValue(next))
      }}
    />
  )
}

function textOf(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' && readValue(value) === value ? value : writeJson(value)
}

function readValue(text: string): unknown {
  const read = readJson(text)
  return read ? read.value : text
}
