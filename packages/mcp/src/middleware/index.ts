/** Ready middleware, for `app.use(…)` of a server and `client.use(…)` of a client. */
export { caching, type CachingOptions } from './caching.ts'
export { limitResults, type LimitResultsOptions } from './limit-results.ts'
export { logging, type LoggingOptions } from './logging.ts'
export { rateLimit, type RateLimitOptions } from './rate-limit.ts'
export { timing, type Timing } from './timing.ts'
