import type { ComponentType, ReactNode } from 'react'
import { useFieldIssues } from './issues.ts'
import { limitsOf, type Schema } from './schema.ts'
import styles from './schema-form.module.css'

export interface FieldProps {
  /** Empty at the top. */
  readonly name: string
  /** Where its value is, such as `filter.limit`. */
  readonly path: string
  readonly schema: unknown
  readonly root: Schema
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly isRequired: boolean
  readonly depth: number
}

/** For fields that hold other fields: they get the way to show them, since modules may not import in circles. */
export interface NestingProps extends FieldProps {
  readonly schema: Schema
  readonly field: ComponentType<FieldProps>
}

interface LabelledProps extends FieldProps {
  readonly schema: Schema
  readonly children: ReactNode
  readonly htmlFor?: string
}

/** Name, marks and description around whatever asks for the value. */
export function Labelled({ name, path, schema, isRequired, children, htmlFor }: LabelledProps) {
  const title = schema.title && schema.title !== name ? schema.title : undefined
  const limits = limitsOf(schema)
  const { id, messages } = useFieldIssues(path)
  return (
    <div id={id} className={styles.field}>
      {name !== '' && (
        <div className={styles.label}>
          <label htmlFor={htmlFor}>{name}</label>
          {title && <span className={styles.title}>{title}</span>}
          {isRequired && <span className={styles.required}>required</span>}
          {limits !== '' && <span className={styles.title}>{limits}</span>}
        </div>
      )}
      {schema.description && <p className={styles.description}>{schema.description}</p>}
      {children}
      {messages.map((message) => (
        <p key={message} className={styles.issue}>
          {message}
        </p>
      ))}
    </div>
  )
}
