/** Answers that stay the same until the service changes: they carry a tag, and a client that has one is answered 304. */
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Field } from 'ferrule/definition'
import type { Wire } from 'ferrule/wire'
import type { Caller } from '../values/access.ts'
import { digestText } from '../values/ids.ts'
import { onceInSlices, type Steps } from '../values/slices.ts'
import { jsonType } from './body.ts'
import type { JsonAnswerDocument, PackedDocument, PrintedDocument, RouteDocument } from './openapi/types.ts'
import type { Answer, CallerRoute, Exchange, Services } from './route.ts'

/** Returns whether Accept-Encoding has an encoding, and does not refuse it with `q=0`. */
export const acceptsEncoding = (accepted: string, encoding: string): boolean =>
  accepted.split(',').some((each) => {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim())
    return name === encoding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
  })

/** Adds the tag of its content to a text. */
export const tagText = (text: string): PrintedDocument => ({ text, etag: `"${digestText(text).slice(0, 22)}"` })

const gunzipBytes = promisify(gunzip)

/** Answers with a compressed text in the form that the client takes, or with 304. */
export async function answerPacked(exchange: Exchange<unknown>, { packed, etag }: PackedDocument, cacheControl: string): Promise<Answer> {
  exchange.addVary('Accept-Encoding')
  const headers = { 'cache-control': cacheControl, etag }
  if (exchange.header('if-none-match') === etag) return { notModified: { headers } }
  if (!acceptsEncoding(exchange.header('accept-encoding') ?? '', 'gzip'))
    return { content: await gunzipBytes(packed), headers, type: jsonType }
  return { content: packed, headers: { ...headers, 'content-encoding': 'gzip' }, type: jsonType }
}

/** Answers with a tag, or with 304 and no text to a client that has the text. */
export function answerTagged(
  exchange: Pick<Exchange<unknown>, 'header'>,
  { text, etag }: PrintedDocument,
  { headers: given, type }: { readonly type: string; readonly headers: Readonly<Record<string, string>> },
): Answer {
  const headers = { ...given, etag }
  if (exchange.header('if-none-match') === etag) return { notModified: { headers } }
  return { content: text, headers, type }
}

/** Prints an object without undefined values as JSON, each element of its lists in a step. */
export function* printInSteps(value: object): Steps<string> {
  const members: string[] = []
  for (const [name, member] of Object.entries(value)) {
    const elements: string[] = []
    for (const element of Array.isArray(member) ? member : []) {
      elements.push(JSON.stringify(element))
      yield
    }
    members.push(`${JSON.stringify(name)}:${Array.isArray(member) ? `[${elements.join()}]` : JSON.stringify(member)}`)
  }
  return `{${members.join()}}`
}

/** Prints an answer. Kept values are printed once. */
const print = onceInSlices(function* (value: object): Steps<PrintedDocument> {
  return tagText(yield* printInSteps(value))
})

/** The browser asks again each time, so that a new version of the service shows at once. */
const sending = { type: jsonType, headers: { 'cache-control': 'private, no-cache' } } as const

type UnchangedRoute<S extends Field> = Omit<CallerRoute, 'answer' | 'document' | 'auth'> & {
  readonly document: RouteDocument<S> & { readonly answer: JsonAnswerDocument<S> }
  answer(exchange: Exchange<Caller>, services: Services): (Wire<S> & object) | Promise<Wire<S> & object>
}

/** Declares a route of an application whose answer stays the same. The compiler compares the answer with the documented schema. */
export const unchangedRoute = <S extends Field>({ answer, document, ...route }: UnchangedRoute<S>): CallerRoute => ({
  ...route,
  auth: 'caller',
  document: { ...document, answer: { ...document.answer, isTagged: true } },
  answer: async (exchange, services) => answerTagged(exchange, await print(await answer(exchange, services)), sending),
})
