/** The statements of a node about vendors' budgets. */
import { expect, test } from 'vitest'
import { TurnDesk } from '../../packages/server/src/calls/budgets/limiter.ts'
import type { BudgetAsk } from '../../packages/server/src/calls/sql/vendor-budgets.ts'

/** Makes a desk whose statements are noted. @param take answers them */
function makeDesk(take: () => Promise<readonly []>) {
  const asked: (readonly string[])[] = []
  const desk = new TurnDesk({
    store: {
      take: (asks: readonly BudgetAsk[]) => {
        asked.push(asks.map(({ key }) => key))
        return take()
      },
      countStrangers: async () => 1,
    },
    steady: () => 1_000,
    schedule: () => () => undefined,
    hold: () => undefined,
    onBackgroundError: () => undefined,
  })
  const open = (key: string) => desk.open({ key, limits: { key: [], rates: [{ calls: 3, seconds: 1 }] } })
  return { asked, desk, open }
}

test.each(['running', 'closing'])(
  'a desk that is %s names a key once in a statement, also when its budget was dropped for others',
  async (state) => {
    const { asked, desk, open } = makeDesk(async () => [])
    open('first').count(1_000) // its statement is under way, so what follows goes together
    const dropped = open('twice')
    dropped.count(1_000)
    for (let other = 0; other < 10_000; other += 1) open(`other ${other}`)
    const again = open('twice')
    expect(again).not.toBe(dropped)
    again.count(1_000)
    if (state === 'closing') await desk.close()
    await expect.poll(() => asked).toEqual([['first'], ['twice'], ['twice']])
  },
)

test('a desk whose database does not answer closes after one try', async () => {
  const { asked, desk, open } = makeDesk(() => Promise.reject(new Error('gone')))
  open('first').count(1_000)
  open('second').count(1_000)
  await desk.close()
  expect(asked).toEqual([['first'], ['second', 'first']])
})
