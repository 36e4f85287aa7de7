/** Steps for clients whose entry a person makes on their pages. */
import type { HostedClientName } from './names.ts'

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

/**
 * Formats the steps.
 * @param url address of the MCP endpoint; undefined: no service is set
 */
export const formatSteps = (name: HostedClientName, url: string | undefined): string =>
  [
    service,
    consent,
    '',
    ...steps[name].map((step, index) => `${index + 1}. ${step}`),
    '',
    `Address: ${url ?? 'the address of the service and /mcp'}`,
    'All clients: docs/mcp-clients.md',
    '',
  ].join('\n')
