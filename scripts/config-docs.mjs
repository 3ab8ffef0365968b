// Writes docs/configuration.md from the published JSON Schema; with --check, says whether it is up to date.
import { readFileSync, writeFileSync } from 'node:fs'

const schemaFile = new URL('../packages/gateway/schema/gantry.schema.json', import.meta.url)
const pageFile = new URL('../docs/configuration.md', import.meta.url)
const schema = JSON.parse(readFileSync(schemaFile, 'utf8'))

/** Schemas with a name that readers know better than their structure. */
const NAMED = {
  duration: '[duration](#durations-and-sizes)',
  span: '[duration](#durations-and-sizes)',
  durationOrOff: '[duration](#durations-and-sizes) or `false`',
  bytes: '[size](#durations-and-sizes)',
  port: 'number',
  strings: 'list of text',
  principal: 'text or object',
  objects: 'list of [patterns](#policy)',
  texts: 'text by name',
  targets: '[targets](#targets) by name',
  reference: 'reference',
  approver: 'text',
  sensitive: '[what is looked for](results.md#what-is-looked-for)',
  resultRule: '[rules](#results)',
}

const resolve = (part) => {
  const target = part.$ref
    ?.slice(2)
    .split('/')
    .reduce((at, step) => at[step], schema)
  return target ? { ...resolve(target), ...part } : part
}

const refName = (part) => /^#\/\$defs\/(\w+)$/.exec(part.$ref ?? '')?.[1]

function typeOf(part) {
  const name = refName(part)
  if (NAMED[name]) return NAMED[name]
  const full = resolve(part)
  if (full.enum) return full.enum.map((value) => `\`${value}\``).join(', ')
  if (full.anyOf && !full.properties) {
    return [...new Set(full.anyOf.map(typeOf))].filter((type) => type !== 'reference').join(' or ')
  }
  if ('const' in full) return `\`${full.const}\``
  if (full.type === 'array')
    return NAMED[refName(full.items ?? {})]
      ? `list of ${NAMED[refName(full.items)]}`
      : full.items?.properties || refName(full.items ?? {})
        ? 'list of objects'
        : 'list of text'
  return (
    { string: 'text', integer: 'number', number: 'number', boolean: 'true/false', object: 'object' }[
      full.type
    ] ?? 'anything'
  )
}

const code = (value) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``
const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** Objects whose keys were listed already, for another key. */
const LISTED = new Set(['prompts', 'resources'])
/** Entries of lists that are explained elsewhere. */
const EXPLAINED = new Set(['sensitive', 'resultRule'])

/** One row for each key, those of nested objects with a dot. */
function* rows(part, prefix = '') {
  for (const [key, property] of Object.entries(part.properties ?? {})) {
    const full = resolve(property)
    if (full.deprecated) continue
    if (!full.description) throw new Error(`The schema does not describe ${prefix}${key}`)
    const required = part.required?.includes(key) ? ' **Needed.**' : ''
    const examples = full.examples?.length ? ` E.g. ${full.examples.map(code).join(', ')}.` : ''
    yield [
      `\`${prefix}${key}\``,
      typeOf(property),
      // An object is the sum of its keys, which have rows of their own.
      'default' in full && !full.properties ? code(full.default) : '',
      `${full.description}${required}${examples}`,
    ]
    const isExplained = EXPLAINED.has(refName(full.items ?? {}))
    const items = full.type === 'array' && !isExplained ? resolve(full.items ?? {}) : undefined
    const named = resolve(full.additionalProperties || {})
    if (LISTED.has(key)) continue
    if (named.properties) yield* rows(named, `${prefix}${key}.*.`)
    else if (full.properties) yield* rows(full, `${prefix}${key}.`)
    else if (items?.properties) yield* rows(items, `${prefix}${key}[].`)
    else if (items?.anyOf)
      for (const branch of items.anyOf) yield* rows(resolve(branch), `${prefix}${key}[].`)
    else if (full.anyOf) for (const branch of full.anyOf) yield* rows(resolve(branch), `${prefix}${key}.`)
  }
}

function table(part, only = () => true) {
  const lines = [...rows(part)].filter(([key]) => only(key.slice(1, -1)))
  return [
    '| key | value | default | meaning |',
    '|---|---|---|---|',
    ...lines.map((line) => `| ${line.map(cell).join(' | ')} |`),
  ].join('\n')
}

/** What the table of a section lists: an object, or each entry of a list or of a map by names. */
const entriesOf = (part) => resolve(part.type === 'array' ? part.items : part.additionalProperties || part)

function section(name) {
  const part = resolve(schema.properties[name])
  return `## ${name}\n\n${part.description}\n\n${table(entriesOf(part))}`
}

const target = schema.$defs.target
const under =
  (...keys) =>
  (key) =>
    keys.includes(key.split(/[.[]/)[0])
const stdio = ['command', 'args', 'env', 'envFile', 'cwd']
const url = ['url', 'transport', 'headers', 'oauth', 'type']
const inProcess = ['module', 'export', 'options']
const replay = ['replay', 'speed']
const kinds = [...stdio, ...url, ...inProcess, ...replay, 'openapi']
const foreign = Object.entries(target.properties).filter(([, part]) => part.deprecated)

const page = `<!-- Written by scripts/config-docs.mjs from packages/gateway/schema/gantry.schema.json. Change those. -->
# Configuration

${schema.description}

\`\`\`yaml
mcpServers:
  files:
    command: npx
    args: [-y, "@modelcontextprotocol/server-filesystem", .]
  github:
    url: https://api.githubcopilot.com/mcp/
    headers: { Authorization: "Bearer \${env:GITHUB_TOKEN}" }
    tools: { exclude: [delete_*] }
server:
  port: 7332
\`\`\`

The same file as JSON is what clients already have: \`{ "mcpServers": { … } }\`. \`gantry init\` writes a commented one, \`gantry import\` takes over the servers of other clients, and \`gantry check\` names the line, the reason and the fix of every mistake. Editors complete and check it with the schema that \`gantry check --schema\` prints.

**Where it is looked for:** \`--config FILE\`, the variable \`GANTRY_CONFIG\`, then \`gantry.yaml\`, \`.yml\`, \`.jsonc\` or \`.json\` in the current folder, then in your settings folder (\`~/.config/gantry\`, on Windows \`%APPDATA%\\gantry\`).

**While the gateway runs** the file is watched, and so are the files it refers to. A good change is applied at once: targets that it does not touch keep their connections and their calls. A bad one, also a file that is half-written or gone, is reported, and the configuration in use stays. So it is with a file that was merely found in the current folder: it was accepted as it was, and a change of it is taken up when the console made it, or after a new start that asks. Name the file with \`--config\` to have all of its changes followed.

**References and secrets.** \`\${env:NAME}\` is the environment of the gateway, \`\${env:NAME:-default}\` with a default for a variable that is unset or empty, \`\${file:PATH}\` the content of a file without its last line break. What references stand for, and all values under \`env\` and \`headers\`, are never printed: not in logs, messages, diffs or the console. A target whose reference leads nowhere is held back and says so; the others start.

### Durations and sizes

A duration is a number of milliseconds or text: \`500ms\`, \`30s\`, \`5m\`, \`1h\`, \`2d\`. A size is a number of bytes or text: \`512kb\`, \`16mb\`, \`1gb\`.

## The whole file

${table(schema, (key) => !/[.[]/.test(key))}

Keys that start with \`x-\` are ignored: a place for notes and YAML anchors.

## Targets

${target.description} They go under \`mcpServers\` (or \`servers\`), by name.

### A program

${table(target, under(...stdio))}

### A remote server

${table(target, under(...url))}

### A server in the gateway's own process

${table(target, under(...inProcess))}

### An OpenAPI description

${resolve(target.properties.openapi).description} \`headers\` go with every request.

${table(target, under('openapi'))}

### A recording

${table(target, under(...replay))}

### What every target has

${table(target, (key) => !under(...kinds)(key))}

### Keys of other clients

So that their files can be used as they are. \`gantry check\` mentions them.

| key | what becomes of it |
|---|---|
${foreign.map(([key, part]) => `| \`${key}\` | ${cell(part.description)} |`).join('\n')}

## defaults

${schema.$defs.defaults.description} It takes these keys of [targets](#what-every-target-has): ${Object.keys(schema.$defs.defaults.properties).map(code).join(', ')}.

${section('server')}

${section('auth')}

${section('policy')}

${schema.$defs.objects.description}

${['results', 'views', 'limits', 'names', 'catalog', 'store', 'telemetry', 'audit'].map(section).join('\n\n')}
`

if (process.argv.includes('--check')) {
  if (readFileSync(pageFile, 'utf8') !== page) {
    console.error('docs/configuration.md is not up to date: run node scripts/config-docs.mjs')
    process.exitCode = 1
  }
} else {
  writeFileSync(pageFile, page)
}
