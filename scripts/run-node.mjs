import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, realpathSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { root } from './paths.mjs'

const OLDEST = { major: 22, minor: 19 }

/** The signal that asked this run to end; the steps after it do not start. @type {NodeJS.Signals | undefined} */
let asked

/**
 * Runs Node with the given arguments in the project's folder and waits for its end. The child shares our streams and our
 * process group. Of a signal that a terminal sends to the whole group the child has its own copy; one that reaches only us
 * (from npm, a supervisor) is passed on, once.
 * @param {string[]} args script and arguments
 * @param {Record<string, string>} [extra] additions to the environment
 * @returns {Promise<number>} the exit code; for a child ended by a signal 128 + its number, as shells do
 */
export function runNode(args, extra = {}) {
  if (asked) return Promise.resolve(exitCode(null, asked))
  const child = spawn(projectNode(), args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...extra } })
  const stop = passSignals(child)
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      stop()
      reject(error)
    })
    child.once('exit', (code, signal) => {
      stop()
      resolve(exitCode(code, signal))
    })
  })
}

/**
 * @param {number | null} code
 * @param {NodeJS.Signals | null} signal
 */
function exitCode(code, signal) {
  return code ?? 128 + (signal ? constants.signals[signal] : 0)
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {() => void} takes the listeners away again
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
 * The Node to run on: the platform package of package.json's optionalDependencies (not usable on musl, for example), else the
 * Node that runs this script. Throws one sentence when neither is new enough.
 * @returns {string} path of the executable
 */
export function projectNode() {
  found ??= packagedNodes().find(works) ?? (isNewEnough(process.versions.node) ? process.execPath : undefined)
  if (found) return found
  const here = `${process.platform} ${process.arch}`
  throw new Error(
    `This project needs Node ${OLDEST.major}.${OLDEST.minor} or later; this is ${process.versions.node}, and npm has none that works on ${here}.`,
  )
}

/** Executables of the installed Node packages; each is declared for one platform, so there is one at most. */
function packagedNodes() {
  const { optionalDependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.keys(optionalDependencies).flatMap((name) => nodeOf(join(root, 'node_modules', name)) ?? [])
}

/**
 * @param {string} folder of an npm package
 * @returns {string | undefined} the `node` that it brings
 */
export function nodeOf(folder) {
  try {
    const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return bin?.node && realpathSync(join(folder, bin.node))
  } catch {
    return undefined
  }
}

/**
 * Whether a Node starts here and is new enough.
 * @param {string} path
 */
export function works(path) {
  if (path === process.execPath) return true
  const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' })
  return status === 0 && isNewEnough(stdout.trim().slice(1))
}

/** @param {string} version such as `22.19.0` */
export function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)
}
