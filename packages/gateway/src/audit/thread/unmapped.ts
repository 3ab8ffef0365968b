import { type EventExtra, NONE } from '../waiting-event.ts'

/** What the events of like requests have in common in the part that OCSF has no place for. */
export interface UnmappedShape {
  readonly outcome: string
  readonly stage: string
  readonly view: string
}

export interface UnmappedNumbers {
  readonly took: number
  readonly targetMs: number
  readonly bytes: number
}

/** Written at once, in the order of RFC 8785: a test compares it with the canonical form. */
export function unmappedOf(
  shape: UnmappedShape,
  { took, targetMs, bytes }: UnmappedNumbers,
  args: string,
  { approval, limit, result }: EventExtra = {},
): string {
  return (
    (approval === undefined ? '{' : `{"approval":${JSON.stringify(approval)},`) +
    args +
    (took === NONE ? '' : `"duration_ms":${hundredths(took)},`) +
    (limit === undefined ? '' : `"limit":${JSON.stringify(limit)},`) +
    `"outcome":"${shape.outcome}",` +
    (result === undefined ? '' : `"result":${JSON.stringify(result)},`) +
    (bytes === NONE ? '' : `"result_bytes":${bytes},`) +
    `"stage":"${shape.stage}"` +
    (targetMs === NONE ? '' : `,"target_ms":${hundredths(targetMs)}`) +
    (shape.view === '' ? '}' : `,"view":${JSON.stringify(shape.view)}}`)
  )
}

/** The arguments of a request: their hash, and the arguments themselves where they are told. */
export function argumentsOf(
  args: string | undefined,
  digest: (text: string) => string,
  { body, hashed }: EventExtra = {},
): string {
  const told = body === undefined ? '' : `"arguments":${JSON.stringify(body)},`
  if (hashed) return `${told}"arguments_bytes":${hashed.length},"arguments_hash":"${hashed.hash}",`
  if (args === undefined) return told
  return `${told}"arguments_bytes":${args.length},"arguments_hash":"${digest(args)}",`
}

/** Milliseconds as JSON, with two digits behind the point at most. Two small numbers are written faster than one fraction. */
export function hundredths(milliseconds: number): string {
  const all = Math.round(milliseconds * 100)
  const whole = Math.floor(all / 100)
  const rest = all - whole * 100
  if (rest === 0) return `${whole}`
  return rest % 10 === 0 ? `${whole}.${rest / 10}` : `${whole}.${rest < 10 ? '0' : ''}${rest}`
}
