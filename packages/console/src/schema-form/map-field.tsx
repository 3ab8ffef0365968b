import { Plus, Trash2 } from 'lucide-react'
import { IconButton } from '../ui/controls/button.tsx'
import { initialValue } from './initial-value.ts'
import { useSlot } from './issues.ts'
import type { NestingProps } from './labelled.tsx'
import { memberPath, resolve, type Schema } from './schema.ts'
import styles from './schema-form.module.css'
import { Unreadable } from './unreadable.tsx'
import { useTyped } from './use-typed.ts'

/** Members that the schema does not name: each has a key that is typed, and a value of one kind. */
export function MapEntries(props: NestingProps) {
  const { schema, root, value, onChange, name, path, depth, field: Field } = props
  const slot = useSlot(path)
  const object = (value ?? {}) as Record<string, unknown>
  const known = schema.properties ?? {}
  const keys = Object.keys(object).filter((key) => !Object.hasOwn(known, key))
  const values = schema.additionalProperties as Schema
  const set = (key: string, next: unknown) => onChange({ ...object, [key]: next ?? null })
  const rename = (from: string, to: string) =>
    onChange(Object.fromEntries(Object.entries(object).map(([key, one]) => [key === from ? to : key, one])))
  const remove = (key: string) => {
    const { [key]: _, ...rest } = object
    onChange(rest)
  }
  return (
    <div className={styles.items}>
      {keys.map((key, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the key itself changes while it is typed
        <div key={index} className={styles.member}>
          <Key
            label={`Key ${index + 1}${name === '' ? '' : ` of ${name}`}`}
            slot={`${slot} key ${index}`}
            value={key}
            isTaken={(to) => Object.hasOwn(object, to) || Object.hasOwn(known, to)}
            onChange={(to) => rename(key, to)}
          />
          <Field
            name={key}
            path={memberPath(path, key)}
            schema={values}
            root={root}
            value={object[key]}
            onChange={(next) => set(key, next)}
            isRequired
            depth={depth + 1}
          />
          <IconButton label={`Remove ${key}`} icon={Trash2} onClick={() => remove(key)} />
        </div>
      ))}
      <button
        type="button"
        className={styles.small}
        onClick={() => set(freeKey(object, known), initialValue(values, root) ?? emptyValue(values, root))}
      >
        <Plus size={12} aria-hidden /> Add a member{name === '' ? '' : ` to ${name}`}
      </button>
    </div>
  )
}

interface KeyProps {
  readonly label: string
  readonly slot: string
  readonly value: string
  readonly isTaken: (key: string) => boolean
  readonly onChange: (key: string) => void
}

/** A key that another member has is not taken over: two values cannot share it. */
function Key({ label, slot, value, isTaken, onChange }: KeyProps) {
  const { text, change, problem } = useTyped(slot, value, (key) => onChange(key as string), {
    write: (key) => key as string,
    read(key) {
      if (key !== value && isTaken(key)) throw new Error('Another member has this key.')
      return key
    },
  })
  return (
    <div className={styles.field}>
      <input
        aria-label={label}
        aria-invalid={problem !== undefined}
        value={text}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => change(event.target.value)}
      />
      {problem !== undefined && <Unreadable text={problem} />}
    </div>
  )
}

function freeKey(object: Record<string, unknown>, known: object): string {
  for (let count = 1; ; count += 1) {
    const key = `key${count}`
    if (!Object.hasOwn(object, key) && !Object.hasOwn(known, key)) return key
  }
}

function emptyValue(values: Schema, root: Schema): unknown {
  return resolve(values, root).type === 'string' ? '' : null
}
