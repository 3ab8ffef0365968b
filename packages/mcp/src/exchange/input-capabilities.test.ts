import { expect, it } from 'vitest'
import { missingCapabilities } from './input-capabilities.ts'

const form = { method: 'elicitation/create', params: { message: '', requestedSchema: { type: 'object' } } }
const page = { method: 'elicitation/create', params: { mode: 'url', message: '', url: 'https://a.example' } }
const plain = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } }
const withTools = { method: 'sampling/createMessage', params: { ...plain.params, tools: [] } }

it.each([
  [{ elicitation: {}, sampling: { tools: {} } }, { form, withTools }, undefined],
  [{}, { form }, { elicitation: {} }],
  [{ elicitation: {} }, { form, page }, { elicitation: { url: {} } }],
  [{ elicitation: { url: {} } }, { form, page }, { elicitation: { form: {} } }],
  [{}, { withTools, plain }, { sampling: { tools: {} } }],
  [{ sampling: {} }, { withTools, plain }, { sampling: { tools: {} } }],
])('a client with %j lacks, for these questions, …', (declared, requests, missing) => {
  expect(missingCapabilities(requests, declared)).toEqual(missing)
})
