import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { dockerfile } from './dockerfile.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const VERSION = (JSON.parse(read('packages/gateway/package.json')) as { version: string }).version

interface Service {
  readonly image: string
  readonly read_only?: boolean
  readonly cap_drop?: string[]
  readonly security_opt?: string[]
  readonly healthcheck?: object
  readonly stop_grace_period?: string
}

describe('the image', () => {
  const stages = dockerfile(read('deploy/Dockerfile'))
  const last = stages.at(-1)!

  it('runs as nobody special, by number, as Kubernetes can only check numbers', () => {
    expect(last.find('USER')).toEqual(['1000:1000'])
  })

  it('starts the gateway without a shell, so that signals reach it, below a process that ends orphans', () => {
    expect(JSON.parse(last.find('ENTRYPOINT')[0]!)).toEqual(['tini', '--', 'gantry'])
    expect(JSON.parse(last.find('CMD')[0]!)).toEqual(['serve'])
  })

  it('says how its health is seen', () => {
    expect(last.find('HEALTHCHECK')[0]).toContain('/health')
  })

  it('names the version of what it is built on, and keeps the tools that build it out', () => {
    for (const { from } of stages) expect(from).toMatch(/^node:\d+-[a-z]+-slim( AS build)?$/)
    expect(last.find('COPY')).toEqual([])
  })

  it('gets no secrets, no history and nothing that was built elsewhere', () => {
    const ignored = read('deploy/Dockerfile.dockerignore').split('\n')
    for (const pattern of ['.git', '**/node_modules', '**/dist', '**/.env*'])
      expect(ignored).toContain(pattern)
  })
})

describe('compose.yaml', () => {
  const { services } = parse(read('deploy/compose.yaml'), { merge: true }) as {
    services: Record<string, Service>
  }
  const replicas = Object.keys(services).filter((name) => name.startsWith('gantry-'))

  it('has three replicas that can write to nothing but their state', () => {
    expect(replicas).toHaveLength(3)
    for (const name of replicas) {
      expect(services[name]).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      })
    }
  })

  it('names the version of every image of others', () => {
    for (const { image } of Object.values(services)) {
      if (image !== 'gantry') expect(image).toMatch(/:\d+[.\d]*-[a-z]+$/)
    }
  })

  it.each(['nginx.conf', 'haproxy.cfg'])('has a balancer that knows all replicas: %s', (file) => {
    for (const name of replicas) expect(read(`deploy/${file}`)).toContain(`${name}:7332`)
  })
})

describe('configurations', () => {
  const isConfig = new Ajv2020({ strict: false, allErrors: true, validateFormats: false }).compile(
    JSON.parse(read('packages/gateway/schema/gantry.schema.json')) as object,
  )

  it.each([
    ['gantry.example.yaml', parse(read('deploy/gantry.example.yaml'))],
    [
      'values.yaml of the chart',
      (parse(read('deploy/helm/gantry/values.yaml')) as { config: object }).config,
    ],
  ])('are what the gateway takes: %s', (_, config) => {
    isConfig(config)
    expect(isConfig.errors ?? []).toEqual([])
  })
})

describe('the chart', () => {
  it('has the version of the gateway', () => {
    expect(parse(read('deploy/helm/gantry/Chart.yaml'))).toMatchObject({ appVersion: VERSION })
  })

  it('has values that its schema takes, and a schema that knows every value', () => {
    const values = parse(read('deploy/helm/gantry/values.yaml')) as object
    const schema = JSON.parse(read('deploy/helm/gantry/values.schema.json')) as { properties: object }
    const check = new Ajv({ strict: false }).compile(schema)
    check(values)
    expect(check.errors ?? []).toEqual([])
    expect(Object.keys(schema.properties).sort()).toEqual(['global', ...Object.keys(values)].sort())
  })
})
