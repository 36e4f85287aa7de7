/** Writes HTML. Everything that is put into a page is escaped, except what was written here before. */

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** HTML that is safe to put into a page. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What a page can hold. Parts of a list follow each other, and undefined is left out. */
export type HtmlPart = string | Html | undefined | readonly HtmlPart[]

function print(part: HtmlPart): string {
  if (part instanceof Html) return part.text
  if (part === undefined) return ''
  return typeof part === 'string' ? part.replaceAll(/[&<>"']/g, (sign) => escapes[sign] ?? '') : part.map(print).join('')
}

/** Builds HTML from a template. */
export const html = (texts: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html =>
  new Html(texts.map((text, index) => text + print(parts[index])).join(''))
