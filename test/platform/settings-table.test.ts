/** Compares the documented settings with those that are read. A change needs a changelog line. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { asFerruleError } from '../../packages/ferrule/src/errors.ts'
import { settingsPage } from '../../packages/server/src/http/reference/printed-pages.ts'
import { describeRows, readRows, type SettingDescription, type SettingRows } from '../../packages/server/src/main/settings/setting-rows.ts'
import { describeSettings, settingsTable } from '../../packages/server/src/main/settings/table.ts'
import { integer } from '../../packages/server/src/main/settings/value-types.ts'
import { readSources, type Sources } from '../support/imports.ts'

const kinds = ['gong']

/** Returns how an environment is refused; undefined when it is read. */
function findRefusal(rows: SettingRows, env: Readonly<Record<string, string>>): string | undefined {
  try {
    readRows(rows, env, { kinds })
    return undefined
  } catch (thrown) {
    const { code, message } = asFerruleError(thrown)
    return `${code} ${message}`
  }
}

/** Values that a documented type takes, and values that it must refuse; none where the document does not enumerate them. */
function readExamples(type: string): { readonly taken: readonly string[]; readonly refused: readonly string[] } {
  const [, low, high] = /^integer from (\d+) to (\d+)$/.exec(type) ?? []
  if (low !== undefined && high !== undefined)
    return { taken: [low, high], refused: [String(Number(low) - 1), String(Number(high) + 1), `${low}.5`, 'x'] }
  if (/^\w+(, \w+)* or \w+$/.test(type)) return { taken: type.split(/, | or /), refused: [type, 'x'] }
  return { taken: [], refused: [] }
}

/** Problems of a documented type: a value of it is refused, or one beyond it is taken. */
function findTypeProblems(rows: SettingRows, { name, type }: SettingDescription): string[] {
  const { taken, refused } = readExamples(type)
  return [
    ...taken.filter((value) => findRefusal(rows, { [name]: value })).map((value) => `${name} refuses ${value}, which is ${type}`),
    ...refused
      .filter((value) => !findRefusal(rows, { [name]: value })?.startsWith(`setting_invalid The setting ${name} `))
      .map((value) => `${name} takes ${value}, which is not ${type}`),
  ]
}

/** Problems of a documented default: what is documented is not what an empty environment gives. */
function findDefaultProblems(rows: SettingRows, key: string, { name, default: standard }: SettingDescription): string[] {
  const row = rows[key]
  if (typeof row?.default !== 'string') return []
  const env = standard === 'none' ? {} : { [name]: standard }
  const refusal = findRefusal(rows, env)
  if (refusal !== undefined) return [`the default of ${name} is refused: ${refusal}`]
  const [given, absent] = [env, {}].map((each) => JSON.stringify(readRows(rows, each, { kinds })[key]))
  return given === absent ? [] : [`the default of ${name} is documented as ${standard}, and is ${absent}`]
}

/** Returns whether a file that deals with settings names one of them. */
const isReadIn = (text: string, key: string): boolean =>
  /\b([sS]ettings|SettingValues)\b/.test(text) && new RegExp(`\\b${key}\\b`).test(text)

/**
 * Finds what is wrong with settings, one sentence each.
 * @param rows the table of settings
 * @param promised name → `type; default`, as documented
 * @param sources files that may read settings, without the table itself
 */
function findSettingProblems(rows: SettingRows, promised: Readonly<Record<string, string>>, sources: Sources): string[] {
  const keys = Object.keys(rows)
  const described = describeRows(rows)
  const texts = [...sources.values()]
  return [
    ...Object.keys(promised)
      .filter((name) => !described.some((each) => each.name === name))
      .map((name) => `${name} is promised and does not exist`),
    ...described.flatMap((each, index) => {
      const key = keys[index] ?? ''
      const shown = `${each.type}; ${each.default}`
      return [
        ...(promised[each.name] === shown ? [] : [`${each.name} is "${shown}", promised is "${promised[each.name]}"`]),
        ...findTypeProblems(rows, each),
        ...findDefaultProblems(rows, key, each),
        ...(texts.some((text) => isReadIn(text, key)) ? [] : [`${each.name} is read by nobody`]),
      ]
    }),
  ]
}

const root = join(import.meta.dirname, '../..')

const page = readFileSync(join(root, 'docs/settings.md'), 'utf8')
/** Type and default by name, as the page says. */
const promised: Readonly<Record<string, string>> = Object.fromEntries(
  [...page.matchAll(/^\| `(\w+)` \| [^|]* \| ([^|]*) \| ([^|]*) \|/gm)].map(([, name, type, standard]) => [name, `${type}; ${standard}`]),
)

/** All files of the server that may read settings, without the files that name every setting. */
const sources = new Map(
  [...readSources(join(root, 'packages/server/src'))]
    .filter(([file]) => !file.endsWith('settings/table.ts'))
    .map(([file, text]) => [file, text.replace(/^type GroupedSetting =[\s\S]*?\n\n/m, '')]), // names them, and reads none
)
const find = (rows: SettingRows): string[] => findSettingProblems(rows, promised, sources)

describe('the table of settings', () => {
  test('holds what is promised, reads what it documents, and nothing in it is unread', () => {
    expect(find(settingsTable)).toEqual([])
  })

  test('is the printed page, row by row', () => {
    expect(page).toBe(settingsPage())
    expect(Object.keys(promised)).toEqual(describeSettings().map(({ name }) => name))
  })

  test('has computed defaults that follow their conditions', () => {
    const read = (env: Record<string, string>) => readRows(settingsTable, env, { kinds: [] })
    const url = 'postgresql://u:p@db/state'
    expect(read({})).toMatchObject({ sandbox: true, contextFolder: 'data/context', contextDatabaseUrl: undefined })
    expect(read({ FERRULE_DATA: '/there' }).contextFolder).toBe('/there/context')
    const served = read({ DATABASE_URL: url })
    expect([served.sandbox, served.contextFolder, served.contextDatabaseUrl?.reveal()]).toEqual([false, undefined, url])
    expect(read({ CONTEXT_DATABASE_URL: url })).toMatchObject({ sandbox: true, contextFolder: undefined, databaseUrl: undefined })
  })
})

describe('each mistake is found', () => {
  const { operationSeconds } = settingsTable
  const plant = (row: SettingRows[string]): string[] => find({ ...settingsTable, operationSeconds: row })

  test('a wrong default', () => {
    const says = 'FERRULE_OPERATION_SECONDS is "integer from 1 to 3600; 600", promised is "integer from 1 to 3600; 60"'
    expect(plant({ ...operationSeconds, default: '600' })).toEqual([says])
  })

  test('a default that its own type refuses', () => {
    expect(plant({ ...operationSeconds, default: '0' }).join()).toContain(
      'the default of FERRULE_OPERATION_SECONDS is refused: setting_invalid The setting FERRULE_OPERATION_SECONDS is not valid',
    )
  })

  test('a wrong range', () => {
    const says = 'FERRULE_OPERATION_SECONDS is "integer from 1 to 360; 60", promised is "integer from 1 to 3600; 60"'
    expect(plant({ ...operationSeconds, type: integer(1, 360) })).toEqual([says])
  })

  test('a documented range that is not the one that is read', () => {
    const { says } = operationSeconds.type
    expect(plant({ ...operationSeconds, type: { ...integer(1, 360), says } })).toEqual([
      'FERRULE_OPERATION_SECONDS refuses 3600, which is integer from 1 to 3600',
    ])
    expect(plant({ ...operationSeconds, type: { ...integer(0, 9_999), says } })).toEqual([
      'FERRULE_OPERATION_SECONDS takes 0, which is not integer from 1 to 3600',
      'FERRULE_OPERATION_SECONDS takes 3601, which is not integer from 1 to 3600',
    ])
  })

  test('an invented setting, and a promised one that is missing', () => {
    const moonPhase = { name: 'FERRULE_MOON_PHASE', type: integer(0, 3), default: '0', about: 'Phase of the moon.' }
    expect(find({ ...settingsTable, moonPhase })).toEqual([
      'FERRULE_MOON_PHASE is "integer from 0 to 3; 0", promised is "undefined"',
      'FERRULE_MOON_PHASE is read by nobody',
    ])
    const { port: _port, ...rest } = settingsTable
    expect(find(rest)).toEqual(['FERRULE_PORT is promised and does not exist'])
  })

  test('a setting that a default names and that does not exist', () => {
    const from = (text: (name: string) => string | undefined): string => text('FERRULE_PROT') ?? '1'
    const rows = { one: { ...operationSeconds, default: { says: 'as FERRULE_PROT', from } } }
    expect(describeRows(rows)[0]?.default).toBe('as FERRULE_PROT')
    expect(() => readRows(rows, {}, { kinds: [] })).toThrow('there is no setting FERRULE_PROT')
  })
})
