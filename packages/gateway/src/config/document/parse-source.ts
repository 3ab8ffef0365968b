import { isDeepYaml, isTooDeep, MAX_DEPTH } from '@gantry/mcp/foreign'
import type { ConfigFormat, SourceDocument } from './source-document.ts'

/** Parses a configuration. The parsers are loaded on demand: JSON files never pay for YAML. */
export async function parseSource(text: string, format: ConfigFormat): Promise<SourceDocument> {
  const parse = format === 'yaml' ? await yamlParser(text) : (await import('./jsonc-document.ts')).parseJsonc
  try {
    const document = parse?.(text)
    return document && !isTooDeep(document.value) ? document : tooDeep(text, format)
  } catch (error) {
    // The parser of JSON calls itself once per level.
    if (error instanceof RangeError) return tooDeep(text, format)
    throw error
  }
}

/** Undefined when the text is too deep for it. */
async function yamlParser(text: string): Promise<((text: string) => SourceDocument) | undefined> {
  const { Lexer } = await import('yaml')
  if (isDeepYaml(text, (source) => new Lexer().lex(source))) return undefined
  return (await import('./yaml-document.ts')).parseYaml
}

function tooDeep(text: string, format: ConfigFormat): SourceDocument {
  const range = { offset: 0, length: 1 }
  const message = `There are more than ${MAX_DEPTH} levels of lists and objects`
  const errors = [{ code: 'syntax', message, fix: 'Remove what is nested so deeply', range }] as const
  return { format, text, value: undefined, errors, locate: () => range }
}
