import { useId, useState } from 'react'
import { ArrayField } from './array-field.tsx'
import { initialValue } from './initial-value.ts'
import { ObjectField } from './object-field.tsx'
import { ChoiceField, NumberField, TextField, TriState } from './plain-fields.tsx'
import { keep, readKept } from '../api/kept.ts'
import { useSlot } from './issues.ts'
import { Labelled, type FieldProps } from './labelled.tsx'
import { RawJson } from './raw-json.tsx'
import styles from './schema-form.module.css'
import { checkValue } from './check-value.ts'
import { choicesOf, isMap, isNullable, resolve, typesOf, variantsOf, type Schema } from './schema.ts'
import { isJsonObject, toNumber } from '../api/json.ts'

/** One value, whatever it is: the schema decides how it is asked for. */
export function Field(props: FieldProps) {
  const { schema, root, value, onChange, name, isRequired } = props
  const resolved = resolve(schema, root)
  const nullable = isNullable(resolved, root)
  const variants = choicesOf(resolved, root) ? [] : variantsOf(resolved, root)
  if (nullable && value === null) {
    return (
      <Labelled {...props} schema={resolved}>
        <span className={styles.absent}>null</span>
        <button type="button" className={styles.small} onClick={() => onChange(withoutNull(resolved, root))}>
          Give a value
        </button>
      </Labelled>
    )
  }
  return (
    <>
      {variants.length > 1 ? (
        <Variants {...props} schema={resolved} variants={variants} />
      ) : (
        <Typed
          {...props}
          schema={variants.length === 1 ? { ...without(resolved), ...resolve(variants[0], root) } : resolved}
        />
      )}
      {nullable && name !== '' && (
        <button type="button" className={styles.small} onClick={() => onChange(null)}>
          Set {name} to null
        </button>
      )}
      {!isRequired && variants.length > 1 && value !== undefined && (
        <button type="button" className={styles.small} onClick={() => onChange(undefined)}>
          Leave {name} out
        </button>
      )}
    </>
  )
}

function without({ anyOf: _, oneOf: __, ...schema }: Schema): Schema {
  return schema
}

function withoutNull(schema: Schema, root: Schema): unknown {
  const [variant] = variantsOf(schema, root)
  const types = typesOf(schema).filter((type) => type !== 'null')
  return initialValue(variant ?? { ...schema, default: undefined, type: types[0] ?? 'string' }, root) ?? ''
}

/** A choice between alternatives, also at the top of a schema. */
function Variants(props: FieldProps & { schema: Schema; variants: readonly Schema[] }) {
  const { schema, root, value, onChange, variants, name, path } = props
  const id = useId()
  const slot = `${useSlot(path)} variant`
  const [chosen, setChosen] = useState(() => {
    const fits = (one: Schema) => value !== undefined && checkValue(one, root, value).length === 0
    const fitting = variants.findIndex(fits)
    // What is typed halfway fits none.
    return fitting >= 0 ? fitting : Math.min((readKept(slot) as number | undefined) ?? 0, variants.length - 1)
  })
  const base = without(schema)
  const merged = (index: number): Schema => {
    const variant = resolve(variants[index], root)
    return {
      ...base,
      ...variant,
      ...(base.properties && { properties: { ...base.properties, ...variant.properties } }),
      required: [...(base.required ?? []), ...(variant.required ?? [])],
    }
  }
  const choose = (index: number) => {
    setChosen(index)
    keep(slot, index)
    onChange(initialValue(merged(index), root))
  }
  return (
    <div className={styles.group}>
      <div className={styles.label}>
        <label htmlFor={id}>{name || 'One of'}</label>
        <select id={id} value={chosen} onChange={(event) => choose(Number(event.target.value))}>
          {variants.map((one, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: alternatives have no other name
            <option key={index} value={index}>
              {titleOf(resolve(one, root), index)}
            </option>
          ))}
        </select>
      </div>
      <Typed key={chosen} {...props} name={name} schema={merged(chosen)} />
    </div>
  )
}

function titleOf(schema: Schema, index: number): string {
  const keys = schema.required ?? Object.keys(schema.properties ?? {})
  return (
    schema.title ??
    (keys.length > 0 ? keys.join(', ') : typesOf(schema).join(' or ') || `alternative ${index + 1}`)
  )
}

function Typed(props: FieldProps & { schema: Schema }) {
  const { schema, root, value } = props
  const slot = useSlot(props.path)
  const choices = choicesOf(schema, root)
  if (choices) return <ChoiceField {...props} choices={choices} />
  const types = typesOf(schema).filter((type) => type !== 'null')
  if (types.length === 1) {
    const type = types[0]
    if (type === 'string' && (value === undefined || typeof value === 'string'))
      return <TextField {...props} />
    if ((type === 'number' || type === 'integer') && (value === undefined || toNumber(value) !== undefined)) {
      return <NumberField {...props} />
    }
    if (type === 'boolean' && (value === undefined || typeof value === 'boolean'))
      return <TriState {...props} />
    if (type === 'array' && (value === undefined || Array.isArray(value)))
      return <ArrayField {...props} field={Field} />
    if (
      type === 'object' &&
      (value === undefined || isJsonObject(value)) &&
      (schema.properties || isMap(schema) || isWithoutArguments(props))
    )
      return <ObjectField {...props} field={Field} />
  }
  // Anything goes, or what is there does not fit: both can be said in JSON.
  return (
    <Labelled {...props}>
      <RawJson label={props.name || 'Value'} slot={slot} value={value} onChange={props.onChange} />
    </Labelled>
  )
}

/** A tool that takes nothing says so by a bare object. */
function isWithoutArguments({ name, schema, value }: FieldProps & { schema: Schema }): boolean {
  return name === '' && !schema.additionalProperties && Object.keys(value ?? {}).length === 0
}
