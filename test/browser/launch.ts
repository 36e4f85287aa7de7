/** The browser of the tests. */
import { type Browser, chromium } from 'playwright-core'
import { findChromium } from '../../scripts/programs.mjs'

/** Starts Chromium without its background services, which ask the internet. `npm test` installs it and names it in `CHROMIUM_PATH`. */
const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: findChromium() ?? 'chromium',
    timeout: 240_000, // a starved machine
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
      // Two processes less to start and to speak with.
      '--in-process-gpu',
      '--no-zygote',
      // Pages live for a second: compiling their hot functions again takes longer than it saves.
      '--js-flags=--no-maglev,--no-turbofan',
    ],
  })

let running: Browser | undefined

/** Starts the browser with the first file of the process. The others use it too, and it ends with the process. */
export async function launchBrowser(): Promise<Browser> {
  if (running?.isConnected() !== true) running = await launch()
  return running
}

/** Closes all pages that a file has opened, with their cookies: what it does instead of `close`. */
export async function closePages(browser: Browser): Promise<void> {
  for (const context of browser.contexts()) await context.close()
}
