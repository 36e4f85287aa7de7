/** Commands about connect links. */
import type { CommandSpec } from '../spec.ts'

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
    load: async () => (await import('../actions/links.ts')).createLink,
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
    load: async () => (await import('../actions/links.ts')).listLinks,
  },
  {
    name: 'links revoke',
    args: '<link>',
    about: 'revoke a link, which is named by its id or its end user; its page stops working at once',
    options: [{ flags: '-y, --yes', about: 'revoke without a question' }],
    examples: ['ferrule links revoke user-17 --yes', 'ferrule links revoke user-18 -y --quiet'],
    record: async () => (await import('../../wire/connect/links.ts')).connectLinkRecord,
    load: async () => (await import('../actions/links.ts')).revokeLink,
  },
]
