/** Starts the browser of the tests. */
import { type Browser, chromium } from 'playwright-core'

/**
 * Features that are switched off. Chromium reads the last list of its command line only, so Playwright's own list is repeated in part one.
 * Part two is the list below the address field: a page of its own for each window, which nobody sees here and which takes 0.15 s of CPU.
 */
const withoutFeatures = [
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades', 'HttpsFirstBalancedModeAutoEnable'],
  ...['LensOverlay', 'MediaRouter', 'PaintHolding', 'ThirdPartyStoragePartitioning', 'AvoidCorsURLLoaderRestartOnRedirect'],
  ...['OptimizationHints', 'NetworkTimeServiceQuerying', 'AimEnabled', 'PreconnectToSearch'],
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
]

/** Starts Chromium without its background services, which ask the internet. `npm test` installs it and names it in `CHROMIUM_PATH`. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      `--disable-features=${withoutFeatures}`,
    ],
  })
