/** The service as a program: it starts, prints how to use it, and ends on a signal. */
import { buildBanner } from './banner.ts'
import { findExitCode, formatFailure } from './failure.ts'
import { type Service, startService } from './service.ts'

/** Time in which two signals count as one: a terminal signals the whole group, and the launcher forwards its own signal too. */
const sameSignalMs = 1_000

/**
 * Closes the service in order at the first signal. A second signal skips the wait for load balancers; without such a wait, it ends
 * the process at once.
 */
function endOnSignal(service: Service): void {
  let began: number | undefined
  const end = (signal: NodeJS.Signals) => {
    const isEcho = began !== undefined && performance.now() - began <= sameSignalMs
    if (isEcho) return
    if (began !== undefined && !service.skipDelay()) process.exit(signal === 'SIGINT' ? 130 : 143)
    const isFirst = began === undefined
    began = performance.now()
    if (!isFirst) return
    service.close().then(
      () => process.exit(0),
      (thrown: unknown) => {
        process.stderr.write(`${formatFailure(thrown)}\n`)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
}

/** Runs the service until a signal. A failure to start prints one sentence on standard error and sets the exit code. */
export async function serve(env: Readonly<Record<string, string | undefined>> = process.env): Promise<void> {
  try {
    const service = await startService(env)
    endOnSignal(service)
    const { url, first, settings } = service
    process.stdout.write(buildBanner({ url: settings.publicUrl ?? url, first, sandbox: settings.sandbox }))
  } catch (thrown) {
    process.stderr.write(`${formatFailure(thrown)}\n`)
    process.exitCode = findExitCode(thrown)
  }
}
