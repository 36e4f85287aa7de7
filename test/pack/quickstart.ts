/** The quickstart of the service, from an installed package: start it, paste what it prints into a shell, end it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { pathWith } from '../../scripts/paths.mjs'
import { withoutOuterSettings } from '../support/commands.ts'

interface Page {
  readonly data?: readonly Readonly<Record<string, unknown>>[]
}

/** What the pasted lines printed, and how the service ended. */
export interface Quickstart {
  readonly list: Page
  readonly search: Page
  readonly exitCode: number | null
}

/** What runs the service: the executable of Node, the project that has the packages, and the folder of its data. */
export interface Installation {
  readonly node: string
  readonly project: string
  readonly data: string
}

const buildEnvironment = ({ node, data }: Installation): NodeJS.ProcessEnv => {
  return { ...withoutOuterSettings(), ...pathWith(dirname(node)), FERRULE_PORT: '0', FERRULE_DATA: data }
}

/** Waits for the lines of the banner. @throws what the service said when it ended instead */
async function readBanner(service: ChildProcess): Promise<string> {
  const said = { stdout: '', stderr: '' }
  const printed = Promise.withResolvers<string>()
  service.stdout?.on('data', (chunk) => {
    said.stdout += chunk
    if (said.stdout.includes('context_store_search')) printed.resolve(said.stdout)
  })
  service.stderr?.on('data', (chunk) => (said.stderr += chunk))
  service.once('close', () => printed.reject(new Error(`The service ended: ${said.stderr}`)))
  return printed.promise
}

/** Pastes the lines into the shell of POSIX. */
async function paste(lines: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const shell = spawn('sh', ['-c', lines.join('\n')], { env })
  let text = ''
  shell.stdout.on('data', (chunk) => (text += chunk))
  await once(shell, 'close')
  return text
}

/**
 * Starts `ferrule-server serve` with its sandbox and runs the lines of its banner.
 * @throws when the service does not start, or its lines print something else than two pages
 */
export async function runQuickstart(installation: Installation): Promise<Quickstart> {
  const env = buildEnvironment(installation)
  const service = spawn(installation.node, ['node_modules/.bin/ferrule-server', 'serve'], { cwd: installation.project, env })
  try {
    const banner = await readBanner(service)
    const text = await paste(
      banner.split('\n').filter((line) => /^(TOKEN|CONNECTOR|curl|for)/.test(line)),
      env,
    )
    const [list = '', search = ''] = text.split('\n')
    const pages = { list: JSON.parse(list), search: JSON.parse(search) }
    service.kill('SIGTERM')
    const [exitCode] = await once(service, 'exit')
    return { ...pages, exitCode }
  } finally {
    service.kill('SIGKILL')
  }
}
