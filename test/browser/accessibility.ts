/** Looks for barriers with axe: rules of WCAG 2.2 A and AA. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const rules = { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'], resultTypes: ['violations'] } as const
/** Rows of a table are drawn alike, and axe takes most of its time for them: the first five stand for all. */
const rows = [['tbody > tr:nth-child(n + 6)'], ['[role=row]:nth-child(n + 7)']] as const
/** The frame of the console is the same around every page, and takes a third of axe's time: one test looks at it. */
const frame = [['.mantine-AppShell-navbar'], ['.mantine-AppShell-header']] as const
/** Each scheme and each width once, in CSS pixels: a desk and a phone. Colors do not depend on the width, nor the rest on colors. */
const looks = [
  { scheme: 'light', width: 1_280 },
  { scheme: 'dark', width: 390 },
] as const

/**
 * Waits until the page has the scheme of the system, which a script gives it, and no color or place is on its way to another: half of a
 * transition has contrasts that no reader sees.
 */
const endTransitions = `(async () => {
  const hasScheme = () => {
    const { mantineColorScheme: own } = document.documentElement.dataset
    return own === undefined || matchMedia('(prefers-color-scheme: ' + own + ')').matches
  }
  do await new Promise(requestAnimationFrame)
  while (!hasScheme())
})().then(() => Promise.allSettled(document.getAnimations().filter((each) => each instanceof CSSTransition).map(({ finished }) => finished))).then(() => undefined)`

/** Lists what a reader has to push sideways, other than code and tabs: the tables. */
const listSideways = `[...document.querySelectorAll('table, [role=table]')].flatMap((table) => {
  for (let area = table; area !== null; area = area.parentElement)
    if (area.scrollWidth > area.clientWidth + 1 && ['auto', 'scroll'].includes(getComputedStyle(area).overflowX)) return [area.outerHTML.slice(0, 200)]
  return []
})`

/** Lists pills whose words are cut. */
const listCut = `[...document.querySelectorAll('.mantine-Badge-label')].filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent)`

/** A barrier: its rule, and the elements that have it. */
interface Violation {
  readonly id: string
  readonly help: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** Finds the barriers of a page as it is drawn now. The page keeps its policy: axe enters beside it. */
async function findBarriers(page: Page, hasFrame: boolean): Promise<string[]> {
  // The driver evaluates in the page without a script element, so the policy of the page does not matter.
  // A page keeps it until it is left, and each reading of its text takes a tenth of a second.
  if (await page.evaluate<boolean>(`window.axe === undefined`)) await page.evaluate(`${source}; undefined`)
  const included = { exclude: hasFrame ? rows : [...rows, ...frame] }
  const run = `window.axe.run(${JSON.stringify(included)}, ${JSON.stringify(rules)}).then(({ violations }) => violations)`
  const violations = await page.evaluate<readonly Violation[]>(run)
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${help}: ${html} ${failureSummary}`),
  )
}

/**
 * Finds the barriers of a page on a desk in light colors and on a phone in dark ones, what is wider than the screen, and tables that a
 * phone would scroll sideways. The page must be drawn; it follows the scheme of the system.
 * @param ready waits until the page is drawn again after a change, where that is not at once
 * @param hasFrame true: looks at the navigation and the header of the console too
 * @returns one sentence for each; an empty list is what a test expects
 */
export async function findAllBarriers(
  page: Page,
  ready: () => Promise<unknown> = async () => undefined,
  hasFrame = false,
): Promise<string[]> {
  const before = page.viewportSize() ?? { width: 1_280, height: 900 }
  const found: string[] = []
  for (const { scheme, width } of looks) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height: before.height })
    await ready()
    await page.evaluate(endTransitions)
    const where = `${scheme}, ${width} px`
    found.push(...(await findBarriers(page, hasFrame)).map((each) => `${where}: ${each}`))
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    if (wide > 0) found.push(`${where}: the page is ${wide} px wider than the screen`)
    const sideways = width < 500 ? await page.evaluate<readonly string[]>(listSideways) : []
    found.push(...(await page.evaluate<readonly string[]>(listCut)).map((each) => `${where}: these words are cut: ${each}`))
    found.push(...sideways.map((each) => `${where}: this scrolls sideways: ${each}`))
  }
  await page.setViewportSize(before)
  return found
}
