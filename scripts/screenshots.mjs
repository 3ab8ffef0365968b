// npm run build && node scripts/screenshots.mjs        docs/images/*.png, light and dark, from a real gateway
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const OUT = process.argv[2] ?? join(ROOT, 'docs', 'images')
const fixture = (name) => join(ROOT, 'tests', 'fixtures', name)
const everything = join(
  createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'),
  '../dist/index.js',
)

const CONFIG = `// The servers of this machine. The console edits this file and keeps these comments.
{
  "stateDir": "./state",
  "mcpServers": {
    // A legacy server that asks for a name in the middle of a call
    "greeter": {
      "command": "node",
      "args": [${JSON.stringify(fixture('asking-server.mjs'))}],
      "env": { "REVISIONS": "2025-06-18,2025-11-25" }
    },
    "notes": { "command": "node", "args": [${JSON.stringify(join(ROOT, 'examples', 'notes-server.mjs'))}, "stdio"] },
    "everything": { "command": "node", "args": [${JSON.stringify(everything)}, "stdio"] },
    "postgres": { "command": "uvx", "args": ["postgres-mcp", "--access-mode=restricted"] }
  }
}
`

/** Name, address, what to wait for, and what to do before the picture is taken. */
const PAGES = [
  ['overview', '/', 'Connect a client'],
  ['target', '/targets/greeter', 'Handshake'],
  ['target-failing', '/targets/postgres', 'Fix:'],
  ['catalog', '/catalog?entry=everything_echo&entryKind=tool', 'Input'],
  ['playground', '/playground?kind=tool&name=greeter_greet', 'Call', askInPage],
  ['wire', '/wire?filter=tool:greet', 'Record messages', openFirstExchange],
  ['clients', '/clients', 'Who uses this gateway'],
  ['configuration', '/configuration', 'Review and apply'],
  ['why', '/why?name=postgres_query', 'Chain of causes'],
]

const folder = mkdtempSync(join(tmpdir(), 'gantry-pictures-'))
const gateway = await startGateway(folder)
try {
  await takePictures(gateway.consoleUrl)
} finally {
  gateway.process.kill('SIGTERM')
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
}

async function startGateway(dir) {
  const file = join(dir, 'gantry.jsonc')
  writeFileSync(file, CONFIG)
  const cli = join(ROOT, 'packages', 'gateway', 'dist', 'cli', 'gantry.js')
  const child = spawn(process.execPath, [cli, 'serve', '--config', file, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http\S+#token=\S+/.exec(line)?.[0]
    if (url) return { process: child, consoleUrl: url }
  }
  throw new Error('The gateway did not print the URL of its console')
}

async function takePictures(consoleUrl) {
  mkdirSync(OUT, { recursive: true })
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  const browser = await chromium.launch({
    ...(existsSync(executablePath) && { executablePath }),
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  })
  for (const colorScheme of ['light', 'dark']) {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      colorScheme,
      reducedMotion: 'reduce',
    })
    const page = await context.newPage()
    await page.goto(consoleUrl)
    const base = consoleUrl.replace(/\/#.*$/, '')
    for (const [name, path, text, before] of PAGES) {
      await page.goto(base + path)
      await page.getByText(text).or(page.getByLabel(text)).locator('visible=true').first().waitFor()
      await before?.(page)
      await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => {})
      await page.screenshot({ path: join(OUT, `${name}-${colorScheme}.png`) })
      console.log(`${name}-${colorScheme}.png`)
    }
    await context.close()
  }
  await browser.close()
}

async function askInPage(page) {
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  await page.getByLabel('Question from the server').getByLabel('name').fill('Ada')
  await page.evaluate(() => scrollTo(0, 0))
}

async function openFirstExchange(page) {
  await page.getByRole('list', { name: 'Exchanges' }).getByRole('button').first().click()
  await page.getByLabel('Waterfall').waitFor()
}
