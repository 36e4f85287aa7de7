/** Keeps the machine code of the embedded database between the stores of a process. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { smallProcess } from '../../packages/server/src/copies/store/database/embedded/process.ts'
import { root } from '../../scripts/paths.mjs'

/** The types of Node lack it. */
declare const WebAssembly: { readonly Module: new (code: Uint8Array) => object }

/** The module: test files share the modules of their process. */
let compiled: object | undefined

/**
 * Holds the module of the embedded database until the process ends. V8 compiles a module once while somebody holds it, and gives every
 * thread the same code. Without a holder each store compiles again: 0.2 s of CPU. The code is made under the flags of the service.
 */
export function keepCompiled(): void {
  if (compiled !== undefined) return
  for (const flag of smallProcess) setFlagsFromString(flag)
  const entry = createRequire(join(root, 'packages/server/package.json')).resolve('@electric-sql/pglite')
  compiled = new WebAssembly.Module(readFileSync(join(dirname(entry), 'pglite.wasm')))
}
