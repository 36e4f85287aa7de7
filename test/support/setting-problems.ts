import { asFerruleError } from '../../packages/ferrule/src/errors.ts'
import { describeRows, readRows, type SettingDescription, type SettingRows } from '../../packages/server/src/main/settings/setting-rows.ts'
import type { Sources } from './imports.ts'

const kinds = ['gong']

/** Returns how an environment is refused; undefined when it is read. */
function describeRefusal(rows: SettingRows, env: Readonly<Record<string, string>>): string | undefined {
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
    ...taken.filter((value) => describeRefusal(rows, { [name]: value })).map((value) => `${name} refuses ${value}, which is ${type}`),
    ...refused
      .filter((value) => !describeRefusal(rows, { [name]: value })?.startsWith(`setting_invalid The setting ${name} `))
      .map((value) => `${name} takes ${value}, which is not ${type}`),
  ]
}

/** Problems of a documented default: what is documented is not what an empty environment gives. */
function findDefaultProblems(rows: SettingRows, key: string, { name, default: standard }: SettingDescription): string[] {
  const row = rows[key]
  if (typeof row?.default !== 'string') return []
  const env = standard === 'none' ? {} : { [name]: standard }
  const refusal = describeRefusal(rows, env)
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
 * @param promised name → `type; default`, typed out by hand
 * @param sources files that may read settings, without the table itself
 */
export function findSettingProblems(rows: SettingRows, promised: Readonly<Record<string, string>>, sources: Sources): string[] {
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
