/** The kinds that this process serves: those of the library, then those that FERRULE_KINDS names. Everything else asks the catalogue. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { kinds as certified } from 'ferrule/internal'
import type { KindSummary, ServedKind } from '../../connectors/connector-types.ts'
import { readKindSettings } from '../settings/settings.ts'
import { settingInvalid } from '../settings/value-types.ts'
import { makeLazyKind } from './lazy.ts'

/** Name of the package in FERRULE_KINDS. The kinds of this name are those of the service's own version. */
const packageName = '@ferrule/kinds'

/** Folder of the package: in a checkout its sources, else the copy beside the compiled service. */
const folder = new URL(import.meta.url.endsWith('.ts') ? '../../../../kinds/' : '../../kinds/', import.meta.url)

interface ListedKind extends KindSummary {
  readonly file: string
}

/** Returns whether FERRULE_KINDS means kinds of the service by this name. */
const isShippedName = (name: string): boolean => name === packageName || name.startsWith(`${packageName}/`)

/**
 * Lists the kinds of the service that are named.
 * @param names `@ferrule/kinds` for all, `@ferrule/kinds/github` for one
 * @throws FerruleError `setting_invalid` for a kind that there is not
 */
export function listShippedKinds(names: readonly string[]): readonly ServedKind[] {
  if (names.length === 0) return []
  const { kinds }: { readonly kinds: readonly ListedKind[] } = JSON.parse(readFileSync(new URL('index.json', folder), 'utf8')) // `npm run gen` made it
  const slugs = new Set(names.map((name) => name.slice(packageName.length + 1)))
  const unknown = [...slugs].find((slug) => slug !== '' && !kinds.some(({ kind }) => kind === slug))
  if (unknown !== undefined)
    throw settingInvalid(
      'FERRULE_KINDS',
      `${packageName} has no ${unknown.slice(0, 60)}; it has ${kinds.map(({ kind }) => kind).join(', ')}`,
    )
  const chosen = slugs.has('') ? kinds : kinds.filter(({ kind }) => slugs.has(kind))
  return chosen.map(({ file, ...summary }) =>
    makeLazyKind(summary, {
      read: () => readFileSync(new URL(file, folder), 'utf8'),
      recordings: fileURLToPath(new URL(`${summary.kind}.recordings.json`, folder)),
      ships: true,
    }),
  )
}

/**
 * Reads the kinds. No definition is read before it is used, and no parser of files is loaded for files that were checked before
 * ([Kind files](docs/decisions/kind-files.md)).
 * @param env the environment
 * @param options `keeps`: whether checked kinds of the operator may be kept in the data folder
 * @throws FerruleError `setting_invalid` with all mistakes of all files
 */
export async function readServedKinds(
  env: Readonly<Record<string, string | undefined>>,
  { keeps = false }: { readonly keeps?: boolean } = {},
): Promise<readonly ServedKind[]> {
  const { kinds: names, dataFolder } = readKindSettings(env)
  const named = names.join() === 'none' ? [] : names
  const shipped = [...Object.values(certified), ...listShippedKinds(named.filter(isShippedName))]
  const own = named.filter((name) => !isShippedName(name))
  if (own.length === 0) return shipped
  const { loadKinds } = await import('./load.ts')
  return [...shipped, ...(await loadKinds(own, { shipped, folder: join(dataFolder, 'kinds'), keeps }))]
}
