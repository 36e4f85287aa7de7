// Reasons: docs/decisions/packages.md
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from './build.mjs'
import { packages, root, sourceCondition } from './paths.mjs'

/** What a package has beside its `dist`: schemas for editors, kinds as JSON with their index, and their recordings. */
const beside = /^((kind|recordings)\.schema\.json|json|index\.json|[\w-]+\.recordings\.json)$/

/**
 * Builds and packs all packages for npm.
 * @param {string[]} args folder for the files; the project's by default
 * @returns {Promise<number>} 0 when all were packed
 */
export async function packAll([folder = '.']) {
  const code = await build()
  if (code !== 0) return code
  const target = resolve(folder)
  mkdirSync(target, { recursive: true })
  for (const name of [...packages, 'kinds']) if (!packOne(name, target)) return 1
  return 0
}

/**
 * Packs a copy of the package whose package.json is as users get it.
 * @param {string} name
 * @param {string} target
 */
function packOne(name, target) {
  const source = join(root, 'packages', name)
  const copy = mkdtempSync(join(tmpdir(), 'ferrule-pack-'))
  try {
    cpSync(join(source, 'dist'), join(copy, 'dist'), { recursive: true })
    for (const each of readdirSync(source).filter((each) => beside.test(each)))
      cpSync(join(source, each), join(copy, each), { recursive: true })
    for (const paper of ['LICENSE', 'README.md', 'CHANGELOG.md']) cpSync(join(root, paper), join(copy, paper))
    writeFileSync(join(copy, 'package.json'), buildManifest(readFileSync(join(source, 'package.json'), 'utf8')))
    const packed = spawnSync('npm', ['pack', '--pack-destination', target], { cwd: copy, stdio: ['ignore', 'inherit', 'inherit'] })
    return packed.status === 0
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/**
 * Builds the manifest that users get: without the condition that leads to the sources, without the packages that only the build needs,
 * and without the mark that keeps the folder itself from being published.
 * @param {string} text
 */
function buildManifest(text) {
  const { private: _, devDependencies: __, ...manifest } = JSON.parse(text)
  return `${JSON.stringify(manifest, (key, value) => (key === sourceCondition ? undefined : value), 2)}\n`
}
