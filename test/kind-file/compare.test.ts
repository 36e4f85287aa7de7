/** What a change of a kind means for connectors that move to it. */
import { describe, expect, test } from 'vitest'
import { compareKinds } from '../../packages/ferrule/src/definition/compare.ts'
import { changes, file, read } from './changes.ts'

describe('a change', () => {
  test.each(changes)('%s', async (...[_name, was, is, expected, entity]) => {
    expect(file).toContain(was)
    const found = compareKinds(await read(file), await read(file.replace(was, is)))
    const [weightiest] = found
    expect([weightiest?.class ?? 'none', weightiest?.entity ?? null]).toEqual([expected, entity])
  })

  test('another key remakes the copy', async () => {
    const before = await read(file)
    const { tickets, ...rest } = before.entities
    if (tickets === undefined) throw new Error('there are tickets')
    const after = { ...before, entities: { tickets: { ...tickets, key: ['subject'] }, ...rest } }
    expect(compareKinds(before, after)[0]).toMatchObject({ class: 'remade', entity: 'tickets' })
  })

  test('several changes come with the weightiest first', async () => {
    const after = file
      .replace('Acme Desk', 'Acme')
      .replace('100/m', '50/m')
      .replace('api.acme', 'api.other')
      .replace('subject: string Subject\n', 'subject: integer Subject\n')
    expect(compareKinds(await read(file), await read(after)).map(({ class: each }) => each)).toEqual([
      'authorize',
      'remade',
      'calls',
      'calls',
    ])
  })
})
