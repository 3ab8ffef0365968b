import { Client, type ClientOptions } from '@gantry/mcp/client'
import { memory } from '@gantry/mcp/server'
import type { RelayServed } from '../../relay/relay-served.ts'
import { ClientTag } from '../../telemetry/client-tag.ts'
import type { PlaygroundClient } from '../contract.ts'
import type { Caller } from '../handlers.ts'
import type { Questions } from './questions.ts'

const TASKS = 'io.modelcontextprotocol/tasks'

export interface PlaygroundClientOptions {
  readonly id: string
  readonly served: RelayServed
  readonly client: PlaygroundClient
  readonly caller: Caller
  readonly questions: Questions
  readonly version: string
  readonly timeout: number | undefined
}

/** A real client of the gateway, over the same edges as any other, that has its questions answered in the page. */
export function createPlaygroundClient(options: PlaygroundClientOptions): Client {
  const { client, caller } = options
  const connector = memory(options.served, {
    context: { auth: caller.auth, serverContext: new ClientTag(options.id) },
  })
  return new Client({
    ...handlersOf(options),
    name: client.name ?? 'gantry-playground',
    version: options.version,
    connector,
    numbers: 'source',
    era: client.era,
    protocolVersion: client.revision,
    capabilities: declared(client),
    timeout: options.timeout ?? 0,
    maxTotalTimeout: 0,
    reconnect: false,
    cache: false,
    validateOutput: false,
  })
}

function handlersOf({ client, questions }: PlaygroundClientOptions): ClientOptions {
  const { elicitation, sampling, roots } = client.capabilities
  const handlers: ClientOptions = {}
  if (elicitation?.form || elicitation?.url) {
    const elicit =
      (kind: 'form' | 'url') =>
      (params: object, { signal }: { signal: AbortSignal }) =>
        questions.ask(kind, 'elicitation/create', params, signal) as never
    handlers.elicit = {
      ...(elicitation.form && { form: elicit('form') }),
      ...(elicitation.url && { url: elicit('url') }),
    }
  }
  if (sampling) {
    handlers.sample = (params, { signal }) =>
      questions.ask('sampling', 'sampling/createMessage', params, signal) as never
  }
  if (roots) handlers.roots = roots.map(({ uri, name }) => (name === undefined ? { uri } : { uri, name }))
  return handlers
}

function declared({ capabilities }: PlaygroundClient): NonNullable<ClientOptions['capabilities']> {
  const { sampling, tasks } = capabilities
  return {
    ...(sampling && {
      sampling: { ...(sampling.tools && { tools: {} }), ...(sampling.context && { context: {} }) },
    }),
    ...(tasks && { extensions: { [TASKS]: {} } }),
  }
}
