import { expect, it } from 'vitest'
import type { InputRequest } from '../exchange/index.ts'
import { type AnswerHandlers, Answers } from './answers.ts'

const form: InputRequest = {
  method: 'elicitation/create',
  params: { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } },
}
const page: InputRequest = {
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Go there', url: 'https://example.com/', elicitationId: '1' },
}
const sampling: InputRequest = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } }

// Handlers that TypeScript would refuse: not everybody writes it.
const handlers: [string, unknown, InputRequest][] = [
  ['elicit', () => undefined, form],
  ['elicit', () => 42, form],
  ['elicit', () => ({ action: 'perhaps' }), form],
  ['elicit', { url: () => 'yes' }, page],
  ['sample', () => 'just text', sampling],
  ['sample', () => ({ model: 'm' }), sampling],
  ['roots', () => 7, { method: 'roots/list' }],
  ['roots', () => [{ path: '/home' }], { method: 'roots/list' }],
]

it.each(handlers)('says that the "%s" handler returned no answer', async (name, handler, request) => {
  const answers = new Answers({ [name]: handler } as AnswerHandlers)
  const failed = answers.ask({ q: request }, { signal: new AbortController().signal })
  const message = expect.stringContaining(`The "${name}" handler must return`)
  await expect(failed).rejects.toMatchObject({ code: 'invalid_answer', message })
})
