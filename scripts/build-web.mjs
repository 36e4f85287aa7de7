// Builds the pages of this checkout with Vite.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build } from 'vite'
import { DocsPages, printForAgents } from './docs-pages.mjs'
import { printLicenses } from './licenses.mjs'
import { root, sourceCondition } from './paths.mjs'
import { digestSources, isFresh, sourcesFile, webFolder } from './web.mjs'

process.env['NODE_ENV'] = 'production'

const folder = join(root, 'packages/web')
/** Files that decide about every build. */
const always = [
  'package-lock.json',
  'packages/web/tsconfig.json',
  'packages/web/console.html',
  'packages/web/connect.html',
  'packages/web/docs.html',
  'packages/web/src/shared/mark.svg',
  'packages/web/src/shared/page.css',
  'packages/web/src/shared/tokens.css',
  'scripts/build-web.mjs',
  'scripts/docs-pages.mjs',
]
/** Entries of the library: lists of names that leave no code in a bundle. */
const entries = ['core.ts', 'internal.ts', 'definition/index.ts', 'wire/index.ts'].map((name) => `packages/ferrule/src/${name}`)

/** Replaces the pages of this checkout. Two processes may do it at once: the last one wins, and both are right. */
async function replaceWeb() {
  console.error(
    `Building the console, the connect page and the documentation (${existsSync(webFolder) ? 'their sources changed' : 'for the first time'}) ...`,
  )
  const target = `${webFolder}-${process.pid}`
  const began = Date.now()
  const sources = await buildWeb(target)
  writeFileSync(join(target, sourcesFile), JSON.stringify(digestSources(sources, began)))
  const old = `${target}-old`
  try {
    if (existsSync(webFolder)) renameSync(webFolder, old)
    renameSync(target, webFolder)
  } catch (error) {
    if (!isFresh()) throw error
    rmSync(target, { recursive: true, force: true })
  }
  rmSync(old, { recursive: true, force: true })
}

/**
 * Builds the pages: hashed files, compressed copies of them, and the licenses of the packages inside.
 * @param {string} target folder that is replaced
 * @returns {Promise<string[]>} the sources, below the project's folder
 */
async function buildWeb(target) {
  /** @type {Set<string>} */
  const modules = new Set()
  await build({
    root: folder,
    configFile: false,
    logLevel: 'warn',
    base: './',
    resolve: { conditions: [sourceCondition, 'module', 'browser', 'production'] },
    plugins: [{ name: 'list-modules', generateBundle: (_options, bundle) => listModules(bundle, modules) }],
    build: {
      outDir: target,
      emptyOutDir: true,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      assetsInlineLimit: 0, // the policy of the pages forbids what is inline
      rolldownOptions: {
        onwarn: (warning, warn) => isWorthSaying(warning) && warn(warning),
        input: Object.fromEntries(['console', 'connect', 'docs'].map((name) => [name, join(folder, `${name}.html`)])),
      },
    },
  })
  writeFileSync(join(target, 'LICENSES.md'), printLicenses(findPackages(modules)))
  const documents = writeDocs(target)
  for (const name of ['assets', 'docs']) await compressAll(join(target, name))
  const own = [...modules].filter((file) => !file.includes('node_modules')).map((file) => relative(root, file).replaceAll('\\', '/'))
  return [...always, ...entries, ...documents, ...own.filter((file) => existsSync(join(root, file)))]
}

/**
 * Writes the pages of the documentation instead of their template, and what their search reads.
 * @param {string} target
 * @returns {string[]} the Markdown files, below the project's folder
 */
function writeDocs(target) {
  const template = join(target, 'docs.html')
  const docs = new DocsPages(join(root, 'docs'))
  const pages = docs.render(readFileSync(template, 'utf8'), (sections) => {
    const text = JSON.stringify(sections)
    const name = `assets/sections-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.json`
    writeFileSync(join(target, name), text)
    return name
  })
  const { description } = JSON.parse(readFileSync(join(root, 'packages/ferrule/package.json'), 'utf8'))
  writeFileSync(join(target, 'llms.txt'), printForAgents(readFileSync(join(root, 'docs/README.md'), 'utf8'), description))
  rmSync(template)
  for (const [name, html] of pages) {
    const file = join(target, 'docs', `${name || 'index'}.html`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, html)
  }
  return docs.pages.map(({ file }) => `docs/${file}`)
}

/**
 * Returns whether a warning says something. Packages mark their files for servers that render React; here a browser renders all of them.
 * The engine asks for modules of Node, and no bundle keeps it: `listModules` looks.
 * @param {{ code?: string, message: string }} warning
 */
function isWorthSaying({ code, message }) {
  return code !== 'MODULE_LEVEL_DIRECTIVE' && !message.includes('has been externalized for browser compatibility')
}

/**
 * Lists the files behind a bundle.
 * @param {import('vite').Rolldown.OutputBundle} bundle
 * @param {Set<string>} modules receives them
 * @throws when one of them is of Node, or of the engine
 */
function listModules(bundle, modules) {
  for (const file of Object.values(bundle)) {
    if (file.type !== 'chunk') continue
    for (const [id, { renderedLength }] of Object.entries(file.modules)) {
      if (renderedLength > 0 && /__vite-browser-external|[\\/]ferrule[\\/]src[\\/]engine[\\/]/.test(id))
        throw new Error(`${file.fileName} holds ${id}, which no browser runs. Import the name from an entry that does not need it.`)
      if (!id.startsWith('\0')) modules.add(id.split('?', 1)[0] ?? id)
    }
  }
}

/**
 * Finds the packages of modules.
 * @param {Set<string>} modules
 */
function findPackages(modules) {
  const names = [...modules].flatMap((id) => /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id)?.[1]?.replace('\\', '/') ?? [])
  return [...new Set(names)].toSorted()
}

/**
 * Puts a gzip and a brotli copy beside each file, so that the service compresses nothing.
 * @param {string} target folder, with the folders in it
 */
async function compressAll(target) {
  const compress = { '.gz': promisify(gzip), '.br': promisify(brotliCompress) }
  const options = { '.gz': { level: 9 }, '.br': { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } } }
  const files = readdirSync(target, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const file = join(parentPath, name)
      const content = readFileSync(file)
      writeFileSync(`${file}.gz`, await compress['.gz'](content, options['.gz']))
      writeFileSync(`${file}.br`, await compress['.br'](content, options['.br']))
    }),
  )
}

await replaceWeb()
