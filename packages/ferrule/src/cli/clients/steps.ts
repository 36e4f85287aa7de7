/** Steps for clients whose entry a person makes on their pages. */
import { isPublicUrl } from '../../engine/http/public-address.ts'
import { failUsage } from '../failure.ts'
import type { FileClientName, HostedClientName } from './names.ts'

const service = 'The service must have a public address with https, FERRULE_PUBLIC_URL: these clients call it from the internet.'
const consent = 'These clients take no token. They ask the service for OAuth, and a person agrees on its page.'

const steps: Readonly<Record<HostedClientName, readonly string[]>> = {
  chatgpt: [
    'In ChatGPT open Settings, Apps, Advanced settings, and switch on Developer mode.',
    'Choose Create app. Give the name Ferrule, the address below, and OAuth as authentication.',
    'Choose Create. Sign in on the page of the service with client id and secret of an application, and agree.',
    'In a chat choose + and Ferrule.',
  ],
  'claude.ai': [
    'In Claude open Customize, Connectors, and choose + and Add custom connector. In a team an owner does this.',
    'Give the name Ferrule and the address below, and choose Add.',
    'Choose Connect. Sign in on the page of the service with client id and secret of an application, and agree.',
    'In a chat choose + and Connectors, and switch Ferrule on.',
  ],
}

/** Title of each client, and the client of the same vendor that runs on this machine. */
const titles: Readonly<Record<HostedClientName, { readonly title: string; readonly here: FileClientName }>> = {
  chatgpt: { title: 'ChatGPT', here: 'codex' },
  'claude.ai': { title: 'Claude on the web', here: 'claude-desktop' },
}

/** Names that only this machine or its network knows: those without a dot, and those of ends that nobody can register. */
const isOwnName = (host: string): boolean => /^[^.]+$|\.(localhost|local|internal|lan|home|home\.arpa|svc)$/i.test(host)

/** Refuses an address that the servers of the client's vendor cannot reach. */
function assertReachable(name: HostedClientName, url: string): void {
  const address = new URL(url)
  if (isPublicUrl(address) && !isOwnName(address.hostname)) return
  const { title, here } = titles[name]
  throw failUsage(
    `${title} cannot reach ${url}: it runs on the servers of its vendor, and the address is known to this machine or its network only.`,
    'Give the service a public address with https, set FERRULE_PUBLIC_URL to it, and run this again with --url and that address. ' +
      `On this machine ${here} works: ferrule mcp install ${here}`,
  )
}

/**
 * Formats the steps.
 * @param url address of the MCP endpoint; undefined: no service is set
 * @throws FerruleError `validation_failed` for an address that only this machine or its network reaches
 */
export function formatSteps(name: HostedClientName, url: string | undefined): string {
  if (url !== undefined) assertReachable(name, url)
  return [
    service,
    consent,
    '',
    ...steps[name].map((step, index) => `${index + 1}. ${step}`),
    '',
    `Address: ${url ?? 'the address of the service and /mcp'}`,
    `All clients: ${url === undefined ? 'the address of the service and /docs/mcp-clients' : new URL('docs/mcp-clients', url).href}`,
    '',
  ].join('\n')
}
