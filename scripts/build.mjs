import { chmodSync, cpSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { packages, root, tsc } from './paths.mjs'
import { runNode } from './run-node.mjs'
import { ensureWeb, sourcesFile, webFolder } from './web.mjs'

/** Scripts that bundle the compiled files of a package. @type {Readonly<Record<string, string>>} */
const bundles = { ferrule: 'scripts/bundle.mjs', server: 'scripts/bundle-server.mjs' }

/**
 * Compiles every package to its `dist`: JavaScript with declarations, without tests. The order is that of their dependencies, so each
 * package is checked against the declarations that are published.
 * @returns {Promise<number>} the exit code of the step that failed; 0 when none did
 */
export async function build() {
  for (const name of packages) {
    const code = await buildPackage(name)
    if (code !== 0) return code
  }
  const kinds = await runNode(['scripts/build-kinds.ts'])
  if (kinds !== 0) return kinds
  const code = await ensureWeb()
  if (code !== 0) return code
  cpSync(webFolder, join(root, 'packages/server/dist/web'), { recursive: true, filter: (file) => !file.endsWith(sourcesFile) })
  const recordings = readdirSync(join(root, 'packages/kinds')).filter((name) => name.endsWith('.recordings.json'))
  for (const each of ['index.json', 'json', ...recordings])
    cpSync(join(root, 'packages/kinds', each), join(root, 'packages/server/dist/kinds', each), { recursive: true })
  for (const name of ['ferrule', 'server']) chmodSync(join(root, 'packages', name, 'dist/cli.js'), 0o755)
  return 0
}

/**
 * @param {string} name
 * @returns {Promise<number>} the exit code of the step that failed; 0 when none did
 */
async function buildPackage(name) {
  rmSync(join(root, 'packages', name, 'dist'), { recursive: true, force: true })
  // Several checkers repeat what they share: one takes two thirds of the CPU time.
  const code = await runNode([tsc, '-p', `packages/${name}/tsconfig.build.json`, '--checkers', '1'])
  const bundle = bundles[name]
  return code === 0 && bundle !== undefined ? runNode([bundle]) : code
}
