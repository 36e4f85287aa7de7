/** What linters and generators of clients say of the API's document; `npm run soak -- openapi-clients` runs the generators themselves. */
import { expect, test } from 'vitest'
import { openApiDocument } from '../../packages/server/src/http/openapi/openapi.ts'
import { routes } from '../../packages/server/src/http/routes/index.ts'
import { readServedKinds } from '../../packages/server/src/main/kinds/served.ts'
import { choose } from '../support/draws.ts'
import { lintWithRedocly, lintWithSpectral } from '../support/lint-openapi.mjs'
import type { Json } from './support.ts'

const kinds = await readServedKinds({ FERRULE_KINDS: choose('@ferrule/kinds/github', '@ferrule/kinds') })
const document: Json = openApiDocument({ routes, kinds })

test('Redocly finds nothing to say', async () => {
  expect(await lintWithRedocly(document)).toEqual([])
})

test('Spectral finds nothing to say', async () => {
  expect(await lintWithSpectral(document)).toEqual([])
})

test('no schema has several types, which generators for Go and Python refuse', () => {
  const found: string[] = []
  const walk = (part: unknown, path: string): void => {
    if (typeof part !== 'object' || part === null) return
    const type: unknown = Reflect.get(part, 'type')
    if (Array.isArray(type) && type.filter((each) => each !== 'null').length > 1) found.push(path)
    for (const [name, value] of Object.entries(part)) walk(value, `${path}/${name}`)
  }
  walk(document.components.schemas, '')
  expect(found).toEqual([])
})

test('no two schemas have one title, which generators take for one class', () => {
  const titles = Object.values<Json>(document.components.schemas).flatMap(({ title }) => (title === undefined ? [] : [title]))
  expect(titles.length).toBeGreaterThan(200)
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([])
})
