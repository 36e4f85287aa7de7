/** Runs every recipe of docs/library.md and docs/agents.md as a program of its own against the sandbox or a service; only the origin is added. */
import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { toolOptions } from '../../packages/ferrule/src/agent/create-tools.ts'
import { hostedOptions } from '../../packages/ferrule/src/client/connect.ts'
import { hostedCallRules } from '../../packages/ferrule/src/client/connector.ts'
import { connectOptions, rowOptions } from '../../packages/ferrule/src/engine/local.ts'
import { sandboxCredentials, snowflakeCredentials, tiktokCredentials } from '../../packages/sandbox/src/index.ts'
import { root } from '../../scripts/paths.mjs'
import { onlyUsers, startCopyWorld, syncedConnector } from '../http/search-support.ts'
import { client } from '../http/support.ts'
import { makeFolder } from '../support/folder.ts'
import { share } from '../support/share.ts'

const page = readFileSync(join(root, 'docs/library.md'), 'utf8')
const agents = readFileSync(join(root, 'docs/agents.md'), 'utf8')
const recipes = [...`${page}\n${agents}`.matchAll(/^### (.+)\n\n```js\n([\s\S]*?)^```$/gm)].map(([, name = '', code = '']) => ({
  name,
  code,
}))

const world = await share(startCopyWorld('postgres'))
await syncedConnector(world, 'my calls', onlyUsers)
const sandbox = world.sandbox
// Below node_modules, where `ferrule` resolves to the package of this workspace.
const folder = makeFolder('recipes', afterAll, join(root, 'node_modules/.cache'))

const printed: Readonly<Record<string, RegExp>> = {
  'Walk a list with a bound': /^[1-9]\d* active users$/m,
  'Keep the position of a list between two runs': /^[1-9]\d* calls, then [1-9]\d*$/m,
  'Read a report': /^[1-9]\d* clicks$/m,
  'Handle an error': /^ask for new credentials: upstream_auth_failed$/m,
  'Store renewed credentials': /^renewed and stored$/m,
  'Save a download': /^saved audio\/mpeg$/m,
  'Search the copy of a service': /^[1-9]\d* active users$/m,
  'Export to a file': /^saved users\.csv$/m,
  'Write once': /^inserted 1$/m,
  'Read typed rows of a statement': /^3 at 2021-01-28T22:09:37\.123456789, 673 days later, 2 elements$/m,
  'Share a rate between processes': /^3 calls, then wait for 24 hours$/m,
  'Give the tools to a framework': /^4 times list_connectors, describe, execute, search, aggregate, changes, read_more, current_time$/m,
  'Call a model yourself': /^8 tools, gong users\.list of "my calls": \d+ rows/m,
  'Connect without a service': /^"calls": gong, active\n"warehouse": snowflake, active$/m,
  'Give an end user their connectors only': /^Error connector_not_found: .*\nNext: No connector is connected\./m,
  'Read an answer to its end': /^5 parts, the last one: gong users\.list of "my calls": rows \d+ to \d+ of 100/m,
  'Make a tool for each operation': /^gong_calls_list, gong_users_list, gong_users_get, read_more$/m,
  'Let the agent write': /^\{"number of rows inserted":1\}$/m,
}

test.each([
  ['## Options of `connect`', connectOptions],
  ['## Options of `connect` for a service', hostedOptions],
  ['## Options of a call', { ...hostedCallRules, ...rowOptions }],
  ['## Options', toolOptions],
])('%s has a row for each option', (heading, options) => {
  const text = options === toolOptions ? agents : page
  const section = text.slice(text.indexOf(`${heading}\n`)).split('\n## ')[0] ?? ''
  const rows = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
  expect(rows.toSorted()).toEqual(Object.keys(options).toSorted())
})

test('every recipe is run', () => {
  expect(recipes.map(({ name }) => name)).toEqual(Object.keys(printed))
})

/** Runs a recipe as a program. @returns what it prints */
async function run({ name, code }: (typeof recipes)[number]): Promise<string> {
  const file = join(folder, `${name.replaceAll(' ', '-')}.mjs`)
  writeFileSync(
    file,
    code.replaceAll(
      /connect\('([a-z-]+)', \{(?=\s*credentials)/g,
      (head, kind) => `${head} origin: JSON.parse(process.env.ORIGINS)['${kind}'],`,
    ),
  )
  const env = {
    ...process.env,
    FERRULE_URL: world.url,
    FERRULE_CLIENT_ID: client.id,
    FERRULE_CLIENT_SECRET: client.secret,
    ORIGINS: JSON.stringify(sandbox.origins),
    GONG_ACCESS_KEY: sandboxCredentials.accessKey,
    GONG_ACCESS_KEY_SECRET: sandboxCredentials.accessKeySecret,
    GONG_REFRESH_TOKEN: sandboxCredentials.refreshToken,
    GONG_CLIENT_ID: sandboxCredentials.clientId,
    GONG_CLIENT_SECRET: sandboxCredentials.clientSecret,
    SNOWFLAKE_TOKEN: snowflakeCredentials.token,
    TIKTOK_TOKEN: tiktokCredentials.accessToken,
    TIKTOK_ADVERTISER: sandbox.tiktok.world.advertiserId,
  }
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: folder, env })
  return stdout
}

test.each(recipes)('$name', async (recipe) => {
  expect(await run(recipe)).toMatch(printed[recipe.name] ?? /^$/)
})

test('the recipe for several processes counts their calls together', async () => {
  const recipe = recipes.find(({ name }) => name === 'Share a rate between processes')
  if (recipe === undefined) throw new Error('the recipe is not there')
  const file = join(folder, 'rates.db')
  rmSync(file, { force: true })
  const outputs = await Promise.all([run(recipe), run(recipe)])
  expect(outputs.reduce((sum, output) => sum + Number(/^(\d) calls/m.exec(output)?.[1]), 0)).toBe(3)
})
