import { gunzipSync } from 'node:zlib'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { liveActions } from '../../packages/ferrule/src/definition/entity.ts'
import { createOpenApiDocuments, openApiDocument } from '../../packages/server/src/http/openapi/openapi.ts'
import { routes } from '../../packages/server/src/http/routes/index.ts'
import { readServedKinds } from '../../packages/server/src/main/kinds/served.ts'
import { choose } from '../support/draws.ts'
import { quick } from './contract.ts'
import type { Json } from './support.ts'

const kinds = await readServedKinds({ FERRULE_KINDS: choose('@ferrule/kinds/github', '@ferrule/kinds') })
const document: Json = openApiDocument({ routes, kinds })
const executePath = '/api/v1/integrations/connectors/{connector_id}/execute'
const operationsOf = (actions: readonly string[], of = kinds) =>
  of.flatMap(({ definition }) =>
    Object.entries(definition.entities).flatMap(([name, entity]) =>
      actions.filter((action) => Object.hasOwn(entity, action)).map((action) => `${definition.kind}.${name}.${action}`),
    ),
  )
/** Kind by kind. */
const operations = kinds.flatMap((kind) => [liveActions, ['context_store_search']].flatMap((actions) => operationsOf(actions, [kind])))

describe('the document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(structuredClone(document))
    expect([valid, errors]).toEqual([true, undefined])
    expect(validator.version).toBe('3.1')
  })

  test('refers to nothing that is not there', () => {
    const references = new Set([...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => String(path)))
    expect(references.size).toBeGreaterThan(50)
    const dangling = [...references].filter((path) => path.split('/').reduce((at: Json, step) => at?.[step], document) === undefined)
    expect(dangling).toEqual([])
  })

  test('holds every schema in a form that a validator takes', () => {
    const ajv = new Ajv2020({ ...quick, strict: false, validateFormats: false })
    ajv.addSchema(document, 'document')
    for (const name of Object.keys(document.components.schemas))
      expect(ajv.getSchema(`document#/components/schemas/${name}`), name).toBeDefined()
  })

  test('has every route of the API, each with a name of its own', () => {
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(Object(methods)).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const known = ['oauth-protected-resource/mcp', 'oauth-protected-resource/mcp/', 'oauth-authorization-server'].map(
      (name) => `GET /.well-known/${name}`,
    )
    const internal = ['GET /openapi.json', 'GET /', ...known]
    expect(new Set([...documented, ...internal])).toEqual(new Set(routes.map(({ method, path }) => `${method} ${path}`)))
    const ids = Object.values(document.paths).flatMap((methods) => Object.values(Object(methods)).map((each: Json) => each.operationId))
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('carries no marks of the engine and no secrets', () => {
    const text = JSON.stringify(document)
    expect(text).not.toMatch(/"x-(says|refuse|integer|documented|empty-is-absent)"/)
    // Not an enum: answers have what the vendor adds.
    expect(text).toContain('"x-known-values":["ENABLE","DISABLE"]')
    expect(text).not.toContain('~kind')
  })

  test('is the same every time, and what a service prints in slices', async () => {
    const print = () => createOpenApiDocuments({ routes, kinds }).read([])
    const [one, other] = [await print(), await print()]
    expect(one).toEqual(other)
    expect(JSON.parse(gunzipSync(one.packed).toString())).toEqual(document)
  })

  test('names the address that clients use', () => {
    const named: Json = openApiDocument({ routes, kinds, serverUrl: 'https://ferrule.example/base' })
    expect([document.servers, named.servers]).toEqual([[{ url: '/' }], [{ url: 'https://ferrule.example/base' }]])
  })
})

describe('execute', () => {
  const execute = document.paths[executePath].post
  const { examples } = execute.requestBody.content['application/json']
  const ajv = new Ajv2020({ ...quick, strict: false, validateFormats: false })
  ajv.addSchema(document, 'document')
  const request = (name: string) => ajv.getSchema(`document#/components/schemas/${name}.Request`)

  test('has a variant for every operation of every kind', () => {
    const variants = document.components.schemas.ExecuteRequest.anyOf.map((each: { $ref: string }) => each.$ref.split('/').at(-1))
    expect(variants).toEqual([...operations.map((name) => `${name}.Request`), 'AggregateRequest'])
    expect(Object.keys(examples)).toEqual(operations)
  })

  test.each(operations)('%s has an example that its own variant takes, and no other action', (name) => {
    const { value } = examples[name]
    expect([request(name)?.(value), request(name)?.errors]).toEqual([true, null])
    expect(request(name)?.({ ...value, action: 'other' })).toBe(false)
    expect(request(name)?.({ ...value, unknown: 1 })).toBe(false)
    expect(request(name)?.({ ...value, params: { ...value.params, unknown: 1 } })).toBe(false)
  })

  test('documents the limits that its answers show', () => {
    expect(Object.keys(execute.responses['200'].headers)).toEqual(
      expect.arrayContaining(['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'X-Request-Id']),
    )
  })
})
