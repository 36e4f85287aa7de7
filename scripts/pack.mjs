// Reasons: docs/decisions/packages.md
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from './build.mjs'
import { packages, root, sourceCondition } from './paths.mjs'

/** What a package has beside its `dist`: schemas for editors, skills of agents, kinds as JSON with their index, and their recordings. */
const beside = /^((kind|recordings)\.schema\.json|skills|json|index\.json|[\w-]+\.recordings\.json)$/

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
  const copies = mkdtempSync(join(tmpdir(), 'ferrule-pack-'))
  try {
    const folders = [...packages, 'kinds'].map((name) => copyPackage(name, join(copies, name)))
    // One start of npm for all packages: each takes 0.8 s of CPU.
    const args = ['pack', ...folders, '--pack-destination', target]
    return spawnSync('npm', args, { cwd: copies, stdio: ['ignore', 'inherit', 'inherit'] }).status ?? 1
  } finally {
    rmSync(copies, { recursive: true, force: true })
  }
}

/**
 * Copies what is published of a package; its package.json is as users get it.
 * @param {string} name
 * @param {string} copy folder of the copy
 * @returns {string} that folder
 */
function copyPackage(name, copy) {
  const source = join(root, 'packages', name)
  cpSync(join(source, 'dist'), join(copy, 'dist'), { recursive: true })
  for (const each of readdirSync(source).filter((each) => beside.test(each)))
    cpSync(join(source, each), join(copy, each), { recursive: true })
  for (const paper of ['LICENSE', 'README.md', 'CHANGELOG.md']) cpSync(join(root, paper), join(copy, paper))
  writeFileSync(join(copy, 'package.json'), buildManifest(readFileSync(join(source, 'package.json'), 'utf8')))
  return copy
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
