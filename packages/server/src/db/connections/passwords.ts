/** Passwords of databases that change while the service runs: from a file, or from a command. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { cutFinalNewline } from 'ferrule/internal'
import { readErrorCode } from './problems.ts'

/** Where the password of a URL without one comes from. */
export type PasswordSource = { readonly file: string } | { readonly command: string }

/** The server that a password is for. */
export interface PasswordServer {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
}

/** Timeout of a command in milliseconds. */
const commandMs = 10_000
const mostBytes = 65_536
const run = promisify(execFile)

/** Reads passwords. What a command has printed is kept until the server refuses it; a file is read for each connection. */
export class Passwords {
  readonly #source: PasswordSource
  readonly #printed = new Map<string, Promise<string>>()

  constructor(source: PasswordSource) {
    this.#source = source
  }

  /** Reads the password for a server. @throws Error without anything of the password */
  read(server: PasswordServer): Promise<string> {
    if ('file' in this.#source) return readPasswordFile(this.#source.file)
    const key = JSON.stringify(server)
    const known = this.#printed.get(key)
    if (known !== undefined) return known
    const printed = runPasswordCommand(this.#source.command, server)
    this.#printed.set(key, printed)
    printed.catch(() => this.#printed.delete(key))
    return printed
  }

  /** Forgets what was printed: the server refuses it. */
  forget(): void {
    this.#printed.clear()
  }
}

async function readPasswordFile(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((thrown: unknown) => {
    throw new Error(`the file of DATABASE_PASSWORD_FILE cannot be read (${readErrorCode(thrown)})`)
  })
  return cutFinalNewline(text)
}

/** Runs the command in a shell, with the names of the server in libpq's variables. */
async function runPasswordCommand(command: string, { host, port, user, database }: PasswordServer): Promise<string> {
  const [shell, flag] = process.platform === 'win32' ? ['cmd.exe', '/c'] : ['/bin/sh', '-c']
  const env = { ...process.env, PGHOST: host, PGPORT: String(port), PGUSER: user, PGDATABASE: database }
  const failed = (thrown: unknown): never => {
    throw new Error(`the command of DATABASE_PASSWORD_COMMAND failed (${readErrorCode(thrown) || 'no exit code'})`)
  }
  const { stdout } = await run(shell, [flag, command], { env, timeout: commandMs, maxBuffer: mostBytes }).catch(failed)
  const password = cutFinalNewline(stdout)
  if (password === '') throw new Error('the command of DATABASE_PASSWORD_COMMAND printed nothing')
  return password
}
