// The chart in deploy/helm, rendered by the real Helm and checked against the schemas of Kubernetes.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse, parseAllDocuments } from 'yaml'
import { ROOT } from '../lib/paths.mjs'
import { run } from '../lib/processes.mjs'

const HOME = join(ROOT, 'node_modules', '.cache', 'gantry', 'interop', 'helm')
const CHART = join(ROOT, 'deploy', 'helm', 'gantry')
const HELM = 'v3.22.0'
const VALIDATOR = 'kubernetes-validate==1.37.0'
const KUBERNETES = ['1.27', '1.37']
const TEMPLATE = ['template', 'gantry', CHART, '--namespace', 'tools', '--kube-version', KUBERNETES.at(-1)]

const REDIS = ['config.store.redis.url=redis://valkey:6379']
/** What is set, and which kinds come of it. */
const RENDERED = [
  {
    name: 'as it is',
    set: [],
    kinds: ['ConfigMap', 'Deployment', 'NetworkPolicy', 'Service', 'ServiceAccount'],
  },
  {
    name: 'one replica with a volume and an address',
    set: ['persistence.enabled=true', 'ingress.enabled=true', 'ingress.tls[0].secretName=tls'],
    kinds: [
      'ConfigMap',
      'Deployment',
      'Ingress',
      'NetworkPolicy',
      'PersistentVolumeClaim',
      'Service',
      'ServiceAccount',
    ],
  },
  {
    name: 'many replicas',
    set: [
      ...REDIS,
      'autoscaling.enabled=true',
      'clusterTls.secretName=gantry-cluster',
      'existingSecrets={gantry}',
      'networkPolicy.to[0].podSelector.matchLabels.app=valkey',
    ],
    kinds: [
      'ConfigMap',
      'Deployment',
      'HorizontalPodAutoscaler',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
      'ServiceAccount',
    ],
  },
  {
    name: 'replicas with workers',
    set: [...REDIS, 'replicas=3', 'config.server.workers=4'],
    kinds: ['ConfigMap', 'Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'ServiceAccount'],
  },
]
const REFUSED = [
  { set: ['replicas=3'], message: 'config.store.redis' },
  { set: [...REDIS, 'replicas=3', 'persistence.enabled=true'], message: 'persistence is for one replica' },
  { set: [...REDIS, 'replicas=3', 'config.server.sealingKeys=null'], message: 'sealingKeys' },
  { set: ['replicsa=3'], message: 'replicsa' },
  { set: ['drainDelay=soon'], message: 'drainDelay' },
]

/** Returns how many things are wrong. */
export async function proveHelm() {
  mkdirSync(HOME, { recursive: true })
  const [helm, validate] = [await buildHelm(), await installValidator()]
  const problems = [
    ...(await problemsOf(helm, ['lint', '--strict', '--kube-version', KUBERNETES.at(-1), CHART])),
  ]
  for (const one of RENDERED) problems.push(...(await problemsOfChart(helm, validate, one)))
  for (const { set, message } of REFUSED) {
    const said = (await problemsOf(helm, [...TEMPLATE, ...flags(set)])).join('\n')
    if (!said.includes(message))
      problems.push(`${set.join(', ')} should be refused with '${message}': ${said}`)
  }
  for (const problem of problems) console.log(`✗ ${problem}`)
  if (problems.length === 0)
    console.log(`✓ the chart renders in ${RENDERED.length} ways and refuses ${REFUSED.length}`)
  return problems.length
}

async function problemsOfChart(helm, validate, { name, set, kinds }) {
  const file = join(HOME, `${name.replaceAll(' ', '-')}.yaml`)
  const { stdout } = await execute(helm, [...TEMPLATE, ...flags(set)])
  writeFileSync(file, stdout)
  const objects = parseAllDocuments(stdout)
    .map((document) => document.toJS())
    .filter(Boolean)
  const problems = []
  const found = objects.map(({ kind }) => kind).sort()
  if (found.join() !== kinds.join()) problems.push(`${name}: ${found.join(', ')}`)
  const config = objects.find(({ kind }) => kind === 'ConfigMap').data['gantry.yaml']
  if (parse(config).server.host !== '0.0.0.0') problems.push(`${name}: ${config}`)
  problems.push(...(await problemsOfConfig(config)))
  for (const version of KUBERNETES)
    problems.push(...(await problemsOf(validate, ['--strict', '--kubernetes-version', version, file])))
  return problems
}

/** What the gateway itself says of the file in the chart. */
async function problemsOfConfig(config) {
  const file = join(HOME, 'gantry.yaml')
  writeFileSync(file, config)
  const command = [join(ROOT, 'packages/gateway/bin/gantry.mjs'), 'check', '--config', file]
  const secret = () => randomBytes(32).toString('hex')
  const env = {
    ...process.env,
    GANTRY_SEALING_KEY: secret(),
    GANTRY_OPS_KEY: secret(),
    POD_IP: '10.0.0.1',
  }
  return problemsOf(process.execPath, command, { env })
}

function flags(set) {
  return set.flatMap((one) => ['--set', one])
}

const execute = promisify(execFile)

function problemsOf(command, args, options) {
  return execute(command, args, options).then(
    () => [],
    ({ stdout, stderr, message }) => [`${stdout}${stderr}` || message],
  )
}

async function buildHelm() {
  const binary = join(HOME, HELM, 'helm')
  if (existsSync(binary)) return binary
  console.log('building Helm …')
  const env = { ...process.env, GOBIN: join(HOME, HELM) }
  if ((await run('go', ['install', `helm.sh/helm/v3/cmd/helm@${HELM}`], { env })) !== 0)
    throw new Error('Helm could not be built; it needs Go')
  return binary
}

async function installValidator() {
  const folder = join(HOME, 'venv')
  const python = join(folder, 'bin', 'python')
  if (!existsSync(python)) await run('python3', ['-m', 'venv', folder])
  const code = await run(python, [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    VALIDATOR,
  ])
  if (code !== 0) throw new Error(`${VALIDATOR} could not be installed; it needs Python`)
  return join(folder, 'bin', 'kubernetes-validate')
}
