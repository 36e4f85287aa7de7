import { bundleOf, ensureBundle, programNames } from '../../scripts/program.mjs'

/**
 * Once per project of a run: builds each program that tests start, unless its sources are as they were. Node reads one file in a fraction
 * of the time of a thousand sources, and hundreds of tests start a program. @throws when a program cannot be built
 */
export async function setup(): Promise<void> {
  for (const name of programNames)
    if ((await ensureBundle(name)) !== bundleOf(name))
      throw new Error(`The program ${name} cannot be built; what is wrong is printed above.`)
}
