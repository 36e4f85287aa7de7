/** The service as a program: it starts, prints how to use it, and ends on a signal. */
import type { FirstApplication } from '../tenancy/applications/first-start.ts'
import { findExitCode, formatFailure } from './failure.ts'
import { showSecret } from './operator/show-secret.ts'
import { type Service, startService } from './service.ts'

const json = "-H 'content-type: application/json'"
const bearer = '-H "authorization: Bearer $TOKEN"'

/** The operator's command: in a checkout, as an installed package, and in the image or installed for the machine. */
const command = import.meta.url.endsWith('.ts')
  ? 'npm run ferrule-server --'
  : import.meta.url.includes('/node_modules/')
    ? 'npx ferrule-server'
    : 'ferrule-server'

/** Quotes a value for a shell, with single quotes. */
const quoteForShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Builds the body of a token request. Without a known secret, the shell inserts its variable between two quoted parts. */
const buildTokenBody = ({ clientId, clientSecret }: FirstApplication): string => {
  if (clientSecret !== undefined) return quoteForShell(JSON.stringify({ client_id: clientId, client_secret: showSecret(clientSecret) }))
  return `'{"client_id":${JSON.stringify(clientId)},"client_secret":"'"$FERRULE_CLIENT_SECRET"'"}'`
}

/** Builds a loop that prints the state of the users' copy each second, until the copy is searchable; for 300 turns at most. Every shell of POSIX runs it. */
const buildWait = (connector: string): string =>
  `for _ in $(seq 300); do curl -s ${connector}/context_store ${bearer} | grep -oE '"entity":"users","state":"[a-z_]+"' | tee /dev/stderr | grep -q ready && break; sleep 1; done`

const search =
  '{"entity":"users","action":"context_store_search","params":{"query":{"filter":{"fuzzy":{"title":"enginer"}},"sort":[{"lastName":"asc"}]},"limit":3}}'

/** Builds lines for every shell of POSIX. They work repeatedly, because each run gives the connector a new name. */
function buildExamples(url: string, first: FirstApplication): string[] {
  const connector = '{"workspace_name":"default","connector_type":"gong","name":"sandbox \'$(date +%s)-$$\'",'
  const credentials = '"credentials":{"access_key":"sandbox","access_key_secret":"sandbox-secret"},"environment":{"sandbox":true}}'
  const connectors = `${url}/api/v1/integrations/connectors`
  return [
    `TOKEN=$(curl -s ${url}/api/v1/account/applications/token ${json} -d ${buildTokenBody(first)} | sed -E 's/.*"access_token":"([^"]+)".*/\\1/')`,
    `CONNECTOR=$(curl -s ${connectors} ${bearer} ${json} -d '${connector}${credentials}' | sed -E 's/^\\{"id":"([^"]+)".*/\\1/')`,
    `curl -s -w '\\n' ${connectors}/$CONNECTOR/execute ${bearer} ${json} -d '{"entity":"users","action":"list"}'`,
    buildWait(`${connectors}/$CONNECTOR`),
    `curl -s -w '\\n' ${connectors}/$CONNECTOR/execute ${bearer} ${json} -d '${search}'`,
  ]
}

/** Builds the lines about the secret: the secret itself when it is new, else where it is or the command that replaces it. */
const buildSecretLines = ({ clientSecret, settings }: FirstApplication): string[] => {
  if (clientSecret !== undefined) return [`Client secret  ${showSecret(clientSecret)}   (shown this once: keep it)`]
  if (settings === 'same') return ['Client secret  the value of FERRULE_OPERATOR_CLIENT_SECRET']
  const rotate = `               ${command} applications rotate`
  if (settings === 'none') return ['Client secret  shown at the first start; to replace it:', rotate]
  return [
    'Client secret  kept: FERRULE_OPERATOR_CLIENT_ID and FERRULE_OPERATOR_CLIENT_SECRET are not those of the first application.',
    '               To give it this pair:',
    rotate,
  ]
}

/**
 * Builds the lines that the operator reads after the start.
 * @param options `sandbox`: the examples can run
 */
export function buildBanner(options: { readonly url: string; readonly first: FirstApplication; readonly sandbox: boolean }): string {
  const { url, first, sandbox } = options
  const intro = first.clientSecret === undefined ? 'Try it, with FERRULE_CLIENT_SECRET set in the shell:' : 'Try it:'
  return [
    `Ferrule listens on ${url}`,
    '',
    `Client id      ${first.clientId}`,
    ...buildSecretLines(first),
    `Console        ${url}/console`,
    `Documentation  ${url}/docs`,
    ...(sandbox ? ['', intro, '', ...buildExamples(url, first)] : []),
    '',
    '',
  ].join('\n')
}

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
