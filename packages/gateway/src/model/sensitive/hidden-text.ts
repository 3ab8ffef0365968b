/** Characters that people never see. */
const UNSEEN = [
  String.raw`[\u{E0000}-\u{E007F}]`, // tags
  String.raw`[\u{E0100}-\u{E01EF}]`, // selectors of variants, which can hold bytes
  String.raw`[\u200E\u200F\u202A-\u202E\u2066-\u2069\u061C]`, // directions
  String.raw`[\u200B\u2060-\u2065\u206A-\u206F\uFEFF\u180B-\u180F]`, // no width, invisible operators
  String.raw`[\u115F\u1160\u3164\uFFA0\u17B4\u17B5]`, // fillers
  String.raw`[\u00AD\uFFF9-\uFFFB\u{1D173}-\u{1D17A}]|\u034F`, // soft hyphens, annotations, formats of music
]
/** Characters that may stand before a joiner: scripts that need it, and parts of emoji. */
const JOINED = [
  ...'Arabic Devanagari Bengali Gujarati Gurmukhi Kannada Malayalam Oriya Sinhala Tamil Telugu Khmer Mongolian'
    .split(' ')
    .map((script) => String.raw`\p{Script=${script}}`),
  String.raw`\p{Extended_Pictographic}\p{M}\p{Emoji_Modifier}`,
].join('')
const JOINER = String.raw`(?<![${JOINED}])[\u200C\u200D]`
/** One of them may follow an emoji or a Chinese sign; more of them are bytes in disguise. */
const SELECTOR = String.raw`(?<=[\uFE00-\uFE0F])[\uFE00-\uFE0F]|(?<![\p{Emoji}\p{Extended_Pictographic}\p{Script=Han}\p{M}])[\uFE00-\uFE0F]`
const HIDDEN = new RegExp([...UNSEEN, JOINER, SELECTOR].join('|'), 'gu')

/** Flags of regions are written with tags: England, Scotland, Wales. */
const FLAG = /\u{1F3F4}[\u{E0061}-\u{E007A}\u{E0030}-\u{E0039}]{2,6}\u{E007F}/gu
const ALL_LATIN = /^[\u0020-\u007E\n\r\t]*$/

/** A text without characters that people do not see; the same text when it has none. */
export function withoutHidden(text: string): string {
  if (ALL_LATIN.test(text)) return text
  const flags: string[] = []
  const held = text.replace(FLAG, (flag) => `\uFFFF${String.fromCharCode(flags.push(flag) - 1 + 0x100)}`)
  const shown = held.replace(HIDDEN, '')
  return flags.length === 0
    ? shown
    : shown.replaceAll(/\uFFFF(.)/gs, (whole, at: string) => flags[at.charCodeAt(0) - 0x100] ?? whole)
}
