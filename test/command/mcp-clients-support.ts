/** Runs `mcp install` and `mcp uninstall` in this process, on a machine of the test's own. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { onTestFinished } from 'vitest'
import { installInto, uninstallFrom } from '../../packages/ferrule/src/cli/actions/mcp-clients.ts'
import type { Machine } from '../../packages/ferrule/src/cli/clients/locations.ts'
import { type CommandContext, createAsker } from '../../packages/ferrule/src/cli/context.ts'
import { Output, Sink } from '../../packages/ferrule/src/cli/output/output.ts'
import { noProgress } from '../../packages/ferrule/src/cli/output/progress.ts'
import { makeFolder } from '../support/folder.ts'
import { writeProfile } from './support.ts'

/** A secret of the profile, which no client may see. */
export const profileSecret = 'the-secret-of-the-profile'

/** A user's machine: a home, a project, and a profile. */
export interface ClientWorld {
  readonly folder: string
  readonly machine: Machine
  /** Runs the command. @returns what it printed */
  run(command: 'install' | 'uninstall', client: string, options?: Readonly<Record<string, unknown>>): Promise<Printed>
  /** Runs instead of the question. */
  onQuestion?: () => void
  /** Lists the files of home and project. */
  listFiles(): readonly string[]
}

/** What a command printed. */
export interface Printed {
  readonly stdout: string
  readonly notes: string
}

const actions = { install: installInto, uninstall: uninstallFrom }

/** Makes a machine for one test. Its folders are empty. */
export function makeClientWorld(changed: Partial<Machine> = {}): ClientWorld {
  const folder = makeFolder('clients', onTestFinished)
  const names = ['home', 'project', 'config'] as const
  for (const name of names) mkdirSync(join(folder, name))
  writeProfile(join(folder, 'config'), { url: 'https://ferrule.example.com', client_id: 'a-client', client_secret: profileSecret })
  const env = { FERRULE_CONFIG_DIR: join(folder, 'config') }
  const own = { platform: 'linux', env, home: join(folder, 'home'), folder: join(folder, 'project') } as const
  const machine: Machine = { ...own, runtime: '/opt/node/bin/node', script: '/opt/ferrule/dist/cli.js', listNames: () => [], ...changed }
  const listFiles = () =>
    names.slice(0, 2).flatMap((name) =>
      readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name)),
    )
  const run: ClientWorld['run'] = async (command, client, options = {}) => {
    const notes: string[] = []
    const stream = new PassThrough()
    const given = { client, options, env: machine.env, stream, note: (text: string) => notes.push(text) }
    await actions[command](buildContext({ ...given, onQuestion: world.onQuestion }), machine)
    return { stdout: String(stream.read() ?? ''), notes: notes.join('\n') }
  }
  const world: ClientWorld = { folder, machine, run, listFiles }
  return world
}

interface Given {
  readonly client: string
  readonly options: Readonly<Record<string, unknown>>
  readonly env: Machine['env']
  readonly stream: PassThrough
  readonly note: (text: string) => void
  readonly onQuestion: (() => void) | undefined
}

function buildContext({ client, options, env, stream, note, onQuestion }: Given): CommandContext {
  const text = (name: string) => (typeof options[name] === 'string' ? options[name] : undefined)
  const settings = {
    format: 'json',
    fields: undefined,
    formulas: 'mark',
    isTerminal: false,
    jq: undefined,
    width: 100,
    stream,
    note,
  } as const
  return {
    args: [client],
    ...{ options, env, note, version: '0.0.0', deadlineMs: undefined },
    flags: { profile: text('profile'), url: text('url'), organization: text('organization'), workspace: text('workspace') },
    signal: new AbortController().signal,
    output: new Output(settings, new Sink(stream, () => undefined)),
    ask: onQuestion === undefined ? createAsker(false) : { ...createAsker(false), confirm: async () => onQuestion() },
    openProgress: async () => noProgress,
  }
}

/** Writes a file with its folders. */
export function writeText(path: string, text: string | Uint8Array, mode = 0o644): void {
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text, { mode })
}
