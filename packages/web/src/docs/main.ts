/** Completes the pages of the documentation: the search, copy buttons, and ways into the console. The pages can be read without it. */
import './docs.css'
import { findTrial, isObject, tryReadJson } from 'ferrule/internal'
import MiniSearch from 'minisearch'

/** A section: its address below `/docs`, its titles from the outermost, and its text. The build writes them. */
type IndexedSection = readonly [address: string, title: string, text: string]

const mostResults = 30
/** Characters of a section's text that a result shows. */
const mostShown = 160

/** Finds sections; the best ones first. */
type FindSections = (typed: string) => readonly IndexedSection[]

/** Indexes sections. All typed words must be there; the last one may be unfinished, and long ones may have a typing error. */
function indexSections(sections: readonly IndexedSection[]): FindSections {
  const index = new MiniSearch<{ readonly id: number; readonly title: string; readonly text: string }>({ fields: ['title', 'text'] })
  index.addAll(sections.map(([, title, text], id) => ({ id, title, text })))
  const options = {
    boost: { title: 4 },
    combineWith: 'AND',
    prefix: true,
    fuzzy: (term: string) => (term.length > 4 ? 0.2 : false),
  } as const
  return (typed) =>
    index
      .search(typed, options)
      .slice(0, mostResults)
      .map(({ id }) => sections[Number(id)])
      .filter((section) => section !== undefined)
}

async function readIndex(address: string): Promise<FindSections> {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`the index answered ${response.status}`)
  const sections: readonly IndexedSection[] = await response.json()
  return indexSections(sections)
}

const make = <K extends keyof HTMLElementTagNameMap>(name: K, ...inner: readonly (string | Node)[]): HTMLElementTagNameMap[K] => {
  const element = document.createElement(name)
  element.append(...inner)
  return element
}

/** Makes a line that screen readers say. */
const makeNotice = (text: string): HTMLElement => {
  const line = make('p', text)
  line.role = 'status'
  return line
}

/** Draws what was found. @param home address of the first page */
function drawResults(sections: readonly IndexedSection[], home: string): HTMLElement[] {
  if (sections.length === 0) return [makeNotice('Nothing has all these words. Try fewer, or a part of a name.')]
  const items = sections.map(([address, title, text]) => {
    const link = make('a', make('strong', title), make('span', text.slice(0, mostShown)))
    link.href = `${home}${address}`
    return make('li', link)
  })
  return [
    makeNotice(sections.length < mostResults ? `${sections.length} found` : `The first ${mostResults} are shown`),
    make('ul', ...items),
  ]
}

interface SearchParts {
  readonly input: HTMLInputElement
  readonly found: HTMLElement
  /** Address of the first page. */
  readonly home: string
}

/** Starts the search. Its index is read when the field is used for the first time. Arrows move between the results, Escape ends. */
function startSearch({ input, found, home }: SearchParts): void {
  let reading: Promise<FindSections> | undefined
  const show = async () => {
    const typed = input.value.trim()
    if (typed === '') return found.replaceChildren()
    reading ??= readIndex(input.dataset['index'] ?? '')
    const find = await reading.catch(() => {
      reading = undefined // the next letter tries again
      return undefined
    })
    // The reader types while the index is read; the last letter draws.
    if (typed !== input.value.trim()) return
    found.replaceChildren(
      ...(find === undefined ? [makeNotice('The index cannot be read. Is the service reachable?')] : drawResults(find(typed), home)),
    )
  }
  input.addEventListener('input', show)
  input.closest('search')?.addEventListener('keydown', (event) => {
    const stops = [input, ...found.querySelectorAll('a')]
    const at = stops.findIndex((stop) => stop.matches(':focus'))
    const next = { ArrowDown: stops[at + 1], ArrowUp: stops[at - 1], Escape: input }[event.key]
    if (event.key === 'Enter' && at === 0) found.querySelector('a')?.click()
    if (event.key === 'Escape') {
      input.value = ''
      found.replaceChildren()
    }
    if (next === undefined) return
    next.focus()
    event.preventDefault()
  })
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    input.focus()
    event.preventDefault()
  })
}

/** Returns an element of the page. @throws Error when the page has none */
function findElement<T extends Element>(id: string, type: new () => T): T {
  const element = document.getElementById(id)
  if (element instanceof type) return element
  throw new Error(`the page has no ${id}`)
}

const home = findElement('home', HTMLAnchorElement)
const kind = /\/docs\/reference\/([\w-]+)$/.exec(location.pathname)?.[1]
const said = findElement('said', HTMLParagraphElement)

function makeCopyButton(text: string): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text)
    button.textContent = 'Copied'
    said.textContent = 'Copied'
  })
  return button
}

/** Makes a link to the page of the console that tries a call; undefined: the example is no call of a kind. */
function makeTrialLink(text: string): HTMLAnchorElement | undefined {
  const call = tryReadJson(text)
  if (kind === undefined || !isObject(call)) return undefined
  const { entity, action, params } = call
  if (typeof entity !== 'string' || typeof action !== 'string') return undefined
  const trial = findTrial(kind, { entity, action, ...(isObject(params) ? { params } : {}) })
  const link = document.createElement('a')
  link.href = `${findElement('console', HTMLAnchorElement).href}${trial.path}?${new URLSearchParams(trial.params)}`
  link.textContent = `Try ${entity} ${action} in the console`
  return link
}

for (const example of document.querySelectorAll('.example')) {
  const text = example.textContent ?? ''
  const tools = document.createElement('div')
  tools.className = 'tools'
  const link = makeTrialLink(text)
  if (link !== undefined) tools.append(link)
  // Browsers have no clipboard on http addresses of other machines.
  if (window.isSecureContext) tools.append(makeCopyButton(text))
  if (tools.hasChildNodes()) example.prepend(tools)
}

startSearch({ input: findElement('search', HTMLInputElement), found: findElement('found', HTMLDivElement), home: home.href })
