import { fail } from 'ferrule/internal'
import { version } from '../../../platform/version.ts'
import { docsAsset, docsPage, docsPolicy } from '../../docs-page.ts'
import { type Answer, type OpenRoute, slot } from '../route.ts'

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

/** The interactive reference. */
export const docs: OpenRoute = {
  method: 'GET',
  path: '/docs',
  auth: 'none',
  answer: (_exchange, { settings }) => ({
    ...docsPage,
    headers: { 'content-security-policy': docsPolicy(settings.publicUrl), 'referrer-policy': 'no-referrer' },
  }),
}

/** Files of the reference. */
export const docsFile: OpenRoute = {
  method: 'GET',
  path: '/docs/{file}',
  auth: 'none',
  answer(exchange): Answer {
    const name = slot(exchange, 'file')
    const asset = docsAsset(name)
    if (asset === undefined) throw fail('not_found', { method: 'GET', path: `/docs/${name.slice(0, 100)}` })
    return { ...asset, headers: { 'cache-control': 'public, max-age=3600' } }
  },
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
