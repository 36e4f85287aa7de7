import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * Lists the paths where a program can be.
 * @param {string} name a path, or a name to look up on PATH
 */
function listPaths(name) {
  if (/[/\\]/.test(name)) return [name]
  return (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name))
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** @param {readonly string[]} [paths] */
const find = (paths = []) => paths.flatMap(listPaths).find(isExecutable)

/**
 * A program that tests need. Another one of `instead` serves where its package cannot be installed.
 * @typedef {{ setting: string, package: string, paths: readonly string[], instead?: readonly string[], advice: string }} Program
 */

/**
 * Finds a program for the tests; on Debian, as root, installs its package when it is missing.
 * @param {Program} program `setting` is the environment variable that names another executable
 * @returns {Promise<string>} path of the executable
 * @throws when it is missing and cannot be installed
 */
async function ensureProgram(program) {
  const given = process.env[program.setting]
  if (given) {
    if (isExecutable(given)) return given
    throw new Error(`${program.setting} is ${given}, which is not an executable file.`)
  }
  const path = find(program.paths) ?? ((await installWithApt(program.package)) ? find(program.paths) : undefined) ?? find(program.instead)
  if (path) return path
  throw new Error(program.advice)
}

/** The last installation: two of apt-get at the same time would meet its lock. */
let installing = Promise.resolve(true)

/**
 * @param {string} name of the package
 * @returns {Promise<boolean>} true when apt-get installed it
 */
function installWithApt(name) {
  const possible = process.platform === 'linux' && process.getuid?.() === 0 && listPaths('apt-get').some(isExecutable)
  if (!possible) return Promise.resolve(false)
  installing = installing.then(async () => {
    console.error(`Installing ${name} for the tests (apt-get) ...`)
    return (await aptGet(['update'])) && aptGet(['install', '-y', '--no-install-recommends', name])
  })
  return installing
}

/** @param {string[]} args */
async function aptGet(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const [code] = await once(spawn('apt-get', args, { stdio: ['ignore', 2, 2], env }), 'exit')
  return code === 0
}

/** Chromium without windows: it takes two thirds of the CPU time. Debian's program on PATH is a shell around the first path. */
const headless = ['/usr/lib/chromium/chromium-headless-shell', 'chromium-headless-shell']

/** Paths of Chromium by platform; names without a folder are looked up on PATH. */
const USUAL = {
  linux: ['/usr/bin/chromium', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', '/snap/bin/chromium'],
  darwin: [
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    'chromium',
  ],
  win32: ['C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe', 'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe'],
}
const usual = USUAL[/** @type {keyof typeof USUAL} */ (process.platform)] ?? USUAL.linux

/** Finds a browser that is installed. @returns path of the executable */
export const findChromium = () => process.env['CHROMIUM_PATH'] || find([...headless, ...usual])

/** Finds Chromium or Chrome for the browser tests. */
export const ensureChromium = () =>
  ensureProgram({
    setting: 'CHROMIUM_PATH',
    package: 'chromium-headless-shell',
    paths: headless,
    instead: usual,
    advice: 'The browser tests need Chromium or Chrome: install one, or set CHROMIUM_PATH to its executable.',
  })

/** Finds PgBouncer for the tests of a pooler. */
export const ensurePgBouncer = () =>
  ensureProgram({
    setting: 'PGBOUNCER_PATH',
    package: 'pgbouncer',
    paths: ['/usr/sbin/pgbouncer', 'pgbouncer', '/opt/homebrew/bin/pgbouncer', '/usr/local/bin/pgbouncer'],
    advice: 'The tests of a pooler need PgBouncer 1.18 or later: install it, or set PGBOUNCER_PATH to its executable.',
  })
