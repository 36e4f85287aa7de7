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

/** Longest client id that a field takes. */
const longestId = 256

/** Builds the fields. @param clientId what was typed before and refused; '' for the first try. The secret never comes back */
export const buildSignInFields = (clientId: string): Html => {
  const kept = clientId.slice(0, longestId)
  return html`<label>Client id <input type="text" name="client_id" value="${kept}" autocomplete="username" spellcheck="false" maxlength="${String(longestId)}" required${kept === '' ? ' autofocus' : ''}></label>
<label>Client secret <input type="password" name="client_secret" autocomplete="current-password" maxlength="1024" required${kept === '' ? '' : ' autofocus'}></label>`
}

/** Shows what went wrong, if anything did. */
export const buildProblem = (problem: string | undefined): HtmlPart =>
  problem === undefined ? undefined : html`<p class="problem">${problem}</p>`
