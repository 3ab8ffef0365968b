import { parseArgs } from 'node:util'

export const USAGE = `npm run conformance -- [server|client|gateway|authorization|all] [options]

  --scenario NAME       only this scenario (repeatable)
  --spec-version REV    only this revision of the specification (repeatable)
  --cell NAME           only the cells of the gateway's matrix whose name has this in it (repeatable)
  --balancer NAME       the gateway's matrix with three gateways behind nginx or haproxy
  --jobs N              scenarios at the same time (2)
  --timeout SECONDS     for one scenario (60)
  --json FILE           write the results
  --write               put the results into docs/conformance.md
  --record              add the checks of a clean run to conformance/expected-checks.json
  --url URL             test the server at this address instead of our fixture
  --command COMMAND     test this client instead of our fixture
  --no-build            use what is built
  --verbose             show the referee's output of every scenario`

const BALANCERS = ['nginx', 'haproxy']

export const ROLES = ['server', 'client', 'gateway', 'authorization']

/** The command line as a plain object. Throws an Error that says what is wrong with it. */
export function parseOptions(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      scenario: { type: 'string', multiple: true },
      'spec-version': { type: 'string', multiple: true },
      cell: { type: 'string', multiple: true, default: [''] },
      balancer: { type: 'string' },
      jobs: { type: 'string', default: '2' },
      timeout: { type: 'string', default: '60' },
      json: { type: 'string' },
      write: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      url: { type: 'string' },
      command: { type: 'string' },
      'no-build': { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.balancer && !BALANCERS.includes(values.balancer)) {
    throw new Error(`--balancer is ${BALANCERS.join(' or ')}, not '${values.balancer}'`)
  }
  if (values.balancer && values.write)
    throw new Error('the tables are about one gateway: not with --balancer')
  const wanted = positionals.length > 0 ? positionals : ['all']
  const unknown = wanted.find((role) => role !== 'all' && !ROLES.includes(role))
  if (unknown) throw new Error(`'${unknown}' is not one of ${ROLES.join(', ')}, all`)
  return {
    roles: wanted.includes('all') ? ROLES : ROLES.filter((role) => wanted.includes(role)),
    scenarios: values.scenario,
    revisions: values['spec-version'],
    cells: values.cell,
    balancer: values.balancer,
    jobs: positive(values.jobs, '--jobs'),
    timeout: positive(values.timeout, '--timeout') * 1000,
    json: values.json,
    write: values.write,
    record: values.record,
    url: values.url,
    command: values.command,
    build: !values['no-build'],
    verbose: values.verbose,
    help: values.help,
  }
}

function positive(text, name) {
  const number = Number(text)
  if (Number.isFinite(number) && number > 0) return number
  throw new Error(`${name} needs a number above zero, not '${text}'`)
}
