import type { JsonObject } from '@gantry/mcp/exchange'
import {
  forbidsUri,
  permitsUri,
  readUri,
  toUriPattern,
  type SelectionModel,
  type UriForms,
  type UriPattern,
} from '../model/index.ts'
import type { Snapshot } from './fetch-lists.ts'
import type { TargetCatalog } from './target-catalog.ts'

/** Whether the configuration shows this resource: by its own URI or by a visible template. */
export function offersUri({ target, snapshot }: TargetCatalog, own: string): boolean {
  const selection = target.model.resources
  if (isSelectedUri(own, selection)) return true
  return (
    !isExcludedUri(own, selection) &&
    snapshot?.templates.some((one) => isShown(one, selection) && fitsTemplate(one, own)) === true
  )
}

/** Include and exclude for URIs and templates, however they are written. */
export function isSelectedUri(uri: string, selection: Pick<SelectionModel, 'include' | 'exclude'>): boolean {
  const { include } = patternsOf(selection)
  return (
    !isExcludedUri(uri, selection) &&
    (include.length === 0 || include.some((one) => permitsUri(one, readUri(uri))))
  )
}

export function isExcludedUri(uri: string, selection: Pick<SelectionModel, 'include' | 'exclude'>): boolean {
  return patternsOf(selection).exclude.some((one) => forbidsUri(one, readUri(uri)))
}

function isShown(
  { uriTemplate }: JsonObject,
  selection: Pick<SelectionModel, 'include' | 'exclude'>,
): boolean {
  return typeof uriTemplate === 'string' && isSelectedUri(uriTemplate, selection)
}

/** Whether a URI can come from a template. */
export function fitsTemplate({ uriTemplate }: JsonObject, uri: string): boolean {
  if (typeof uriTemplate !== 'string') return false
  return permitsUri(toUriPattern(uriTemplate.replaceAll(/\{[^{}]*\}/g, '*')), readUri(uri))
}

/** The URI that a target lists under any spelling of it. */
export function listedSpelling(snapshot: Snapshot, { exact }: UriForms): string | undefined {
  let spellings = listed.get(snapshot)
  if (!spellings) {
    spellings = new Map()
    for (const { uri } of snapshot.resources) {
      if (typeof uri !== 'string') continue
      const form = readUri(uri).exact
      if (!spellings.has(form)) spellings.set(form, uri)
    }
    listed.set(snapshot, spellings)
  }
  return spellings.get(exact)
}

const listed = new WeakMap<Snapshot, Map<string, string>>()

interface SelectionPatterns {
  readonly include: readonly UriPattern[]
  readonly exclude: readonly UriPattern[]
}

/** Models do not change, so their patterns are read once. */
function patternsOf(selection: Pick<SelectionModel, 'include' | 'exclude'>): SelectionPatterns {
  let patterns = compiled.get(selection)
  if (!patterns) {
    patterns = { include: selection.include.map(toUriPattern), exclude: selection.exclude.map(toUriPattern) }
    compiled.set(selection, patterns)
  }
  return patterns
}

const compiled = new WeakMap<object, SelectionPatterns>()
