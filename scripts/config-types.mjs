// Writes packages/gateway/src/model/settings.gen.ts from the JSON Schema of the configuration: the types of what the
// file may hold (`Raw…`), and of the same with defaults filled in and quantities as numbers (`…Settings`).
// With --check, says whether it is up to date.
import { readFileSync, writeFileSync } from 'node:fs'

const schemaFile = new URL('../packages/gateway/schema/gantry.schema.json', import.meta.url)
const typesFile = new URL('../packages/gateway/src/model/settings.gen.ts', import.meta.url)
const schema = JSON.parse(readFileSync(schemaFile, 'utf8'))

const capitalized = (name) => name[0].toUpperCase() + name.slice(1)
const quoted = (value) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value))
const commentOf = ({ description }) => (description ? `/** ${description.replaceAll('*/', '*\\/')} */\n` : '')
const indented = (text) => text.replaceAll(/^(?=.)/gm, '  ')

const RAW = {
  name: (definition) => `Raw${capitalized(definition)}`,
  readonly: '',
  isOptional: (_part, isRequired) => !isRequired,
  quantities: {
    duration: 'Quantity',
    span: 'Quantity',
    bytes: 'Quantity',
    durationOrOff: 'Quantity | false',
  },
}
const FILLED = {
  name: (definition) => `${capitalized(definition)}Settings`,
  readonly: 'readonly ',
  isOptional: (part, isRequired) => !isRequired && !('default' in resolve(part)),
  quantities: { duration: 'number', span: 'number', bytes: 'number', durationOrOff: 'number | false' },
}

function resolve(part) {
  if (!part.$ref) return part
  const found = part.$ref
    .slice(2)
    .split('/')
    .reduce((at, step) => at[step], schema)
  return { ...resolve(found), ...part }
}

/** Definitions that are objects have a name; texts, lists and alternatives are written out. */
const isNamed = (definition) => schema.$defs[definition].properties !== undefined

function typeOf(part, form) {
  const [, definition, ...steps] = /^#\/\$defs\/(\w+)(?:\/properties\/(\w+))?$/.exec(part.$ref ?? '') ?? []
  if (form.quantities[definition]) return form.quantities[definition]
  if (steps[0]) return `NonNullable<${form.name(definition)}['${steps[0]}']>`
  if (definition && isNamed(definition)) return form.name(definition)
  const {
    type,
    const: constant,
    enum: values,
    anyOf,
    items,
    properties,
    additionalProperties,
  } = resolve(part)
  if (constant !== undefined) return quoted(constant)
  if (values) return values.map(quoted).join(' | ')
  if (properties) return `{\n${indented(membersOf(resolve(part), form))}}`
  if (anyOf) return [...new Set(anyOf.map((branch) => typeOf(branch, form)))].join(' | ')
  if (type === 'array') return `${form.readonly}${elementOf(items, form)}[]`
  if (type === 'object') {
    const value = additionalProperties ? typeOf(additionalProperties, form) : 'unknown'
    return form.readonly ? `Readonly<Record<string, ${value}>>` : `Record<string, ${value}>`
  }
  return { string: 'string', integer: 'number', number: 'number', boolean: 'boolean' }[type] ?? 'unknown'
}

function elementOf(items, form) {
  const type = items ? typeOf(items, form) : 'unknown'
  return /[ |]/.test(type) ? `(${type})` : type
}

function membersOf({ properties, patternProperties, required = [] }, form) {
  const members = Object.entries(properties).map(([key, part]) => {
    const mark = form.isOptional(part, required.includes(key)) ? '?' : ''
    return `${commentOf(part)}${form.readonly}${key}${mark}: ${typeOf(part, form)}\n`
  })
  const others = form === RAW && patternProperties ? '[extra: string]: unknown\n' : ''
  return [...members, others].join('')
}

const interfaceOf = (name, part, form) =>
  `${commentOf(part)}export interface ${name} {\n${indented(membersOf(part, form))}}\n`

const text = `// Written by scripts/config-types.mjs from packages/gateway/schema/gantry.schema.json. Change those.

/** A number, or text such as \`30s\` or \`16mb\`. */
export type Quantity = number | string

${[RAW, FILLED]
  .flatMap((form) => [
    interfaceOf(form === RAW ? 'RawConfig' : 'Settings', schema, form),
    ...Object.keys(schema.$defs)
      .filter(isNamed)
      .map((name) => interfaceOf(form.name(name), schema.$defs[name], form)),
  ])
  .join('\n')}`

if (process.argv.includes('--check')) {
  if (readFileSync(typesFile, 'utf8') !== text) {
    console.error(
      'packages/gateway/src/model/settings.gen.ts is not up to date: run node scripts/config-types.mjs',
    )
    process.exitCode = 1
  }
} else {
  writeFileSync(typesFile, text)
}
