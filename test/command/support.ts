/** Runs the command `ferrule` as a process, with pipes or on a pseudo-terminal. */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { expect } from 'vitest'
import { bundleOf } from '../../scripts/bundles.mjs'
import { buildSourceEnvironment } from '../support/commands.ts'

/** The start of the command: its bundle, which the setup of the run has built. A kind's command takes a third of the CPU time of the sources. */
export const cli = bundleOf('ferrule')

/** How the command ended. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Who runs the command: with which configuration, in which folder, and with what input. */
export interface Caller {
  /** Folder of the configuration. */
  readonly config: string
  readonly folder?: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

/** Returns the environment of the command: nothing of the machine's own settings. */
export const buildEnvironment = ({ config, env }: Caller): Record<string, string> => {
  const { CI: _, NO_COLOR: __, FORCE_COLOR: ___, ...others } = buildSourceEnvironment()
  return { ...others, FERRULE_CONFIG_DIR: config, ...env }
}

/** Runs the command to its end, with pipes: no terminal anywhere. */
export async function runFerrule(caller: Caller, ...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [cli, ...args], { cwd: caller.folder ?? caller.config, env: buildEnvironment(caller) })
  child.stdin.on('error', () => undefined) // the command may end without reading
  child.stdin.end(caller.input ?? '')
  const ended = new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject))
  const [stdout, stderr, code] = await Promise.all([readAll(child.stdout), readAll(child.stderr), ended])
  return { code, stdout, stderr }
}

/** Runs the command and expects success. @returns what it wrote to standard output, as JSON */
export async function runForJson(caller: Caller, ...args: readonly string[]): Promise<ReturnType<typeof JSON.parse>> {
  const { code, stdout, stderr } = await runFerrule(caller, ...args)
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

/** A command on a pseudo-terminal. */
export interface Terminal {
  /** Everything that was drawn so far, with the codes of the terminal. */
  readonly drawn: string
  /** Waits until a text or pattern was drawn. */
  waitFor(pattern: string | RegExp): Promise<void>
  type(keys: string): void
  /** Waits for the end. @returns the exit code */
  end(): Promise<number | null>
}

/** Size of the terminal, and shell code around the command. */
export interface TerminalOptions {
  readonly columns?: number
  /** For example `> out.json`: standard output is no terminal then. */
  readonly redirect?: string
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Starts the command on a pseudo-terminal. */
export const openTerminal = (caller: Caller, args: readonly string[], { redirect = '', ...size }: TerminalOptions = {}): Terminal =>
  openShell(caller, `exec ${[process.execPath, cli, ...args].map(quote).join(' ')} ${redirect}`, size)

/**
 * Runs a line of the shell on a pseudo-terminal of `script(1)`: it is part of util-linux, which every Debian has, and of macOS. So the tests
 * need no compiled package.
 */
export function openShell(caller: Caller, line: string, { columns = 100 }: Pick<TerminalOptions, 'columns'> = {}): Terminal {
  const command = `stty cols ${columns} rows 30 && ${line}`
  const given = process.platform === 'darwin' ? ['-q', '/dev/null', 'sh', '-c', command] : ['-q', '-e', '-c', command, '/dev/null']
  const env = { ...buildEnvironment(caller), TERM: 'xterm-256color', SHELL: '/bin/sh' }
  const child = spawn('script', given, { cwd: caller.folder ?? caller.config, env })
  let drawn = ''
  const waiting = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    drawn += text
    for (const wake of waiting) wake()
  })
  child.stdin.on('error', () => undefined)
  const ended = new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject))
  const has = (pattern: string | RegExp): boolean => (typeof pattern === 'string' ? drawn.includes(pattern) : pattern.test(drawn))
  return {
    get drawn() {
      return drawn
    },
    type: (keys) => child.stdin.write(keys),
    end: () => ended,
    waitFor: async (pattern) => {
      const found = Promise.withResolvers<void>()
      const wake = (): void => (has(pattern) ? found.resolve() : undefined)
      waiting.add(wake)
      wake()
      const isOver = ended.then(() => has(pattern) || Promise.reject(new Error(`ended without ${pattern}:\n${drawn}`)))
      await Promise.race([found.promise, isOver])
      waiting.delete(wake)
    },
  }
}

/** Removes the codes that move the cursor and set colours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
export const plain = (drawn: string): string => drawn.replaceAll(/\u001b\[[0-9;?]*[a-zA-Z]/g, '')

/** Writes a file of profiles, as `ferrule login` does. */
export function writeProfile(config: string, profile: Readonly<Record<string, string>>): void {
  writeFileSync(join(config, 'credentials.json'), JSON.stringify({ current: 'default', profiles: { default: profile } }), { mode: 0o600 })
}
