import type { RateSettings, Settings } from '../../model/index.ts'
import type { Section } from './section.ts'

/** A limit of the gateway or of a view. */
export interface PlacedRate {
  readonly section: Section<RateSettings>
  /** The view that it is for; undefined: for all endpoints. */
  readonly view: string | undefined
  readonly name: string
}

/** The limits of the gateway and of its views. */
export function placedRates(root: Section<Settings>): PlacedRate[] {
  const inViews = root
    .at('views')
    .members()
    .flatMap(([view, section]) =>
      section
        .at('limits')
        .at('rates')
        .each()
        .map((rate, index) => placed(rate, view, `${view} limit ${index + 1}`)),
    )
  const everywhere = root
    .at('limits')
    .at('rates')
    .each()
    .map((rate, index) => placed(rate, undefined, `limit ${index + 1}`))
  return [...everywhere, ...inViews]
}

function placed(section: Section<RateSettings>, view: string | undefined, byDefault: string): PlacedRate {
  return { section, view, name: section.value.name ?? byDefault }
}
