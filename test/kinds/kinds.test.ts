/** Each kind that ships against a stand-in of its vendor that knows nothing of it. */
import { describe, expect, test } from 'vitest'
import { readKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { hastenTime } from '../support/hastened-time.ts'
import { held, loadSubject, open, readKindFile, walk } from './connectors.ts'
import { subjects, type WriteSubject } from './subjects.ts'

/** A record as JSON, with all digits, and without the fields that the vendor leaves out. */
const comparable = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_name, one: unknown) => (typeof one === 'bigint' ? String(one) : (one ?? undefined))))

describe.each(subjects)('$slug', (subject) => {
  const load = () => loadSubject(subject)

  test('is a small file of 6 to 14 entities, without mistakes and doubts', async () => {
    const text = await readKindFile(subject)
    const { mistakes, doubts } = await readKind(text, { name: subject.slug })
    expect({ mistakes, doubts }).toEqual({ mistakes: [], doubts: [] })
    const entities = Object.keys((await load()).definition.entities).length
    expect(entities >= 6 && entities <= 14, `${entities} entities`).toBe(true)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16_384)
    expect(text.split('\n').filter((line) => line.length > 140)).toEqual([])
  })

  test.each(subject.lists.map((list) => [`${list.entity} ${JSON.stringify(list.params ?? {})}`, list] as const))(
    'walks %s to the end: nothing lost, nothing doubled',
    async (_name, list) => {
      await using vendor = subject.start()
      await using connector = await open(subject, vendor, await load())
      for (let count = 0; count < 3; count += 1) vendor.mutate()
      const keys = await walk(connector, list)
      expect(keys.toSorted()).toEqual(held(vendor, list).toSorted())
      expect(keys.length > 0).toBe(list.holds !== 'none')
    },
  )

  test.each(subject.lists.filter(({ shifts, params }) => !shifts && params === undefined).map((list) => [list.entity, list] as const))(
    'walks %s while the vendor changes: what stays is there once',
    async (_name, list) => {
      await using vendor = subject.start()
      await using connector = await open(subject, vendor, await load())
      const before = new Set(held(vendor, list))
      vendor.between = () => vendor.mutate()
      const keys = await walk(connector, list)
      const after = new Set(held(vendor, list))
      const seen = new Set(keys)
      expect(keys.length - seen.size).toBe(0)
      expect([...before].filter((key) => after.has(key) && !seen.has(key))).toEqual([])
    },
  )

  test.each(subject.gets.map((get) => [get.entity, get] as const))(
    'gets one of %s',
    async (_name, { entity, holds, params, shows = (row) => row }) => {
      await using vendor = subject.start()
      await using connector = await open(subject, vendor, await load())
      vendor.mutate()
      const [row = {}] = vendor.holds(holds)
      const { data } = await connector.execute(entity, 'get', params(row))
      expect(comparable(shows(row))).toMatchObject(comparable(data) as object)
    },
  )

  const nameOf = ({ entity, action }: WriteSubject) => `${action} ${entity}`
  test.each(subject.writes.map((write) => [nameOf(write), write] as const))('does %s once', async (_name, write) => {
    await using vendor = subject.start()
    await using connector = await open(subject, vendor, await load())
    const [row = {}] = write.of === undefined ? [] : vendor.holds(write.of)
    const count = vendor.holds(write.holds).length
    await connector.execute(write.entity, write.action, write.params(structuredClone(row)))
    expect(vendor.holds(write.holds).length - count).toBe(write.more ?? 0)
    if (write.sets !== undefined) expect(vendor.holds(write.holds)[0]).toMatchObject(write.sets)
  })

  test.each(subject.writes.map((write) => [nameOf(write), write] as const))(
    'does %s once although its answer is lost',
    async (_name, write) => {
      await using vendor = subject.start()
      await using connector = await open(subject, vendor, await load())
      const [row = {}] = write.of === undefined ? [] : vendor.holds(write.of)
      const count = vendor.holds(write.holds).length
      vendor.lostAnswers = 1
      using _hastened = hastenTime(20)
      const done = connector.execute(write.entity, write.action, write.params(structuredClone(row)))
      if (write.once) await done
      else await expect(done).rejects.toMatchObject({ code: 'outcome_unknown' })
      expect(vendor.holds(write.holds).length - count).toBe(write.more ?? 0)
      expect(vendor.calls.filter(({ method }) => method !== 'GET')).toHaveLength(write.once ? 2 : 1)
    },
  )

  test.each(subject.refusals.map(({ answer, code }) => [code, answer] as const))('says %s', async (code, answer) => {
    await using vendor = subject.start()
    await using connector = await open(subject, vendor, await load())
    for (let count = 0; count < 20; count += 1) vendor.next.push(answer)
    using _hastened = hastenTime(20)
    const [list] = subject.lists
    await expect(connector.execute(list?.entity ?? '', 'list', list?.params ?? {})).rejects.toMatchObject({ code })
  })

  test('says that a record does not exist, and that credentials are wrong', async () => {
    await using vendor = subject.start()
    const kind = await load()
    await using connector = await open(subject, vendor, kind)
    const { entity, params, code } = subject.missing
    await expect(connector.execute(entity, 'get', params)).rejects.toMatchObject({ code })
    const wrong = Object.fromEntries(Object.entries(subject.credentials).map(([name, value]) => [name, `${value}x`]))
    await using other = kind.connectLocally({
      ...{ credentials: wrong, origin: { api: vendor.origin }, limits: false },
      ...(subject.config === undefined ? {} : { config: subject.config }),
    })
    const [list] = subject.lists
    await expect(other.execute(list?.entity ?? '', 'list', list?.params ?? {})).rejects.toMatchObject({ code: 'upstream_auth_failed' })
  })
})
