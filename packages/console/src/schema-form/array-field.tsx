import { Plus, Trash2 } from 'lucide-react'
import { IconButton } from '../ui/controls/button.tsx'
import { Labelled, type NestingProps } from './labelled.tsx'
import { initialValue } from './initial-value.ts'
import { choicesOf, resolve, type Choice, type Schema } from './schema.ts'
import styles from './schema-form.module.css'
import { writeJson } from '../api/json.ts'

export function ArrayField(props: NestingProps) {
  const { schema, root, value, onChange, name, path, isRequired, depth, field: Field } = props
  const items = (value ?? []) as readonly unknown[]
  const itemSchema = schema.items ?? {}
  const choices = choicesOf(resolve(itemSchema, root), root)
  if (choices && choices.length > 1) return <Boxes {...props} choices={choices} items={items} />
  const set = (next: readonly unknown[]) => onChange(next.length === 0 && !isRequired ? undefined : next)
  return (
    <Labelled {...props}>
      <div className={styles.items}>
        {items.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: items have no other name
          <div key={index} className={styles.item}>
            <Field
              name={`${name} ${index + 1}`.trim()}
              path={`${path}[${index}]`}
              schema={itemSchema}
              root={root}
              value={item}
              onChange={(next) => set(items.map((old, at) => (at === index ? (next ?? null) : old)))}
              isRequired
              depth={depth + 1}
            />
            <IconButton
              label={`Remove ${name} ${index + 1}`}
              icon={Trash2}
              onClick={() => set(items.filter((_, at) => at !== index))}
            />
          </div>
        ))}
        <button
          type="button"
          className={styles.small}
          onClick={() =>
            set([...items, initialValue(itemSchema, root) ?? emptyItem(resolve(itemSchema, root))])
          }
        >
          <Plus size={12} aria-hidden /> Add {name || 'item'}
        </button>
      </div>
    </Labelled>
  )
}

function emptyItem(schema: Schema): unknown {
  return schema.type === 'number' || schema.type === 'integer' ? 0 : schema.type === 'string' ? '' : null
}

/** Any number of given values. */
function Boxes(props: NestingProps & { choices: readonly Choice[]; items: readonly unknown[] }) {
  const { choices, items, onChange, name } = props
  const has = (choice: Choice) => items.some((item) => writeJson(item) === writeJson(choice.value))
  return (
    <Labelled {...props}>
      <fieldset className={styles.boxes} aria-label={name || 'Values'}>
        {choices.map((choice) => (
          <label key={choice.title}>
            <input
              type="checkbox"
              checked={has(choice)}
              onChange={(event) =>
                onChange(
                  choices
                    .filter((one) => (one === choice ? event.target.checked : has(one)))
                    .map((one) => one.value),
                )
              }
            />
            {choice.title}
          </label>
        ))}
      </fieldset>
    </Labelled>
  )
}
