import { Badge } from '../../ui/signs/badge.tsx'
import { describeType, resolve, type Schema } from '../../schema-form/schema.ts'
import styles from './schema-view.module.css'
import { writeJson } from '../../api/json.ts'

const DEPTH = 6

/** A schema as people read it: name, type, whether it is required, and what it means. */
export function SchemaView({ schema }: { schema: Schema }) {
  return <Properties schema={schema} root={schema} depth={0} above={[]} />
}

interface Props {
  readonly schema: Schema
  readonly root: Schema
  readonly depth: number
  /** References that this is inside of: schemas may refer to themselves. */
  readonly above: readonly string[]
}

function Properties({ schema, root, depth, above }: Props) {
  const resolved = resolve(schema, root)
  const properties = Object.entries(resolved.properties ?? {})
  const required = new Set(resolved.required)
  const all = resolved.anyOf ?? resolved.oneOf
  const variants = all?.some((one) => resolve(one, root).properties) ? all : undefined
  if (properties.length === 0 && !variants)
    return <p className={styles.none}>{depth === 0 ? 'Nothing in particular.' : ''}</p>
  return (
    <ul className={styles.list}>
      {properties.map(([name, property]) => (
        <Property
          key={name}
          name={name}
          schema={property}
          root={root}
          depth={depth}
          isRequired={required.has(name)}
          above={above}
        />
      ))}
      {variants?.map((variant, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: variants have no other name
        <li key={index}>
          <span className={styles.head}>
            <Badge>{index === 0 ? 'either' : 'or'}</Badge> {resolve(variant, root).title}
          </span>
          <Nested schema={variant} root={root} depth={depth} above={above} />
        </li>
      ))}
    </ul>
  )
}

function Property({
  name,
  schema,
  root,
  depth,
  above,
  isRequired,
}: Props & { name: string; isRequired: boolean }) {
  const resolved = resolve(schema, root)
  return (
    <li>
      <span className={styles.head}>
        <code>{name}</code>
        <span className={styles.type}>{describeType(resolved, root)}</span>
        {isRequired && <Badge tone="accent">required</Badge>}
        {resolved.default !== undefined && (
          <span className={styles.type}>default {writeJson(resolved.default)}</span>
        )}
      </span>
      {resolved.description && <p>{resolved.description}</p>}
      {resolved.enum && (
        <p className={styles.type}>{resolved.enum.map((value) => writeJson(value)).join(' · ')}</p>
      )}
      <Nested schema={schema} root={root} depth={depth} above={above} />
    </li>
  )
}

function Nested({ schema, root, depth, above }: Props) {
  const resolved = resolve(schema, root)
  const item = resolved.items && !Array.isArray(resolved.items) ? resolved.items : undefined
  const refs = [schema.$ref, item?.$ref].filter((ref) => ref !== undefined)
  const inner = item ? resolve(item, root) : resolved
  if (!inner.properties && !inner.anyOf && !inner.oneOf) return null
  if (depth >= DEPTH || refs.some((ref) => above.includes(ref)))
    return <p className={styles.type}>… as above</p>
  return <Properties schema={inner} root={root} depth={depth + 1} above={[...above, ...refs]} />
}
