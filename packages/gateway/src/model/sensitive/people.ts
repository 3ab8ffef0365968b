import type { Detector } from './detector.ts'
import { hasNumber } from './first-look.ts'

const FILE_ENDING = /\.(?:png|jpe?g|gif|svg|webp|avif|ico|css|js|mjs|ts|tsx|json|html?|md|map|woff2?)$/i

/** What names of people mostly consist of. */
const USUAL = String.raw`[\p{L}\p{M}\p{N}._%+'-]`
/** What the standard allows. Many of these signs also stand between addresses, and in front of one in a URL. */
const ALLOWED = String.raw`[\p{L}\p{M}\p{N}!#$%&'*+/=?^_\u0060{|}~.-]`
const PERSON = String.raw`"[^"\r\n@]{1,64}"|(?<!${ALLOWED})${ALLOWED}{1,64}|(?<!${USUAL})${USUAL}+`
const LABEL = String.raw`[\p{L}\p{N}][\p{L}\p{M}\p{N}_-]{0,62}`
const HOST = String.raw`\[[\d.:a-f]{3,45}\]|(?:${LABEL}\.){1,8}\p{L}[\p{L}\p{M}\p{N}-]{1,23}`

export const email: Detector = {
  name: 'email',
  mayFind: (text) => text.includes('@'),
  pattern: new RegExp(`(?:${PERSON})@(?:${HOST})`, 'giu'),
  // `icon@2x.png` is a file, and `git@host.example:team/repository` the account that everyone uses.
  accepts: (match) => !FILE_ENDING.test(match) && !/^git@/i.test(match),
}

const PHONE_WORD =
  /(?:phone|tel|telephone|mobile|cell|fax|whatsapp|handy|telefon|móvil|portable|call)\W{0,12}(?:(?:number|no|nr)\W{0,6})?$/i

const AMERICAN =
  /^(?:1[-. ])?(?:\([2-9]\d\d\) ?[2-9]\d\d[-. ]|[2-9]\d\d(?:-[2-9]\d\d-|\.[2-9]\d\d\.| [2-9]\d\d[- ]))\d{4}$/

export const phone: Detector = {
  name: 'phone',
  mayFind: (text) => hasNumber(text, 7),
  pattern: /(?<![A-Za-z\d+.-])(?:\+|\(\+)?\(?\d[\d ()./-]{5,22}\d(?![A-Za-z\d])/g,
  accepts: (match, before) => {
    const count = match.replaceAll(/\D/g, '').length
    if (count > 15 || /^\d{4}-\d\d-\d\d/.test(match)) return false
    if (/^\(?\+/.test(match)) return count >= 8
    if (AMERICAN.test(match)) return true
    return count >= 7 && PHONE_WORD.test(before)
  },
}
