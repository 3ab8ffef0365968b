/** What one client saw of a server, in a form in which equal things are equal texts. */
export function summarize({ tools, prompts, resources, results, revision, folder }) {
  const normal = (value) => toText(value).replaceAll(folder, 'DIR')
  const byName = (items) =>
    Object.fromEntries(items.map((item) => [normal(item.uri ?? item.name).slice(1, -1), normal(item)]))
  return {
    revision,
    tools: byName(tools.map(withoutExecution)),
    prompts: byName(prompts),
    resources: byName(resources),
    results: results.map((result) => textOfResult(result, normal)),
  }
}

/** Nothing when both saw the same, else the first thing that differs. */
export function compare(expected, seen) {
  if (seen.failed !== undefined) return expected.failed === undefined ? seen.failed : ''
  if (expected.failed !== undefined) return 'works, unlike with the official client'
  for (const kind of ['tools', 'prompts', 'resources']) {
    const difference = compareLists(kind, expected[kind], seen[kind])
    if (difference !== '') return difference
  }
  const at = expected.results.findIndex((text, index) => text !== seen.results[index])
  return at < 0 ? '' : `answer ${at + 1} differs: ${around(expected.results[at], seen.results[at] ?? '')}`
}

function compareLists(kind, expected, seen) {
  const missing = Object.keys(expected).filter((name) => !(name in seen))
  if (missing.length > 0) return `${kind} are missing: ${missing.slice(0, 5).join(', ')}`
  const more = Object.keys(seen).filter((name) => !(name in expected))
  if (more.length > 0) return `${kind} that the server does not have: ${more.slice(0, 5).join(', ')}`
  const changed = Object.keys(expected).find((name) => expected[name] !== seen[name])
  return changed === undefined
    ? ''
    : `${kind} differ in ${changed}: ${around(expected[changed], seen[changed])}`
}

/** Tasks of 2025-11-25 end at the gateway: its clients call such a tool like any other, so it takes the mark away. */
const withoutExecution = ({ execution, ...tool }) => tool

/** The part where two texts part. */
function around(expected, seen) {
  let at = 0
  while (at < expected.length && expected[at] === seen[at]) at++
  const part = (text) => text.slice(Math.max(0, at - 60), at + 160)
  return `${part(expected)}  ≠  ${part(seen)}`
}

/** The words of an error may name the client or the target; its code may not change. */
function textOfResult({ error, isError = false, content, structuredContent, messages, contents }, normal) {
  if (error !== undefined) return `error ${error}`
  const text = normal({ isError, content, structuredContent, messages, contents })
  // Times, ids and ports differ from one call to the next.
  return text.replaceAll(/[\da-f]{6,}|\d+/gi, '#')
}

/** JSON with members in one order, which means nothing in JSON. */
function toText(value) {
  return JSON.stringify(value, (_, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}
