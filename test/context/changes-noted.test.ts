/** Whatever writes, replaces or deletes rows of a copy notes it: found in the SQL texts of the service, and in its statements. */
import { describe, expect, test, vi } from 'vitest'
import type { EntityRef } from '../../packages/server/src/copies/entity-ref.ts'
import type { Session } from '../../packages/server/src/copies/store/database/database.ts'
import { readSources, type Sources } from '../support/imports.ts'
import { share } from '../support/share.ts'
import { createRef, createStoreWorld, note, notesOf, overBoth } from './store-world.ts'

const room = 'copies/store/'

/** A function, a method or a constant at the top of a file. */
interface Unit {
  readonly file: string
  readonly name: string
  readonly text: string
}

const declaration = /^(?:export )?(?:async )?(?:function\*? |const |class )(\w+)|^ {2}(?:async )?\*?(#?\w+)\((?:.*\{)?$/

/** Splits a file into its units. A method is one of its own. */
function listUnits(file: string, code: string): readonly Unit[] {
  const units: { name: string; lines: string[] }[] = []
  for (const line of code.split('\n')) {
    const [, top, method] = declaration.exec(line) ?? []
    const name = top ?? method
    if (name !== undefined && !['if', 'for', 'while', 'switch'].includes(name)) units.push({ name, lines: [] })
    units.at(-1)?.lines.push(line)
  }
  return units.map(({ name, lines }) => ({ file, name, text: lines.join('\n').replace(/^\s*(\/\*\*|\*|\/\/).*$/gm, '') }))
}

/** SQL that writes into a table whose name is not fixed. Only such a table can be a copy. Kysely speaks to the platform's database. */
const write = /\b(?:insert into|update|delete from|merge into|truncate(?: table)?|copy|drop table(?: if exists)?)\s+(?:only\s+)?\$\{/gi
const sqlOfKysely = /\bsql(?:<[^`]*>)?`[^`]*`/g
/** The tables of a loop: `for (const own of ['cs_seen'])`. They are the store's own, and no copies. */
const ownTables = /for \(const own of \[(?:'cs_\w+'(?:, )?)+\]\)/

const countWrites = ({ text }: Unit): number => {
  const code = text.replace(sqlOfKysely, '')
  const found = [...code.matchAll(write)].map(({ index }) => code.slice(index).split('\n', 1)[0] ?? '')
  return found.filter((sql) => !(/\$\{own\} where/.test(sql) && ownTables.test(code))).length
}

/** Functions that build the SQL of rows, with the number of their texts, and the words by which others run it. */
const builders: Readonly<Record<string, readonly [writes: number, ...words: RegExp[]]>> = {
  'row-encoder.ts buildTableStatements': [3, /\bencoder\.(upsert|copy|remove|removeLogged|clear)\b/, /\bencoder\.encode(Copies)?\(/],
  'row-encoder.ts buildClearStatement': [1, /\bbuildClearStatement\(/],
  'moves.ts buildCopy': [1, /\bbuildCopy\(/],
  'tables.ts buildRemoval': [1, /\bbuildRemoval\(/],
}
/** Functions that run a text of their own. */
const runners = { 'batch.ts deleteOthers': 1, 'forget.ts deleteStep': 1 }

const nameUnit = ({ file, name }: Unit): string => `${file.replace(room, '')} ${name}`
/** Notes a change, or deletes the whole log with the rows. */
const notes = /\bnoteChange\(|'cs_changes'/

/** Returns whether a unit calls a function, of its own file or an exported one. */
const isCall = (unit: Unit, { name, file, text }: Unit): boolean =>
  unit.name !== name &&
  (unit.file === file || text.startsWith('export ')) &&
  new RegExp(`(?<![\\w.])(?:this\\.)?${name}\\(`).test(unit.text)

/** Finds the functions that run such SQL, and neither note it nor are called only by functions that do. */
function findUnnoted(units: readonly Unit[]): readonly string[] {
  const ending = units.filter(({ text }) => text.includes("'cs_changes'"))
  const isNoted = (unit: Unit, above: readonly Unit[] = []): boolean => {
    if (notes.test(unit.text) || ending.some((each) => isCall(unit, each))) return true
    const callers = units.filter((each) => isCall(each, unit))
    return callers.length > 0 && callers.every((caller) => above.includes(caller) || isNoted(caller, [...above, unit]))
  }
  const words = Object.values(builders).flatMap(([, ...each]) => each)
  return units
    .filter((unit) => !Object.hasOwn(builders, nameUnit(unit)) && unit.file !== `${room}row-encoder.ts`)
    .filter((unit) => countWrites(unit) > 0 || words.some((word) => word.test(unit.text)))
    .filter((unit) => !isNoted(unit))
    .map(nameUnit)
}

const findWrites = (sources: Sources): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...sources].flatMap(([file, code]) =>
      listUnits(file, code).flatMap((unit) => (countWrites(unit) === 0 ? [] : [[nameUnit(unit), countWrites(unit)]])),
    ),
  )

describe('the SQL of the service', () => {
  const sources = readSources('packages/server/src')
  const known = { ...runners, ...Object.fromEntries(Object.entries(builders).map(([name, [count]]) => [name, count])) }
  const unitsOf = (all: Sources) => [...all].filter(([file]) => file.startsWith(room)).flatMap(([file, code]) => listUnits(file, code))
  /** The sources with a mistake in one file. */
  const withMistake = (file: string, change: (code: string) => string): Sources => {
    const code = sources.get(`${room}${file}`) ?? ''
    expect(change(code)).not.toBe(code)
    return new Map([...sources, [`${room}${file}`, change(code)]])
  }

  test('writes rows of copies in these functions only', () => {
    expect(findWrites(sources)).toEqual(known)
  })

  test('is run by functions that note it', () => {
    expect(findUnnoted(unitsOf(sources))).toEqual([])
  })

  test('would be found elsewhere, and where it is not noted', () => {
    const added = `\nexport const empty = (table: string) => \`truncate \${table}\`\n`
    expect(findWrites(withMistake('registry.ts', (code) => code + added))).toEqual({ ...known, 'registry.ts empty': 1 })
    const update = `\nasync function touch(session: Session, table: string) {\n  await session.query({ text: \`update \${table} set h = 0\` })\n}\n`
    expect(findUnnoted(unitsOf(withMistake('passes.ts', (code) => code + update)))).toEqual(['passes.ts touch'])
    for (const [file, unit] of [
      ['batch.ts', 'writeBatch'],
      ['forget.ts', 'deleteStep'],
      ['passes.ts', 'sweep'],
      ['passes.ts', 'deleteAll'],
      ['moves.ts', 'moveStep'],
      ['moves.ts', 'removeStep'],
    ] as const) {
      const found = findUnnoted(unitsOf(withMistake(file, (code) => code.replaceAll('noteChange(', 'forgetChange('))))
      expect(found.length, `${file} ${unit}`).toBeGreaterThan(0)
    }
  })
})

/** Statements that are there for the log only. */
const ofLog = /\bcs_changes\b|^cs_log|^cs_difference_/

overBoth('the statements of a write', async (engine) => {
  /** Deletions return their keys for the log only. So the text differs, and with it the digest in the name. */
  const returnsKeys = /(?<=^cs_remove)_.*| returning [^)]*$/
  const sent: string[] = []
  const world = await share(createStoreWorld(engine))
  const store = world.open()
  const database = await store.openDatabase()
  const { transaction } = database
  vi.spyOn(database, 'transaction').mockImplementation((work, options) =>
    transaction((session) => {
      const noting: Session = {
        ...session,
        query: (statement) => {
          sent.push((statement.name ?? statement.text).replace(returnsKeys, ''))
          return session.query(statement)
        },
      }
      return work(noting)
    }, options),
  )

  /** Every way of writing rows. The figures are those of the commit before there was a log. */
  const writes: readonly (readonly [what: string, statements: number, write: (ref: EntityRef) => Promise<unknown>])[] = [
    ['new records', 6, (ref) => store.writeBatch(ref, { records: notesOf(store, 10, 20), asked: world.now })],
    ['equal records', 3, (ref) => store.writeBatch(ref, { records: notesOf(store, 10, 20), asked: world.now })],
    ['changed records', 6, (ref) => store.writeBatch(ref, { records: [note(store, { id: 10, title: 'Other' })], asked: world.now })],
    ['deleted records', 3, (ref) => store.writeBatch(ref, { records: [], removed: [note(store, { id: 10 }).key], asked: world.now })],
    [
      'values that are whole',
      4,
      (ref) => store.writeBatch(ref, { records: notesOf(store, 1, 2), whole: { field: 'state', values: ['old'] }, asked: world.now }),
    ],
    ['live records', 6, (ref) => store.foldLive(ref, [note(store, { id: 30, title: 'Live' })], world.now + 1)],
    ['forgotten records', 7, (ref) => store.forgetRecords({ ...ref, values: [11], below: [], at: world.now + 1 })],
    [
      'a complete pass',
      13,
      async (ref) => {
        await store.beginPass(ref, 'one')
        await store.writeBatch(ref, { records: notesOf(store, 0, 5), asked: world.now, pass: 'one' })
        await store.sweep(ref, 'one')
      },
    ],
    ['a reset', 17, (ref) => store.deleteAll(ref)],
  ]

  test('are as many as without the log while nobody reads it, and else those of the log more', async () => {
    const [unread, read] = [createRef(), createRef()]
    for (const ref of [unread, read]) await store.writeBatch(ref, { records: notesOf(store, 0, 10), asked: world.now })
    await store.followChanges(read)
    const counted: [string, number][] = []
    for (const [what, , act] of writes) {
      sent.length = 0
      await act(unread)
      const off = [...sent]
      expect(
        off.filter((each) => ofLog.test(each)),
        what,
      ).toEqual([])
      counted.push([what, off.length])
      sent.length = 0
      await act(read)
      expect(
        sent.filter((each) => !ofLog.test(each)),
        what,
      ).toEqual(off)
    }
    expect(counted).toEqual(writes.map(([what, statements]) => [what, statements]))
  })
})
