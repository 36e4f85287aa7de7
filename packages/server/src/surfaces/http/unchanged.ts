/** Answers that stay the same until the service changes: they carry a tag, and a client that has one is answered 304. */
import { createHash } from 'node:crypto'
import type { Field } from 'ferrule/definition'
import type { Wire } from 'ferrule/wire'
import type { JsonAnswerDocument, RouteDocument } from '../openapi/types.ts'
import { jsonType } from './reply.ts'
import type { Answer, CallerRoute, Exchange, Services } from './route.ts'

interface Printed {
  readonly text: string
  readonly etag: string
}
/** Printed answers by their value: kept values are printed once. */
const printed = new WeakMap<object, Printed>()

function print(value: object): Printed {
  const known = printed.get(value)
  if (known !== undefined) return known
  const text = JSON.stringify(value)
  const made = { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` }
  printed.set(value, made)
  return made
}

/** Answers with a tag. The browser asks again each time, so that a new version of the service shows at once. */
function answerUnchanged(exchange: Pick<Exchange<unknown>, 'header'>, value: object): Answer {
  const { text, etag } = print(value)
  const headers = { etag, 'cache-control': 'private, no-cache' }
  if (exchange.header('if-none-match') === etag) return { notModified: { headers } }
  return { content: text, type: jsonType, headers }
}

type UnchangedRoute<S extends Field> = Omit<CallerRoute, 'answer' | 'document' | 'auth'> & {
  readonly document: RouteDocument<S> & { readonly answer: JsonAnswerDocument<S> }
  answer(exchange: Exchange<unknown>, services: Services): Wire<S> & object
}

/** Declares a route of an application whose answer stays the same. The compiler compares the answer with the documented schema. */
export const unchangedRoute = <S extends Field>({ answer, document, ...route }: UnchangedRoute<S>): CallerRoute => ({
  ...route,
  auth: 'caller',
  document: { ...document, answer: { ...document.answer, isTagged: true } },
  answer: (exchange, services) => answerUnchanged(exchange, answer(exchange, services)),
})
