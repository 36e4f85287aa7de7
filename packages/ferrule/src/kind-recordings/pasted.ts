/** Answers from a file in place of the vendor: a HAR file, which browsers save, or one pasted answer. */
import { isObject } from '../definition/object.ts'
import type { HttpAnswer, HttpRequest, HttpSender } from '../engine/http/http.ts'
import { fail } from '../errors.ts'
import { parseBody } from './compare.ts'

/** An answer, and the request that it belongs to. A pasted answer belongs to any. */
interface Pasted {
  readonly request?: { readonly method: string; readonly url: URL; readonly headers: Readonly<Record<string, string>> }
  readonly answer: HttpAnswer
}

/** Reads the headers of a HAR file: a list of names with values. */
const readPairs = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (Array.isArray(value) ? value : []).filter(isObject).map(({ name, value: text }) => [String(name).toLowerCase(), String(text)]),
  )

/** Reads an entry of a HAR file; nothing for one without an answer. */
function readEntry({ request, response }: Readonly<Record<string, unknown>>): readonly Pasted[] {
  if (!isObject(request) || !isObject(response) || !URL.canParse(String(request['url']))) return []
  const { text = '', encoding } = isObject(response['content']) ? response['content'] : {}
  const body = encoding === 'base64' ? Buffer.from(String(text), 'base64').toString() : String(text)
  return [
    {
      request: { method: String(request['method']), url: new URL(String(request['url'])), headers: readPairs(request['headers']) },
      answer: { status: Number(response['status']), headers: readPairs(response['headers']), text: body },
    },
  ]
}

const writeQuery = (url: URL): string =>
  [...url.searchParams]
    .map((pair) => pair.join('='))
    .toSorted()
    .join('&')

/** A file that answers. */
export class PastedVendor implements HttpSender {
  /** True: the file says which requests its answers belong to. */
  readonly isHar: boolean
  readonly #left: Pasted[]
  readonly #all: readonly Pasted[]

  /** @param text a HAR file, or the body of one answer */
  constructor(text: string) {
    const value = parseBody(text)
    const log = isObject(value) && isObject(value['log']) ? value['log']['entries'] : undefined
    this.isHar = Array.isArray(log)
    const headers = value === undefined ? {} : { 'content-type': 'application/json' }
    const one: Pasted = { answer: { status: 200, headers, text } }
    this.#all = Array.isArray(log) ? log.filter(isObject).flatMap(readEntry) : [one]
    this.#left = [...this.#all]
  }

  /** Finds the address of the vendor: that of the first request with this method and path. */
  findOrigin({ method, url }: HttpRequest): string | undefined {
    return this.#all.find(({ request }) => request?.method === method && request.url.pathname === url.pathname)?.request?.url.origin
  }

  /** Lists values of headers and of the query that carry credentials: no recording may hold them. */
  listSecrets(headers: ReadonlySet<string>, query: ReadonlySet<string>): readonly (readonly [name: string, value: string])[] {
    return this.#all.flatMap(({ request }) => {
      if (request === undefined) return []
      const sent = Object.entries(request.headers).filter(([name]) => headers.has(name) || /^(?:authorization|cookie)$/.test(name))
      const asked = [...request.url.searchParams].filter(([name]) => query.has(name))
      const parts = sent.flatMap(([name, value]) =>
        [...value.matchAll(name === 'cookie' ? /=([^;]+)/g : /(\S+)$/g)].map(([, part = '']): [string, string] => [name, part]),
      )
      return [...sent, ...parts, ...asked].filter(([, value]) => value.length >= 8)
    })
  }

  async send({ method, url }: HttpRequest): Promise<HttpAnswer> {
    const fits = ({ request }: Pasted): boolean =>
      request === undefined ||
      (request.method === method && request.url.pathname === url.pathname && writeQuery(request.url) === writeQuery(url))
    const index = this.#left.findIndex(fits)
    const [found] = index < 0 ? [] : this.#left.splice(index, 1)
    if (found !== undefined) return found.answer
    throw fail('validation_failed', { reason: `the file has no answer to ${method} ${url.pathname}${url.search}` })
  }

  open(): never {
    throw fail('validation_failed', { reason: 'a file has no downloads' })
  }

  async close(): Promise<void> {}
}
