/** What the vendors' answers hold below a searchable field can be asked for: no path of an answer is refused by its own search. */
import { describe, expect, test } from 'vitest'
import type { Kind } from '../../packages/ferrule/src/definition/connector.ts'
import type { EntityDefinition } from '../../packages/ferrule/src/definition/entity.ts'
import { isObject } from '../../packages/ferrule/src/definition/object.ts'
import { buildSearchTable } from '../../packages/server/src/copies/search/columns.ts'
import { parseSearch } from '../../packages/server/src/copies/search/parse.ts'
import { findRefusal } from '../support/refusal.ts'
import { answerFiles, readAnswers } from './answers.ts'
import { kinds } from './subject.ts'

/** The ways to everything below a value; arrays are passed through. */
function waysBelow(value: unknown): string[][] {
  if (Array.isArray(value)) return value.flatMap(waysBelow)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, part]) => [[name], ...waysBelow(part).map((way) => [name, ...way])])
}

interface Subject {
  readonly kind: string
  readonly entity: string
  readonly operation: string
  readonly definition: EntityDefinition
}

const subjects = Object.values(kinds).flatMap(({ definition }: Kind): Subject[] =>
  answerFiles(definition.kind).flatMap((operation) => {
    const [entity = ''] = operation.split('.')
    const found = definition.entities[entity]
    return found?.context_store_search === undefined ? [] : [{ kind: definition.kind, entity, definition: found, operation }]
  }),
)

describe('a search knows what the answers of its entity hold', () => {
  test.each(subjects)('$kind $operation', ({ kind, entity, definition, operation }) => {
    const table = buildSearchTable(kind, entity, definition)
    const records = Object.values(readAnswers(kind, operation)?.calls ?? {}).flatMap(({ pages }) => pages.flatMap(({ data }) => data))
    const ways = waysBelow(records).filter(([field]) => table.columns.some(({ name }) => name === field))
    expect(ways.filter((way) => findRefusal(() => parseSearch(table, { query: {}, fields: [way] })))).toEqual([])
  })
})
