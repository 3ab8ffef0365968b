import type { JsonObject } from '@gantry/mcp/exchange'
import { isSelected } from '../model/index.ts'
import type { TargetCatalog } from './target-catalog.ts'

/**
 * Whether the configuration lets a resource of a target be used, listed or not: by its own URI, or by a template
 * that is shown. What it leaves out can be guessed, but not read.
 */
export function offersUri({ target, snapshot }: TargetCatalog, own: string): boolean {
  const selection = target.model.resources
  if (isSelected(own, selection)) return true
  const isShown = ({ uriTemplate }: JsonObject): boolean =>
    typeof uriTemplate === 'string' && isSelected(uriTemplate, selection)
  const isLeftOut = !isSelected(own, { include: [], exclude: selection.exclude })
  return (
    !isLeftOut &&
    snapshot?.templates.some((template) => isShown(template) && fitsTemplate(template, own)) === true
  )
}

/** Whether a URI begins like a template; enough to choose between targets that share no prefix. */
export function fitsTemplate({ uriTemplate }: JsonObject, uri: string): boolean {
  return typeof uriTemplate === 'string' && uri.startsWith(uriTemplate.split('{', 1)[0]!)
}
