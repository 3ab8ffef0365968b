import { isJsonObject } from '@gantry/mcp/exchange'
import type { JsonObject, PortabilityFinding } from '../contract.ts'

const CLAUDE = 'Claude'
const OPENAI = 'OpenAI'
const GEMINI = 'Gemini'
const CURSOR = 'Cursor'
const VSCODE = 'VS Code'

/** The name has the prefix of the gateway, and clients put the name of the server in front of it. */
const CURSOR_NAME = 60
const MAX_NAME = 64
const MAX_DESCRIPTION = 1024
const MAX_DEPTH = 24
const MAX_FINDINGS = 30

const GEMINI_FORMATS: ReadonlySet<string> = new Set([
  'enum',
  'date-time',
  'int32',
  'int64',
  'float',
  'double',
])
const GEMINI_LACKS = ['patternProperties', 'not', 'if', 'dependentSchemas', 'prefixItems', 'propertyNames']

/** Finds the parts of a tool's definition that known clients, or their models, refuse or cut. */
export function lintTool(tool: JsonObject): PortabilityFinding[] {
  const findings: PortabilityFinding[] = [
    ...lintName(String(tool.name)),
    ...lintDescription(tool.description),
  ]
  const { inputSchema } = tool
  if (isJsonObject(inputSchema)) {
    findings.push(...lintTop(inputSchema))
    lintSchema(inputSchema, 'inputSchema', findings, 0)
  }
  return findings.slice(0, MAX_FINDINGS)
}

function* lintName(name: string): Iterable<PortabilityFinding> {
  const where = 'name'
  const fix = 'Rename it here, or give the target a shorter prefix.'
  if (!/^[\w-]*$/.test(name)) {
    const message = 'The name has characters besides letters, digits, "_" and "-"'
    yield { code: 'name-characters', where, message, clients: [CLAUDE, OPENAI, VSCODE], fix }
  }
  if (name.length > MAX_NAME) {
    const message = `The name has ${name.length} characters; ${MAX_NAME} are allowed`
    yield { code: 'name-too-long', where, message, clients: [CLAUDE, OPENAI, GEMINI, VSCODE], fix }
  } else if (name.length > CURSOR_NAME) {
    const message = `The name has ${name.length} characters; with the name of the server ${CURSOR_NAME} are allowed`
    yield { code: 'name-long', where, message, clients: [CURSOR], fix }
  }
}

function* lintDescription(description: unknown): Iterable<PortabilityFinding> {
  const where = 'description'
  if (typeof description !== 'string' || description.trim() === '') {
    const message = 'There is no description: models have only the name to go by'
    yield { code: 'no-description', where, message, clients: ['every model'], fix: 'Describe it here.' }
  } else if (description.length > MAX_DESCRIPTION) {
    const message = `The description has ${description.length} characters; ${MAX_DESCRIPTION} are allowed`
    yield {
      code: 'description-too-long',
      where,
      message,
      clients: [OPENAI],
      fix: 'Describe it shorter here.',
    }
  }
}

function* lintTop(schema: JsonObject): Iterable<PortabilityFinding> {
  const where = 'inputSchema'
  if (schema.type !== 'object') {
    const message = `The type at the top is ${JSON.stringify(schema.type) ?? 'missing'} instead of "object"`
    yield { code: 'no-object', where, message, clients: [CLAUDE, OPENAI, GEMINI, CURSOR, VSCODE] }
  }
  for (const keyword of ['oneOf', 'anyOf', 'allOf']) {
    if (schema[keyword] === undefined) continue
    const message = `\`${keyword}\` stands at the top`
    yield {
      code: 'top-level-union',
      where: `${where}.${keyword}`,
      message,
      clients: [CLAUDE, OPENAI],
      fix: 'Put the alternatives into a property.',
    }
  }
}

/** Every schema inside, with what single keywords do to clients. */
function lintSchema(schema: unknown, where: string, findings: PortabilityFinding[], depth: number): void {
  if (!isJsonObject(schema) || depth > MAX_DEPTH || findings.length > MAX_FINDINGS) return
  findings.push(...lintKeywords(schema, where))
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties' && isJsonObject(value)) {
      for (const [name, property] of Object.entries(value)) {
        if (!/^[\w.-]{1,64}$/.test(name)) findings.push(badProperty(name, where))
        lintSchema(property, `${where}.properties.${name}`, findings, depth + 1)
      }
    } else if (key === 'items' || key === 'additionalProperties' || key === 'not') {
      lintSchema(value, `${where}.${key}`, findings, depth + 1)
    } else if (/^(one|any|all)Of$/.test(key) && Array.isArray(value)) {
      for (const [at, one] of value.entries()) lintSchema(one, `${where}.${key}[${at}]`, findings, depth + 1)
    }
  }
}

function* lintKeywords(schema: JsonObject, where: string): Iterable<PortabilityFinding> {
  const { $ref, type, format, items, enum: values } = schema
  if ($ref !== undefined) {
    const message = '`$ref` is not followed'
    yield { code: 'reference', where: `${where}.$ref`, message, clients: [GEMINI], fix: 'Write it out.' }
  }
  if (Array.isArray(type)) {
    const message = `The type is a list: ${type.join(', ')}`
    yield { code: 'type-list', where: `${where}.type`, message, clients: [GEMINI], fix: 'Use `anyOf`.' }
  }
  if (type === 'array' && items === undefined && schema.prefixItems === undefined) {
    const message = 'An array does not say what its items are'
    yield { code: 'array-without-items', where, message, clients: [OPENAI, GEMINI, VSCODE] }
  }
  if (typeof format === 'string' && !GEMINI_FORMATS.has(format)) {
    const message = `The format \`${format}\` is not known`
    yield { code: 'format', where: `${where}.format`, message, clients: [GEMINI] }
  }
  if (Array.isArray(values) && values.some((value) => typeof value !== 'string')) {
    const message = 'A choice is not a text'
    yield { code: 'enum-of-others', where: `${where}.enum`, message, clients: [GEMINI] }
  }
  const lacking = GEMINI_LACKS.filter((keyword) => schema[keyword] !== undefined)
  if (lacking.length > 0) {
    const message = `\`${lacking.join('`, `')}\` is not known`
    yield { code: 'keyword', where, message, clients: [GEMINI] }
  }
}

function badProperty(name: string, where: string): PortabilityFinding {
  const message = `The property ${JSON.stringify(name.slice(0, 80))} is longer than 64 characters, or has others than letters, digits, "_", "." and "-"`
  return { code: 'property-name', where: `${where}.properties`, message, clients: [CLAUDE] }
}
