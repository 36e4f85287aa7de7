/** What the API's document cannot put into a schema, it says in a sentence: which valid values are refused, and with what (issue 22, H1). */
import { expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { openApiDocument } from '../../packages/server/src/http/openapi/openapi.ts'
import { routes } from '../../packages/server/src/http/routes/index.ts'
import type { Json } from '../http/support.ts'

const document: Json = openApiDocument({ routes, kinds: Object.values(kinds) })

/** Lists everything of a name that callers send: parameters of queries, and members of bodies. */
function listSent(name: string): readonly { readonly route: string; readonly description: string; readonly codes: string }[] {
  const found: { route: string; description: string; codes: string }[] = []
  for (const [path, methods] of Object.entries<Json>(document.paths))
    for (const [method, operation] of Object.entries<Json>(methods)) {
      const codes = Object.values<Json>(operation.responses)
        .map((response) => String(response.description))
        .join()
      const bodies = JSON.stringify(operation.requestBody ?? {}).matchAll(/#\/components\/schemas\/([\w.-]+)/g)
      const members = [...bodies].map(([, schema = '']) => document.components.schemas[schema]?.properties?.[name])
      const parameter = operation.parameters?.find((each: Json) => each.in === 'query' && each.name === name)
      for (const each of [parameter, ...members])
        if (each !== undefined) found.push({ route: `${method} ${path}`, description: String(each.description), codes })
    }
  return found
}

test('a cursor is opaque, and any other text is invalid_cursor', () => {
  const cursors = listSent('cursor')
  expect(cursors.length).toBeGreaterThan(7)
  for (const { route, description, codes } of cursors) {
    expect(description, route).toMatch(/opaque/i)
    expect(description, route).toContain('invalid_cursor')
    expect(codes, route).toContain('invalid_cursor')
  }
})

test.each(['customer_name', 'external_user_id'])('the old name %s must not differ from the new one', (name) => {
  const names = listSent(name)
  expect(names.length).toBeGreaterThan(3)
  for (const { route, description, codes } of names) {
    expect(description, route).toContain('another value beside workspace_name is refused')
    expect(codes, route).toContain('validation_failed')
  }
})

test('members that exclude each other say so', () => {
  for (const { description } of listSent('workspace_id').filter(({ route }) => route === 'post /api/v1/connect/links'))
    expect(description).toContain('refused beside workspace_name')
  for (const { description } of listSent('from').filter(({ route }) => route === 'get /api/v1/usage'))
    expect(description).toContain('before the end')
})

test('an age has a maximum, as every number that JSON may make too long', () => {
  const ages = Object.entries<Json>(document.components.schemas).filter(([, schema]) => schema.properties?.max_age !== undefined)
  expect(ages.length).toBeGreaterThan(50)
  for (const [name, schema] of ages) expect(JSON.stringify(schema.properties.max_age), name).toContain('"maximum":1000000000')
})
