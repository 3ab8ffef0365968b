import { METHODS, METRICS, SPANS } from './mcp-model.mjs'

/** Where the spans and measurements of a test differ from the conventions: one sentence each. */
export function checkSpans(spans) {
  return spans.filter(({ kind }) => SPANS[kind]).flatMap(problemsOfSpan)
}

function problemsOfSpan(span) {
  const { attributes, kind, name } = span
  const facts = factsOf(attributes, span.failed)
  const found = problemsOf(attributes, SPANS[kind], facts).map((problem) => `${kind} ${name}: ${problem}`)
  const target = attributes['gen_ai.tool.name'] ?? attributes['gen_ai.prompt.name']
  const expected = target === undefined ? facts.method : `${facts.method} ${target}`
  if (name !== expected) found.push(`${kind} is called "${name}" instead of "${expected}"`)
  if (span.failed !== (attributes['error.type'] !== undefined))
    found.push(`${kind} ${name}: status and error.type differ`)
  return found
}

function factsOf(attributes, failed = attributes['error.type'] !== undefined) {
  return { method: attributes['mcp.method.name'] ?? '', code: attributes['rpc.response.status_code'], failed }
}

function problemsOf(attributes, table, facts) {
  const found = []
  if (facts.method !== '' && !METHODS.has(facts.method)) found.push(`unknown method ${facts.method}`)
  for (const [key, value] of Object.entries(attributes)) {
    const rule = table[key]
    if (!rule) found.push(`unknown attribute ${key}`)
    else if (!hasType(value, rule.type)) found.push(`${key} is no ${rule.type}`)
    else if (rule.only && !rule.only(facts)) found.push(`${key} does not belong to ${facts.method}`)
    else if (rule.value !== undefined && value !== rule.value) found.push(`${key} is ${value}`)
    else if (rule.values && !rule.values.includes(value)) found.push(`${key} is ${value}`)
  }
  for (const [key, rule] of Object.entries(table)) {
    if (rule.required(facts) && attributes[key] === undefined) found.push(`${key} is missing`)
  }
  return found
}

function hasType(value, type) {
  return type === 'int' ? Number.isInteger(value) : typeof value === 'string'
}

export function checkMetrics(metrics) {
  return metrics
    .filter(({ name }) => name.startsWith('mcp.'))
    .flatMap(({ name, unit, points }) => {
      const table = METRICS[name]
      if (!table) return [`unknown metric ${name}`]
      const found = points.flatMap(({ attributes }) => problemsOf(attributes, table, factsOf(attributes)))
      return (unit === 's' ? found : [...found, `${name} has the unit ${unit}`]).map(
        (problem) => `${name}: ${problem}`,
      )
    })
}
