// Bundles the compiled files of the library in its `dist`, with the packages inside that each import of it needs: one file is cheaper
// to import than hundreds. Entries share their common code as files, so a class is the same whichever entry gives it.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { printLicenses, withDependencies } from './licenses.mjs'
import { root } from './paths.mjs'

const folder = join(root, 'packages/ferrule')
const dist = join(folder, 'dist')

/** @type {{ devDependencies: Record<string, string>, exports: Record<string, string | { default: string }>, bin: Record<string, string> }} */
const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/** Packages inside the bundle, with their own dependencies: users do not install them. Our dependencies stay outside, so that users can update them. */
const inside = withDependencies(Object.keys(manifest.devDependencies))

/**
 * Reads the entries and the commands of the package.
 * @returns {Record<string, string>} path below dist without its ending → compiled file
 */
function readEntries() {
  const { exports, bin } = manifest
  const entries = Object.values(exports).flatMap((entry) => (typeof entry === 'string' ? [] : [entry.default]))
  const files = [...entries, ...Object.values(bin), `dist/${guard}.js`]
  return Object.fromEntries(files.map((file) => [file.replace(/^(\.\/)?dist\/|\.js$/g, ''), join(folder, file)]))
}

/** Entry that refuses an old Node: all others but the command import it first, before what an old Node cannot run. */
const guard = 'require-node'
/** @param {string} name an entry below dist */
const isGuarded = (name) => ![guard, 'node-version', 'cli'].includes(name)

/** Path of the module that stands for `require` in undici. */
const builtins = 'builtins-of-node'

/** Finds a module of Node as `require` does, and fails as it does: undici asks for some to see whether they are there. */
const builtinsCode = `module.exports = (id) => {
  const found = process.getBuiltinModule(id)
  if (found === undefined) throw Object.assign(new Error('No such built-in module: ' + id), { code: 'ERR_UNKNOWN_BUILTIN_MODULE' })
  return found
}`

/**
 * Replaces `require` of Node's modules in undici, which is CommonJS: what users bundle as an ES module has no `require`.
 * @type {import('rolldown').Plugin}
 */
const requireBuiltins = {
  name: 'require-builtins',
  resolveId: (id) => (id === builtins ? id : null),
  load: (id) => (id === builtins ? { code: builtinsCode } : null),
  transform: (code, id) => {
    if (!/[\\/]node_modules[\\/]undici[\\/]/.test(id)) return null
    const replaced = code.replaceAll(/\brequire\((['"]node:[\w/]+['"])\)/g, `require('${builtins}')($1)`)
    if (/\brequire\(['"](?![./]|builtins-of-node)/.test(replaced)) throw new Error(`${id} requires a module that is not bundled.`)
    return { code: replaced }
  },
}

/**
 * Leaves out the validator of the MCP SDK, a copy of ajv: it checks answers of forms that a server asks its client for, and ours asks for none.
 * @type {import('rolldown').Plugin}
 */
const leaveOutValidator = {
  name: 'leave-out-validator',
  load: (id) => (/[\\/]@modelcontextprotocol[\\/]server[\\/].*ajvProvider/.test(id) ? { code: noValidator } : null),
}
const noValidator = `export class n {
  getValidator() {
    throw new Error('This server asks its client for no forms.')
  }
}`

/**
 * Takes the ES modules of a package whose main file passes `require` around, which no bundler can follow.
 * @type {import('rolldown').Plugin}
 */
const takeModules = {
  name: 'take-modules',
  resolveId: (id) => (id === 'jsonc-parser' ? join(root, 'node_modules/jsonc-parser/lib/esm/main.js') : null),
}

/** @param {string} id specifier of an import */
function isOutside(id) {
  const isPackage = !/^[./]|^[A-Za-z]:/.test(id)
  return isPackage && id !== builtins && !inside.some((name) => id === name || id.startsWith(`${name}/`))
}

/** Deletes the compiled files: the bundle replaces them. Declarations stay. */
function deleteCompiled() {
  const compiled = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'))
  for (const file of compiled) rmSync(join(dist, file))
}

const bundle = await rolldown({
  input: readEntries(),
  platform: 'node',
  external: isOutside,
  plugins: [requireBuiltins, leaveOutValidator, takeModules],
})
const { output } = await bundle.generate({ format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'shared/[name].js' })
await bundle.close()
if (output.some((file) => file.type === 'chunk' && file.code.includes('createRequire'))) throw new Error('A chunk calls require.')
deleteCompiled()
mkdirSync(join(dist, 'shared'))
for (const file of output) {
  const isFirst = file.type === 'chunk' && file.isEntry && isGuarded(file.name)
  const first = isFirst ? `import ${JSON.stringify(`${'../'.repeat(file.fileName.split('/').length - 1) || './'}${guard}.js`)};\n` : ''
  writeFileSync(join(dist, file.fileName), file.type === 'chunk' ? first + file.code : file.source)
}
writeFileSync(join(dist, 'LICENSES.md'), printLicenses(inside))
