import { ensureProgram } from './programs.mjs'

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
export const ensureChromium = () =>
  ensureProgram({
    setting: 'CHROMIUM_PATH',
    package: 'chromium',
    places: USUAL[/** @type {keyof typeof USUAL} */ (process.platform)] ?? USUAL.linux,
    advice: 'The browser tests need Chromium or Chrome: install one, or set CHROMIUM_PATH to its executable.',
  })
