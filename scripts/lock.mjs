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
/** Holds the digest of the lock file that the last complete installation followed. */
const marker = join(cache, 'installed')

/**
 * Packages by their place, such as `node_modules/undici`; '' is the project itself.
 * @returns {Record<string, Locked>}
 */
export function lockedPackages() {
  return readPackages(lockFile) ?? {}
}

/**
 * Compares what npm recorded in node_modules with package-lock.json.
 * @returns {string | undefined} why an installation is needed
 */
export function whatIsMissing() {
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'))
  if (!installed) return 'node_modules is missing'
  // Where an optional package could not be installed, asking again at every start would help nobody.
  const optionalToo = readText(marker) !== digest()
  for (const [path, locked] of Object.entries(lockedPackages())) {
    const found = path === '' ? locked : installed[path]
    const isAsked = found ? !isSame(locked, found) : isRequired(locked) || (optionalToo && isForHere(locked))
    if (isAsked) return `${path} is not as package-lock.json says`
  }
  if (optionalToo) markInstalled()
  return undefined
}

/** Remembers that an installation followed the present lock file to its end. */
export function markInstalled() {
  mkdirSync(cache, { recursive: true })
  writeFileSync(marker, digest())
}

/**
 * Whether a package is made for this platform by name. npm leaves such packages out when it runs on a Node that is too old
 * for them, without a word.
 * @param {Locked} locked
 */
export function isForHere(locked) {
  return locked.os !== undefined && fits(locked.os, process.platform) && fits(locked.cpu, process.arch) && fits(locked.libc, libc())
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
 * npm's rule for `os`, `cpu` and `libc`: a list of names, or of excluded names that start with `!`.
 * @param {string | string[] | undefined} rule
 * @param {string} value
 */
function fits(rule, value) {
  const names = [rule ?? []].flat()
  if (names.includes(`!${value}`)) return false
  return names.length === 0 || names.includes(value) || names.every((name) => name.startsWith('!'))
}

/** @type {string | undefined} */
let family

/** The C library of this Linux; elsewhere no package asks. */
function libc() {
  if (process.platform !== 'linux') return ''
  if (family === undefined) {
    const report = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport())
    family = report.header.glibcVersionRuntime ? 'glibc' : 'musl'
  }
  return family
}

function digest() {
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
