import { useEffect, useId, useState } from 'react'
import type { CatalogEntryDetail } from '../../api/contract.ts'
import { ask } from './call/start-call.ts'
import styles from './argument-form.module.css'
import { expandTemplate, variablesOf } from './uri-template.ts'

interface Argument {
  readonly name: string
  readonly description?: string
  readonly required?: boolean
}

interface Props {
  readonly kind: 'prompt' | 'template'
  readonly entry: CatalogEntryDetail
  readonly values: unknown
  readonly onChange: (values: Readonly<Record<string, string>>) => void
}

/** The arguments of a prompt or template, which are texts; the server may complete them while one types. */
export function ArgumentForm({ kind, entry, values, onChange }: Props) {
  const given = (values ?? {}) as Readonly<Record<string, string>>
  const set = (name: string, value: string) => {
    const { [name]: _, ...rest } = given
    onChange(value === '' ? rest : { ...rest, [name]: value })
  }
  const list = argumentsOf(kind, entry)
  return (
    <div className={styles.form}>
      {list.length === 0 && <p>No arguments.</p>}
      {list.map((argument) => (
        <Input
          key={argument.name}
          argument={argument}
          value={given[argument.name] ?? ''}
          onChange={(value) => set(argument.name, value)}
          suggest={(value, signal) =>
            complete({ kind, name: entry.key, argument: argument.name, value, given }, signal)
          }
        />
      ))}
      {kind === 'template' && (
        <p className={styles.uri}>
          <code>{expandTemplate(entry.key, given)}</code>
        </p>
      )}
    </div>
  )
}

function argumentsOf(kind: Props['kind'], { key, definition }: CatalogEntryDetail): readonly Argument[] {
  if (kind === 'template') return variablesOf(key).map((name) => ({ name, required: true }))
  return Array.isArray(definition.arguments) ? (definition.arguments as Argument[]) : []
}

interface InputProps {
  readonly argument: Argument
  readonly value: string
  readonly onChange: (value: string) => void
  readonly suggest: (value: string, signal: AbortSignal) => Promise<readonly string[]>
}

function Input({ argument, value, onChange, suggest }: InputProps) {
  const id = useId()
  const [found, setFound] = useState<readonly string[]>([])
  const [asked, setAsked] = useState<string>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new question only when something was typed
  useEffect(() => {
    if (asked === undefined) return
    const connection = new AbortController()
    const timer = setTimeout(() => void suggest(asked, connection.signal).then(setFound), 250)
    return () => {
      clearTimeout(timer)
      connection.abort()
    }
  }, [asked])
  return (
    <div className={styles.argument}>
      <label htmlFor={id}>
        {argument.name} {argument.required && <span>required</span>}
      </label>
      {argument.description && <p>{argument.description}</p>}
      <input
        id={id}
        list={`${id}-list`}
        value={value}
        spellCheck={false}
        autoComplete="off"
        onFocus={() => setAsked(value)}
        onChange={(event) => {
          onChange(event.target.value)
          setAsked(event.target.value)
        }}
      />
      <datalist id={`${id}-list`}>
        {found.map((option) => (
          <option key={option} value={option} />
        ))}
      </datalist>
    </div>
  )
}

interface Question {
  readonly kind: 'prompt' | 'template'
  readonly name: string
  readonly argument: string
  readonly value: string
  readonly given: Readonly<Record<string, string>>
}

async function complete(
  { kind, name, argument, value, given }: Question,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const ref = kind === 'prompt' ? { type: 'ref/prompt', name } : { type: 'ref/resource', uri: name }
  const { [argument]: _, ...others } = given
  const params = { ref, argument: { name: argument, value }, context: { arguments: others } }
  const result = await ask({ method: 'completion/complete', params }, signal)
  const values = (result?.completion as { values?: unknown } | undefined)?.values
  return Array.isArray(values) ? values.filter((one): one is string => typeof one === 'string') : []
}
