import {
  type Sandbox,
  type SandboxOptions,
  sandboxCredentials,
  shopifyCredentials,
  snowflakeCredentials,
  startSandbox,
  tiktokCredentials,
} from './index.ts'

function numberSetting(name: string): number | undefined {
  const text = process.env[name]
  if (text === undefined || text === '') return undefined
  if (!/^\d{1,15}$/.test(text)) throw new RangeError(`${name} must be a non-negative integer, it is ${text}`)
  return Number(text)
}

function readOptions(): SandboxOptions {
  const port = numberSetting('SANDBOX_PORT') ?? 0
  const mediaBytes = numberSetting('SANDBOX_MEDIA_BYTES')
  return {
    host: process.env['SANDBOX_HOST'] || '127.0.0.1',
    ports: port === 0 ? {} : { api: port, oauth: port + 1, media: port + 2, shopify: port + 3, tiktok: port + 4, snowflake: port + 5 },
    limits: process.env['SANDBOX_LIMITS'] !== 'off',
    mediaBytes,
  }
}

function banner({ origins, gong, tiktok }: Sandbox): string {
  const known = sandboxCredentials
  return [
    'Sandbox of the vendors; the data are invented, the credentials are public.',
    '',
    'Gong',
    `  API      ${origins.gong.api}`,
    `  OAuth    ${origins.gong.oauth}`,
    `  Media    ${origins.gong.media}`,
    `  Key      ${known.accessKey} / ${known.accessKeySecret}`,
    `  Client   ${known.clientId} / ${known.clientSecret}, code ${known.code}`,
    `  Tokens   ${known.accessToken}, ${known.refreshToken}`,
    `  Consent  ${known.administrator} / ${known.password}`,
    `  World    ${gong.world.counts.users} users, ${gong.world.counts.calls} calls; GET ${origins.gong.api}/_sandbox/world tells ids`,
    '',
    'Shopify',
    `  API      ${origins.shopify.api}`,
    `  Shop     ${shopifyCredentials.shop}`,
    `  Token    ${shopifyCredentials.token}`,
    `  App      ${shopifyCredentials.clientId} / ${shopifyCredentials.clientSecret}`,
    `  Consent  ${shopifyCredentials.owner} / ${shopifyCredentials.password}`,
    `  World    GET ${origins.shopify.api}/_sandbox/world tells ids`,
    '',
    'TikTok Marketing',
    `  API      ${origins['tiktok-marketing'].api}`,
    `  Token    ${tiktokCredentials.accessToken}`,
    `  App      ${tiktokCredentials.appId} / ${tiktokCredentials.secret}, code ${tiktokCredentials.authCode}`,
    `  Consent  ${tiktokCredentials.user} / ${tiktokCredentials.password}, code ${tiktokCredentials.verificationCode}`,
    `  Account  ${tiktok.world.advertiserId}`,
    `  World    GET ${origins['tiktok-marketing'].api}/_sandbox/world tells ids`,
    '',
    'Snowflake',
    `  API      ${origins.snowflake.api}`,
    `  Account  ${snowflakeCredentials.account}`,
    `  Token    ${snowflakeCredentials.token}`,
    `  Client   ${snowflakeCredentials.clientId} / ${snowflakeCredentials.clientSecret}`,
    `  Consent  ${snowflakeCredentials.login} / ${snowflakeCredentials.password}`,
    `  Context  ${snowflakeCredentials.database}, ${snowflakeCredentials.warehouse}, ${snowflakeCredentials.role}`,
    `  World    GET ${origins.snowflake.api}/_sandbox/world tells names`,
    '',
    'Ctrl+C stops it.',
    '',
  ].join('\n')
}

const help = `Stand-ins of the vendors over HTTP, for tests, examples and demos. They print their addresses and credentials.

Usage: npm run sandbox

Settings are variables of the environment:
  SANDBOX_HOST         address to listen on; 127.0.0.1 by default
  SANDBOX_PORT         port of Gong's API, and the next five: Gong's OAuth and media, Shopify, TikTok, Snowflake; 0, the default, takes free ports
  SANDBOX_LIMITS       off removes rates and quotas
  SANDBOX_MEDIA_BYTES  size of the files of the one large call; 12 MiB by default

Example: SANDBOX_PORT=4600 npm run sandbox
`

const [argument] = process.argv.slice(2)
if (argument === '--help' || argument === '-h') {
  process.stdout.write(help)
  process.exit(0)
}
if (argument !== undefined) {
  process.stderr.write(`The sandbox takes no argument ${argument}.\n\n${help}`)
  process.exit(1)
}

// A parent that no longer exists before the servers are open must not leave them behind.
process.once('disconnect', () => process.exit(0))

const sandbox = await startSandbox(readOptions())

async function stop(): Promise<void> {
  await sandbox.close()
  process.exit(0)
}

process.once('SIGTERM', stop)
process.once('SIGINT', stop)
if (process.send) process.send({ type: 'ready', origins: sandbox.origins })
else process.stdout.write(banner(sandbox))
