import { describe, expect, it } from 'vitest'
import { ourFaults } from './our-faults.mjs'
import { sdkTables } from './write-sdks.mjs'

const saw = (found, revision = '2026-07-28') => ({ revision, found })
const unreachable = { revision: '', found: { connect: 'The server does not speak a modern revision of MCP' } }
const good = saw({ echo: 'yes', log: 'yes' })
const views = (more = {}) => ({
  ...{ own: good, directOlder: good, directNewer: good, older: good, newer: good },
  ...{ clientDirect: good, client: good },
  ...more,
})

describe('a fault of ours', () => {
  it('is what works only without the gateway, for a client of the same era', () => {
    const newer = saw({ echo: 'yes', log: '[] without "a line"' })
    expect(ourFaults(views({ newer }))).toEqual(['newer clients: log: [] without "a line"'])
    expect(ourFaults(views())).toEqual([])
  })

  it('is not what fails without the gateway too', () => {
    const bad = saw({ echo: 'yes', log: 'nothing' })
    expect(ourFaults(views({ directOlder: bad, older: bad }))).toEqual([])
  })

  it('is found with servers that have the older era alone', () => {
    const newer = saw({ echo: 'yes', log: 'nothing' })
    expect(ourFaults(views({ directNewer: unreachable, newer }))).toEqual(['newer clients: log: nothing'])
  })

  it('is a connection that works only without the gateway', () => {
    const older = { revision: '', found: { connect: 'closed' } }
    expect(ourFaults(views({ older }))).toEqual(['older clients: echo: closed', 'older clients: log: closed'])
  })
})

describe('the tables', () => {
  const sdk = { title: 'Go', version: '1.8.0' }

  it('count what works and name what does not', () => {
    const newer = saw({ echo: 'yes', log: 'nothing' })
    const page = sdkTables([{ ...sdk, views: views({ newer }) }])
    expect(page).toContain('| Go | 1.8.0 | 2026-07-28 | all 2 | all 2 | 1 of 2; not log |')
  })

  it('have no client where the zoo has none', () => {
    const page = sdkTables([{ ...sdk, views: views({ own: undefined, client: undefined }) }])
    expect(page).toContain('| Go | 1.8.0 | 2026-07-28 | not tried | all 2 | all 2 |')
    expect(page.match(/\| Go /g)).toHaveLength(1)
  })

  it('say what was not run', () => {
    expect(sdkTables([{ ...sdk, skipped: 'go is not installed' }])).toContain(
      '| Go | **not run**: go is not installed |',
    )
  })
})
