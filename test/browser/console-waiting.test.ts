/** First syncs on the overview: what waits is shown as waiting, with its reason and attempt. */
import { expect, test } from 'vitest'
import { fail } from '../../packages/ferrule/src/errors.ts'
import { share } from '../support/share.ts'
import { limits, openConsole } from './console-support.ts'

const options = { timeout: limits.test }
/** What calls of the sync meet. */
let trouble: () => Promise<void>
const opened = await share(
  openConsole({
    copies: 'postgres',
    engine: (engine) => ({
      run: async (connection, call) => {
        await trouble()
        return engine.run(connection, call)
      },
    }),
  }),
)

test('a first sync that waits says since when, for what and with which attempt, and the connector stands there once', options, async () => {
  const { page, world, go, complaints, screenshot } = opened
  trouble = () => Promise.reject(fail('overloaded', { reason: 'no turn' }))
  await world.connect('Calls of the sales team', { entities: [{ entity: 'users' }] })
  const row = page.getByRole('row').filter({ hasText: 'Calls of the sales team' })
  await go('/')
  await row.getByText('Waiting for the first sync').waitFor()
  await row.getByText(/^requested /).waitFor()
  expect(await page.getByText('Calls of the sales team').count()).toBe(1)
  world.clock.now = Date.now() + 300_000 // the next try has to be ahead of the browser's clock, which does not stand
  await world.context.sync()
  await page.reload()
  await row.getByText(/, tries again .*\(attempt 1\)$/).waitFor()
  await row.getByText('The service is busy: no turn.').waitFor()
  expect(await page.getByText('Calls of the sales team').count()).toBe(1)
  await opened.look('overview-waiting')
  // The run has begun, and its first call has no answer yet.
  const gate = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  trouble = () => {
    arrived.resolve()
    return gate.promise
  }
  world.clock.now += 600_000
  const synced = world.context.sync()
  await arrived.promise
  await page.reload()
  await row.getByText(/^waiting/).waitFor()
  expect(await page.getByText('0 records in 0 calls').count()).toBe(0)
  await page.getByRole('list', { name: 'Connectors by condition' }).getByText('Waiting for the first sync').waitFor()
  await screenshot('overview-turn')
  gate.resolve()
  await synced
  await page.reload()
  await row.getByText('Ready').waitFor()
  expect(complaints()).toEqual([])
})
