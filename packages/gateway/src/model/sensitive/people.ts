import type { Detector } from './detector.ts'

const FILE_ENDING = /\.(?:png|jpe?g|gif|svg|webp|avif|ico|css|js|mjs|ts|tsx|json|html?|md|map|woff2?)$/i

export const email: Detector = {
  name: 'email',
  hint: /@/,
  pattern:
    /(?:"[^"\r\n@]{1,64}"|(?<![\p{L}\p{N}!#$%&'*+/=?^_`{|}~.-])[\p{L}\p{N}!#$%&'*+/=?^_`{|}~.-]{1,64})@(?:\[[\d.:a-f]{3,45}\]|(?:[\p{L}\p{N}](?:[\p{L}\p{N}_-]{0,62})\.){1,8}\p{L}[\p{L}\p{N}-]{1,23})/giu,
  // `icon@2x.png` is a file, and `git@host.example:team/repository` the account that everyone uses.
  accepts: (match) => !FILE_ENDING.test(match) && !/^git@/i.test(match),
}

const PHONE_WORD =
  /(?:phone|tel|telephone|mobile|cell|fax|whatsapp|handy|telefon|móvil|portable|call)\W{0,12}(?:(?:number|no|nr)\W{0,6})?$/i

export const phone: Detector = {
  name: 'phone',
  hint: /(?<!\d)\d[\d ().-]{5}/,
  pattern: /(?<![\w+.,-])(?:\+|\(\+)?\(?\d[\d ()./-]{5,22}\d(?![\w])/g,
  accepts: (match, before) => {
    const count = match.replaceAll(/\D/g, '').length
    if (count > 15 || /^\d{4}-\d\d-\d\d/.test(match)) return false
    if (/^\(?\+/.test(match)) return count >= 8
    if (/^(?:1[-. ])?(?:\([2-9]\d\d\) ?|[2-9]\d\d[-. ])[2-9]\d\d[-. ]\d{4}$/.test(match)) return true
    return count >= 7 && PHONE_WORD.test(before)
  },
}
