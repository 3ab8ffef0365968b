import type { Located } from '../document/document-set.ts'
import { own, ownEntries, ownString } from '../own.ts'
import type { Warnings } from '../warnings.ts'
import type { Parameter, ParameterPlace, ParameterStyle } from './operation.ts'

/** The styles each place allows (OpenAPI 3.1, "Style Values"); the first is the default. */
const STYLES: Readonly<Record<ParameterPlace, readonly ParameterStyle[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}

/** OpenAPI 3.1, "Parameter Object": descriptions of these three headers are to be ignored. */
const IGNORED_HEADERS = new Set(['accept', 'content-type', 'authorization'])
/** Headers that belong to the connection; `fetch` would refuse or overwrite them. */
const CONNECTION_HEADERS = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'cookie',
])
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

export function isSendableHeader(name: string): boolean {
  return TOKEN.test(name) && !CONNECTION_HEADERS.has(name.toLowerCase())
}

/** One Parameter Object of OpenAPI 3; undefined (with a warning) when it cannot be sent. */
export function readParameter(key: string, at: Located, warnings: Warnings): Parameter | undefined {
  const name = ownString(at.value, 'name')!
  const place = ownString(at.value, 'in')!
  if (!isPlace(place)) {
    warnings.add(`the parameter ${JSON.stringify(name)} is in ${JSON.stringify(place)}; left out`, key)
    return undefined
  }
  if (place === 'header' && IGNORED_HEADERS.has(name.toLowerCase())) return undefined
  if ((place === 'header' && !isSendableHeader(name)) || (place === 'cookie' && !TOKEN.test(name))) {
    warnings.add(`the ${place} ${JSON.stringify(name)} cannot be sent; left out`, key)
    return undefined
  }
  const [mediaType, content] = ownEntries(own(at.value, 'content'))[0] ?? []
  const style = styleOf(key, name, place, own(at.value, 'style'), warnings)
  const explode = own(at.value, 'explode')
  const schema = own(mediaType === undefined ? at.value : content, 'schema')
  return {
    name,
    in: place,
    required: place === 'path' || own(at.value, 'required') === true,
    description: ownString(at.value, 'description'),
    deprecated: own(at.value, 'deprecated') === true,
    example: own(at.value, 'example'),
    style,
    explode: typeof explode === 'boolean' ? explode : style === 'form',
    allowReserved: own(at.value, 'allowReserved') === true,
    mediaType,
    schema: { value: schema ?? {}, base: at.base },
  }
}

function isPlace(place: string): place is ParameterPlace {
  return Object.hasOwn(STYLES, place)
}

function styleOf(
  key: string,
  name: string,
  place: ParameterPlace,
  style: unknown,
  warnings: Warnings,
): ParameterStyle {
  const allowed = STYLES[place]
  const found = allowed.find((candidate) => candidate === style)
  if (style !== undefined && found === undefined) {
    warnings.add(`style ${JSON.stringify(style)} is not for ${place} (${name}); ${allowed[0]} is used`, key)
  }
  return found ?? allowed[0]!
}
