/** `api`, `open` and `complete`, which prints the script of a shell: it asks `ferrule complete -- WORDS` for what can follow. */
import { spawn } from 'node:child_process'
import { requestAny } from '../../client/any-route.ts'
import { Connectors } from '../../client/resources/connectors.ts'
import { isReading } from '../../values/methods.ts'
import type { VendorRequest } from '../../wire/vendor-request.ts'
import { type CommandContext, readFlag, readList, readText } from '../context.ts'
import { failSetting, failUsage } from '../failure.ts'
import { readObjectOption } from '../params.ts'
import { callOptions, openSession } from '../session.ts'
import { readSettings } from '../settings.ts'
import { findConnector } from '../target/target.ts'
import { addParams } from '../typed-values.ts'

const methods: readonly VendorRequest['method'][] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Sends the members of a request in what its method carries: query, form or body. */
function sendMembers({ options }: CommandContext, method: VendorRequest['method'], members: Readonly<Record<string, unknown>> | undefined) {
  if (members === undefined) return {}
  if (isReading(method)) return { query: members }
  return readFlag(options, 'form') ? { form: members } : { body: members }
}

async function requestVendor(context: CommandContext, name: string, request: VendorRequest): Promise<void> {
  const transport = await openSession(context)
  const { id } = await findConnector(transport, name, context)
  await context.output.value(await new Connectors(transport).request(id, request, callOptions(context)))
}

/** Sends a request to any route, with the identity of the settings. */
export async function api(context: CommandContext): Promise<void> {
  const { args, options, output } = context
  const [given = '', path = ''] = args
  const method = methods.find((name) => name === given.toUpperCase())
  if (method === undefined) throw failUsage(`There is no method ${given}.`, `Methods: ${methods.join(', ')}.`)
  if (method === 'DELETE') await context.ask.confirm(`Send DELETE ${path}`, readFlag(options, 'yes'))
  const data = readText(options, 'data')
  const fields = readList(options, 'field')
  const base = data === undefined ? {} : await readObjectOption(data, '--data')
  const members = addParams(base, fields, undefined)
  const hasMembers = data !== undefined || fields.length > 0
  const connector = readText(options, 'connector')
  if (connector !== undefined)
    return requestVendor(context, connector, { method, path, ...sendMembers(context, method, hasMembers ? members : undefined) })
  if (readFlag(options, 'form')) throw failUsage('--form goes with --connector only.', 'Leave it out: routes of the service take JSON.')
  if (method === 'HEAD') throw failUsage('HEAD goes with --connector only.', 'Send GET to routes of the service.')
  const query = Object.fromEntries(Object.entries(members).map(([name, value]) => [name, String(value)]))
  const answer = await requestAny(
    await openSession(context),
    { method, path },
    {
      ...callOptions(context),
      ...(!hasMembers ? {} : method === 'GET' ? { query } : { body: members }),
    },
  )
  const type = answer.headers.get('content-type') ?? ''
  if (type.includes('json') && !type.includes('ndjson')) return output.value(await answer.json())
  for await (const chunk of answer.stream ?? []) await output.bytes(chunk)
}

const openers: Readonly<Record<string, readonly string[]>> = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] }

/** Opens the console in a browser, and prints its address and that of the documentation. */
export async function openPages(context: CommandContext): Promise<void> {
  const { url } = await readSettings(context.flags, context.env)
  if (url === undefined) throw failSetting('No service is set.', 'Run: ferrule login, or give --url, or set FERRULE_URL.')
  const service = url.value.replace(/\/+$/, '')
  const pages = { console: `${service}/console`, reference: `${service}/docs` }
  if (!readFlag(context.options, 'print')) {
    const [program = 'xdg-open', ...rest] = openers[process.platform] ?? ['xdg-open']
    const child = spawn(program, [...rest, pages.console], { stdio: 'ignore', detached: true })
    child.on('error', () => context.note('No browser could be opened: open the address of the console yourself.'))
    child.unref()
  }
  await context.output.value(pages)
  context.note('Sign in to the console with the client id and the secret of an application. The documentation needs no sign-in.')
}

/**
 * The script for bash. That of the library needs the package bash-completion, cannot be read twice, and runs substitutions of the line.
 * This one works in bash 3.2 of macOS too, which has no `compopt`.
 */
const bashScript = `# completion of ferrule for bash
_ferrule() {
  local rest=\${COMP_LINE:0:COMP_POINT} words=() cur='' blank text about i
  rest=\${rest#*"\${COMP_WORDS[0]}"}
  # bash cuts words at = and : and @ too: pieces without a blank between them are one word.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    blank=\${rest%%[![:space:]]*}
    rest=\${rest#"$blank"}
    if [[ -n $blank && $i -gt 1 ]]; then words+=("$cur") cur=''; fi
    if ((i == COMP_CWORD)); then cur+=$rest; else cur+=\${COMP_WORDS[i]} rest=\${rest#"\${COMP_WORDS[i]}"}; fi
  done
  words+=("$cur")
  COMPREPLY=()
  while IFS=$'\\t' read -r text about; do
    if [[ $text != :* ]]; then COMPREPLY+=("\${text#"\${cur%"\${cur##*[=:@]}"}"}"); continue; fi
    if ((\${text#:} & 2)); then compopt -o nospace 2>/dev/null; fi
    if ((\${text#:} & 4)); then compopt +o default 2>/dev/null; fi
  done < <(ferrule complete -- "\${words[@]//[\\"\\'\\\\]/}" 2>/dev/null)
}
complete -o default -F _ferrule ferrule
`

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const

/** Prints the completion script of a shell. */
export async function complete({ args, output }: CommandContext): Promise<void> {
  const shell = shells.find((name) => name === args[0])
  if (shell === undefined) throw failUsage(`There is no script for the shell ${args[0]}.`, `Shells: ${shells.join(', ')}.`)
  if (shell === 'bash') return output.sink.writeBytes(bashScript)
  const { script } = await import('@bomb.sh/tab')
  script(shell, 'ferrule', 'ferrule')
}
