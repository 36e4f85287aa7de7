import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { root } from './paths.mjs'

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, devOptional?: boolean, os?: string | string[], cpu?: string | string[] }} Locked
 */

/** Runs `npm ci` when node_modules is missing or does not hold what package-lock.json asks for. Throws when that fails. */
export function ensureInstalled() {
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
  const lockIsNewer = statSync(lockFile).mtimeMs > statSync(installedFile).mtimeMs
  for (const [path, wanted] of Object.entries(readPackages(lockFile) ?? {})) {
    if (path === '') continue
    const found = installed[path]
    if (found ? !isSame(wanted, found) : isNeeded(wanted, lockIsNewer)) return `${path} is not as package-lock.json says`
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
 * A missing optional package is wanted only on its own platform, and only until npm has run after the last change of the
 * lock: where its installation failed once, asking again at every start would help nobody.
 * @param {Locked} wanted
 * @param {boolean} lockIsNewer
 */
function isNeeded(wanted, lockIsNewer) {
  if (!wanted.optional && !wanted.devOptional) return true
  return lockIsNewer && fits(wanted.os, process.platform) && fits(wanted.cpu, process.arch)
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
