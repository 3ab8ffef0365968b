import { Labelled, type NestingProps } from './labelled.tsx'
import { initialValue } from './initial-value.ts'
import { MapEntries } from './map-field.tsx'
import { isMap, limitsOf, memberPath, type Schema } from './schema.ts'
import styles from './schema-form.module.css'

export function ObjectField(props: NestingProps) {
  const { schema, root, value, onChange, name, path, isRequired, depth, field: Field } = props
  const object = (value ?? {}) as Record<string, unknown>
  const required = new Set(schema.required)
  if (value === undefined && !isRequired) {
    // Not open by itself: a schema that refers to itself would never end.
    return (
      <Labelled {...props}>
        <button
          type="button"
          className={styles.small}
          onClick={() => onChange(initialValue({ ...schema, default: undefined }, root) ?? {})}
        >
          Add {name}
        </button>
      </Labelled>
    )
  }
  const set = (key: string, next: unknown) => {
    const { [key]: _, ...rest } = object
    onChange(next === undefined ? rest : inOrder({ ...rest, [key]: next }, schema))
  }
  const entries = Object.entries(schema.properties ?? {})
  const fields = entries.map(([key, property]) => (
    <Field
      key={key}
      name={key}
      path={memberPath(path, key)}
      schema={property}
      root={root}
      value={Object.hasOwn(object, key) ? object[key] : undefined}
      onChange={(next) => set(key, next)}
      isRequired={required.has(key)}
      depth={depth + 1}
    />
  ))
  const others = isMap(schema) && <MapEntries {...props} />
  if (name === '') {
    return (
      <div className={styles.fields}>
        {entries.length === 0 && !others ? <p className={styles.absent}>No arguments.</p> : fields}
        {others}
      </div>
    )
  }
  const limits = limitsOf(schema)
  return (
    <fieldset className={styles.object}>
      <legend>
        {name} {isRequired && <span className={styles.required}>required</span>}{' '}
        {limits !== '' && <span className={styles.title}>{limits}</span>}
      </legend>
      {schema.description && <p className={styles.description}>{schema.description}</p>}
      {fields}
      {others}
      {!isRequired && (
        <button type="button" className={styles.small} onClick={() => onChange(undefined)}>
          Leave {name} out
        </button>
      )}
    </fieldset>
  )
}

/** Members in the order of the schema, others behind them: the JSON reads like the form. */
function inOrder(object: Record<string, unknown>, schema: Schema): Record<string, unknown> {
  const known = Object.keys(schema.properties ?? {}).filter((key) => Object.hasOwn(object, key))
  const others = Object.keys(object).filter((key) => !known.includes(key))
  return Object.fromEntries([...known, ...others].map((key) => [key, object[key]]))
}
