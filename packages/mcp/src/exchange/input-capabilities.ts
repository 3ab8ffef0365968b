import type { ClientCapabilities } from '../protocol/index.ts'
import type { InputRequest, InputRequests } from './exchange.ts'

/** The client capability that a question needs, or undefined when the client has it. */
export function missingCapability(
  request: InputRequest,
  declared: ClientCapabilities,
): ClientCapabilities | undefined {
  switch (request.method) {
    case 'elicitation/create':
      return missingElicitation(request.params?.mode === 'url', declared)
    case 'sampling/createMessage':
      return missingSampling(request.params?.tools !== undefined, declared)
    case 'roots/list':
      return declared.roots ? undefined : { roots: {} }
    default:
      return undefined
  }
}

function missingSampling(tools: boolean, { sampling }: ClientCapabilities): ClientCapabilities | undefined {
  if (sampling && (!tools || sampling.tools)) return undefined
  return { sampling: tools ? { tools: {} } : {} }
}

/** `elicitation: {}` means form mode (2025-11-25, Elicitation): URL mode has to be named. */
function missingElicitation(url: boolean, declared: ClientCapabilities): ClientCapabilities | undefined {
  const { elicitation } = declared
  if (url) return elicitation?.url ? undefined : { elicitation: { url: {} } }
  if (!elicitation) return { elicitation: {} }
  return elicitation.url && !elicitation.form ? { elicitation: { form: {} } } : undefined
}

export function missingCapabilities(
  requests: InputRequests,
  declared: ClientCapabilities,
): ClientCapabilities | undefined {
  let missing: ClientCapabilities | undefined
  for (const request of Object.values(requests)) {
    const one = missingCapability(request, declared)
    for (const [name, parts] of Object.entries(one ?? {})) {
      missing = { ...missing, [name]: { ...(missing?.[name] as object | undefined), ...(parts as object) } }
    }
  }
  return missing
}
