import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openSqlite } from './sqlite.ts'

test('writes of this process and of others are counted, reads are not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-changes-'))
  const [own, other] = [openSqlite(folder, { exclusive: false }), openSqlite(folder, { exclusive: false })]
  let before = own.countChanges?.()
  /** Returns whether a statement changed the count. */
  const isCounted = async (work: () => Promise<unknown>): Promise<boolean> => {
    await work().catch(() => undefined)
    const now = own.countChanges?.()
    const isChanged = now !== before
    before = now
    return isChanged
  }
  const select = sql`select 1`
  expect(await isCounted(() => sql`create table notes (text)`.execute(own.db))).toBe(true)
  expect(await isCounted(() => select.execute(own.db))).toBe(false)
  expect(await isCounted(() => sql`insert into notes values (1)`.execute(own.db))).toBe(true)
  expect(await isCounted(() => sql`insert into notes values (2) returning text`.execute(own.db))).toBe(true)
  expect(await isCounted(() => sql`insert into notes values (3)`.execute(other.db))).toBe(true)
  expect(await isCounted(() => select.execute(other.db))).toBe(false)
  const undone = own.transaction(async (inside) => {
    await sql`update notes set text = 4`.execute(inside)
    const within = own.countChanges?.()
    throw new Error(String(within))
  })
  const within = await undone.catch((thrown: Error) => Number(thrown.message))
  expect(own.countChanges?.()).not.toBe(within)
  await own.close()
  await other.close()
  rmSync(folder, { recursive: true })
})
