/** The service as a program: starts, says how to use it, ends on a signal. */
import { banner } from './banner.ts'
import { exitCodeOf, failureText } from './failure.ts'
import { type Service, startService } from './service.ts'

/** The first signal closes the service in order; a second one ends the process at once. */
function endOnSignal(service: Service): void {
  let isEnding = false
  const end = (signal: NodeJS.Signals) => {
    if (isEnding) process.exit(signal === 'SIGINT' ? 130 : 143)
    isEnding = true
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
