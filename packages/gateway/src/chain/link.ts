import type { Middleware } from '@gantry/mcp/exchange'
import type { GatewayExchange } from './gateway-exchange.ts'

/**
 * One concern of the gateway. `chain.ts` has the list of all links and their order; docs/adr/0020-the-chain.md has the reasons.
 *
 * A link
 * - reads what it needs from the exchange: `method`, `params`, `auth`, `client`, `endpoint`, `visible` (what the caller may
 *   see and call) and, behind `resolve`, `resolved` (target, kind, the target's own name, its definition);
 * - refuses by throwing: `absent(exchange)` for what must look as if it did not exist, `RefusedForLoad` for load (HTTP
 *   answers 429 or 503 with `Retry-After`), any other `ProtocolError` for the rest. The recorder turns what is thrown
 *   into an outcome;
 * - changes the request by setting `exchange.params` before `next()`. It puts a new object there and never changes the
 *   one that it found;
 * - changes the result by returning another outcome, made with `complete(result)`. A result that came in bytes is read
 *   when `outcome.result` is read; `outlineOf(outcome)` shows everything but its long strings for nothing. An outcome
 *   that is returned as it came is passed on unread;
 * - holds a request by not calling `next()` yet. It ends with `exchange.cancellation`;
 * - hears notifications with `exchange.hear(…)`, the link nearest to the target first, and questions by putting another
 *   function in the place of `exchange.ask`.
 *
 * A link is an `async` function that awaits `next()`: so there is one way to look at an outcome. One that does not look
 * at it returns `next()`, and needs no promise of its own. One that only has to know the end asks for it with
 * `exchange.whenEnded(…)`, and returns `next()`. What it holds while the call runs it gives back with `whenOver(…)`: a
 * call can run on as a task.
 *
 * A link whose configuration gives it nothing to do is left out: its function in `chain.ts` returns undefined.
 */
export type Link = Middleware<GatewayExchange>
