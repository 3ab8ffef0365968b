import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { OpenConsole } from './open-console.ts'

/** A person at the console. Everything is done with one kind of hand: the keyboard alone, or touches alone. */
export interface Operator {
  readonly page: Page
  /** To a page of the list of pages, as the person would go there. */
  goTo(title: string): Promise<void>
  press(control: Locator): Promise<void>
  type(field: Locator, text: string): Promise<void>
  choose(select: Locator, label: string): Promise<void>
  openTab(tab: Locator): Promise<void>
}

const KEYS: Readonly<Record<string, string>> = {
  Overview: 'o',
  Waiting: 'a',
  Catalog: 'c',
  Playground: 'p',
  Wire: 'w',
  Clients: 'l',
  Events: 'e',
  Configuration: 'f',
  Why: 'y',
}
const MOST_TABS = 120

/** Never touches a mouse: Tab goes to what is wanted, Enter and Space press it. */
export function keyboardOperator({ page }: OpenConsole): Operator {
  const isFocused = (control: Locator) =>
    control.evaluate((element) => {
      let active = document.activeElement
      while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement
      return element === active
    })
  /** A list or a table is one stop; arrows go on from there. */
  const isInList = (control: Locator) =>
    control.evaluate((element) => {
      const list = element.closest('[role=grid] tbody, ul[aria-label]')
      return list?.contains(document.activeElement) === true && element.tabIndex < 0
    })
  const reach = async (control: Locator) => {
    await control.waitFor()
    let key = 'Home'
    for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
      if (await isFocused(control)) return
      const isIn = await isInList(control)
      await page.keyboard.press(isIn ? key : 'Tab')
      if (isIn) key = 'ArrowDown'
    }
    expect.fail(`The keyboard does not reach ${control}`)
  }
  /** Letters are text while a field has the focus. */
  const leaveFields = async () => {
    const isTyping = () => page.evaluate(() => document.activeElement!.matches('input, textarea, select'))
    for (let tabs = 0; tabs < MOST_TABS && (await isTyping()); tabs += 1) await page.keyboard.press('Tab')
  }
  return {
    page,
    async goTo(title) {
      // The keys have to follow each other within a second, which a busy machine may not manage at once.
      const heading = page.getByRole('heading', { level: 1, name: title })
      await expect
        .poll(
          async () => {
            await leaveFields()
            await page.keyboard.type(`g${KEYS[title]}`)
            return heading.waitFor({ timeout: 2_000 }).then(
              () => true,
              () => false,
            )
          },
          { timeout: 30_000 },
        )
        .toBe(true)
    },
    async press(control) {
      await reach(control)
      const isBox = await control.evaluate((element) => element.matches('input[type=checkbox]'))
      await page.keyboard.press(isBox ? 'Space' : 'Enter')
    },
    async type(field, text) {
      await reach(field)
      await page.keyboard.press('Control+a')
      await page.keyboard.insertText(text)
    },
    async choose(select, label) {
      await reach(select)
      await page.keyboard.type(label)
    },
    // All tabs are one stop: the chosen one, from which arrows go on.
    async openTab(tab) {
      await reach(page.getByRole('tab', { selected: true }))
      for (let moves = 0; moves < 10 && !(await isFocused(tab)); moves += 1) {
        await page.keyboard.press('ArrowRight')
      }
      await page.keyboard.press('Enter')
    },
  }
}

/** Touches what is in sight, and opens the menu to go elsewhere. */
export function phoneOperator({ page }: OpenConsole): Operator {
  const press = async (control: Locator) => {
    await control.waitFor()
    await control.scrollIntoViewIfNeeded()
    await control.tap()
  }
  return {
    page,
    press,
    async goTo(title) {
      await press(page.getByRole('button', { name: 'Open the menu' }))
      const menu = page.getByRole('dialog', { name: 'Menu' })
      await press(menu.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: title }))
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
    },
    async type(field, text) {
      await press(field)
      await page.keyboard.press('Control+a')
      await page.keyboard.insertText(text)
    },
    async choose(select, label) {
      await select.selectOption({ label })
    },
    openTab: press,
  }
}
