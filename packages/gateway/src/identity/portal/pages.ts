import type { PersonalSecret } from '../../model/index.ts'
import { page, text } from '../sign-in/pages.ts'

/** A target as its page shows it to one person. */
export interface Connectable {
  readonly name: string
  readonly title: string
  /** The secrets to paste; empty: the person logs in at the target. */
  readonly secrets: readonly PersonalSecret[]
  readonly connected: { connectedAt: number; expires: string; usedAt: number | undefined } | undefined
}

/** Where the forms of one target go. */
export function pathOf(action: 'to' | 'off', name: string): string {
  return `/connect/${action}/${encodeURIComponent(name)}`
}

const proofField = (proof: string): string => `<input type="hidden" name="proof" value="${text(proof)}">`

export function listPage(facts: {
  person: string
  proof: string
  targets: readonly Connectable[]
  done: string | undefined
}): string {
  const { person, proof, targets, done } = facts
  const said = done === undefined ? '' : `<p class="note" role="status">${text(done)}</p>`
  const cards = targets.map((target) => card(target, proof)).join('\n')
  return page(
    'Your accounts',
    `${STYLE}<h1>Your accounts</h1>
${said}
<p>You are <strong>${text(person)}</strong>. What is connected here is used for your own calls, and for nobody else's.</p>
${cards === '' ? '<p>Nothing needs one of your accounts.</p>' : `<ul class="cards">${cards}</ul>`}
<form method="post" action="/connect/sign-out">${proofField(proof)}<button>Sign out</button></form>`,
  )
}

function card({ name, title, connected }: Connectable, proof: string): string {
  if (!connected) {
    return `<li><h2>${text(title)}</h2><p>Not connected.</p>
<p><a class="button" href="${pathOf('to', name)}">Connect<span class="unseen"> ${text(title)}</span></a></p></li>`
  }
  const { connectedAt, expires, usedAt } = connected
  return `<li><h2>${text(title)}</h2>
<dl><dt>Connected</dt><dd>${time(connectedAt)}</dd><dt>Ends</dt><dd>${text(expires)}</dd>
<dt>Last used</dt><dd>${usedAt === undefined ? 'never' : time(usedAt)}</dd></dl>
<form method="post" action="${pathOf('off', name)}">${proofField(proof)}
<a class="button" href="${pathOf('to', name)}">Connect anew<span class="unseen">: ${text(title)}</span></a>
<button>Disconnect<span class="unseen"> ${text(title)}</span></button></form></li>`
}

/** To the minute, and the same everywhere. */
function time(at: number): string {
  const iso = new Date(at).toISOString()
  return `<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`
}

export function targetPage(target: Connectable, proof: string, problem?: string): string {
  const { name, title, secrets } = target
  const said = problem === undefined ? '' : `<p class="note warn" role="alert">${text(problem)}</p>`
  const fields = secrets
    .map(
      (secret, index) => `<label for="s${index}">${text(secret.label)}</label>
<input id="s${index}" name="secret ${text(secret.name)}" type="password" autocomplete="off" spellcheck="false" required>`,
    )
    .join('\n')
  const what =
    secrets.length > 0
      ? 'It is kept encrypted, and used for your own calls alone.'
      : `You log in there, and allow this gateway to act for you. You can disconnect it at any time.`
  return page(
    `Connect ${title}`,
    `${STYLE}<h1>Connect your account of ${text(title)}?</h1>
${said}<p>${what}</p>
<form class="column" method="post" action="${pathOf('to', name)}" autocomplete="off">${proofField(proof)}
${fields}
<button class="main">Connect</button></form>
<p><a href="/connect">Your accounts</a></p>`,
  )
}

export function signInPage(facts: { next: string; hasLogin: boolean; problem?: string | undefined }): string {
  const { next, hasLogin, problem } = facts
  const said = problem === undefined ? '' : `<p class="note warn" role="alert">${text(problem)}</p>`
  const login = hasLogin
    ? `<p><a class="button main" href="/connect/sign-in?next=${encodeURIComponent(next)}">Sign in</a></p>
<details><summary>Use a key or a token instead</summary>`
    : ''
  return page(
    'Who are you?',
    `${STYLE}<h1>Who are you?</h1>
${said}<p>Your accounts are yours alone, so say who you are first.</p>
${login}<form class="column" method="post" action="/connect/sign-in">
<input type="hidden" name="next" value="${text(next)}">
<label for="key">Your key or access token of this gateway</label>
<input id="key" name="key" type="password" autocomplete="off" spellcheck="false" required>
<button class="${hasLogin ? '' : 'main'}">Go on</button></form>${hasLogin ? '</details>' : ''}`,
  )
}

export function noticePage(title: string, what: string): string {
  return page(
    title,
    `${STYLE}<h1>${text(title)}</h1><p>${text(what)}</p><p><a href="/connect">Your accounts</a></p>`,
  )
}

const STYLE = `<style>
.cards{list-style:none;margin:0;padding:0}.cards li{padding:1rem;margin:0 0 1rem;border:1px solid var(--line);border-radius:8px}
a.button{flex:1;display:inline-block;padding:.7rem 1.2rem;border:1px solid var(--line);border-radius:8px;color:var(--ink);text-align:center;text-decoration:none}
a.button.main{background:var(--main);border-color:var(--main);color:var(--on);font-weight:600}
form.column{flex-direction:column}input[type=password]{padding:.7rem;border:1px solid var(--dim);border-radius:8px;background:var(--ground);color:var(--ink);font:inherit}
</style>`
