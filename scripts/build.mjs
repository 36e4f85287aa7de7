import { chmodSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root, tsc } from './paths.mjs'
import { runNode } from './run-node.mjs'

/**
 * Compiles src/ to dist/: JavaScript with declarations, without tests.
 * @returns {Promise<number>} the compiler's exit code
 */
export async function build() {
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  const code = await runNode([tsc, '-p', 'tsconfig.build.json'])
  const command = join(root, 'dist/surfaces/cli.js')
  if (existsSync(command)) chmodSync(command, 0o755)
  return code
}
