// Bundles the sources of a program: node scripts/build-bundle.mjs service|ferrule-server|ferrule
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { bundleOf, seal, sources } from './bundles.mjs'
import { inside, isOutside, leaveOutExemplars } from './inside.mjs'
import { withDependencies } from './licenses.mjs'
import { root, sourceCondition } from './paths.mjs'
import { digestSources } from './web.mjs'

/** Files that decide about every build. */
const always = ['package-lock.json', ...['build-bundle', 'bundles', 'inside'].map((name) => `scripts/${name}.mjs`)]

/**
 * Our packages are inside, but for the sandbox: it is a process of its own. So are those that a start needs, since Node reads many small files
 * slowly; and the driver of PostgreSQL: an import of it would stand at the beginning of the one file, and so run at each start.
 */
const ofService = ['ipaddr.js', 'pg', 'pino', 'typebox', 'uuid']
const ofCommand = ['@bomb.sh/tab', '@clack/prompts', 'commander', 'fast-string-width', 'ipaddr.js', 'typebox', 'undici', 'uuid', 'yaml']

/**
 * Writes characters beyond ASCII as escapes: V8 keeps a source without them in one byte a character, which saves 8 MB. No template here is
 * read raw, where an escape would show.
 * @param {string} code
 */
const toAscii = (code) => code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/**
 * Keeps the addresses of the sources: modules find their threads, the pages and the sandbox by them, so all of these are those of the sources.
 * @type {import('rolldown').Plugin}
 */
const keepAddresses = {
  name: 'keep-addresses',
  transform: (code, id) =>
    id.startsWith(join(root, 'packages')) && code.includes('import.meta.url')
      ? { code: code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)), map: null }
      : null,
}

const name = /** @type {import('./bundles.mjs').BundleName} */ (process.argv[2])
const bundled = bundleOf(name)
/** The command loads only what its words need, so it keeps its dynamic imports as files. */
const isSplit = name === 'ferrule'
const names = [...inside, 'ferrule', ...withDependencies(isSplit ? ofCommand : ofService)]
console.error(
  `Building ${name === 'service' ? 'the service' : name} (${existsSync(bundled) ? 'its sources changed' : 'for the first time'}) ...`,
)
/** Folder of the files that the command imports later, beside its bundle. */
const parts = `${name}-parts`
const began = Date.now()
const bundle = await rolldown({
  input: join(root, sources[name]),
  platform: 'node',
  external: (id, importer) => isOutside(id, names) && leaveOutExemplars.resolveId(id, importer) === null,
  resolve: { conditionNames: [sourceCondition, 'node', 'default'] },
  plugins: [keepAddresses, leaveOutExemplars],
})
const { output } = await bundle.generate({
  format: 'esm',
  codeSplitting: isSplit,
  comments: false,
  sourcemap: true,
  sourcemapExcludeSources: true,
  ...(isSplit
    ? { dir: dirname(bundled), entryFileNames: basename(bundled), chunkFileNames: `${parts}/[name]-[hash].mjs` }
    : { file: bundled }),
})
await bundle.close()
const [{ code, map }, ...others] = output
const chunks = others.filter((file) => file.type === 'chunk')
const own = output
  .flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  .filter((id) => id.startsWith(root) && !id.includes('node_modules'))
  .map((id) => relative(root, id).replaceAll('\\', '/'))
const made = { root, digests: digestSources([...always, ...own], began) }
mkdirSync(dirname(bundled), { recursive: true })
if (isSplit) writeParts(join(dirname(bundled), parts))
const beside = `${bundled}-${process.pid}`
writeFileSync(`${bundled}.map`, JSON.stringify(map))
writeFileSync(beside, `${toAscii(code)}\n//# sourceMappingURL=${basename(bundled)}.map\n${seal}${JSON.stringify(made)}\n`)
renameSync(beside, bundled) // a start beside this one never reads half a file

/**
 * Writes the files that the first one imports, and removes those of the build before. Their names change with their content.
 * @param {string} folder
 */
function writeParts(folder) {
  mkdirSync(folder, { recursive: true })
  for (const chunk of chunks) writeFileSync(join(dirname(bundled), chunk.fileName), toAscii(chunk.code))
  const made = new Set(chunks.map(({ fileName }) => basename(fileName)))
  for (const old of readdirSync(folder)) if (!made.has(old)) rmSync(join(folder, old))
}
