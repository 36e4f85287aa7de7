import { spawnSync } from 'node:child_process'
import { lstatSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { root } from './paths.mjs'

/**
 * @typedef {object} Locked one package of a lock file
 * @property {string} [version]
 * @property {string} [integrity]
 * @property {boolean} [optional]
 * @property {boolean} [devOptional]
 * @property {string | string[]} [os]
 * @property {string | string[]} [cpu]
 * @property {Record<string, string>} [optionalDependencies]
 */

/** Runs `npm ci` when node_modules is missing or does not hold what package-lock.json asks for. Throws when that fails. */
export function ensureInstalled() {
  // A linked node_modules is kept by somebody else, and npm ci would empty what the link leads to.
  if (lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) return
  const reason = whatIsMissing()
  if (!reason) return
  console.error(`Installing packages with npm ci (${reason}) ...`)
  // Standard output belongs to the task (`npm run --silent contract` prints JSON only), so npm reports on standard error.
  const npm = npmCommand()
  const args = [...npm.args, 'ci', '--include=dev', '--include=optional']
  const done = spawnSync(npm.command, args, { cwd: root, stdio: ['ignore', 2, 2], shell: npm.shell })
  if (done.status !== 0) throw new Error('npm ci failed, see above; nothing was started.')
}

/**
 * Compares what npm recorded in node_modules with package-lock.json.
 * @returns {string | undefined} why an installation is needed
 */
function whatIsMissing() {
  const lockFile = join(root, 'package-lock.json')
  const installedFile = join(root, 'node_modules', '.package-lock.json')
  const installed = readPackages(installedFile)
  if (!installed) return 'node_modules is missing'
  const wanted = readPackages(lockFile) ?? {}
  const lockIsNewer = statSync(lockFile).mtimeMs > statSync(installedFile).mtimeMs
  const direct = lockIsNewer ? Object.keys(wanted['']?.optionalDependencies ?? {}) : []
  for (const [path, locked] of Object.entries(wanted)) {
    if (path === '') continue
    const found = installed[path]
    if (found ? !isSame(locked, found) : isNeeded(locked, direct.includes(path.slice('node_modules/'.length)))) {
      return `${path} is not as package-lock.json says`
    }
  }
  return undefined
}

/**
 * @param {string} file
 * @returns {Record<string, Locked> | undefined}
 */
function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages
  } catch {
    return undefined
  }
}

/**
 * @param {Locked} wanted
 * @param {Locked} found
 */
function isSame(wanted, found) {
  return wanted.version === found.version && wanted.integrity === found.integrity
}

/**
 * Whether a missing package is a reason to install. An optional one is only when it is ours, made for this platform, and npm
 * has not run since the last change of the lock: where its installation failed once, asking again at every start helps nobody.
 * @param {Locked} locked
 * @param {boolean} isNewAndOurs
 */
function isNeeded(locked, isNewAndOurs) {
  if (!locked.optional && !locked.devOptional) return true
  return isNewAndOurs && fits(locked.os, process.platform) && fits(locked.cpu, process.arch)
}

/**
 * npm's rule for `os` and `cpu`: a list of names, or of excluded names that start with `!`.
 * @param {string | string[] | undefined} rule
 * @param {string} value
 */
function fits(rule, value) {
  const names = [rule ?? []].flat()
  if (names.includes(`!${value}`)) return false
  return names.length === 0 || names.includes(value) || names.every((name) => name.startsWith('!'))
}

/** The npm that started this script, run by its own Node (ours may be replaced by the installation); else the one on PATH. */
function npmCommand() {
  const { npm_execpath: cli, npm_node_execpath: node } = process.env
  if (cli && /^npm.*\.c?js$/.test(basename(cli))) return { command: node ?? process.execPath, args: [cli], shell: false }
  return { command: 'npm', args: [], shell: process.platform === 'win32' }
}
