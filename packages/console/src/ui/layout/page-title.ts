let mark = ''
let name = 'Gantry'

/** The title of the browser's tab: the page, and in front of it what should be seen from other tabs. */
export function setPageTitle(page: string): void {
  name = page
  show()
}

export function setTitleMark(text: string): void {
  mark = text
  show()
}

function show(): void {
  document.title = `${mark}${name} · Gantry`
}
