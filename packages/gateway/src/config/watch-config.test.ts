import { mkdir, mkdtemp, open, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ConfigEvent, type ConfigWatcher, watchConfig } from './watch-config.ts'
import { writeFileAtomic } from './write-file-atomic.ts'

const configWith = (...names: string[]) =>
  JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { command: name }])) })

let dir: string
let file: string
let events: ConfigEvent[]
let watcher: ConfigWatcher | undefined

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gantry-watch-'))
  file = join(dir, 'gantry.json')
  events = []
  watcher = undefined
})
afterEach(async () => {
  await watcher?.close()
  await rm(dir, { recursive: true })
})

async function watchIt(text = configWith('a', 'b')): Promise<ConfigWatcher> {
  await writeFile(file, text)
  watcher = await watchConfig(file, (event) => void events.push(event), { settle: 40 })
  return watcher
}

const until = (condition: () => boolean) => expect.poll(condition).toBe(true)
const names = () => watcher!.model.targets.map((target) => target.name)
const lastType = () => events.at(-1)?.type

describe('watchConfig', () => {
  it('hands a good change over with what is different', async () => {
    await watchIt()
    await writeFile(file, configWith('b', 'c'))
    await until(() => events.length === 1)
    expect(events).toMatchObject([
      {
        type: 'applied',
        diff: { added: [{ name: 'c' }], removed: [{ name: 'a' }], changed: [], untouched: ['b'] },
      },
    ])
    expect(names()).toEqual(['b', 'c'])
  })

  it('goes on, and tries again, when reading fails in a way that nobody expected', async () => {
    const failing = { isOn: false }
    await writeFile(file, configWith('a'))
    watcher = await watchConfig(file, (event) => void events.push(event), {
      settle: 40,
      poll: 500,
      isAccepted: async () => {
        if (failing.isOn) throw new Error('Cannot find module')
        return true
      },
    })
    failing.isOn = true
    await writeFile(file, configWith('a', 'b'))
    await until(() => lastType() === 'rejected')
    expect(names()).toEqual(['a'])
    failing.isOn = false
    await until(() => lastType() === 'applied')
    expect(names()).toEqual(['a', 'b'])
  })

  it('keeps the model in use when a test of the new policy fails', async () => {
    await watchIt()
    const policy = { rules: [{ deny: ['c/*'], when: 'args.n > 1' }] }
    const tests = [{ call: 'c/x', args: { n: 1 }, expect: 'deny' }]
    const next = { ...JSON.parse(configWith('c')), policy: { ...policy, tests } }
    await writeFile(file, JSON.stringify(next))
    await until(() => lastType() === 'rejected')
    expect(events.at(-1)).toMatchObject({ problems: [{ code: 'failed-test', path: 'policy.tests[0]' }] })
    expect(names()).toEqual(['a', 'b'])
    await writeFile(file, JSON.stringify({ ...next, policy }))
    await until(() => lastType() === 'applied')
    expect(names()).toEqual(['c'])
  })

  it('sees files that are replaced, as editors do it, again and again', async () => {
    await watchIt()
    for (const name of ['x', 'y', 'z']) {
      await writeFile(join(dir, 'swap'), configWith(name))
      await rename(join(dir, 'swap'), file)
      await until(() => names()[0] === name)
    }
    await writeFileAtomic(file, configWith('w'))
    await until(() => names()[0] === 'w')
    // The other way round: the old file is moved away first.
    await rename(file, `${file}~`)
    await writeFile(file, configWith('v'))
    await until(() => names()[0] === 'v')
    expect(events.every((event) => event.type === 'applied')).toBe(true)
  })

  it('reports a bad change, keeps the old model and recovers', async () => {
    const { model } = await watchIt()
    await writeFile(file, '{"mcpServers": {"a": {"comand": "x"}}}')
    await until(() => events.length === 1)
    expect(events).toMatchObject([
      { type: 'rejected', model, problems: [{ fix: 'Did you mean "command"?' }] },
    ])
    expect(watcher!.model).toBe(model)
    await writeFile(file, configWith('a', 'b'))
    await until(() => events.length === 2)
    expect(events[1]).toMatchObject({
      type: 'applied',
      diff: { added: [], changed: [], untouched: ['a', 'b'] },
    })
  })

  it('reports one bad state once', async () => {
    await watchIt()
    await writeFile(file, '{')
    await until(() => events.length === 1)
    await watcher!.reload()
    await watcher!.reload()
    expect(events).toHaveLength(1)
  })

  it('waits for a file that is being written', async () => {
    await watchIt()
    const text = configWith('slow', 'writer')
    const handle = await open(file, 'w')
    for (const part of text.match(/.{1,12}/gs)!) {
      await handle.write(part)
      await new Promise((done) => setTimeout(done, 10))
    }
    await handle.close()
    await until(() => names().includes('slow'))
    expect(events.map((event) => event.type)).toEqual(['applied'])
  })

  it('keeps going when the file is deleted, and takes it back', async () => {
    await watchIt()
    await rm(file)
    await until(() => events.length === 1)
    expect(events).toMatchObject([{ type: 'rejected', problems: [{ code: 'unreadable' }] }])
    expect(names()).toEqual(['a', 'b'])
    await writeFile(file, configWith('back'))
    await until(() => names()[0] === 'back')
  })

  it('says nothing when only comments change', async () => {
    await watchIt()
    await writeFile(file, `// note\n${configWith('a', 'b')}`)
    await watcher!.reload()
    expect(events).toEqual([])
  })

  it('follows the files that the configuration refers to, also when they come later', async () => {
    await mkdir(join(dir, 'secrets'))
    await watchIt('{"mcpServers":{"a":{"command":"x","env":{"T":"${file:secrets/token}"}}}}')
    expect(watcher!.model.targets[0]).toMatchObject({ enabled: false })
    await writeFile(join(dir, 'secrets', 'token'), 'one')
    await until(() => watcher!.model.targets[0]!.enabled)
    await writeFile(join(dir, 'secrets', 'token'), 'two')
    await until(() => events.length === 2)
    expect(events[1]).toMatchObject({ diff: { changed: [{ name: 'a', keys: ['env'], reconnect: true }] } })
  })

  it('notices changes that come without an event, as in a folder that did not exist', async () => {
    await writeFile(file, '{"mcpServers":{"a":{"command":"x","env":{"T":"${file:later/on/token}"}}}}')
    watcher = await watchConfig(file, (event) => void events.push(event), { settle: 20, poll: 30 })
    await mkdir(join(dir, 'later', 'on'), { recursive: true })
    await writeFile(join(dir, 'later', 'on', 'token'), 'one')
    await until(() => watcher!.model.targets[0]!.enabled)
    await rm(join(dir, 'later'), { recursive: true })
    await until(() => !watcher!.model.targets[0]!.enabled)
  })

  it('follows the links of a mounted ConfigMap', async () => {
    const put = async (version: string, text: string) => {
      await mkdir(join(dir, version))
      await writeFile(join(dir, version, 'gantry.json'), text)
      await symlink(version, join(dir, '..data_tmp'))
      await rename(join(dir, '..data_tmp'), join(dir, '..data'))
    }
    await put('..v1', configWith('one'))
    await symlink(join('..data', 'gantry.json'), file)
    watcher = await watchConfig(file, (event) => void events.push(event), { settle: 40 })
    await put('..v2', configWith('two'))
    await until(() => names()[0] === 'two')
    await put('..v3', configWith('three'))
    await until(() => names()[0] === 'three')
  })

  it('follows a link to a file elsewhere that is replaced', async () => {
    await mkdir(join(dir, 'elsewhere'))
    await writeFile(join(dir, 'elsewhere', 'real.json'), configWith('one'))
    await symlink(join(dir, 'elsewhere', 'real.json'), file)
    watcher = await watchConfig(file, (event) => void events.push(event), { settle: 40 })
    for (const name of ['two', 'three']) {
      await writeFileAtomic(join(dir, 'elsewhere', 'real.json'), configWith(name))
      await until(() => names()[0] === name)
    }
  })

  it('goes on when a listener throws', async () => {
    await writeFile(file, configWith('a'))
    const warned: unknown[] = []
    const listen = (warning: Error) => void warned.push(warning)
    process.on('warning', listen)
    watcher = await watchConfig(file, () => Promise.reject(new Error('listener failed')), { settle: 40 })
    await writeFile(file, configWith('b'))
    await until(() => warned.length === 1)
    await writeFile(file, configWith('c'))
    await until(() => warned.length === 2)
    process.off('warning', listen)
    expect(names()).toEqual(['c'])
  })

  it('hands changes over one at a time', async () => {
    await writeFile(file, configWith('a'))
    let running = 0
    let most = 0
    let last = ''
    watcher = await watchConfig(
      file,
      async (event) => {
        most = Math.max(most, ++running)
        await new Promise((done) => setTimeout(done, 30))
        running--
        last = event.model.targets[0]!.name
      },
      { settle: 5 },
    )
    for (const name of ['b', 'c', 'd', 'e']) {
      await writeFile(file, configWith(name))
      void watcher.reload()
    }
    await until(() => last === 'e')
    expect(most).toBe(1)
  })

  it('refuses to begin without a usable configuration', async () => {
    await writeFile(file, '{')
    await expect(watchConfig(file, () => {})).rejects.toMatchObject({ cause: [{ code: 'syntax' }] })
  })

  it('is silent after close', async () => {
    const { close } = await watchIt()
    await close.call(watcher)
    await writeFile(file, configWith('late'))
    await watcher!.reload()
    expect(lastType()).toBeUndefined()
  })
})
