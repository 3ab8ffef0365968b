import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { forbidsUri, permitsUri, sentUri, toUriPattern, uriForms } from './index.ts'

const forbids = (pattern: string, uri: string): boolean => forbidsUri(toUriPattern(pattern), uriForms(uri))
const permits = (pattern: string, uri: string): boolean => {
  const forms = uriForms(uri)
  return !forms.isAmbiguous && permitsUri(toUriPattern(pattern), forms)
}

describe('other spellings of what is forbidden', () => {
  it.each([
    'demo://resource/static/doc.md',
    'demo://resource/./static/doc.md',
    'demo://resource/x/../static/doc.md',
    'demo://resource/x/%2e%2E/static/doc.md',
    'DEMO://resource/static/doc.md',
    'demo://RESOURCE/static/doc.md',
    'demo://resource/%73tatic/doc.md',
    'demo://resource/%2573tatic/doc.md',
    'demo://resource/static%2Fdoc.md',
    'demo://resource%2Fstatic%2fdoc.md',
    'demo://resource/static%252Fdoc.md',
    'demo://resource//static//doc.md',
    'demo://resource\\static\\doc.md',
    'demo:\\\\resource\\static\\doc.md',
    'demo:%2F%2Fresource/static/doc.md',
    'demo://resource/static%5Cdoc.md',
    'demo://user:secret@resource/static/doc.md',
    'demo://resource:/static/doc.md',
    'demo://resource:80/static/doc.md',
    'demo://resource./static/doc.md',
    'demo://resource/static./doc.md',
    'demo://resource/static%20/doc.md',
    'demo://resource/sta\ttic/doc.md',
    'demo://resource/sta\ntic/doc.md',
    'demo://resource/sta%0Atic/doc.md',
    'demo://resource/sta\u200btic/doc.md',
    'demo://resource/sta\u00adtic/doc.md',
    ' demo://resource/static/doc.md',
    'demo://resource/static/doc.md ',
    'demo://resource/STATIC/doc.md',
    'demo://resource/ｓtatic/doc.md',
    'demo://resource/static/doc.md?x=1',
    'demo://resource/static/doc.md#top',
    'demo://resource/x/..;a/static/doc.md',
    'demo://resource/x/..%2Fstatic/doc.md',
    'demo://resource/x/..%5Cstatic/doc.md',
    'demo://resource/x/%252e%252e/static/doc.md',
    'demo://resource/x/．．/static/doc.md',
    'demo://other/../resource/static/doc.md',
    'demo:///resource/static/doc.md',
    'demo:/resource/static/doc.md',
    'demo:resource/static/doc.md',
    'demo://resource/static',
    'demo://resource/static?x',
    'demo://resource/sta\ufe0ftic/doc.md',
    'demo://resource/sta\u{e0041}tic/doc.md',
    'demo://other/..%2Fresource/static/doc.md',
  ])('%j', (uri) => {
    expect(forbids('demo://resource/static/*', uri)).toBe(true)
    expect(forbids('DEMO://resource/./%73tatic/*', uri)).toBe(true)
  })

  it.each([
    'docs://secret/x',
    'docs://secret/x/',
    'docs://secret/x?',
    'docs://secret/x#a',
    'docs://secret//x',
  ])('a rule about one resource holds for %j', (uri) => expect(forbids('docs://secret/x', uri)).toBe(true))

  it.each([
    ['https://example.com/secret/*', 'https://EXAMPLE.com:443/secret/x'],
    ['https://example.com/secret/*', 'https:\\\\example.com\\secret\\x'],
    ['https://example.com/secret/*', 'https:example.com/secret/x'],
    ['https://example.com/secret/*', 'https://ann@example.com/secret/x'],
    ['https://example.com/secret/*', 'https://example.com./secret/x'],
    ['https://example.com/secret/*', 'https://ｅxample.com/secret/x'],
    ['https://example.com/secret/*', 'https://ex%61mple.com/secret/x'],
    ['http://127.0.0.1/*', 'http://0x7f.1/x'],
    ['https://bücher.example/*', 'https://xn--bcher-kva.example/x'],
    ['file:///etc/*', 'file://localhost/etc/passwd'],
    ['file:///etc/*', 'file:/etc/passwd'],
    ['file:///etc/*', 'file://any.example/etc/passwd'],
    ['file:///c:/secret/*', 'file:///C|/secret/x'],
    ['file:///etc/*', 'file:\\\\\\etc\\passwd'],
    ['notes://café/*', 'notes://cafe\u0301/x'],
    ['notes://café/*', 'notes://caf%C3%A9/x'],
    ['notes://cafe\u0301/*', 'notes://cafe%cc%81/x'],
    ['notes://caf%c3%a9/*', 'notes://café/x'],
  ])('%s forbids %s', (pattern, uri) => expect(forbids(pattern, uri)).toBe(true))
})

describe('ways out of what is permitted', () => {
  it.each([
    'docs://public/../../secret',
    'docs://public/../secret',
    'docs://public/..%2F..%2Fsecret',
    'docs://public/%2e%2e/%2e%2e/secret',
    'docs://public/..\\..\\secret',
    'docs://public/%252e%252e%252fsecret',
    'docs://public/%c0%ae%c0%ae/secret',
    'docs://public/..;/secret',
    'docs://public/．．／secret',
    'docs://public/x?/../../secret',
    'docs://public/x?a=../../secret',
    'docs://public/x#/../../secret',
    'docs://public@secret/x',
    'docs://public%2F..%2Fsecret',
    'docs://public/a\u0000b',
    'docs://public/a%00b',
    'docs://public/a%zz',
    'docs://public/a\ud800',
    'docs://public:80@secret/x',
    'docs://PUBLIC/x',
    'docs:public/x',
    'public/x',
  ])('%j is not permitted', (uri) => expect(permits('docs://public/*', uri)).toBe(false))

  it.each([
    'docs://public/x',
    'DOCS://public/x',
    'docs://public/a/../x',
    'docs://public/./x',
    'docs://public/%78',
    'docs://public/a%2Fb',
    'docs://public/a b',
    'docs://public/ü?q=1&r=%20#top',
    'docs://public/100%25',
    'docs://public/',
  ])('%j is permitted', (uri) => expect(permits('docs://public/*', uri)).toBe(true))
})

describe('the form that is sent', () => {
  it.each([
    ['DOCS://Public/a/../b', 'docs://Public/b'],
    ['docs://x/%7eann/%2f%c3%bc', 'docs://x/~ann/%2F%C3%BC'],
    ['docs://x/ü y', 'docs://x/%C3%BC%20y'],
    ['https://Example.com:443', 'https://example.com/'],
    ['users://Alice/profile?', 'users://Alice/profile'],
    ['urn:isbn:0451450523', 'urn:isbn:0451450523'],
    ['ui://app/main.html', 'ui://app/main.html'],
  ])('%s is sent as %s', (uri, sent) => expect(sentUri(uriForms(uri))).toBe(sent))
})

const segment = fc.string({
  unit: fc.constantFrom(...'abcXYZ019-_~é日'),
  minLength: 1,
  maxLength: 8,
})
const plain = fc
  .record({
    scheme: fc.constantFrom('docs', 'demo', 'x-y'),
    host: segment,
    path: fc.array(segment, { maxLength: 5 }),
  })
  .map(({ scheme, host, path }) => ({ scheme, host, path, text: [`${scheme}://${host}`, ...path].join('/') }))

/** Any text for one character: as it is, or escaped in either case. */
const written = (text: string): fc.Arbitrary<string> =>
  fc.tuple(...[...text].map((one) => fc.constantFrom(...spellings(one)))).map((all) => all.join(''))

function spellings(character: string): string[] {
  const escaped = [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  return [character, character.normalize('NFD'), escaped, escaped.toUpperCase()]
}

const filler = fc.constantFrom([], ['.'], ['%2e'], ['x', '..'], ['é', '%2E%2e'], ['.', 'y', '.%2e'])

const respelled = plain.chain(({ scheme, host, path, text }) =>
  fc
    .record({
      scheme: fc.constantFrom(scheme, scheme.toUpperCase()),
      host: written(host),
      path: fc.tuple(
        ...path.map((one) => fc.tuple(filler, written(one)).map(([dots, name]) => [...dots, name])),
      ),
    })
    .map((spelled) => ({
      text,
      other: [`${spelled.scheme}://${spelled.host}`, ...spelled.path.flat()].join('/'),
    })),
)

it.each(['a:#', 'docs://x/y?', 'docs://x/y?#', 'https://example.com/#'])(
  '%s has the forms of what is sent: an empty query or fragment is none',
  (uri) => {
    const forms = uriForms(uri)
    expect(uriForms(sentUri(forms))).toEqual(forms)
    expect(forms.loose).not.toMatch(/[?#]/)
  },
)

describe('for any URI', () => {
  it('every spelling of it has the same forms', () => {
    fc.assert(
      fc.property(respelled, ({ text, other }) => {
        expect(uriForms(other)).toEqual(uriForms(text))
      }),
      { numRuns: 1000 },
    )
  })

  it('a pattern spelled in any way decides alike', () => {
    fc.assert(
      fc.property(respelled, ({ text, other }) => {
        expect(forbids(other, text)).toBe(true)
        expect(permits(other, text)).toBe(true)
        expect(forbids(`${other}*`, text)).toBe(true)
      }),
    )
  })

  it('what is sent is read as what was decided about', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          respelled.map(({ other }) => other),
          fc.webUrl(),
          fc.string(),
        ),
        (uri) => {
          const forms = uriForms(uri)
          if (!forms.isAmbiguous) expect(uriForms(sentUri(forms))).toEqual(forms)
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('the runtime reads what is sent as it is', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          respelled.map(({ other }) => other),
          fc.webUrl({ withQueryParameters: true }),
        ),
        (uri) => {
          const forms = uriForms(uri)
          if (forms.isAmbiguous) return
          const sent = sentUri(forms)
          expect(uriForms(new URL(sent).href).exact).toBe(forms.exact)
        },
      ),
    )
  })

  it('hiding a slash, a dot or an escape behind another escape never permits more', () => {
    const hidden = plain.chain(({ text }) =>
      fc.array(fc.nat({ max: text.length - 1 }), { maxLength: 4 }).map((places) => ({
        text,
        other: [...text].map((one, at) => (places.includes(at) && at > 8 ? twice(one) : one)).join(''),
      })),
    )
    fc.assert(
      fc.property(hidden, ({ text, other }) => {
        expect(forbids(text, other)).toBe(true)
      }),
    )
  })

  it('never takes long', () => {
    for (const hostile of [
      '%25'.repeat(20_000),
      '../'.repeat(20_000),
      '%'.repeat(60_000),
      'a@'.repeat(30_000),
    ]) {
      const began = process.cpuUsage()
      uriForms(`docs://x/${hostile}`)
      // Of the processor, in milliseconds: a busy machine does not count.
      expect(process.cpuUsage(began).user / 1000).toBeLessThan(1000)
    }
  })
})

function twice(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%25${byte.toString(16).padStart(2, '0')}`).join('')
}
