import { Badge } from '../../ui/badge.tsx'
import { describeType, resolve, type Schema } from '../../schema-form/schema.ts'
import styles from './schema-view.module.css'

const DEPTH = 6

/** A schema as people read it: name, type, whether it is required, and what it means. */
export function SchemaView({ schema }: { schema: Schema }) {
  return <Properties schema={schema} root={schema} depth={0} />
}

interface Props {
  readonly schema: Schema
  readonly root: Schema
  readonly depth: number
}

function Properties({ schema, root, depth }: Props) {
  const resolved = resolve(schema, root)
  const properties = Object.entries(resolved.properties ?? {})
  const required = new Set(resolved.required)
  const variants = resolved.anyOf ?? resolved.oneOf
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
        />
      ))}
      {variants?.map((variant, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: variants have no other name
        <li key={index}>
          <span className={styles.head}>
            <Badge>{index === 0 ? 'either' : 'or'}</Badge> {resolve(variant, root).title}
          </span>
          <Nested schema={variant} root={root} depth={depth} />
        </li>
      ))}
    </ul>
  )
}

function Property({ name, schema, root, depth, isRequired }: Props & { name: string; isRequired: boolean }) {
  const resolved = resolve(schema, root)
  return (
    <li>
      <span className={styles.head}>
        <code>{name}</code>
        <span className={styles.type}>{describeType(resolved, root)}</span>
        {isRequired && <Badge tone="accent">required</Badge>}
        {resolved.default !== undefined && (
          <span className={styles.type}>default {JSON.stringify(resolved.default)}</span>
        )}
      </span>
      {resolved.description && <p>{resolved.description}</p>}
      {resolved.enum && (
        <p className={styles.type}>{resolved.enum.map((value) => JSON.stringify(value)).join(' · ')}</p>
      )}
      <Nested schema={resolved} root={root} depth={depth} />
    </li>
  )
}

function Nested({ schema, root, depth }: Props) {
  // Schemas may refer to themselves.
  if (depth >= DEPTH) return <p className={styles.type}>…</p>
  const resolved = resolve(schema, root)
  const inner = resolved.items && !Array.isArray(resolved.items) ? resolve(resolved.items, root) : resolved
  if (!inner.properties && !inner.anyOf && !inner.oneOf) return null
  return <Properties schema={inner} root={root} depth={depth + 1} />
}
