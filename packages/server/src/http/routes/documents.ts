import { version } from '../../values/version.ts'
import { docsHeaders } from '../docs/frame.ts'
import type { PrintedPage } from '../docs/pages.ts'
import { pageType } from '../html/page.ts'
import { jsonType } from '../reply.ts'
import { type Answer, type Exchange, type OpenRoute, slot } from '../route.ts'
import { answerTagged, tagText } from '../unchanged.ts'

/** The API's document (OpenAPI 3.1), printed once per process. */
export const openApi: OpenRoute = {
  method: 'GET',
  path: '/openapi.json',
  auth: 'none',
  answer: (exchange, { openApi: print }) => answerTagged(exchange, print(), { type: jsonType, headers: { 'cache-control': 'no-cache' } }),
}

/** Sends a page of the reference with a tag of its content. */
const sendPage = (exchange: Pick<Exchange<unknown>, 'header'>, { text, status }: PrintedPage): Answer =>
  answerTagged(exchange, tagText(text), { type: pageType, headers: docsHeaders, status })

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
