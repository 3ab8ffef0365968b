import type { ServerResponse } from 'node:http'

export interface ConsentAccount {
  readonly title: string
  readonly isConnected: boolean
  /** Whether the client asks because this account is missing. */
  readonly isWanted: boolean
  /** Where it is connected. */
  readonly address: string
}

/** The facts of a consent page. */
export interface ConsentFacts {
  readonly uid: string
  /** The name that the client gave itself. It may be a lie. */
  readonly clientName: string
  /** The host that published the client's metadata; undefined when nothing vouches for the name. */
  readonly verifiedHost: string | undefined
  /** Where the answer goes. */
  readonly returnsTo: string
  readonly person: string
  readonly gateway: string
  readonly scopes: readonly string[]
  /** Accounts of this person that the gateway uses, or could use. */
  readonly accounts: readonly ConsentAccount[]
  /** Proves that the form came from this page. */
  readonly proof: string
}

export function consentPage(facts: ConsentFacts): string {
  const { clientName, verifiedHost, returnsTo, person, gateway, scopes, accounts } = facts
  const vouched =
    verifiedHost === undefined
      ? `<p class="note warn"><strong>Not verified.</strong> Nobody vouches for this name. Go on only if you have just started this yourself.</p>`
      : `<p class="note"><strong>Verified:</strong> published by <code>${text(verifiedHost)}</code></p>`
  const list = scopes.map((scope) => `<li><code>${text(scope)}</code></li>`).join('')
  return page(
    'Allow access?',
    `<h1>Allow <span class="name">${text(clientName)}</span> to use ${text(gateway)}?</h1>
${vouched}
<dl>
<dt>You are</dt><dd>${text(person)}</dd>
<dt>The answer goes to</dt><dd><code>${text(returnsTo)}</code></dd>
${list === '' ? '' : `<dt>It asks for</dt><dd><ul>${list}</ul></dd>`}
</dl>
${accountList(accounts)}
<form method="post" action="/oauth/sign-in/${encodeURIComponent(facts.uid)}">
<input type="hidden" name="proof" value="${text(facts.proof)}">
<button name="answer" value="allow" class="main">Allow</button>
<button name="answer" value="deny">Deny</button>
</form>`,
  )
}

/** Nobody has to connect anything: what is missing is asked for again when it is used. */
function accountList(accounts: readonly ConsentAccount[]): string {
  if (accounts.length === 0) return ''
  const items = accounts.map(({ title, isConnected, isWanted, address }) => {
    const state = isConnected ? 'connected' : isWanted ? 'not connected, and needed now' : 'not connected'
    const link = isConnected
      ? ''
      : ` <a href="${text(address)}">Connect<span class="unseen"> ${text(title)}</span></a>`
    return `<li><strong>${text(title)}</strong>: ${state}${link}</li>`
  })
  return `<section class="note" aria-labelledby="accounts"><h2 id="accounts">Your own accounts</h2>
<p>These are used with your own accounts. You can connect them now, and come back here.</p>
<ul>${items.join('')}</ul></section>`
}

/** Something that went wrong, in words that are safe for everybody. */
export function problemPage(what: string, fix: string): string {
  return page('Sign-in failed', `<h1>Sign-in failed</h1>\n<p>${text(what)}</p>\n<p>${text(fix)}</p>`)
}

export function sendPage(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, { ...PAGE_HEADERS, 'content-type': 'text/html; charset=utf-8' }).end(html)
}

const STYLE = `
:root{color-scheme:light dark;--ink:#1c2024;--dim:#4f5862;--ground:#f6f7f8;--card:#fff;--line:#c9ced4;--main:#0b5fb0;--on:#fff;--warn:#fff3d6}
@media (prefers-color-scheme:dark){:root{--ink:#e8eaed;--dim:#b0b7bf;--ground:#14171a;--card:#1d2125;--line:#4a525a;--main:#8ec5ff;--on:#0c1116;--warn:#3d3216}}
*{box-sizing:border-box}body{margin:0;padding:1rem 0;min-height:100vh;display:grid;place-items:center;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{width:min(30rem,calc(100vw - 2rem));padding:2rem;background:var(--card);border:1px solid var(--line);border-radius:12px}
h1{margin:0 0 1rem;font-size:1.35rem;line-height:1.3;overflow-wrap:anywhere}dt{color:var(--dim);font-size:.9rem}dd{margin:0 0 .8rem;overflow-wrap:anywhere}ul{margin:.2rem 0;padding-left:1.2rem}
.note{padding:.6rem .8rem;border:1px solid var(--line);border-radius:8px}.warn{background:var(--warn)}code{font-size:.95em;overflow-wrap:anywhere}
form{display:flex;gap:.8rem;margin-top:1.4rem}button{flex:1;padding:.7rem;border:1px solid var(--line);border-radius:8px;background:transparent;color:var(--ink);font:inherit;cursor:pointer}
button.main{background:var(--main);border-color:var(--main);color:var(--on);font-weight:600}button:focus-visible{outline:3px solid var(--main);outline-offset:2px}
h2{margin:0 0 .5rem;font-size:1.1rem;overflow-wrap:anywhere}a{color:var(--main)}a:focus-visible,input:focus-visible,summary:focus-visible{outline:3px solid var(--main);outline-offset:2px}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}`

const PAGE_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  // With `no-referrer` browsers send the answer with `Origin: null`, which is refused.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** A page in the house style; `body` is markup. */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${text(title)} · Gantry</title><style>${STYLE}</style></head>
<body><main>
${body}
</main></body></html>
`
}

/** Names and addresses of strangers are text, never markup; what turns text around is taken out. */
export function text(value: string): string {
  return value
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
    .slice(0, 300)
    .replaceAll(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`)
}
