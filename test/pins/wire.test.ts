/** Records that the printed reference of the HTTP interface leaves out, because the kinds decide the rest of their routes. */
import { expect, test } from 'vitest'
import { openApiDocument } from '../../packages/server/src/http/openapi/openapi.ts'
import { routes } from '../../packages/server/src/http/routes/index.ts'

type Json = ReturnType<typeof JSON.parse>

const oneLine = (schema: Json): string => {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1)
  if (schema.type === 'null') return 'null'
  if (schema.anyOf !== undefined) return schema.anyOf.map(oneLine).join(' | ')
  if (schema.enum !== undefined) return [...schema.enum, ...(nullable(schema) ? ['null'] : [])].join(' | ')
  const name = schema.format ?? [schema.type].flat().find((type: string) => type !== 'null') ?? 'any'
  const shown = name === 'array' ? `[${oneLine(schema.items)}]` : name === 'object' ? notateObject(schema) : name
  return nullable(schema) ? `${shown} | null` : shown
}
const nullable = (schema: Json): boolean => Array.isArray(schema.type) && schema.type.includes('null')
const notateObject = (schema: Json): string => {
  if (schema.properties === undefined) return 'object'
  const members = Object.entries(schema.properties).map(
    ([name, each]) => `${name}${(schema.required ?? []).includes(name) ? '' : '?'}: ${oneLine(each)}`,
  )
  return `{ ${members.toSorted().join(', ')} }`
}

/** Members that fit into one line. */
const few = 4

/** Writes a schema by its members in order: `name: type`, `?` for optional members. Small schemas are one line. */
function notate(schema: Json): string | Readonly<Record<string, string>> {
  if (schema.properties === undefined || Object.keys(schema.properties).length <= few) return oneLine(schema)
  const members = Object.entries(schema.properties).map(([name, each]) => [
    `${name}${(schema.required ?? []).includes(name) ? '' : '?'}`,
    oneLine(each),
  ])
  return Object.fromEntries(members.toSorted())
}

test('answers and requests of operations that all kinds share', () => {
  const { AggregateAnswer, AggregateRequest, CutAnswer, SortDirection } = (openApiDocument({ routes, kinds: [] }) as Json).components
    .schemas
  const shared = { AggregateAnswer, AggregateRequest, CutAnswer, SortDirection }
  expect(Object.fromEntries(Object.entries(shared).map(([name, schema]) => [name, notate(schema)]))).toEqual({
    AggregateAnswer:
      '{ context_store: { complete: boolean, may_change_from?: string, status: loading | building_preview | preview | ready | updating | failed | disabled, synced_at: date-time | null, verified_at: date-time | null }, data: [object], meta: { changed?: boolean, cursor: string | null, groups: integer, has_more: boolean, related?: [{ complete: boolean, entity: string, may_change_from?: string, status: loading | building_preview | preview | ready | updating | failed | disabled, synced_at: date-time | null, verified_at: date-time | null }], skipped?: object, took_ms: integer, unknown_paths?: [string] }, truncated_fields?: [string] }',
    AggregateRequest: {
      action: 'string',
      'allow_partial?': 'boolean | null',
      entity: 'string',
      'exclude_fields?': '[string] | null',
      'intent?': 'string | null',
      'max_age?': 'integer | null',
      'params?':
        '{ cursor?: string | null, group_by?: [string | { as?: string | null, by?: year | quarter | month | week | day | hour | null, field: string, ranges?: [number | string] | null, time_zone?: string | null }] | null, having?: SearchCondition | null, include?: object | null, limit?: integer | null, measures?: object | null, query?: { filter?: SearchCondition | null, text?: string | null } | null, sort?: [object] | null } | null',
      'select_fields?': '[string] | null',
      'skip_truncation?': 'boolean | null',
    },
    CutAnswer:
      '{ context_store?: { complete: boolean, may_change_from?: string, status: loading | building_preview | preview | ready | updating | failed | disabled, synced_at: date-time | null, verified_at: date-time | null }, data: [object] | object, meta: object, truncated_fields?: [string] }',
    SortDirection: 'asc | desc',
  })
})
