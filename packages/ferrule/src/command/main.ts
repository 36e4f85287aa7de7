/** Runs the command: parses the arguments, starts the action, and turns what happens into words and an exit code. */
import { CommanderError } from 'commander'
import { asFerruleError } from '../errors.ts'
import { chooseFormat, createContext, type Options } from './context.ts'
import { exitCodes, findExitCode } from './exit-codes.ts'
import { failUsage, formatFailure, formatProblem, Interrupted, OutputClosed } from './failure.ts'
import { buildProgram } from './program.ts'

/** Reads options of a command line that commander has refused, as far as errors need them. */
function guessOptions(args: readonly string[]): Options {
  const at = args.findIndex((arg) => arg === '--format' || arg.startsWith('--format='))
  const given = args[at]?.split('=')[1] ?? args[at + 1]
  return at < 0 ? {} : { format: given }
}

function report(thrown: unknown, options: Options): number {
  if (thrown instanceof OutputClosed) return exitCodes.success
  if (thrown instanceof Interrupted) {
    process.stderr.write(`${[thrown.message, thrown.hint].join(' ').trim()}\n`)
    return exitCodes.interrupted
  }
  const text = chooseFormat(options) === 'table' ? formatFailure(thrown, process.stderr) : formatProblem(thrown)
  process.stderr.write(`${text}\n`)
  if (process.env['FERRULE_DEBUG'] === '1') process.stderr.write(`${formatStack(thrown)}\n`)
  return findExitCode(asFerruleError(thrown))
}

function formatStack(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  return thrown.cause === undefined ? String(thrown.stack) : `${thrown.stack}\nCaused by: ${formatStack(thrown.cause)}`
}

/** Turns a refusal of commander into an error; help and version are no errors. */
function readRefusal(thrown: CommanderError): unknown {
  if (thrown.exitCode === 0) return undefined
  if (thrown.code === 'commander.help') return failUsage('A command is missing.', 'Run: ferrule --help')
  const message = thrown.message.replace(/^error: /, '')
  const [first = '', suggestion] = message.split('\n')
  const sentence = first.replace(/\.$/, '')
  const hint = suggestion === undefined ? 'The command with --help lists its arguments and options.' : suggestion.replace(/^\(|\)$/g, '')
  return failUsage(`${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`, hint)
}

/** Aborts at the first signal; the second ends the process at once. */
function listenToSignals(controller: AbortController): void {
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted)
    controller.abort(new Interrupted())
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
}

/** Keeps a closed reader from ending the process with a stack: what is left to write has no reader. */
function ignoreClosedReaders(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
}

/** Answers the script of a shell. */
async function printCompletions(words: readonly string[], version: string): Promise<number> {
  const { findCompletions } = await import('./completion.ts')
  process.stdout.write(await findCompletions(words, version))
  return exitCodes.success
}

/**
 * Runs the command.
 * @param args arguments of the process
 * @param version of the package
 * @returns the exit code
 */
export async function main(args: readonly string[], version: string): Promise<number> {
  ignoreClosedReaders()
  if (args[0] === 'complete' && args[1] === '--') return printCompletions(args.slice(2), version)
  const controller = new AbortController()
  let known: Options | undefined
  const program = buildProgram(async (spec, given, options) => {
    known = options
    const action = await spec.load()
    listenToSignals(controller)
    await action(createContext({ args: given, options, version }, controller))
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCodes.success
  } catch (thrown) {
    const failure = thrown instanceof CommanderError ? readRefusal(thrown) : thrown
    if (failure === undefined) return exitCodes.success
    // What was aborted fails in many ways; the reason of the abort is what happened.
    return report(controller.signal.aborted ? controller.signal.reason : failure, known ?? guessOptions(args))
  }
}
