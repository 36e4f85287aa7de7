/** Finds what an environment gives: each secret setting can be in a file, whose path is in `NAME_FILE`. */
import { readFileSync } from 'node:fs'
import { cutFinalNewline } from 'ferrule/internal'
import type { Environment, SettingRow, SettingRows } from './rows.ts'
import { settingInvalid } from './value-types.ts'

/** Name of the variable that holds the path of a file with the secret. */
const nameFile = (name: string): string => `${name}_FILE`

/** Lists the names that an environment may have for the rows. */
export const listNames = (rows: SettingRows): readonly string[] =>
  Object.values(rows).flatMap(({ name, type }) => (type.secret ? [name, nameFile(name)] : [name]))

function readFile(setting: string, path: string): string {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? ` (${thrown.code})` : ''
    throw settingInvalid(setting, `the file ${path} cannot be read${code}`)
  }
  if (cutFinalNewline(text) === '') throw settingInvalid(setting, `the file ${path} is empty`)
  return text
}

/** Finds the string of a setting. @throws FerruleError `setting_invalid` */
function findGiven({ name, otherNames = [], type }: SettingRow, env: Environment): string {
  const text = [...otherNames, name].map((each) => env[each] ?? '').find((each) => each !== '') ?? ''
  if (!type.secret) return text
  const path = env[nameFile(name)] ?? ''
  if (path === '') return cutFinalNewline(text)
  if (text !== '') throw settingInvalid(nameFile(name), `${name} is set too; remove one of them`)
  return cutFinalNewline(readFile(nameFile(name), path))
}

/**
 * Reads what is given for each setting, by its name. Files of secrets are read once, since a pipe can be read only once.
 * @returns secrets without a newline at their end
 * @throws FerruleError `setting_invalid` for a file that cannot be read, or a secret that is given twice
 */
export const readGiven = (rows: SettingRows, env: Environment): Environment =>
  Object.fromEntries(Object.values(rows).map((row) => [row.name, findGiven(row, env)]))
