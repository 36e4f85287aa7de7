import type { FirstApplication } from '../platform/types.ts'
import { showSecret } from './show-secret.ts'

const json = "-H 'content-type: application/json'"
const bearer = '-H "authorization: Bearer $TOKEN"'

/** The executable: the sources run from their folder, the published program by its name. */
const command = import.meta.url.endsWith('.ts') ? 'npm run ferrule --' : 'npx ferrule'

/** A value within single quotes of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A JSON text in which the shell fills in a variable: the quotes end before it and begin again after it. */
const tokenBody = ({ clientId, clientSecret }: FirstApplication): string => {
  if (clientSecret !== undefined) return quoted(JSON.stringify({ client_id: clientId, client_secret: showSecret(clientSecret) }))
  return `'{"client_id":${JSON.stringify(clientId)},"client_secret":"'"$FERRULE_CLIENT_SECRET"'"}'`
}

/** Shows the state of the copy of the users each second, until it can be searched; a minute at most. */
const waiting = (connector: string): string =>
  `for _ in {1..60}; do curl -s ${connector}/context_store ${bearer} | grep -oE '"entity":"users","state":"[a-z_]+"' | tee /dev/stderr | grep -q ready && break; sleep 1; done`

const search =
  '{"entity":"users","action":"context_store_search","params":{"query":{"filter":{"fuzzy":{"title":"enginer"}},"sort":[{"lastName":"asc"}]},"limit":3}}'

/** The lines work as they stand in bash and zsh, also when they are pasted again: the connector's name is new each time. */
function examples(url: string, first: FirstApplication): string[] {
  const connector = '{"workspace_name":"default","connector_type":"gong","name":"sandbox \'$(date +%s)-$RANDOM\'",'
  const credentials = '"credentials":{"access_key":"sandbox","access_key_secret":"sandbox-secret"},"environment":{"sandbox":true}}'
  const connectors = `${url}/api/v1/integrations/connectors`
  return [
    `TOKEN=$(curl -s ${url}/api/v1/account/applications/token ${json} -d ${tokenBody(first)} | sed -E 's/.*"access_token":"([^"]+)".*/\\1/')`,
    `CONNECTOR=$(curl -s ${connectors} ${bearer} ${json} -d '${connector}${credentials}' | sed -E 's/^\\{"id":"([^"]+)".*/\\1/')`,
    `curl -s ${connectors}/$CONNECTOR/execute ${bearer} ${json} -d '{"entity":"users","action":"list"}'`,
    waiting(`${connectors}/$CONNECTOR`),
    `curl -s ${connectors}/$CONNECTOR/execute ${bearer} ${json} -d '${search}'`,
  ]
}

/** How the secret is told: once in full, later by the command that makes a new one. */
const secretLines = (first: FirstApplication, isGiven: boolean): string[] => {
  if (first.clientSecret !== undefined) return [`Client secret  ${showSecret(first.clientSecret)}   (shown this once: keep it)`]
  if (isGiven) return ['Client secret  as FERRULE_CLIENT_SECRET says']
  return ['Client secret  as shown at the first start; a new one:', `               ${command} application rotate-secret ${first.clientId}`]
}

/**
 * What the operator reads after the start.
 * @param options `sandbox`: whether the examples can run; `isGiven`: the client pair came from the settings
 */
export function banner(options: {
  readonly url: string
  readonly first: FirstApplication
  readonly sandbox: boolean
  readonly isGiven: boolean
}): string {
  const { url, first, sandbox, isGiven } = options
  const intro = first.clientSecret === undefined ? 'Try it, with FERRULE_CLIENT_SECRET set in the shell:' : 'Try it:'
  return [
    `Ferrule listens on ${url}`,
    '',
    `Client id      ${first.clientId}`,
    ...secretLines(first, isGiven),
    `Reference      ${url}/docs`,
    ...(sandbox ? ['', intro, '', ...examples(url, first)] : []),
    '',
    '',
  ].join('\n')
}
