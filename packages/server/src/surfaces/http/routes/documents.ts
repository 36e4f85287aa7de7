import { createHash } from 'node:crypto'
import { version } from '../../../platform/version.ts'
import { docsHeaders, docsType } from '../../docs/frame.ts'
import type { PrintedPage } from '../../docs/pages.ts'
import { type Answer, type Exchange, type OpenRoute, slot } from '../route.ts'

/** The API's document (OpenAPI 3.1), printed once per process. */
export const openApi: OpenRoute = {
  method: 'GET',
  path: '/openapi.json',
  auth: 'none',
  answer(exchange, { openApi: printed }): Answer {
    const { text, etag } = printed()
    const headers = { etag, 'cache-control': 'no-cache' }
    if (exchange.header('if-none-match') === etag) return { notModified: { headers } }
    return { content: text, type: 'application/json; charset=utf-8', headers }
  },
}

/** Sends a page of the reference with a tag of its content. */
function sendPage(exchange: Pick<Exchange<unknown>, 'header'>, { text, status }: PrintedPage): Answer {
  const headers = { ...docsHeaders, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` }
  if (exchange.header('if-none-match') === headers.etag) return { notModified: { headers } }
  return { content: text, type: docsType, headers, status }
}

/** The reference for people, and its search. */
export const docs: OpenRoute = {
  method: 'GET',
  path: '/docs',
  auth: 'none',
  answer: (exchange, { docs: pages }) => {
    const { q: typed } = exchange.query
    return sendPage(exchange, pages.printStart(typeof typed === 'string' ? typed : ''))
  },
}

/** The reference of a kind. */
export const docsKind: OpenRoute = {
  method: 'GET',
  path: '/docs/kinds/{kind}',
  auth: 'none',
  answer: (exchange, { docs: pages }) => sendPage(exchange, pages.printKind(slot(exchange, 'kind'))),
}

/** The reference of an entity. */
export const docsEntity: OpenRoute = {
  method: 'GET',
  path: '/docs/kinds/{kind}/{entity}',
  auth: 'none',
  answer: (exchange, { docs: pages }) => sendPage(exchange, pages.printEntity(slot(exchange, 'kind'), slot(exchange, 'entity'))),
}

/** The reference of a route. */
export const docsRoute: OpenRoute = {
  method: 'GET',
  path: '/docs/http/{id}',
  auth: 'none',
  answer: (exchange, { docs: pages }) => sendPage(exchange, pages.printRoute(slot(exchange, 'id'))),
}

/** The address itself: the console for people, a few links for programs. */
export const home: OpenRoute = {
  method: 'GET',
  path: '/',
  auth: 'none',
  answer: (exchange) =>
    exchange.header('accept')?.includes('text/html')
      ? { redirect: 'console' }
      : {
          json: {
            name: 'Ferrule',
            version,
            console: '/console',
            documentation: '/docs',
            openapi: '/openapi.json',
            health: '/health/ready',
          },
        },
}
