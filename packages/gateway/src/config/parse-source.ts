import type { ConfigFormat, SourceDocument } from './source-document.ts'

/** The parsers are loaded on demand: a gateway with a JSON file never pays for YAML. */
export async function parseSource(text: string, format: ConfigFormat): Promise<SourceDocument> {
  if (format === 'yaml') return (await import('./yaml-document.ts')).parseYaml(text)
  return (await import('./jsonc-document.ts')).parseJsonc(text)
}
