/** Starts the browser of the tests. */
import { type Browser, chromium } from 'playwright-core'
import { findChromium } from '../../scripts/programs.mjs'

/** Starts Chromium without its background services, which ask the internet. `npm test` installs it and names it in `CHROMIUM_PATH`. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: findChromium() ?? 'chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      // A way over three sites starts a process for each otherwise.
      '--disable-site-isolation-trials',
      '--renderer-process-limit=1',
      // Pages live for a second: compiling their hot functions again takes longer than it saves.
      '--js-flags=--no-maglev,--no-turbofan',
    ],
  })
