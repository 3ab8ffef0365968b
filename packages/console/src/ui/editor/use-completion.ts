import { useState, type KeyboardEvent, type RefObject } from 'react'
import { destination } from '../lists/roving.ts'
import { fitting, rectAt, write, type Completion, type CompletionSource } from './completion.ts'

export interface Offer {
  readonly from: number
  readonly options: readonly Completion[]
  readonly active: number
  readonly rect: DOMRect
}

/** What is offered at the cursor, and the keys that choose from it. */
export function useCompletion(
  field: RefObject<HTMLTextAreaElement | null>,
  lines: RefObject<HTMLPreElement | null>,
  source: CompletionSource | undefined,
) {
  const [offer, setOffer] = useState<Offer>()
  const close = () => setOffer(undefined)
  const look = (isAsked: boolean) => {
    const { value, selectionStart: at } = field.current!
    const found = lines.current ? source?.(value, at, isAsked) : undefined
    const options = found ? fitting(found, value, at) : []
    const isWhole = options.length === 1 && options[0]!.label === value.slice(found!.from, at)
    if (options.length === 0 || isWhole) return close()
    setOffer({ from: found!.from, options, active: 0, rect: rectAt(lines.current!, value, found!.from) })
  }
  const choose = (option: Completion) => {
    const { value, selectionStart: at } = field.current!
    close()
    const isQuoteNext = option.label.endsWith('"') && value[at] === '"'
    write(field.current!, offer!.from, isQuoteNext ? at + 1 : at, option.apply ?? option.label)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === ' ' && event.ctrlKey) {
      event.preventDefault()
      look(true)
    }
    if (!offer) return
    const isVertical = event.key !== 'Home' && event.key !== 'End'
    const to = isVertical ? destination(event.key, offer.active, offer.options.length) : undefined
    if (to !== undefined) setOffer({ ...offer, active: to })
    else if (event.key === 'Enter') choose(offer.options[offer.active]!)
    else if (event.key === 'Escape') close()
    else return
    event.preventDefault()
  }
  return { offer, look, choose, close, onKeyDown }
}
