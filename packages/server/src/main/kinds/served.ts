/** The kinds that this process serves: those of the library, then those that FERRULE_KINDS names. Everything else asks the catalogue. */
import { kinds as shipped } from 'ferrule/internal'
import { readKindNames } from '../settings/settings.ts'
import type { ServedKind } from './rules.ts'

/**
 * Reads the kinds. Without FERRULE_KINDS no parser of files is loaded.
 * @param env the environment
 * @throws FerruleError `setting_invalid` with all mistakes of all files
 */
export async function readServedKinds(env: Readonly<Record<string, string | undefined>>): Promise<readonly ServedKind[]> {
  const own = Object.values(shipped)
  const names = readKindNames(env)
  if (names.length === 0) return own
  const { loadKinds } = await import('./load.ts')
  return [...own, ...(await loadKinds(names, own))]
}
