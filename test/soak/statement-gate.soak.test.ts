/** The statement gate against many more mutations than `npm test` makes. `FERRULE_SOAK_MUTATIONS` sets their number. */
import { expect, test } from 'vitest'
import { mutate, mutateForms, mutateList } from '../connectors/snowflake/statement-support.ts'

const mutations = Number(process.env['FERRULE_SOAK_MUTATIONS'] ?? 200_000)

test(`${mutations} statements with another one put into them are refused`, () => {
  const { made, wrong } = mutate(mutations)
  const list = mutateList()
  const forms = mutateForms(mutations)
  const all = [...wrong, ...list.wrong, ...forms.wrong]
  console.log(
    `mutations: ${made} generated, ${list.made} of the list, ${forms.made} without a separator, ${all.length} admitted or refused for something else`,
  )
  expect(all).toEqual([])
  expect(made).toBeGreaterThanOrEqual(mutations)
}, 1_800_000)
