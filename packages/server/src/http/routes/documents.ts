import { version } from '../../values/version.ts'
import { jsonType } from '../reply.ts'
import type { OpenRoute } from '../route.ts'
import { answerTagged } from '../unchanged.ts'

/** The API's document (OpenAPI 3.1), printed once per process. */
export const openApi: OpenRoute = {
  method: 'GET',
  path: '/openapi.json',
  auth: 'none',
  answer: (exchange, { openApi: print }) => answerTagged(exchange, print(), { type: jsonType, headers: { 'cache-control': 'no-cache' } }),
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
