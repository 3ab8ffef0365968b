import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { transform } from 'esbuild'
import { expect, vi } from 'vitest'

const FIXTURE = new URL('../fixtures/everything-app.mjs', import.meta.url).href
const PARENT = fileURLToPath(new URL('../', import.meta.url))

/** Runs snippets of the documents as they are, except for the port and the server that they serve. */
export class SnippetRunner {
  readonly #listen = vi.spyOn(HttpServer.prototype, 'listen')
  readonly #servers: HttpServer[] = []
  #folder = ''
  #count = 0

  /** Inside the project, so that snippets find the packages as a user's program would. */
  async start(): Promise<void> {
    this.#folder = await mkdtemp(join(PARENT, '.run-'))
  }

  /** Imports a snippet. `app` is the text of its `app.js`; the fixture that has everything unless given. */
  async import(
    snippet: string,
    app: string = `import { createApp } from '${FIXTURE}'\nexport const app = createApp()\n`,
  ): Promise<Record<string, unknown>> {
    const name = `snippet-${++this.#count}`
    const options = { loader: 'ts', format: 'esm', target: 'node20' } as const
    const { code } = await transform(snippet.replace('3000', '0'), options)
    await writeFile(join(this.#folder, `${name}-app.mjs`), app)
    const file = join(this.#folder, `${name}.mjs`)
    await writeFile(file, code.replace('./app.js', `./${name}-app.mjs`))
    return import(/* @vite-ignore */ pathToFileURL(file).href)
  }

  /** Imports a snippet that starts a server and returns its origin. */
  async serve(snippet: string): Promise<string> {
    this.#listen.mockClear()
    await this.import(snippet)
    const [server] = this.#listen.mock.contexts as [HttpServer]
    this.#servers.push(...(this.#listen.mock.contexts as HttpServer[]))
    await expect.poll(() => server.listening).toBe(true)
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  async closeServers(): Promise<void> {
    for (const server of new Set(this.#servers.splice(0))) {
      server.closeAllConnections()
      if (server.listening) await new Promise((done) => server.close(done))
    }
  }

  async stop(): Promise<void> {
    await this.closeServers()
    this.#listen.mockRestore()
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/** The fenced blocks of a page that are marked so, each with the heading that it stands below. */
export function snippetsOf(page: string, mark: string): { title: string; code: string }[] {
  const fence = new RegExp(`^\`\`\`${mark}\\n([\\s\\S]*?)^\`\`\`$`, 'gm')
  return page.split(/^## /m).flatMap((section) => {
    const title = section.slice(0, section.indexOf('\n'))
    return [...section.matchAll(fence)].map((found) => ({ title, code: found[1]! }))
  })
}
