import { writeJson } from '@gantry/mcp/exchange'
import type { Cli } from '../cli.ts'
import type { CliIo } from '../cli-io.ts'
import { removeControls } from '../../model/index.ts'
import { plainText } from '../plain-text.ts'

type Block = Readonly<Record<string, unknown>>

export function formatBlock(block: unknown, cli: Cli): string {
  const { paint } = cli
  const { type, text, data, mimeType, uri, name, resource } = (block ?? {}) as Block
  switch (type) {
    case 'text':
      return forStream(String(text), cli.io)
    case 'image':
    case 'audio':
      return paint.dim(`[${type} ${plainText(String(mimeType))}, ${byteLength(data)} bytes; --json has it]`)
    case 'resource_link':
      return `${plainText(String(name ?? ''))} ${paint.cyan(plainText(String(uri)))}`.trim()
    case 'resource':
      return formatResource(resource as Block, cli)
    default:
      return forStream(writeJson(block), cli.io)
  }
}

export function formatResource({ uri, text, blob, mimeType }: Block, cli: Cli): string {
  const { paint } = cli
  if (typeof text === 'string') return forStream(text, cli.io)
  return paint.dim(
    `[${plainText(String(uri))}: ${plainText(String(mimeType ?? 'binary'))}, ${byteLength(blob)} bytes]`,
  )
}

/** Results that are piped on arrive as they are; on a terminal they must not be able to do things. */
function forStream(text: string, io: CliIo): string {
  return io.stdout.isTTY ? removeControls(text) : text
}

function byteLength(base64: unknown): number {
  return typeof base64 === 'string' ? Buffer.byteLength(base64, 'base64') : 0
}
