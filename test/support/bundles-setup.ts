import { bundleNames, bundleOf, ensureBundle } from '../../scripts/bundles.mjs'

/**
 * Once per project of a run: builds the programs of the service that tests start, unless their sources are as they were.
 * @throws when one cannot be built
 */
export async function setup(): Promise<void> {
  for (const name of bundleNames)
    if ((await ensureBundle(name)) !== bundleOf(name))
      throw new Error(`The program ${name} cannot be built; what is wrong is printed above.`)
}
