import { spawn } from 'node:child_process'
import { parseUrl } from '../protocol/index.ts'

/** Opens a page in the user's browser. Only web addresses, and no shell: the URL comes from a server. */
export async function openBrowser(url: string): Promise<void> {
  const page = parseUrl(url)
  if (page?.protocol !== 'https:' && page?.protocol !== 'http:') {
    throw new Error(`Not a web address: ${page?.protocol ?? 'no URL'}`)
  }
  const [command, ...args] = browserCommand(page.href)
  await new Promise<void>((resolve, reject) => {
    const child = spawn(command as string, args, { stdio: 'ignore', detached: true })
    child.once('error', reject)
    child.once('spawn', () => {
      child.unref()
      resolve()
    })
  })
}

function browserCommand(href: string): string[] {
  if (process.platform === 'darwin') return ['open', href]
  // Not `cmd /c start`: cmd would interpret `&` and `%` in the address.
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', href]
  return ['xdg-open', href]
}
