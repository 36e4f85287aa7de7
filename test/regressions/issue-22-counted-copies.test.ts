/** The number of records of a copy is right although nobody could count it when its sync ended. */
import { expect, onTestFinished, test } from 'vitest'
import { fail } from '../../packages/ferrule/src/errors.ts'
import { createSyncWorld } from '../platform/sync-world.ts'

test('a first sync that ends while the store is busy leaves the number of records that it wrote', async () => {
  const here = await createSyncWorld('sqlite', 'counted copies')
  onTestFinished(() => here.close())
  let counted = 0
  const store = new Proxy(here.store, {
    get: (target, name) => {
      if (name === 'countRecords')
        return async (connector: string) => {
          counted += 1
          if (counted > 1) throw fail('overloaded', { reason: 'no slot at the database of the copies' })
          return target.countRecords(connector)
        }
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  const { worker } = await here.node({ store })
  const id = await here.connect()
  await here.work(worker)
  const { entities } = await here.platform.syncs.status(here.principal, id)
  expect(counted).toBeGreaterThan(1)
  const shown = Object.fromEntries(entities.filter(({ records }) => records > 0).map(({ entity, records }) => [entity, records]))
  expect(shown).toEqual(await here.copies(id))
  expect(Object.keys(shown)).not.toEqual([])
})
