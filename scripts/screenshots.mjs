// npm run build, then
// node scripts/screenshots.mjs                   docs/images/*.webp, light and dark, from a real gateway
// node scripts/screenshots.mjs FOLDER WIDTH      the same elsewhere and of another width, to look at
// node scripts/screenshots.mjs FOLDER WIDTH NAME…  only these pages
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { CHROMIUM_ARGS, ensureChromium } from './lib/chromium.mjs'
import { startCompany } from './lib/company.mjs'
import { freePort } from './lib/free-port.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const OUT = process.argv[2] ?? join(ROOT, 'docs', 'images')
const WIDTH = Number(process.argv[3] ?? 1280)
const ONLY = process.argv.slice(4)
const everything = join(
  createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'),
  '../dist/index.js',
)

/** Servers by short names beside the configuration: pictures show nobody's folders. */
const SERVERS = {
  'greeter.mjs': join(ROOT, 'tests', 'fixtures', 'asking-server.mjs'),
  'notes.mjs': join(ROOT, 'examples', 'notes-server.mjs'),
  'everything.mjs': everything,
}

const CONFIG = `// The servers of this machine. The console edits this file and keeps these comments.
{
  "stateDir": "./state",
  "mcpServers": {
    // A legacy server that asks for a name in the middle of a call
    "greeter": {
      "command": "node",
      "args": ["greeter.mjs"],
      "cwd": ".",
      "env": { "REVISIONS": "2025-06-18,2025-11-25" }
    },
    "notes": { "command": "node", "args": ["notes.mjs", "stdio"], "cwd": "." },
    "everything": { "command": "node", "args": ["everything.mjs", "stdio"], "cwd": "." },
    "postgres": { "command": "uvx", "args": ["postgres-mcp", "--access-mode=restricted"] }
  },
  "policy": {
    "rules": [
      { "name": "notes stay", "deny": ["tools:notes/delete"], "message": "Notes are archived, not deleted." },
      { "name": "small sums", "deny": ["tools:everything/get-sum"], "when": "args.a > 1000.0", "mode": "audit" }
    ]
  },
  "audit": {},
  "limits": { "rates": [{ "name": "echoes", "for": ["tools:everything/echo"], "perDay": 100 }] },
  "views": { "desk": { "use": ["notes/*", "tools:everything/get-*"], "title": "Help desk" } }
}
`

/** Name, address, what to wait for, and what to do before the picture is taken. */
const PAGES = [
  ['playground', '/playground?kind=tool&name=greeter_greet', 'Call', askInPage],
  ['wire', '/wire', 'Record messages', openBridgedCall],
  ['overview', '/', 'Connect a client'],
  ['waiting', '/waiting', 'Answer'],
  ['target', '/targets/everything', 'Last calls'],
  ['handshake', '/targets/greeter?tab=handshake', 'Handshake'],
  ['target-failing', '/targets/postgres', 'Fix:'],
  ['catalog', '/catalog?entry=notes_delete&entryKind=tool', 'How clients see it'],
  ['add-target', '/add-target', 'Try it', tryTarget],
  ['tools', '/tools', 'Last used'],
  ['events', '/events', 'What the gateway logged last'],
  ['audit', '/audit', 'Check the chain'],
  ['clients', '/clients', 'Who uses this gateway'],
  ['access', '/access?tab=rules', 'Would deny'],
  ['view', '/view?name=desk', 'tokens'],
  ['configuration', '/configuration', 'Review and apply'],
  ['why', '/why?name=postgres_query', 'Chain of causes'],
]

/** Pages for people who sign in, of a gateway of a company. */
const COMPANY_PAGES = ['login', 'who', 'connect', 'portal', 'consent', 'sign-in-failed']

const folder = mkdtempSync(join(tmpdir(), 'gantry-pictures-'))
const gateway = await startGateway(folder)
try {
  if (PAGES.some(([name]) => isWanted(name))) {
    await makeTraffic(gateway.consoleUrl)
    await takePictures(gateway.consoleUrl)
  }
  if (COMPANY_PAGES.some(isWanted)) await takeCompanyPictures()
} finally {
  await stopped(gateway.process)
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
}

function isWanted(name) {
  return ONLY.length === 0 || ONLY.includes(name)
}

async function stopped(child) {
  child.kill('SIGTERM')
  if (child.exitCode === null) await once(child, 'exit')
}

async function startGateway(dir, text = CONFIG, port = 0) {
  const file = join(dir, 'gantry.jsonc')
  writeFileSync(file, text)
  for (const [name, path] of Object.entries(SERVERS)) symlinkSync(path, join(dir, name))
  const cli = join(ROOT, 'packages', 'gateway', 'dist', 'cli', 'gantry.js')
  const child = spawn(process.execPath, [cli, 'serve', '--config', file, '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http\S+#token=\S+/.exec(line)?.[0]
    if (url) return { process: child, consoleUrl: url }
  }
  throw new Error('The gateway did not print the URL of its console')
}

async function takePictures(consoleUrl) {
  await inBothThemes(async (context, save) => {
    const page = await context.newPage()
    await hidePlaces(page, consoleUrl)
    await withdrawCalls(consoleUrl)
    await page.goto(consoleUrl)
    // Until the browser is signed in, the next page would ask for the token.
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    const base = consoleUrl.replace(/\/#.*$/, '')
    for (const [name, path, text, before] of PAGES) {
      if (!isWanted(name)) continue
      await page.goto(base + path)
      await page.getByText(text).or(page.getByLabel(text)).locator('visible=true').first().waitFor()
      await before?.(page)
      await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => {})
      await save(page, name)
    }
  })
}

/** The pages of a gateway whose people sign in with the company. */
async function takeCompanyPictures() {
  const dir = join(folder, 'company')
  mkdirSync(dir)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const company = await startCompany(`${url}/oauth/callback`, (sub) => ({
    email: `${sub}@example.com`,
    groups: ['staff'],
  }))
  const secret = (label) => ({ kind: 'user', env: { TOKEN: label } })
  const server = { command: 'node', args: ['notes.mjs', 'stdio'], cwd: '.' }
  const config = {
    stateDir: './state',
    mcpServers: {
      issues: { ...server, title: 'Issues', credentials: secret('Your personal access token of Issues') },
      calendar: { ...server, title: 'Calendar', credentials: secret('Your key of the calendar') },
    },
    auth: {
      signIn: { issuer: company.issuer, clientId: 'gantry', clientSecret: 'hush-hush', scopes: ['tools'] },
      roles: { viewer: ['staff'] },
    },
  }
  const signedIn = await startGateway(dir, JSON.stringify(config), port)
  try {
    await inBothThemes((context, save) => takeSignInPages(context, save, url))
  } finally {
    await stopped(signedIn.process)
    await company.close()
  }
}

async function takeSignInPages(context, save, url) {
  const page = await context.newPage()
  await page.goto(`${url}/console/`)
  await page.getByRole('button', { name: 'Sign in with your company' }).waitFor()
  if (isWanted('login')) await save(page, 'login')
  await page.goto(`${url}/connect/to/issues`)
  if (isWanted('who')) await save(page, 'who')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.fill('[name=login]', 'ada')
  await page.fill('[name=password]', 'any')
  await page.click('[type=submit]')
  await page.click('[type=submit]')
  if (isWanted('connect')) await save(page, 'connect')
  await page.getByLabel('Your personal access token of Issues').fill('a-token')
  await page.getByRole('button', { name: 'Connect' }).click()
  await page.getByRole('heading', { name: 'Your accounts' }).waitFor()
  if (isWanted('portal')) await save(page, 'portal')
  const registered = await fetch(`${url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Claude Code',
      redirect_uris: ['http://localhost:33418/callback'],
      token_endpoint_auth_method: 'none',
    }),
  })
  const query = new URLSearchParams({
    client_id: (await registered.json()).client_id,
    redirect_uri: 'http://localhost:33418/callback',
    response_type: 'code',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
    state: 'any',
  })
  await page.goto(`${url}/oauth/authorize?${query}`)
  // The company knows the person already, and asks at most whether it is still them.
  const allow = page.getByRole('button', { name: 'Allow', exact: true })
  while ((await allow.count()) === 0) {
    if (await page.locator('[name=login]').count()) await page.fill('[name=login]', 'ada')
    if (await page.locator('[name=password]').count()) await page.fill('[name=password]', 'any')
    await page.click('[type=submit]')
    await page.waitForLoadState()
  }
  if (isWanted('consent')) await save(page, 'consent')
  await page.goto(`${url}/oauth/callback?state=old`)
  if (isWanted('sign-in-failed')) await save(page, 'sign-in-failed')
}

/** Does something with an empty browser for each theme; `save` writes what a page shows. */
async function inBothThemes(action) {
  mkdirSync(OUT, { recursive: true })
  const { path: executablePath, reason } = await ensureChromium()
  if (executablePath === undefined) throw new Error(`There is no Chromium: ${reason}`)
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGS })
  for (const colorScheme of ['light', 'dark']) {
    const context = await browser.newContext({
      viewport: { width: WIDTH, height: WIDTH < 600 ? 844 : 800 },
      colorScheme,
      reducedMotion: 'reduce',
    })
    await action(context, async (page, name) => {
      const file = `${name}-${colorScheme}.webp`
      writeFileSync(join(OUT, file), await photograph(page))
      console.log(file)
    })
    await context.close()
  }
  await browser.close()
}

/** A third of the size of what Playwright can write, and as good to look at. */
async function photograph(page) {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 })
  await session.detach()
  return Buffer.from(data, 'base64')
}

function adminHeaders(hash) {
  return { authorization: `Bearer ${hash.replace('#token=', '')}`, 'content-type': 'application/json' }
}

/** Takes away what waits since the pictures of the other theme, so that both show the same. */
async function withdrawCalls(consoleUrl) {
  const { origin, hash } = new URL(consoleUrl)
  const headers = adminHeaders(hash)
  const { calls } = await (await fetch(`${origin}/api/waiting`, { headers })).json()
  for (const { call } of calls.filter((one) => one.call !== undefined)) {
    await fetch(`${origin}/api/playground/calls/${call}/cancel`, { method: 'POST', headers })
  }
}

/** Some minutes of use in some seconds, so that charts and figures have something to show. */
async function makeTraffic(consoleUrl) {
  const { origin, hash } = new URL(consoleUrl)
  const headers = adminHeaders(hash)
  const call = (name, args) =>
    fetch(`${origin}/api/playground/calls`, {
      method: 'POST',
      headers,
      body: JSON.stringify({
        method: 'tools/call',
        params: { name, arguments: args },
        client: { era: 'modern', capabilities: {}, name: 'claude-code' },
      }),
    })
  for (let burst = 1; burst <= 5; burst += 1) {
    for (let count = 0; count < burst * 4; count += 1) await call('everything_echo', { message: 'hello' })
    await call('notes_list', {})
    await call('notes_delete', { id: '1' })
    await call('everything_get-sum', { a: 1, b: 'two' })
    await new Promise((resolve) => setTimeout(resolve, 10_000))
  }
}

/** The gateway's folder and port are of this run only; pictures show what a user would have. */
async function hidePlaces(page, consoleUrl) {
  const { host } = new URL(consoleUrl)
  await page.route(/\/api\/(?!events|.*\/events)/, async (route) => {
    const response = await route.fetch()
    const text = (await response.text())
      .replaceAll(folder, '/home/ada/gantry')
      .replaceAll(host, '127.0.0.1:7332')
    await route.fulfill({ response, body: text })
  })
}

async function askInPage(page) {
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  await page.getByLabel('Question from the server').getByLabel('name').fill('Ada')
  await page.evaluate(() => scrollTo(0, 0))
}

async function openBridgedCall(page) {
  const exchanges = page.getByRole('grid', { name: 'Exchanges' })
  await exchanges
    .getByRole('row', { name: /greeter_greet/ })
    .first()
    .click()
  await page.getByLabel('Waterfall').waitFor()
}

async function tryTarget(page) {
  await page.getByLabel('Command, URL, snippet or description').fill('node everything.mjs stdio')
  await page.getByRole('button', { name: 'Try it' }).click()
  await page
    .getByText('works', { exact: true })
    .or(page.getByText('failed', { exact: true }))
    .waitFor()
}
