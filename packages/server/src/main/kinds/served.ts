/** The kinds that this process serves: those of the library, then those that FERRULE_KINDS names. Everything else asks the catalogue. */
import { join } from 'node:path'
import { kinds as certified } from 'ferrule/internal'
import type { ServedKind } from '../../connectors/served-kind.ts'
import { readKindSettings } from '../settings/settings.ts'
import { isShippedName, listShippedKinds } from './shipped.ts'

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
