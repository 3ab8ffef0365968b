import { describe, expect, it } from 'vitest'
import { testTitles } from './test-titles.ts'

/** What other SDKs get wrong and we have sworn not to: each fault, and the test that would find it here. */
const FAULTS: [fault: string, file: string, words: string][] = [
  [
    'talks to modern servers as to legacy ones',
    'negotiate.test.ts',
    'takes a DiscoverResult for a modern server',
  ],
  ['starts a second process to find the era', 'client-stdio.test.ts', 'finds the era on one process'],
  [
    'waits for a stream that has ended',
    'http/client/hostile.test.ts',
    'a stream that ends without the answer',
  ],
  ['sends a session id that is dead', 'client-connect.test.ts', 'a lost session is opened anew'],
  ['forgets the total time limit without progress', 'client.test.ts', 'the maximum holds anyway'],
  ['kills the direct child only', 'stdio/client-shutdown.test.ts', 'ends the whole tree'],
  [
    'refreshes once for each call that sees 401',
    'oauth-refresh.test.ts',
    'ten calls that see 401 cause one refresh',
  ],
  ['takes quadratic time for large messages', 'lines.test.ts', 'costs time linear in the size of a message'],
  [
    'drops notifications on stdio',
    'stdio/client.test.ts',
    'notifications and requests of the server reach onMessage',
  ],
  ['never answers a server', 'client-stdio.test.ts', 'requests of the server are answered'],
  ['throws stderr away', 'stdio/client.test.ts', '10 MB on stderr do not deadlock'],
  ['breaks under concurrent calls', 'client.test.ts', 'parallel requests answered out of order'],
  ['makes authors write the rounds', 'questions.test.ts', 'one handler asks forms, choices, pages'],
  ['has no middleware', 'visibility.test.ts', 'middleware may change a list'],
  ['has no pagination', 'lists.test.ts', 'pages cover everything once'],
  ['has no sessions that survive', 'http/server/session.test.ts', 'sealed session ids survive a restart'],
  ['has no tasks', 'tasks.test.ts', 'is answered with a flat handle, then polled'],
  ['finds a tool called constructor on the prototype', 'lists.test.ts', 'is an ordinary name'],
  [
    'keeps notifications until the handler ends',
    'http/server/service.test.ts',
    'request-scoped notifications are sent live',
  ],
  [
    'does one thing at a time on stdio',
    'stdio/server.test.ts',
    'a slow tool blocks neither ping nor other calls',
  ],
  ['cannot resume a stream', 'http/server/session.test.ts', 'a broken stream is taken up where it broke'],
]

describe('faults of others', () => {
  const titles = [...testTitles()]
  it.each(FAULTS)('%s', (_fault, file, words) => {
    const found = titles.filter(([path]) => path.endsWith(`/${file}`)).flatMap(([, list]) => list)
    expect(found.filter((title) => title.includes(words))).not.toEqual([])
  })
})
