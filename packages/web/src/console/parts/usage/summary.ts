/** Describes calls in words. */
import type { UsageReport } from 'ferrule/wire'
import { printCount, printCounted, printDuration } from '../print.ts'

/** Prints a part of a whole in percent; a small part never becomes 0 %. */
function printShare(part: number, whole: number): string {
  const percent = (part / whole) * 100
  return percent < 0.1 ? 'less than 0.1 %' : `${percent < 10 ? percent.toFixed(1) : Math.round(percent)} %`
}

/** Describes all calls of a report in a few sentences. */
export function describeUsage({ total }: UsageReport): string {
  const { calls, failed, errors, latency } = total
  if (calls === 0) return 'No calls in this time.'
  const [first] = errors
  const failures =
    failed === 0
      ? 'None failed.'
      : `${printCount(failed)} failed (${printShare(failed, calls)})${first === undefined ? '' : `, most often ${first.code}`}.`
  const times =
    latency === null ? '' : ` Half were answered within ${printDuration(latency.p50_ms)}, 95 % within ${printDuration(latency.p95_ms)}.`
  return `${printCounted(calls, 'call')}. ${failures}${times}`
}
