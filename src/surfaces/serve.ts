/** The service as a program: starts, says how to use it, ends on a signal. */
import { banner } from './banner.ts'
import { exitCodeOf, failureText } from './failure.ts'
import { type Service, startService } from './service.ts'

/** A terminal signals the whole group, so the launcher and the service can both get one and the launcher hands its own on. */
const sameSignal = 1_000

/**
 * The first signal closes the service in order. A second one, later than the echo of the first, skips the wait for load balancers;
 * when there is none, it ends the process at once.
 */
function endOnSignal(service: Service): void {
  let began: number | undefined
  const end = (signal: NodeJS.Signals) => {
    const isEcho = began !== undefined && performance.now() - began <= sameSignal
    if (isEcho) return
    if (began !== undefined && !service.skipDelay()) process.exit(signal === 'SIGINT' ? 130 : 143)
    const isFirst = began === undefined
    began = performance.now()
    if (!isFirst) return
    service.close().then(
      () => process.exit(0),
      (thrown: unknown) => {
        process.stderr.write(`${failureText(thrown)}\n`)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
}

/** Runs the service until a signal. A failure to start is one sentence on standard error and an exit code. */
export async function serve(env: Readonly<Record<string, string | undefined>> = process.env): Promise<void> {
  try {
    const service = await startService(env)
    endOnSignal(service)
    const { url, first, settings } = service
    process.stdout.write(
      banner({ url: settings.publicUrl ?? url, first, sandbox: settings.sandbox, isGiven: settings.client !== undefined }),
    )
  } catch (thrown) {
    process.stderr.write(`${failureText(thrown)}\n`)
    process.exitCode = exitCodeOf(thrown)
  }
}
