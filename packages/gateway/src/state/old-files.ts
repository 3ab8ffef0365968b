import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileStorage, readTokenFile } from '@gantry/mcp/auth/node'
import { isJsonObject } from '@gantry/mcp/exchange'
import { parseJson } from '@gantry/mcp/foreign'
import { CHANGES_KEY, changeRows } from '../admin/catalog/change-log.ts'
import { catalogRows } from '../catalog/catalog-store.ts'
import { writeFileAtomic } from '../config/index.ts'
import { readSmallFile, type GatewayModel } from '../model/index.ts'
import { allRows, withLease, type Store } from '../store/index.ts'
import { tokenRows } from '../targets/token-rows.ts'
import type { Log } from '../telemetry/log.ts'

/** Old files have it in their names until the next version removes them. */
const MOVED = '.moved'
const LISTS = 'catalog'
const MOST_LIST_BYTES = 256 * 1024 * 1024
const CHANGES = 'catalog-changes.json'
const TOKENS = 'tokens'
const TOKEN_KEY = 'tokens.key'

/** Takes over what earlier versions kept in files of its own. `gantry store write-back` is the way back. */
export async function moveOldFiles(model: GatewayModel, store: Store, log: Log): Promise<void> {
  if (store.kind === 'memory') return
  const inState = (name: string): string => join(model.stateDir, name)
  const move = async (name: string, run: (path: string) => Promise<void>): Promise<void> => {
    const path = inState(name)
    try {
      // Another gateway may have moved it meanwhile.
      if (!existsSync(path)) return
      await run(path)
      await setAside(path)
      log('info', `${path} is in the store now; the old one is ${name}${MOVED}`)
    } catch (error) {
      log('warn', `${path} could not be moved to the store, and is left as it is: ${String(error)}`, {
        event: 'state-not-moved',
      })
    }
  }
  await withLease(store, 'old-files', async () => {
    await move(LISTS, (path) => moveLists(path, model, store))
    await move(
      CHANGES,
      async (path) => void (await changeRows(store).put(CHANGES_KEY, await readSmallFile(path))),
    )
    await move(TOKENS, async (path) => {
      const values = await readTokenFile({ path })
      for (const [key, value] of Object.entries(values))
        await tokenRows(store).put(key, JSON.stringify(value))
      await setAside(inState(TOKEN_KEY)).catch(() => {})
    })
  })
}

/** The files do not say whose they are: only those of targets that are configured are found. */
async function moveLists(path: string, { targets }: GatewayModel, store: Store): Promise<void> {
  for (const { name } of targets) {
    const text = await readSmallFile(join(path, listFile(name)), { most: MOST_LIST_BYTES }).catch(
      () => undefined,
    )
    if (text !== undefined) await catalogRows(store).put(name, text)
  }
}

/** Writes the rows to the files that earlier versions read. Returns what was written. */
export async function writeOldFiles({ stateDir }: GatewayModel, store: Store): Promise<string[]> {
  const written: string[] = []
  const write = async (name: string, text: string): Promise<void> => {
    await writeFileAtomic(join(stateDir, name), text, { mode: 0o600 })
    written.push(name)
  }
  await mkdir(join(stateDir, LISTS), { recursive: true, mode: 0o700 })
  for await (const { key, value } of allRows(catalogRows(store)))
    await write(join(LISTS, listFile(key)), value)
  const changes = await changeRows(store).get(CHANGES_KEY)
  if (changes) await write(CHANGES, changes.value)
  const tokens = fileStorage({ path: join(stateDir, TOKENS) })
  let hasTokens = false
  for await (const { key, value } of allRows(tokenRows(store))) {
    const token = parseJson(value)
    if (isJsonObject(token)) await tokens.write(key, token)
    hasTokens = true
  }
  return hasTokens ? [...written, TOKENS] : written
}

async function setAside(path: string): Promise<void> {
  await rm(`${path}${MOVED}`, { recursive: true, force: true })
  await rename(path, `${path}${MOVED}`)
}

/** Target names may hold anything but "/": the hash kept them apart, the rest kept them readable. */
function listFile(target: string): string {
  const readable = target.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 40)
  const hash = createHash('sha256').update(target).digest('hex').slice(0, 8)
  return `${readable}-${hash}.json`
}
