// Bundles the compiled files of the service in its `dist`: a start reads a few files instead of a thousand. Packages stay outside, so
// that their users can update them, but for those of `inside.mjs`.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { rolldown } from 'rolldown'
import { inside, isOutside } from './inside.mjs'
import { printLicenses } from './licenses.mjs'
import { root } from './paths.mjs'

const dist = join(root, 'packages/server/dist')

/** What starts a process or a thread, and the entry for programs. */
const entries = [
  'index',
  'main',
  'cli',
  'main/apart-thread',
  'main/kinds/upload-thread',
  'copies/store/database/embedded/worker',
  'copies/store/database/embedded/create',
]

/** Stands for the path of a module of ours until its chunk is known. */
const mark = 'module-of-the-service:'

/**
 * Keeps `import.meta.url` what it was before the bundle: modules find their threads, the pages and the manifest by it.
 * @type {import('rolldown').Plugin}
 */
const keepAddresses = {
  name: 'keep-addresses',
  transform: (code, id) => {
    if (!id.startsWith(dist) || !code.includes('import.meta.url')) return null
    const path = relative(dist, id).replaceAll('\\', '/')
    return { code: code.replaceAll('import.meta.url', `new URL("${mark}${path}", import.meta.url).href`) }
  },
  renderChunk: (code, { fileName }) => ({ code: code.replaceAll(mark, `${posix.relative(posix.dirname(fileName), '.') || '.'}/`) }),
}

const bundle = await rolldown({
  input: Object.fromEntries(entries.map((name) => [name, join(dist, `${name}.js`)])),
  platform: 'node',
  external: (id) => isOutside(id, inside),
  plugins: [keepAddresses],
})
const { output } = await bundle.generate({ format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'shared/[name].js' })
await bundle.close()
for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) if (file.endsWith('.js')) rmSync(join(dist, file))
for (const file of output) {
  const path = join(dist, file.fileName)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, file.type === 'chunk' ? file.code : file.source)
}
writeFileSync(join(dist, 'LICENSES.md'), printLicenses(inside))
