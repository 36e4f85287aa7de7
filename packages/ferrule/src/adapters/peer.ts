/** Loads packages that users install beside this library. */
import { FerruleError } from '../errors.ts'

/**
 * Loads a package when it is needed, so that the error for a missing one is ours.
 * @param name what to install
 * @param load imports it
 * @throws FerruleError `setting_invalid` when the package is missing, or too old
 */
export async function loadPeer<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    const message = `This entry needs the package ${name}, which is missing or too old.`
    throw new FerruleError('setting_invalid', { message, hint: `Run npm install ${name}.` }, { cause })
  }
}
