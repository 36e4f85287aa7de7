/** What a row of the table of settings is, and how rows are read from an environment. */
import type { ReadingContext, ValueType } from './value-types.ts'

/** Returns the string that a setting has, given or by default; undefined for none. @param name of a setting of the table */
export type FindText = (name: string) => string | undefined

/**
 * The default of a setting. A string: read as if it were given, and shown as it stands; an empty one is shown as `none`.
 * `says` alone: the setting has no value by default. `says` with `from`: the string is computed when the settings are read.
 */
export type Default = string | { readonly says: string } | { readonly says: string; readonly from: (find: FindText) => string | undefined }

/** One setting: an environment variable. */
export interface SettingRow<T = unknown> {
  /** Name of the environment variable. */
  readonly name: string
  readonly type: ValueType<T>
  readonly default: Default
  /** Other names of the variable, which win over `name`. */
  readonly otherNames?: readonly string[]
  /** One sentence or more for the operator. */
  readonly about: string
}

/** Settings by the names that programs read them by. */
export type SettingRows = Readonly<Record<string, SettingRow>>

type ValueOfType<R extends SettingRow> = R['type'] extends ValueType<infer T> ? T : never
type HasValue<D extends Default> = D extends string ? true : D extends { readonly from: (find: FindText) => string } ? true : false

/** The values that rows are read as. A row without a default, or with one that can lack, may be undefined. */
export type ValuesOf<R extends SettingRows> = {
  readonly [K in keyof R]: ValueOfType<R[K]> | (HasValue<R[K]['default']> extends true ? never : undefined)
}

/** An environment, for example `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Returns the string of a setting that is given, or its default. An empty string counts as not given. */
function findText(rows: readonly SettingRow[], env: Environment): FindText {
  const find: FindText = (name) => {
    const row = rows.find((each) => each.name === name)
    if (row === undefined) throw new Error(`there is no setting ${name}`)
    const given = env[name]
    if (given !== undefined && given !== '') return given
    if (typeof row.default === 'string') return row.default
    return 'from' in row.default ? row.default.from(find) : undefined
  }
  return find
}

/**
 * Reads the values of all rows.
 * @param options `kinds`: slugs of the known kinds
 * @throws FerruleError `setting_invalid` for the first value that its type does not take
 */
export function readRows<R extends SettingRows>(rows: R, env: Environment, { kinds }: Pick<ReadingContext, 'kinds'>): ValuesOf<R> {
  const find = findText(Object.values(rows), env)
  const values = Object.entries(rows).map(([key, { name, type }]) => {
    const text = find(name)
    return [key, text === undefined ? undefined : type.read(text, { name, kinds })]
  })
  return Object.fromEntries(values) as ValuesOf<R> // each value is what its row's type reads
}

/** A setting as documents show it. */
export interface SettingDescription {
  readonly name: string
  readonly about: string
  /** What a value looks like. */
  readonly type: string
  readonly default: string
  readonly secret: boolean
}

/** Describes rows for the settings page and for `ferrule-server settings`. */
export const describeRows = (rows: SettingRows): readonly SettingDescription[] =>
  Object.values(rows).map(({ name, about, type, default: standard }) => {
    const says = typeof standard === 'string' ? standard || 'none' : standard.says
    return { name, about, type: type.says, default: says, secret: type.secret }
  })

/** A setting with the value that it has in an environment. */
export interface ShownSetting extends Pick<SettingDescription, 'name' | 'about' | 'secret'> {
  readonly origin: 'given' | 'default' | 'none'
  /** As text; null for none, and for every secret. */
  readonly value: string | null
}

/** Shows the values of rows. Never a secret, and never a value that a secret is part of. */
export function showRows(rows: SettingRows, env: Environment): readonly ShownSetting[] {
  const all = Object.values(rows)
  const find = findText(all, env)
  return all.map(({ name, about, type: { secret } }) => {
    const text = find(name)
    const isGiven = (env[name] ?? '') !== ''
    return {
      name,
      about,
      secret,
      origin: isGiven ? 'given' : text === undefined ? 'none' : 'default',
      value: secret ? null : (text ?? null),
    }
  })
}
