import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Places of Chromium by platform; names without a folder are looked up on PATH. */
const USUAL = {
  linux: ['/usr/bin/chromium', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', '/snap/bin/chromium'],
  darwin: [
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    'chromium',
  ],
  win32: ['C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe', 'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe'],
}

/**
 * Finds Chromium or Chrome for the browser tests; on Debian, as root, installs it when it is missing.
 * @returns {Promise<string>} path of the executable
 * @throws when it is missing and cannot be installed
 */
export async function ensureChromium() {
  const given = process.env['CHROMIUM_PATH']
  if (given) {
    if (isExecutable(given)) return given
    throw new Error(`CHROMIUM_PATH is ${given}, which is not an executable file.`)
  }
  const path = findChromium() ?? ((await installWithApt()) ? findChromium() : undefined)
  if (path) return path
  throw new Error('The browser tests need Chromium or Chrome: install one, or set CHROMIUM_PATH to its executable.')
}

function findChromium() {
  const candidates = USUAL[/** @type {keyof typeof USUAL} */ (process.platform)] ?? USUAL.linux
  return candidates.flatMap(listPlaces).find(isExecutable)
}

/** @param {string} name a path, or a name to look up on PATH */
function listPlaces(name) {
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

/** @returns {Promise<boolean>} true when apt-get installed it */
async function installWithApt() {
  const possible = process.platform === 'linux' && process.getuid?.() === 0 && listPlaces('apt-get').some(isExecutable)
  if (!possible) return false
  console.error('Installing chromium for the browser tests (apt-get) ...')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  /** @param {string[]} args */
  const aptGet = async (args) => {
    const [code] = await once(spawn('apt-get', args, { stdio: ['ignore', 2, 2], env }), 'exit')
    return code === 0
  }
  return (await aptGet(['update'])) && aptGet(['install', '-y', '--no-install-recommends', 'chromium'])
}
