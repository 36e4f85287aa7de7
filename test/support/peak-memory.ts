import { existsSync, readFileSync } from 'node:fs'

/**
 * Reads the peak memory of this process in kilobytes. `maxRSS` is not less than the memory of the process that started this one, so Linux is
 * asked otherwise.
 */
export function readPeakKb(): number {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : ''
  return Number(/^VmHWM:\s*(\d+)/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS)
}
