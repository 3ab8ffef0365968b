import { expect, it } from 'vitest'
import { type OpenApiTarget, Secret } from '../../model/index.ts'
import { fromModel } from './from-model.ts'

it('takes everything that concerns the API from the configuration', () => {
  const model = {
    kind: 'openapi',
    name: 'pets',
    document: '/etc/pets.yaml',
    baseUrl: undefined,
    headers: { 'x-a': new Secret('1') },
    auth: {
      bearer: new Secret('t'),
      basic: undefined,
      apiKeys: [],
      schemes: {},
      clientCredentials: undefined,
    },
    operations: { include: ['GET *'], exclude: [], rename: {}, describe: {} },
    group: 'tag',
    groups: {},
    serverVariables: { region: 'eu' },
    redirects: 'none',
    maxResponseBytes: 5,
    outputSchemas: 'lenient',
    maxSchemaBytes: 6,
    referenceRoot: '/etc',
    forwardHeaders: ['x-b'],
    timeouts: { start: 1, install: 1, idle: 2, request: 3 },
  } as unknown as OpenApiTarget
  expect(fromModel(model)).toMatchObject({
    document: '/etc/pets.yaml',
    name: 'pets',
    include: ['GET *'],
    group: 'tag',
    auth: { bearer: model.auth.bearer },
    forwardHeaders: ['x-b'],
    timeout: 3,
    serverVariables: { region: 'eu' },
    redirects: 'none',
    maxResponseBytes: 5,
    outputSchemas: 'lenient',
    maxSchemaBytes: 6,
    referenceRoot: '/etc',
  })
})
