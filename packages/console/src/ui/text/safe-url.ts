/** Links that may be followed from what servers say. `javascript:` and `data:` would run or show anything. */
export function isSafeLink(url: string): boolean {
  try {
    return ['http:', 'https:', 'mailto:'].includes(new URL(url).protocol)
  } catch {
    return false
  }
}

/** Images that come with the result. Others would tell their host that a user looks. */
export function isSafeImage(url: string): boolean {
  return /^data:image\/(png|jpe?g|gif|webp|avif|bmp|svg\+xml)[;,]/i.test(url)
}
