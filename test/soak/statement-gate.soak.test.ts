/** The statement gate against many more mutations than `npm test` makes. `FERRULE_SOAK_MUTATIONS` sets their number. */
import { expect, test } from 'vitest'
import { mutate, mutateList } from '../connectors/snowflake/statement-support.ts'

const mutations = Number(process.env['FERRULE_SOAK_MUTATIONS'] ?? 200_000)

test(`${mutations} statements with another one put into them are refused`, () => {
  const { made, wrong } = mutate(mutations)
  const list = mutateList()
  console.log(
    `mutations: ${made} generated, ${list.made} of the list, ${wrong.length + list.wrong.length} admitted or refused for something else`,
  )
  expect([...wrong, ...list.wrong]).toEqual([])
  expect(made).toBeGreaterThanOrEqual(mutations)
}, 1_800_000)
