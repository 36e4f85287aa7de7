/** Commands about connectors, kinds and connect links. */
import type { KindDocument } from '../../document/kind-document.ts'
import { describeMembers } from '../known-fields.ts'
import type { CommandSpec, OptionSpec } from '../spec.ts'

const fromFile: OptionSpec = { flags: '--from-file <path>', about: 'members as a file of JSON; - reads standard input' }
const changesDays: OptionSpec = {
  flags: '--changes-days <days>',
  about: 'days for which changes of its copy are kept, 1 to 90; default: as the service',
}
const noCheck: OptionSpec = { flags: '--no-check', about: 'store the credentials without trying them at the vendor' }
const kindMembers: readonly (keyof KindDocument)[] = [
  ...(['kind', 'title', 'description', 'documentation', 'credentials', 'configuration', 'entities'] as const),
]
const named = 'The connector is named by its id, its name, or its kind when there is one of it.'

/** Commands about connectors. */
export const connectorCommands: readonly CommandSpec[] = [
  {
    name: 'connectors create',
    args: '[kind]',
    about: 'create a connector; what is missing is asked for, secrets are hidden',
    details: 'A file has name, credentials, replication_config and environment, as POST /api/v1/integrations/connectors takes them.',
    options: [
      { flags: '--name <name>', about: 'name of the connector' },
      { flags: '--sandbox', about: 'call the stand-in of the vendor, with invented credentials unless a file has others' },
      changesDays,
      fromFile,
      noCheck,
    ],
    examples: [
      'ferrule connectors create gong --from-file gong.json',
      'ferrule connectors create gong --name second --from-file - < gong.json',
    ],
    record: async () => (await import('../../wire/connectors.ts')).connectorRecord,
    load: async () => (await import('../actions/connectors.ts')).createConnector,
  },
  {
    name: 'connectors list',
    about: 'list the connectors of the workspace',
    options: [
      { flags: '--kind <kind>', about: 'only connectors of this kind' },
      { flags: '--all-workspaces', about: 'connectors of every workspace' },
    ],
    examples: ['ferrule connectors list', 'ferrule connectors list --kind gong --format csv --fields id,name'],
    record: async () => (await import('../../wire/connectors.ts')).connectorSummary,
    load: async () => (await import('../actions/connectors.ts')).listConnectors,
  },
  {
    name: 'connectors get',
    args: '<connector>',
    about: 'show a connector; stored credentials are never shown',
    details: named,
    examples: ['ferrule connectors get gong', 'ferrule connectors get gong --jq .status'],
    record: async () => (await import('../../wire/connectors.ts')).connectorRecord,
    load: async () => (await import('../actions/connectors.ts')).getConnector,
  },
  {
    name: 'connectors update',
    args: '<connector>',
    about: 'change a connector; what is not given stays',
    details: `${named} Members of a file are merged, and null deletes a member.`,
    options: [
      { flags: '--name <name>', about: 'new name' },
      { flags: '--credentials', about: 'ask for new credentials' },
      changesDays,
      fromFile,
      noCheck,
    ],
    examples: ['ferrule connectors update second --name third', 'ferrule connectors update gong --from-file new-credentials.json'],
    record: async () => (await import('../../wire/connectors.ts')).connectorRecord,
    load: async () => (await import('../actions/connectors.ts')).updateConnector,
  },
  {
    name: 'connectors check',
    args: '<connector>',
    about: 'try the credentials at the vendor',
    details: named,
    examples: ['ferrule connectors check gong', 'ferrule connectors check gong --quiet --format json'],
    record: async () => ({ anyOf: [describeMembers('connector_id', 'name'), (await import('../../wire/checks.ts')).checkResult] }),
    load: async () => (await import('../actions/connectors.ts')).checkConnector,
  },
  {
    name: 'connectors delete',
    args: '<connector>',
    about: 'delete a connector, its credentials and its copy',
    details: named,
    options: [{ flags: '-y, --yes', about: 'delete without a question' }],
    examples: ['ferrule connectors delete third --yes', 'ferrule connectors delete gong -y --quiet'],
    record: async () => (await import('../../wire/connectors.ts')).jobRecord,
    load: async () => (await import('../actions/connectors.ts')).deleteConnector,
  },
  {
    name: 'connectors webhooks',
    args: '<connector>',
    about: 'show the webhooks that the vendor sends to a connector: their address, what came, and what is missing',
    details: [
      named,
      'The secret comes from a prompt, or from a file or standard input: JSON with secret. Options stand in the history of the shell.',
    ].join('\n'),
    options: [
      { flags: '--make', about: 'make the address unless it exists' },
      { flags: '--secret', about: 'ask for the secret that the vendor signs with' },
      { flags: '--from-file <path>', about: 'read the secret from a file of JSON; - reads standard input' },
      { flags: '--subscribe', about: 'ask the vendor for the topics of the copied entities, where the kind says how' },
      { flags: '--delete', about: 'delete the address with its secret, and events that wait there' },
      { flags: '-y, --yes', about: 'with --delete: without a question' },
    ],
    examples: ['ferrule connectors webhooks gong --make --jq .address', 'ferrule connectors webhooks gong --delete --yes --jq .missing'],
    record: async () => (await import('../../wire/vendor-webhooks.ts')).connectorWebhooks,
    load: async () => (await import('../actions/connectors.ts')).showWebhooks,
  },
  {
    name: 'definitions',
    args: '[kind]',
    about: 'list the kinds of external systems, or show one with its fields',
    examples: ['ferrule definitions', 'ferrule definitions shopify --jq ".configuration.required[]"'],
    record: async ({ args }) =>
      args.length > 0 ? describeMembers(...kindMembers) : (await import('../../wire/definitions.ts')).definitionSummary,
    load: async () => (await import('../actions/connectors.ts')).listDefinitions,
  },
]

/** Commands about connect links. */
export const linkCommands: readonly CommandSpec[] = [
  {
    name: 'links create',
    args: '<end-user>',
    about: 'create a link by which an end user authorizes a connector; its address is printed this once',
    details: [
      'The end user is an id of your own system. The page shows it, so that people see whom the link is for.',
      'With --connector the link replaces the credentials of a connector, and refuses those of another account.',
    ].join('\n'),
    options: [
      { flags: '--kind <kind>', about: 'kind to choose from, instead of all', isList: true },
      { flags: '--connector <connector>', about: 'connector to authorize again: its id, its name, or its kind' },
      { flags: '--allow-other-account', about: 'with --connector: let the credentials belong to another account' },
      { flags: '--user-name <name>', about: 'name of the end user, which the page shows' },
      { flags: '--email <address>', about: 'email address of the end user, which the page shows' },
      { flags: '--name <name>', about: 'name of the new connector' },
      { flags: '--redirect-url <url>', about: 'address that the page leads back to' },
      { flags: '--allowed-origin <origin>', about: 'origin of the page that opens the link' },
      { flags: '--days <days>', about: 'days until it expires; 7 by default, 90 at most' },
      { flags: '--sandbox', about: 'let the connector call the stand-in of the vendor' },
    ],
    examples: ['ferrule links create user-17 --kind gong --sandbox', 'ferrule links create user-18 --kind shopify --days 1 --jq .url'],
    record: async () => (await import('../../wire/connect/links.ts')).connectLinkSecret,
    load: async () => (await import('../actions/connectors.ts')).createLink,
  },
  {
    name: 'links list',
    about: 'list connect links, without their addresses',
    options: [
      { flags: '--status <status>', about: 'only open, used, revoked or expired ones' },
      { flags: '--end-user <id>', about: 'only those of this end user' },
    ],
    examples: ['ferrule links list', 'ferrule links list --status open --format csv --fields id,end_user.id,expires_at'],
    record: async () => (await import('../../wire/connect/links.ts')).connectLinkRecord,
    load: async () => (await import('../actions/connectors.ts')).listLinks,
  },
  {
    name: 'links revoke',
    args: '<link>',
    about: 'revoke a link, which is named by its id or its end user; its page stops working at once',
    options: [{ flags: '-y, --yes', about: 'revoke without a question' }],
    examples: ['ferrule links revoke user-17 --yes', 'ferrule links revoke user-18 -y --quiet'],
    record: async () => (await import('../../wire/connect/links.ts')).connectLinkRecord,
    load: async () => (await import('../actions/connectors.ts')).revokeLink,
  },
]
