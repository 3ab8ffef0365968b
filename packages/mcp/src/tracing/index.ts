/** Spans and measurements by OpenTelemetry, for `app.use(…)` and `client.use(…)`. Needs `@opentelemetry/api`. */
export { clientTracing } from './client-tracing.ts'
export { tracing } from './server-tracing.ts'
export {
  endOf,
  endOfThrown,
  methodLabel,
  namedIn,
  requestAttributes,
  spanName,
  type TraceAttributes,
  type TracedEnd,
  type TracedSide,
} from './conventions.ts'
