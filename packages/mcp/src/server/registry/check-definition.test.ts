import { describe, expect, it } from 'vitest'
import { prompt, resource, Server, template, tool } from '../index.ts'

const run = () => ''
const make = (options: object) => new Server({ name: 's', ...options } as never)

describe('a definition that cannot work', () => {
  it.each<[string, () => unknown, RegExp]>([
    ['a server without a name', () => make({ name: '' }), /A server needs a name/],
    ['a server whose name is blank', () => make({ name: '  ' }), /A server needs a name/],
    [
      'an unknown option of a server',
      () => make({ tool: {} }),
      /The server "s" has no option "tool"; .*tools/,
    ],
    [
      'a tool whose name has a space',
      () => make({ tools: { 'a b': tool({ run }) } }),
      /cannot be called "a b"/,
    ],
    ['a tool whose name has a comma', () => make({ tools: { 'a,b': tool({ run }) } }), /cannot be called/],
    ['a tool whose name is not ASCII', () => make({ tools: { é: tool({ run }) } }), /cannot be called/],
    [
      'a tool whose name is too long',
      () => make({ tools: { ['a'.repeat(129)]: tool({ run }) } }),
      /1 to 128/,
    ],
    ['a tool added later', () => make({}).tool('a b', { run }), /cannot be called/],
    [
      'an unknown option of a tool',
      () => make({ tools: { a: { run, descripton: 'x' } } }),
      /The tool "a" has no option "descripton"; .*description/,
    ],
    [
      'an unknown option of a prompt',
      () => make({ prompts: { a: prompt({ run, argumnets: {} } as never) } }),
      /The prompt "a" has no option "argumnets"/,
    ],
    [
      'a resource without a scheme',
      () => make({ resources: { a: resource({ uri: '/x', text: '' }) } }),
      /is not a URI/,
    ],
    [
      'a resource with a space',
      () => make({ resources: { a: resource({ uri: 'a://b c', text: '' }) } }),
      /is not a URI/,
    ],
    [
      'an unknown option of a resource',
      () => make({ resources: { a: resource({ uri: 'a://b', text: '', mime: 'x' } as never) } }),
      /The resource "a:\/\/b" has no option "mime"/,
    ],
    [
      'an unknown option of a template',
      () =>
        make({ templates: { a: template({ uriTemplate: 'a://{b}', read: run, completes: {} } as never) } }),
      /The template "a:\/\/\{b\}" has no option "completes"/,
    ],
    [
      'an unknown option of an argument',
      () => make({ prompts: { a: { run, arguments: { x: { requird: true } } } } }),
      /The argument "x" has no option "requird"; .*required/,
    ],
    [
      'an unknown option of an argument in a list',
      () => make({ prompts: { a: { run, arguments: [{ name: 'x', requird: true }] } } }),
      /The argument "x" has no option "requird"/,
    ],
    [
      'an argument without a name',
      () => make({ prompts: { a: { run, arguments: [{ title: 'x' }] } } }),
      /An argument of the prompt "a" has no name/,
    ],
    ['a prompt whose name is blank', () => make({ prompts: { '  ': { run } } }), /A prompt needs a name/],
    [
      'a template without a scheme',
      () => make({ templates: { a: { uriTemplate: '/x/{y}', read: run } } }),
      /"\/x\/\{y\}" is not a URI/,
    ],
    [
      'a template with a space',
      () => make({ templates: { a: { uriTemplate: 'a://b c/{y}', read: run } } }),
      /is not a URI/,
    ],
    ['a template without a uri', () => make({ templates: { a: { read: run } } }), /needs a uriTemplate/],
    ['a server of nothing', () => new Server(undefined as never), /A server needs a name/],
    [
      'a number of tools',
      () => make({ tools: 42 }),
      /The server "s" takes a list or an object as "tools", not a number/,
    ],
    ['no tools', () => make({ tools: null }), /The server "s" takes .* as "tools", not null/],
    [
      'a number as a tool',
      () => make({ tools: { a: 42 } }),
      /The tool "a" is a number, and must be an object/,
    ],
    ['a function as a tool', () => make({ tools: { a: run } }), /The tool "a" is a function, and must be/],
    ['null as a prompt', () => make({ prompts: [null] }), /The prompt is null, and must be an object/],
    ['text as a resource', () => make({ resources: { a: 'a:b' } }), /The resource "a" is "a:b", and must be/],
    [
      'scopes that are no list',
      () => make({ tools: { a: { run, scopes: 'x' } } }),
      /The tool "a" takes a list as "scopes", not "x"/,
    ],
    [
      'when that is no function',
      () => make({ resources: { a: { uri: 'a:b', text: '', when: true } } }),
      /The resource "a:b" takes a function as "when", not true or false/,
    ],
    [
      'a hint in words',
      () => make({ tools: { a: { run, readOnlyHint: 'yes' } } }),
      /The tool "a" takes true or false as "readOnlyHint", not "yes"/,
    ],
    [
      'an instance with such an option',
      () =>
        make({
          tools: [
            class Own {
              scopes = 'x'
              run = run
            },
          ],
        }),
      /The tool "own" takes a list as "scopes"/,
    ],
    [
      'numbers of another kind',
      () => make({ numbers: 'exactly' }),
      /takes one of exact, rounded as "numbers"/,
    ],
    ['a revision that does not exist', () => make({ revisions: ['2020-01-01'] }), /takes some of 2024-11-05/],
    ['no revisions', () => make({ revisions: [] }), /takes some of 2024-11-05/],
    ['pages of nothing', () => make({ pageSize: 0 }), /The server "s" takes 1 or more as "pageSize"/],
    ['middleware that is no function', () => make({ middleware: [5] }), /Middleware is a function/],
    ['the same, added later', () => make({}).use(5 as never), /Middleware is a function/],
    ['a mounted number', () => make({}).mount('x', 5 as never), /can be mounted/],
    [
      'an unknown option of the configuration',
      () => make({ configuration: { exceptionReport: run } }),
      /A configuration has no option "exceptionReport"/,
    ],
    [
      'a template that reads nothing',
      () => make({ templates: { a: { uriTemplate: 'a://{b}' } } }),
      /The template "a:\/\/\{b\}" has no read function/,
    ],
  ])('%s is refused with what to do', (_, define, message) => {
    expect(define).toThrow(message)
  })

  it('names with dots, dashes and 128 letters are fine, and so are members of instances', () => {
    class Own {
      helper = 1
      run = run
    }
    expect(() =>
      make({ tools: { 'a.b-c_D9': tool({ run }), ['a'.repeat(128)]: tool({ run }) } }),
    ).not.toThrow()
    expect(() => make({ tools: { a: new Own() } })).not.toThrow()
    expect(() => make({ resources: { a: resource({ uri: 'urn:isbn:1', text: '' }) } })).not.toThrow()
    for (const uriTemplate of ['urn:isbn:{id}', '{+uri}', '{scheme}://x', 'a://b{?q,r}', 'a:///{path*}'])
      expect(() => make({ templates: { a: { uriTemplate, read: run } } })).not.toThrow()
  })
})
