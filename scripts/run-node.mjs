import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, realpathSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { root } from './paths.mjs'

const OLDEST = { major: 22, minor: 19 }

/** The signal that ended this run; later steps do not start. @type {NodeJS.Signals | undefined} */
let asked

/**
 * Runs Node in the project's folder and waits for its end. The child shares our streams and our process group. A terminal sends its
 * signals to the whole group, the child included. A signal from npm or a supervisor reaches only us, so it is passed on, once.
 * @param {string[]} args script and arguments
 * @param {Record<string, string>} [extra] more environment variables
 * @param {(text: string) => void} [onOutput] receives what the child prints, instead of our streams
 * @returns {Promise<number>} the exit code; 128 + the signal's number for a child that a signal ended, as in shells
 */
export function runNode(args, extra = {}, onOutput = undefined) {
  if (asked) return Promise.resolve(toExitCode(null, asked))
  const stdio = onOutput ? 'pipe' : 'inherit'
  const child = spawn(findProjectNode(), args, { cwd: root, stdio: ['inherit', stdio, stdio], env: { ...process.env, ...extra } })
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', onOutput ?? (() => {}))
  const stop = passSignals(child)
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      stop()
      reject(error)
    })
    child.once('close', (code, signal) => {
      stop()
      resolve(toExitCode(code, signal))
    })
  })
}

/**
 * @param {number | null} code
 * @param {NodeJS.Signals | null} signal
 */
function toExitCode(code, signal) {
  return code ?? 128 + (signal ? constants.signals[signal] : 0)
}

/**
 * Passes signals on to a child.
 * @param {import('node:child_process').ChildProcess} child
 * @returns {() => void} removes the listeners
 */
function passSignals(child) {
  const passed = new Set()
  /** @param {NodeJS.Signals} signal */
  const pass = (signal) => {
    asked = signal
    const fromTerminal = signal === 'SIGINT' && process.stdin.isTTY
    if (fromTerminal || passed.has(signal)) return
    passed.add(signal)
    child.kill(signal)
  }
  process.on('SIGINT', pass).on('SIGTERM', pass)
  return () => process.off('SIGINT', pass).off('SIGTERM', pass)
}

/** @type {string | undefined} */
let found

/**
 * Finds the Node to run on: the one of an installed package, which macOS and musl lack, else the Node that runs this script.
 * @returns {string} path of the executable
 * @throws when neither is new enough
 */
export function findProjectNode() {
  found ??= findPackagedNodes().find(works) ?? (isNewEnough(process.versions.node) ? process.execPath : undefined)
  if (found) return found
  throw createTooOldError()
}

/** Returns the error of a Node that is too old where npm has no other. */
export function createTooOldError() {
  const here = `${process.platform} ${process.arch}`
  return new Error(
    `This project needs Node ${OLDEST.major}.${OLDEST.minor} or later: this is ${process.versions.node}, and npm has no Node that works on ${here}, so install a newer one.`,
  )
}

/** Finds the executables of the installed Node packages; each is declared for one platform, so there is one at most. */
function findPackagedNodes() {
  const { optionalDependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.keys(optionalDependencies).flatMap((name) => findNode(join(root, 'node_modules', name)) ?? [])
}

/**
 * Finds the `node` of an installed package.
 * @param {string} folder of the package
 * @returns {string | undefined} path of the executable
 */
export function findNode(folder) {
  try {
    const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return bin?.node && realpathSync(join(folder, bin.node))
  } catch {
    return undefined
  }
}

/**
 * Returns whether a Node starts here and is new enough.
 * @param {string} path
 */
export function works(path) {
  if (path === process.execPath) return true
  const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' })
  return status === 0 && isNewEnough(stdout.trim().slice(1))
}

/**
 * Returns true for a version that the project supports.
 * @param {string} version such as `22.19.0`
 */
export function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)
}
