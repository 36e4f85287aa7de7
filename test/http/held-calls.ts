/** A connector whose copies have five calls of two people, for what asks the same question by different ways. */
import { buildPrimaryKey } from '../../packages/server/src/copies/search/keys.ts'
import type { Json, World } from './support.ts'

const call = (id: number, primaryUserId: string, started: string, direction: string) => ({
  ...{ id: `${id}`, title: id % 2 === 0 ? 'Acme renewal' : 'Weekly', started, primaryUserId, duration: id * 60, direction },
})

const records: Readonly<Record<string, readonly Json[]>> = {
  users: [
    { id: '1', firstName: 'Ada', emailAddress: 'ada@example.com' },
    { id: '2', firstName: 'Grace', emailAddress: 'grace@acme.example', title: 'Engineer' },
  ],
  calls: [
    call(1, '1', '2026-02-28T23:30:00Z', 'Inbound'),
    call(2, '1', '2026-03-01T10:00:00Z', 'Inbound'),
    call(3, '2', '2026-03-09T10:00:00Z', 'Outbound'),
    call(4, '2', '2026-03-30T10:00:00Z', 'Inbound'),
    call(5, '2', '2026-04-01T10:00:00Z', 'Conference'),
  ],
}

/** Connects the copies, in a world of `emptyVendors.engine`. @returns the id of the connector */
export async function connectHeldCalls(world: World, name: string, entities: readonly string[] = Object.keys(records)): Promise<string> {
  const connector = await world.connect(name, { entities: entities.map((entity) => ({ entity })) })
  await world.context.sync()
  const { store } = world.context
  for (const [entity, own] of Object.entries(records).filter(([each]) => entities.includes(each)))
    await store.writeBatch(
      { connector, kind: 'gong', entity },
      {
        records: own.map((fields) => ({ key: buildPrimaryKey(store.getTable('gong', entity).key, fields) ?? '', fields })),
        asked: world.clock.now,
      },
    )
  return connector
}
