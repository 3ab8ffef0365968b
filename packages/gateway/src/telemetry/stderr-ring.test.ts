import { expect, it } from 'vitest'
import { configFromValue } from '../config/index.ts'
import { contextOf } from '../admin/explain/present-steps.ts'
import { explainFailure } from '../admin/explain/explain-failure.ts'
import { SecretScrubber } from './secret-scrubber.ts'
import { StderrRing } from './stderr-ring.ts'

const SECRET = 'alpha/beta gamma delta'
const loaded = await configFromValue({ mcpServers: { a: { command: 'a', env: { TOKEN: SECRET } } } }, {})
if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
const { model } = loaded
const scrubber = new SecretScrubber(model)
const ring = new StderrRing((text) => scrubber.scrubText(text))

it('takes out whole secrets before what looks like a credential, which may be a part of one', () => {
  ring.push(`refused: password=${SECRET}`)
  ring.push('token: ghp_abcdefghijklmnopqrstuvwxyz0123')
  const said = ring.tail(10).map(({ text }) => text)
  expect(said.join('\n')).not.toMatch(/alpha|beta|gamma|delta|ghp_/)
  expect(said).toHaveLength(2)
})

it('does so for what explains a failure', () => {
  const context = contextOf(undefined, model.targets[0]!, 'initialize', ring)
  const told = explainFailure(new Error(`refused: password=${SECRET}`), context)
  expect(JSON.stringify(told)).not.toMatch(/alpha|beta|gamma|delta/)
  expect(told.what).toContain('refused')
})
