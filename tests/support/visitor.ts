/** A browser of one person at the pages of a gateway: cookies, redirects and forms, without a window. */
export class Visitor {
  readonly #base: string
  readonly #cookies = new Map<string, string>()

  constructor(base: string) {
    this.#base = base
  }

  /** Follows redirects, also to other hosts and back. */
  async open(
    path: string,
    form?: Record<string, string>,
  ): Promise<{ status: number; url: string; html: string }> {
    let url = new URL(path, this.#base)
    let body = form && new URLSearchParams(form)
    for (let step = 0; step < 12; step++) {
      const response = await fetch(url, {
        method: body ? 'POST' : 'GET',
        redirect: 'manual',
        headers: { cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        ...(body && { body }),
      })
      for (const cookie of response.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!
        if (value === '') this.#cookies.delete(name!)
        else this.#cookies.set(name!, value!)
      }
      const location = response.headers.get('location')
      if (location === null) return { status: response.status, url: url.href, html: await response.text() }
      url = new URL(location, url)
      body = undefined
    }
    throw new Error(`There is no end of redirects at ${url.href}`)
  }

  /** Sends the form of a page that was opened. */
  async submit(page: { html: string }, fields: Record<string, string> = {}, action?: string) {
    const path = action ?? /<form[^>]* action="([^"]+)"/.exec(page.html)![1]!
    return this.open(path, { ...hidden(page.html), ...fields })
  }

  /** Says who it is. */
  async signIn(key: string, path = '/connect') {
    return this.submit(await this.open(path), { key }, '/connect/sign-in')
  }
}

function hidden(html: string): Record<string, string> {
  const found = html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)
  return Object.fromEntries([...found].map(([, name, value]) => [name!, value!]))
}
