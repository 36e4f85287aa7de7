/** Completes the pages of the documentation: the search, copy buttons, and ways into the console. The pages can be read without it. */
import './docs.css'
import { findTrial, isObject } from 'ferrule/internal'
import { startSearch } from './section-search.ts'

/** Returns an element of the page. @throws Error when the page has none */
function findElement<T extends Element>(id: string, type: new () => T): T {
  const element = document.getElementById(id)
  if (element instanceof type) return element
  throw new Error(`the page has no ${id}`)
}

const home = findElement('home', HTMLAnchorElement)
/** Slug of the kind whose reference this is. */
const kind = /\/docs\/reference\/([\w-]+)$/.exec(location.pathname)?.[1]
const said = findElement('said', HTMLParagraphElement)

/** Makes a button that copies a text. */
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

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Makes a link to the page of the console that tries a call; undefined: the example is no call of a kind. */
function makeTrialLink(text: string): HTMLAnchorElement | undefined {
  const call = readJson(text)
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
