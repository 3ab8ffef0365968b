import { isJsonObject, writeJson, type JsonObject } from '@gantry/mcp/exchange'
import {
  closedParameters,
  closedProperties,
  declaredProperties,
  suggest,
  type ViewEntry,
  type ViewModel,
  type ViewParameterSettings,
} from '../../model/index.ts'
import { declaredNames } from '../declared-names.ts'
import { expressionProblem } from './check-expressions.ts'
import type { Offer } from './check-rules.ts'
import type { PolicyObject } from '../facts.ts'

/** Something of a view that is not there at the target, or does not fit it. */
export interface ViewFinding {
  readonly view: string
  readonly message: string
}

const KEY = /^(tools|prompts):([^/]+)\/(.*)$/s

/** Compares views with what the targets list: a name that is wrong changes nothing, and a limit on it holds for nothing. */
export async function checkViews(
  views: readonly ViewModel[],
  offers: readonly Offer[],
): Promise<ViewFinding[]> {
  const findings: ViewFinding[] = []
  for (const { name: view, entries } of views) {
    for (const [key, entry] of entries) {
      const [, kind, target = '', name = ''] = KEY.exec(key) ?? []
      const items = offers.find((offer) => offer.target === target)?.[kind as 'tools' | 'prompts']
      if (!items) continue
      const item = items.find((one) => one.name === name)
      const object = { kind: kind as 'tools' | 'prompts', target, name, item }
      const messages = item ? await problemsOf(entry, { ...object, item }) : [missing(name, items)]
      findings.push(...messages.map((message) => ({ view, message: `${message} (view "${view}")` })))
    }
  }
  return findings
}

function missing(own: string, items: readonly JsonObject[]): string {
  const names = items.map(({ name }) => String(name))
  return `The target does not offer ${own}${meant(own, names)}`
}

type Listed = PolicyObject & { readonly item: JsonObject }

async function problemsOf(entry: ViewEntry, object: Listed): Promise<string[]> {
  const known = closedParameters(object.item)
  const unknown = [...entry.parameters.keys()].flatMap((name) =>
    !known || known.includes(name)
      ? []
      : [`${name} is not a parameter of ${object.name}${meant(name, known)}`],
  )
  return [
    ...unknown,
    ...takenNames(entry, object),
    ...openDefaults(entry, object),
    ...(await expressionProblems(entry, object)),
  ]
}

/** Clients could no longer send the parameter that has the name already. */
function takenNames({ parameters }: ViewEntry, { item, name: own }: Listed): string[] {
  const declared = declaredNames(item)
  return [...parameters].flatMap(([name, { rename }]) =>
    rename !== undefined && declared.has(rename) && !parameters.has(rename)
      ? [`${name} cannot be called ${rename}: ${own} has a parameter of that name`]
      : [],
  )
}

/** A client that leaves a narrowed parameter out gets the value that the target has for it. */
function openDefaults({ parameters }: ViewEntry, object: Listed): string[] {
  const problems: string[] = []
  for (const [name, { fixed, default: given, narrow }] of parameters) {
    const schema = schemaOf(object, name)
    if (fixed || given || !isJsonObject(schema) || schema.default === undefined) continue
    if (accepts(narrow as ViewParameterSettings, schema.default)) continue
    const value = writeJson(schema.default)
    problems.push(
      `${name} of ${object.name} is ${value} when clients leave it out, which the view does not accept: give it a default`,
    )
  }
  return problems
}

/** Patterns are left to the gateway that checks the calls. */
function accepts(
  { enum: values, minimum, maximum, maxLength, maxItems }: ViewParameterSettings,
  given: unknown,
): boolean {
  if (values && !values.some((one) => writeJson(one) === writeJson(given))) return false
  if (typeof given === 'string') return given.length <= (maxLength ?? Infinity)
  if (Array.isArray(given)) return given.length <= (maxItems ?? Infinity)
  return typeof given !== 'number' || (given >= (minimum ?? -Infinity) && given <= (maximum ?? Infinity))
}

/** Expressions see the arguments that clients send, under the names that the view gives them. */
async function expressionProblems(entry: ViewEntry, object: Listed): Promise<string[]> {
  const shown = { ...object, item: shownItem(object.item, entry) }
  const problems: string[] = []
  for (const [name, parameter] of entry.parameters) {
    for (const filled of [parameter.fixed, parameter.default]) {
      if (!filled || !('expression' in filled)) continue
      const problem = await expressionProblem(filled.expression, [shown], schemaOf(object, name))
      if (problem !== undefined) problems.push(problem)
    }
  }
  return problems
}

function shownItem(item: JsonObject, { parameters }: ViewEntry): JsonObject {
  const rename = <T>(given: readonly (readonly [string, T])[]): [string, T][] =>
    given.flatMap(([name, value]) => {
      const parameter = parameters.get(name)
      return parameter?.fixed ? [] : [[parameter?.rename ?? name, value]]
    })
  const { inputSchema, arguments: listed } = item
  if (Array.isArray(listed)) {
    const names = listed.flatMap((one) => (isJsonObject(one) ? [[String(one.name), one] as const] : []))
    return { ...item, arguments: rename(names).map(([name, one]) => ({ ...one, name })) }
  }
  const properties = isJsonObject(inputSchema) ? closedProperties(inputSchema) : undefined
  if (!isJsonObject(inputSchema) || !properties)
    return { ...item, inputSchema: { additionalProperties: true } }
  const { $defs, definitions } = inputSchema
  return {
    ...item,
    inputSchema: { $defs, definitions, properties: Object.fromEntries(rename(Object.entries(properties))) },
  }
}

/** What a value of a parameter has to be. The arguments of prompts are texts. */
function schemaOf({ kind, item: { inputSchema } }: Listed, name: string): unknown {
  if (kind === 'prompts') return { type: 'string' }
  const [schema, ...others] =
    (isJsonObject(inputSchema) ? declaredProperties(inputSchema, inputSchema).get(name) : undefined) ?? []
  return others.length === 0 ? schema : undefined
}

function meant(name: string, names: readonly string[]): string {
  const close = suggest(name, names)
  return close === undefined ? '' : `; did you mean ${close}?`
}
