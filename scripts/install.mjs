import { spawnSync } from 'node:child_process'
import { lstatSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { findMissing, isForHere, markInstalled, readLockedPackages } from './lock.mjs'
import { pathWith, root } from './paths.mjs'
import { createTooOldError, findNode, isNewEnough, works } from './run-node.mjs'

/** Runs `npm ci` unless node_modules holds what package-lock.json asks for. @throws when that fails */
export function ensureInstalled() {
  // npm ci would empty the folder that a linked node_modules leads to.
  if (lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) return
  const reason = findMissing()
  if (!reason) return
  console.error(`Installing packages with npm ci (${reason}) ...`)
  const workshop = mkdtempSync(join(tmpdir(), 'ferrule-install-'))
  try {
    const node = isNewEnough(process.versions.node) ? process.execPath : fetchNode(workshop)
    if (!npmCi(root, node)) throw new Error('npm ci failed, see above; nothing was started.')
  } finally {
    rmSync(workshop, { recursive: true, force: true })
  }
  markInstalled()
}

/**
 * On a Node that is too old for some packages npm leaves out their parts for this platform, so npm itself has to run on the
 * Node of our lock file. It is installed in a folder of its own first; without that Node, the old one has to do.
 * @param {string} workshop an empty folder
 * @returns {string} path of the executable
 */
function fetchNode(workshop) {
  const locked = readLockedPackages()
  const names = Object.keys(locked['']?.optionalDependencies ?? {}).filter((name) => isForHere(locked[`node_modules/${name}`] ?? {}))
  if (names.length === 0) throw createTooOldError()
  for (const name of names) {
    const path = `node_modules/${name}`
    const project = { name: 'workshop', version: '0.0.0', dependencies: { [name]: locked[path]?.version } }
    const lock = {
      ...project,
      lockfileVersion: 3,
      requires: true,
      packages: { '': project, [path]: { ...locked[path], optional: false } },
    }
    writeFileSync(join(workshop, 'package.json'), JSON.stringify(project))
    writeFileSync(join(workshop, 'package-lock.json'), JSON.stringify(lock))
    const node = npmCi(workshop, process.execPath) ? findNode(join(workshop, path)) : undefined
    if (node && works(node)) return node
  }
  return process.execPath
}

/**
 * Runs `npm ci`.
 * @param {string} folder
 * @param {string} node the executable that runs npm
 * @returns {boolean} true when it worked
 */
function npmCi(folder, node) {
  const args = ['ci', '--include=dev', '--include=optional']
  const env = { ...process.env, ...pathWith(dirname(node)) }
  // Standard output belongs to the task (`npm run --silent contract` prints JSON only), so npm reports on standard error.
  const options = { cwd: folder, env, stdio: /** @type {['ignore', 2, 2]} */ (['ignore', 2, 2]) }
  const cli = process.env['npm_execpath']
  // Without an npm that started this script, the one on PATH, which on Windows only a shell can start.
  const started = /^npm.*\.c?js$/.test(basename(cli ?? ''))
    ? spawnSync(node, [cli ?? '', ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' })
  return started.status === 0
}
