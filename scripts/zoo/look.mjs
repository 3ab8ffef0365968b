import { summarize } from './compare.mjs'

/** How many prompts and resources are fetched, of those that need no arguments. */
const SAMPLES = 2
const METHOD_NOT_FOUND = -32601

/**
 * Lists what a server offers and makes the calls. `face` is a client reduced to what every client can do, so that
 * all of them are asked the same. Returns what is compared.
 */
export async function look(face, { calls, folder }) {
  const tools = await listed(face.tools)
  const prompts = await listed(face.prompts)
  const resources = await listed(face.resources)
  const results = []
  for (const [name, args] of calls.length > 0 ? calls : refused(tools))
    results.push(await settled(() => face.call(name, args)))
  for (const { name } of prompts.filter(needsNothing).sort(byName).slice(0, SAMPLES)) {
    results.push(await settled(() => face.prompt(name)))
  }
  const uris = resources.map(({ uri }) => uri).sort()
  for (const uri of uris.slice(0, SAMPLES)) {
    results.push(await settled(() => face.read(uri)))
  }
  return summarize({ tools, prompts, resources, results, revision: face.revision(), folder })
}

/** A server may declare a kind of thing and not know the method that lists it; for every client it has none. */
async function listed(list) {
  try {
    return await list()
  } catch (error) {
    if (error.code === METHOD_NOT_FOUND) return []
    throw error
  }
}

/** For a server that can do nothing without an account: a call that it refuses because its arguments are missing. */
function refused(tools) {
  const strict = tools.filter(({ inputSchema }) => inputSchema.required?.length > 0).sort(byName)
  return strict.slice(0, 1).map(({ name }) => [name, {}])
}

const needsNothing = ({ arguments: args = [] }) => !args.some(({ required }) => required)
const byName = (a, b) => (a.name < b.name ? -1 : 1)

async function settled(ask) {
  try {
    return await ask()
  } catch (error) {
    return { error: error.code ?? 'failed', message: String(error.message) }
  }
}
