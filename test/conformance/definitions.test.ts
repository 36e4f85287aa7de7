import { describe, expect, test } from 'vitest'
import { kinds as written } from '../../packages/ferrule/src/connectors/index.ts'
import type { Kind } from '../../packages/ferrule/src/definition/connector.ts'
import { liveActions } from '../../packages/ferrule/src/definition/entity.ts'
import type { Fields } from '../../packages/ferrule/src/definition/fields.ts'
import { isOptional } from '../../packages/ferrule/src/definition/fields.ts'
import { listParams, plain } from './params.ts'
import { kinds } from './subject.ts'

/** Fields and parameters, however deep, that have no sentence. */
const speechless = (at: string, fields: Fields | undefined): string[] =>
  listParams({ properties: plain(fields ?? {}) }).flatMap(({ names, schema }) =>
    String(schema['description'] ?? '').trim().length < 2 ? [`${at} ${names.join('.')}`] : [],
  )

/** Paths of values that are no data: functions, instances of classes, what is not frozen. */
function foreign(value: unknown, at: string): string[] {
  if (typeof value === 'function') return [`${at} is a function`]
  if (typeof value !== 'object' || value === null) return []
  const own = [Object.prototype, Array.prototype, null].includes(Object.getPrototypeOf(value)) ? [] : [`${at} is an instance of a class`]
  const open = Object.isFrozen(value) ? [] : [`${at} is not frozen`]
  return [...own, ...open, ...Object.entries(value).flatMap(([key, inner]) => foreign(inner, `${at}.${key}`))]
}

describe.each(Object.values(kinds))('$definition.kind', ({ definition }) => {
  const entities = Object.entries(definition.entities)

  test('every parameter, searchable field, credential and configuration value has a sentence', () => {
    expect([
      ...entities.flatMap(([name, { about }]) => (about.trim() === '' ? [name] : [])),
      ...entities.flatMap(([name, entity]) => liveActions.flatMap((action) => speechless(`${name} ${action}`, entity[action]?.params))),
      ...entities.flatMap(([name, entity]) => speechless(`${name} search`, entity.context_store_search)),
      ...Object.entries(definition.credentials).flatMap(([name, { fields }]) => speechless(`credentials ${name}`, fields)),
      ...speechless('configuration', definition.configuration),
    ]).toEqual([])
  })

  test('is frozen data that JSON carries', () => {
    expect(foreign(definition, definition.kind)).toEqual([])
    expect(definition).toStrictEqual(Object.values<Kind>(written).find((kind) => kind.definition.kind === definition.kind)?.definition)
  })

  test('its check is an operation that needs no parameter beyond its own', () => {
    const { entity, action, params } = definition.check
    const operation = liveActions.filter((live) => live === action).map((live) => definition.entities[entity]?.[live])[0]
    expect(operation).toBeDefined()
    const required = Object.keys(operation?.params ?? {}).filter((name) => !isOptional(operation?.params ?? {}, name))
    expect(required.filter((name) => !(name in params))).toEqual([])
    expect(Object.keys(params).filter((name) => !(name in (operation?.params ?? {})))).toEqual([])
  })
})
