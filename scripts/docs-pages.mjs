// Renders the documents for people as pages of `/docs`. docs/README.md lists them; Markdown of another file is not rendered.
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { Marked } from 'marked'

/** The list of pages, which is the first page too. */
const listFile = 'README.md'
/** Deepest headings that begin a section of the search. */
const deepest = 3

/**
 * A page: its file, its path below `/docs` (empty for the first one), and its title in lists.
 * @typedef {{ file: string, name: string, title: string }} Page
 */
/** A titled group of pages. @typedef {{ title: string, pages: Page[] }} Group */
/** A heading of a page. @typedef {{ id: string, title: string, depth: number }} Heading */
/** A section for the search: its address below `/docs`, its titles, its text. @typedef {[address: string, title: string, text: string]} Section */

/** @param {string} text */
const escapeHtml = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/**
 * Returns the words of Markdown without its signs.
 * @param {string} text
 */
const readWords = (text) =>
  text
    .replaceAll(/^```\w+/gm, ' ') // the language of an example
    .replaceAll(/\]\([^)]*\)|-{3,}|[`*|[\]\\#]/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll(/\s+/g, ' ')
    .trim()

/**
 * Makes the ids of headings, as code hosts do.
 * @returns {(title: string) => string}
 */
function createIds() {
  /** @type {Map<string, number>} */
  const used = new Map()
  return (title) => {
    const id = title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-')
    const count = used.get(id) ?? 0
    used.set(id, count + 1)
    return count === 0 ? id : `${id}-${count}`
  }
}

/** Returns the path of a page below the service, such as `docs/search`. @param {string} name */
const printPath = (name) => (name === '' ? 'docs' : `docs/${name}`)

/** Returns the way back from a page to the service's address. @param {string} name */
const findRoot = (name) => (name === '' ? './' : '../'.repeat(name.split('/').length))

/**
 * Reads the groups of pages.
 * @param {string} text of the list
 * @returns {Group[]}
 */
function readGroups(text) {
  /** @type {Group[]} */
  const groups = []
  for (const line of text.split('\n')) {
    const [, group] = /^## (.+)/.exec(line) ?? []
    const [, title, file] = /^- \[(.+?)\]\((.+?\.md)\)/.exec(line) ?? []
    if (group !== undefined) groups.push({ title: group, pages: [] })
    if (title !== undefined && file !== undefined)
      groups.at(-1)?.pages.push({ file, name: file.replace(/\.md$/, ''), title: readWords(title) })
  }
  return groups
}

/**
 * Prints the list of pages for agents, in the form of https://llmstxt.org: addresses below the service, and what each page is about.
 * @param {string} list Markdown of the list of pages
 * @param {string} about one sentence about the whole
 */
export function printForAgents(list, about) {
  const lines = list.split('\n').flatMap((line) => {
    if (line.startsWith('## ')) return ['', line, '']
    const [, title, file, hash = '', rest = ''] = /^- \[(.+?)\]\((.+?)\.md(#[^)]*)?\)(.*)/.exec(line) ?? []
    return title === undefined ? [] : [`- [${title}](${printPath(file ?? '')}${hash})${rest}`]
  })
  return ['# Ferrule', '', `> ${about}`, ...lines, ''].join('\n')
}

/** Renders the pages of a folder. */
export class DocsPages {
  #folder
  #groups
  /** @type {readonly Page[]} */
  pages
  /** Addresses below `/docs` that a link may name, and those that links name. */
  #ids = new Set([''])
  /** @type {Set<string>} */
  #asked = new Set()
  /** @type {Section[]} */
  sections = []

  /** @param {string} folder */
  constructor(folder) {
    this.#folder = folder
    const text = this.#read(listFile)
    this.#groups = readGroups(text)
    const first = { file: listFile, name: '', title: 'Documentation' }
    this.pages = [first, ...this.#groups.flatMap(({ pages }) => pages)]
    for (const { name } of this.pages) this.#ids.add(name)
  }

  /**
   * Renders all pages.
   * @param {string} template HTML with slots for the parts of a page
   * @param {(sections: Section[]) => string} storeIndex stores what the search reads, and returns its path below `docs/`
   * @returns {Map<string, string>} HTML by name
   * @throws {Error} when a link leads to a section that does not exist
   */
  render(template, storeIndex) {
    const rendered = this.pages.map((page) => ({ page, ...this.#renderText(page) }))
    const lost = [...this.#asked].filter((address) => !this.#ids.has(address))
    if (lost.length > 0) throw new Error(`Links of docs/ lead to sections that do not exist: ${lost.join(', ')}`)
    const index = storeIndex(this.sections)
    return new Map(
      rendered.map(({ page, html, headings }) => {
        const root = findRoot(page.name)
        /** @type {Record<string, string>} */
        const parts = {
          __TITLE__: page.name === '' ? 'Ferrule documentation' : `${escapeHtml(page.title)} · Ferrule`,
          __INDEX__: `${root}docs/${index}`,
          __PAGES__: this.#renderList(page, headings),
          __MAIN__: html,
        }
        const filled = template.replaceAll('="./assets/', `="${root}docs/assets/`).replaceAll('="./', `="${root}`)
        return [page.name, filled.replaceAll(/__[A-Z]+__/g, (mark) => parts[mark] ?? mark)]
      }),
    )
  }

  /** @param {string} file */
  #read(file) {
    return readFileSync(posix.join(this.#folder, file), 'utf8')
  }

  /**
   * Renders the list of pages, with the sections of the page that is shown.
   * @param {Page} shown
   * @param {readonly Heading[]} headings
   */
  #renderList(shown, headings) {
    const root = findRoot(shown.name)
    const own = headings.filter(({ depth }) => depth === 2).map(({ id, title }) => `<li><a href="#${id}">${escapeHtml(title)}</a></li>`)
    const sections = own.length === 0 ? '' : `<ul>${own.join('')}</ul>`
    /** @param {Page} page */
    const renderItem = ({ name, title }) => {
      const isShown = name === shown.name
      return `<li><a href="${root}${printPath(name)}"${isShown ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a>${isShown ? sections : ''}</li>`
    }
    return this.#groups.map(({ title, pages }) => `<h2>${escapeHtml(title)}</h2>\n<ul>${pages.map(renderItem).join('\n')}</ul>`).join('\n')
  }

  /**
   * Finds where a link of a page leads.
   * @param {Page} page
   * @param {string} href
   * @returns {string | undefined} undefined: to nothing that is served
   */
  #resolve({ file, name }, href) {
    if (/^https?:/.test(href)) return href
    const [path = '', id = ''] = href.split('#')
    const target = path === '' ? file : posix.join(posix.dirname(file), path)
    const page = this.pages.find((each) => each.file === target)
    if (page === undefined) return undefined
    const hash = id === '' ? '' : `#${id}`
    this.#asked.add(`${page.name}${hash}`)
    return path === '' ? hash : `${findRoot(name)}${printPath(page.name)}${hash}`
  }

  /**
   * Renders the text of a page, and notes its headings and sections. HTML of the Markdown is shown as text.
   * @param {Page} page
   */
  #renderText(page) {
    /** @type {Heading[]} */
    const headings = []
    const buildId = createIds()
    const resolve = (/** @type {string} */ href) => this.#resolve(page, href)
    const marked = new Marked({
      tokenizer: { html: () => undefined, tag: () => undefined },
      renderer: {
        image: ({ text }) => escapeHtml(text),
        heading({ tokens, text, depth }) {
          const title = readWords(text)
          const id = buildId(title)
          headings.push({ id, title, depth })
          const anchor = `<a class="anchor" href="#${id}" aria-label="Link to ${escapeHtml(title)}">#</a>`
          return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}${depth === 1 ? '' : anchor}</h${depth}>\n`
        },
        link({ href, tokens }) {
          const [address, inner] = [resolve(href), this.parser.parseInline(tokens)]
          return address === undefined ? inner : `<a href="${escapeHtml(address)}">${inner}</a>`
        },
        // What scrolls by itself is reached by the keyboard.
        code: ({ text }) => `<div class="example"><pre tabindex="0"><code>${escapeHtml(text)}</code></pre></div>\n`,
        table(token) {
          const names = token.header.map(({ text }) => readWords(text)).filter(Boolean)
          const label = escapeHtml(`${names[0] ?? 'Table'} and ${names.at(-1) ?? 'more'}`)
          // The labels of cells, which narrow screens show beside the values.
          const titles = token.header.map(({ text }) => escapeHtml(readWords(text)))
          const head = token.header.map(({ tokens }) => `<th>${this.parser.parseInline(tokens)}</th>`)
          const rows = token.rows.map((cells) =>
            cells
              .map(({ tokens }, index) => `<td data-title="${titles[index]}"><div>${this.parser.parseInline(tokens)}</div></td>`)
              .join(''),
          )
          const table = `<table><thead><tr>${head.join('')}</tr></thead><tbody><tr>${rows.join('</tr>\n<tr>')}</tr></tbody></table>`
          return `<div class="wide" tabindex="0" role="group" aria-label="${label}">${table}</div>\n`
        },
      },
    })
    const tokens = marked.lexer(this.#read(page.file).replace(/^<!--.*?-->\s*/, ''))
    const html = marked.parser(tokens)
    this.#noteSections(page, headings, tokens)
    return { html, headings }
  }

  /**
   * @param {Page} page
   * @param {readonly Heading[]} headings
   * @param {readonly import('marked').Token[]} tokens
   */
  #noteSections({ name, title }, headings, tokens) {
    for (const { id } of headings) this.#ids.add(`${name}#${id}`)
    const path = name === '' ? '' : `/${name}`
    /** @type {string[]} */
    const titles = [title]
    let at = 0
    /** @type {Section} */
    let section = [path, title, '']
    for (const token of tokens) {
      const heading = token.type === 'heading' && token.depth <= deepest ? headings[at] : undefined
      if (token.type === 'heading') at += 1
      if (heading === undefined) section[2] += ` ${readWords(token.raw)}`
      else if (heading.depth > 1) {
        this.#note(section)
        titles.splice(heading.depth - 1, titles.length, heading.title)
        section = [`${path}#${heading.id}`, titles.join(' › '), '']
      }
    }
    this.#note(section)
  }

  /** @param {Section} section */
  #note([address, title, text]) {
    this.sections.push([address, title, text.trim()])
  }
}
