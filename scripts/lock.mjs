import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cache, root } from './paths.mjs'

/**
 * @typedef {object} Locked one package of a lock file
 * @property {string} [version]
 * @property {string} [integrity]
 * @property {boolean} [optional]
 * @property {boolean} [devOptional]
 * @property {string | string[]} [os]
 * @property {string | string[]} [cpu]
 * @property {string | string[]} [libc]
 * @property {Record<string, string>} [optionalDependencies]
 */

const lockFile = join(root, 'package-lock.json')
/** Holds the digest of the lock file of the last complete installation. */
const marker = join(cache, 'installed')

/**
 * Reads the lock file.
 * @returns {Record<string, Locked>} packages by their place, such as `node_modules/undici`; '' is the project itself
 */
export function readLockedPackages() {
  return readPackages(lockFile) ?? {}
}

/**
 * Compares what npm recorded in node_modules with package-lock.json.
 * @returns {string | undefined} the reason for an installation; undefined when nothing is missing
 */
export function findMissing() {
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'))
  if (!installed) return 'node_modules is missing'
  // An optional package that could not be installed is asked for once, not at every start.
  const optionalToo = readText(marker) !== hashLockFile()
  for (const [path, locked] of Object.entries(readLockedPackages())) {
    const found = path === '' ? locked : installed[path]
    const isAsked = found ? !isSame(locked, found) : isRequired(locked) || (optionalToo && isForHere(locked))
    if (isAsked) return `${path} is not as package-lock.json says`
  }
  if (optionalToo) markInstalled()
  return undefined
}

/** Records that the present lock file is installed. */
export function markInstalled() {
  mkdirSync(cache, { recursive: true })
  writeFileSync(marker, hashLockFile())
}

/**
 * Returns whether a package is made for this platform by name. npm leaves such packages out silently when it runs on a Node that is
 * too old for them.
 * @param {Locked} locked
 */
export function isForHere(locked) {
  return (
    locked.os !== undefined &&
    fitsRule(locked.os, process.platform) &&
    fitsRule(locked.cpu, process.arch) &&
    fitsRule(locked.libc, findLibc())
  )
}

/** @param {Locked} locked */
function isRequired(locked) {
  return !locked.optional && !locked.devOptional
}

/**
 * @param {Locked} locked
 * @param {Locked} found
 */
function isSame(locked, found) {
  return locked.version === found.version && locked.integrity === found.integrity
}

/**
 * Applies npm's rule for `os`, `cpu` and `libc`: a list of names, or of excluded names, which start with `!`.
 * @param {string | string[] | undefined} rule
 * @param {string} value
 */
function fitsRule(rule, value) {
  const names = [rule ?? []].flat()
  if (names.includes(`!${value}`)) return false
  return names.length === 0 || names.includes(value) || names.every((name) => name.startsWith('!'))
}

/** @type {string | undefined} */
let family

/** Finds the C library of this Linux; no package for another system asks for it. */
function findLibc() {
  if (process.platform !== 'linux') return ''
  if (family === undefined) {
    const report = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport())
    family = report.header.glibcVersionRuntime ? 'glibc' : 'musl'
  }
  return family
}

function hashLockFile() {
  return createHash('sha256')
    .update(readText(lockFile) ?? '')
    .digest('hex')
}

/** @param {string} file */
function readText(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/**
 * @param {string} file
 * @returns {Record<string, Locked> | undefined}
 */
function readPackages(file) {
  const text = readText(file)
  return text === undefined ? undefined : JSON.parse(text).packages
}
