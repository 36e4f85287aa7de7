/** `doctor`: looks at everything that a call needs, and says what to do. */
import { Connectors } from '../../client/resources/connectors.ts'
import { Organizations } from '../../client/resources/organizations.ts'
import type { Transport } from '../../client/transport.ts'
import { isObject } from '../../definition/object.ts'
import { asFerruleError, FerruleError } from '../../errors.ts'
import { parseJson } from '../../values/json/json.ts'
import { endpoints } from '../../wire/endpoints.ts'
import type { CommandContext } from '../context.ts'
import { readCause, Shown } from '../failure.ts'
import { nameCommands } from '../next-steps.ts'
import { callOptions, openSession } from '../session.ts'
import { readSettings } from '../settings.ts'

interface DoctorFinding {
  readonly check: string
  readonly status: 'ok' | 'warning' | 'failed'
  readonly detail: string
  readonly advice: string
}

const fine = (check: string, detail: string): DoctorFinding => ({ check, status: 'ok', detail, advice: '' })
const warn = (check: string, detail: string, advice: string): DoctorFinding => ({ check, status: 'warning', detail, advice })

const statusWidth = 'warning'.length
const describeFinding = ({ check, status, detail, advice }: DoctorFinding): readonly string[] => [
  `${status.padEnd(statusWidth)}  ${check}: ${detail}`,
  ...(advice === '' ? [] : [`${' '.repeat(statusWidth)}  ${advice}`]),
]

/** Greatest difference of clocks that does not matter to tokens, in seconds. */
const toleratedSeconds = 30

/** Runs a check; a failure is a finding. */
async function look(check: string, act: () => Promise<readonly DoctorFinding[]>, errors: unknown[]): Promise<readonly DoctorFinding[]> {
  try {
    return await act()
  } catch (thrown) {
    const { message, hint } = nameCommands(asFerruleError(thrown))
    errors.push(thrown)
    return [{ check, status: 'failed', detail: message, advice: hint }]
  }
}

async function lookAtSettings({ flags, env, version }: CommandContext): Promise<readonly DoctorFinding[]> {
  const settings = await readSettings(flags, env)
  const { url, caller, organization, workspace, profile, file } = settings
  const identity = caller?.type === 'client' ? `client ${caller.clientId}` : 'a token'
  return [
    fine('command', `${version} on ${process.version}`),
    fine('profile', `${profile.value} of ${file}, from ${profile.source}${profile.exists ? '' : '; it does not exist'}`),
    url === undefined
      ? warn('url', 'not set', 'Run: ferrule login, or give --url, or set FERRULE_URL.')
      : fine('url', `${url.value}, from ${url.source}`),
    caller === undefined
      ? warn('identity', 'not set', 'Run: ferrule login, or set FERRULE_CLIENT_ID and FERRULE_CLIENT_SECRET, or FERRULE_TOKEN.')
      : fine('identity', `${identity}, from ${caller.source}`),
    fine('organization', organization === undefined ? 'of the token' : `${organization.value}, from ${organization.source}`),
    fine('workspace', `${workspace.value}, from ${workspace.source}`),
  ]
}

/** Compares the clocks by the header `Date`, which has whole seconds. */
function compareClocks(header: string | null): DoctorFinding {
  const theirs = Date.parse(header ?? '')
  if (Number.isNaN(theirs)) return warn('clock', 'the service names no time', '')
  const seconds = Math.round((Date.now() - theirs) / 1_000)
  if (Math.abs(seconds) <= toleratedSeconds) return fine('clock', `${seconds} s apart`)
  return warn(
    'clock',
    `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the service`,
    'Set the clock of this machine or of the service.',
  )
}

async function lookAtService(transport: Transport, context: CommandContext): Promise<readonly DoctorFinding[]> {
  const response = await transport.settings
    .fetch(`${transport.settings.url}${endpoints.getReadiness.path}`, { signal: context.signal })
    .catch((thrown: unknown) => {
      context.signal.throwIfAborted()
      throw new FerruleError(
        'service_unreachable',
        {
          message: `${transport.settings.url} cannot be reached: ${readCause(thrown)}.`,
          hint: 'Check the address and the network, and that the service runs.',
        },
        { cause: thrown },
      )
    })
  const state = await response.text()
  const ready = response.ok ? fine('service', 'ready') : warn('service', `not ready: ${state.slice(0, 200)}`, 'See its log.')
  return [ready, compareClocks(response.headers.get('date')), await lookAtVersion(transport, context)]
}

/** Reads the version from the service's front page. */
async function lookAtVersion({ settings }: Transport, { signal, version }: CommandContext): Promise<DoctorFinding> {
  const response = await settings.fetch(`${settings.url}/`, { signal, headers: { accept: 'application/json' } })
  const page = response.ok ? parseJson(await response.text()) : undefined
  const found = isObject(page) ? String(page['version']) : 'unknown'
  return found === version
    ? fine('version', found)
    : warn('version', `the service has ${found}, this command ${version}`, 'Use the same version of both.')
}

async function lookAtToken(transport: Transport, context: CommandContext): Promise<readonly DoctorFinding[]> {
  const organizations = await new Organizations(transport).list(callOptions(context))
  return [fine('token', `accepted; it reaches ${organizations.map(({ name }) => name).join(', ')}`)]
}

async function lookAtConnectors(transport: Transport, context: CommandContext): Promise<readonly DoctorFinding[]> {
  const findings: DoctorFinding[] = []
  const query = { workspace_name: transport.settings.workspace }
  for await (const { name, status, status_reason: reason, connector_type: kind } of new Connectors(transport).list(
    query,
    callOptions(context),
  )) {
    const check = `connector ${name}`
    findings.push(status === 'active' && reason === null ? fine(check, `${kind}, active`) : warn(check, `${kind}, ${status}`, reason ?? ''))
  }
  return findings.length > 0
    ? findings
    : [warn('connectors', `none in the workspace ${transport.settings.workspace}`, 'Run: ferrule connectors create')]
}

/** Looks at settings, service, token and connectors. The first failure decides on the exit code. */
export async function doctor(context: CommandContext): Promise<void> {
  const errors: unknown[] = []
  const findings = [...(await look('settings', () => lookAtSettings(context), errors))]
  let transport: Transport | undefined
  const opened = await look(
    'session',
    async () => {
      transport = await openSession(context)
      return []
    },
    errors,
  )
  findings.push(...opened)
  if (transport !== undefined) {
    const open = transport
    findings.push(...(await look('service', () => lookAtService(open, context), errors)))
    if (errors.length === 0) findings.push(...(await look('token', () => lookAtToken(open, context), errors)))
    if (errors.length === 0) findings.push(...(await look('connectors', () => lookAtConnectors(open, context), errors)))
  }
  context.signal.throwIfAborted()
  const isShown = await context.output.report(findings, describeFinding)
  const [first] = errors
  if (errors.length > 0) throw isShown ? new Shown(first) : first
}
