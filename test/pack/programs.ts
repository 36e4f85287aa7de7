/** Programs of users, which run in a project that has the packages installed. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sandboxCredentials, snowflakeCredentials, tiktokCredentials } from '../../packages/sandbox/src/index.ts'
import { root } from '../../scripts/paths.mjs'

/** A program that calls over HTTP, against the sandbox package. */
export const callsProgram = `
import { connect } from 'ferrule'
import { startSandbox } from '@ferrule/sandbox'

const sandbox = await startSandbox()
const gong = connect('gong', {
  credentials: { access_key: 'sandbox', access_key_secret: 'sandbox-secret' },
  origin: sandbox.origins.gong,
})
const users = await gong.users.list()
const first: string | undefined = users.data[0]?.emailAddress
console.log(JSON.stringify({ rows: users.data.length > 0, first: typeof first, meta: typeof users.meta, node: process.version }))
await gong.close()
await sandbox.close()
`

/** A program that uses the library alone: it connects, and calls nothing. */
export const connectsProgram = `
import { connect, FerruleError } from 'ferrule'
import { connector, entity, str } from 'ferrule/definition'
import { createEngine } from 'ferrule/engine'

const gong = connect('gong', { credentials: { access_key: 'a', access_key_secret: 'b' } })
// @ts-expect-error an entity that the kind does not have
const wrong = () => gong.execute('no_such_entity', 'list', {})
// @ts-expect-error a parameter of another type
const wrongToo = () => gong.calls.list({ fromDateTime: 1 })
const title = async (): Promise<string | null | undefined> => (await gong.calls.list({ fromDateTime: '2026-01-01T00:00:00Z' })).data[0]?.title
const parts = { wrong, wrongToo, title, connector, entity, str, createEngine, FerruleError, execute: gong.execute }
const types = Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, typeof part]))
console.log(JSON.stringify(types))
`

/** A program that finds the classes of the library through each entry. */
export const classesProgram = `
import { connect, FerruleError } from 'ferrule'
import { fail } from 'ferrule/internal'
import { checkCredentials, createEngine } from 'ferrule/engine'

const gong = connect('gong', { credentials: { access_key: 'a', access_key_secret: 'b' } })
const refused = await gong.calls.list({ fromDateTime: 'never' }).catch((error) => error)
console.log(JSON.stringify([refused instanceof FerruleError, refused.code, fail('validation_failed', {}) instanceof FerruleError]))
`

/** A program that gives tools to each agent framework. It asks no model. */
export const agentsProgram = `
import type Anthropic from '@anthropic-ai/sdk'
import { Agent } from '@openai/agents'
import type { generateText } from 'ai'
import { connect } from 'ferrule'
import { createTools } from 'ferrule/agents'
import { tools as toAiSdk } from 'ferrule/ai-sdk'
import { tools as toAnthropic } from 'ferrule/anthropic'
import { tools as toLangChain } from 'ferrule/langchain'
import { tools as toOpenAi } from 'ferrule/openai-agents'
import { createAgent, FakeToolCallingModel } from 'langchain'

const gong = connect('gong', { credentials: { access_key: 'a', access_key_secret: 'b' } })
const aiSdk = await toAiSdk(gong)
const langChain = await toLangChain(gong)
const openAi = await toOpenAi(gong)
const anthropic = await toAnthropic(gong)
const takenByAiSdk: Parameters<typeof generateText>[0]['tools'] = aiSdk
const takenByAnthropic: Parameters<Anthropic['beta']['messages']['toolRunner']>[0]['tools'] = anthropic
const agents = [new Agent({ name: 'Test', tools: openAi }), createAgent({ model: new FakeToolCallingModel({}), tools: langChain })]
const core = (await createTools(gong)).map((tool) => tool.name)
const names = [aiSdk, takenByAiSdk ?? {}].map((made) => Object.keys(made))
const lists = [langChain, openAi, takenByAnthropic].map((made) => made.map((tool) => ('name' in tool ? tool.name : '')))
const answer = await aiSdk['list_connectors']?.execute({})
const same = [...names, ...lists].map((each) => each.join() === core.join())
console.log(JSON.stringify({ same, agents: agents.length, answered: /gong/.test(answer ?? '') }))
await gong.close()
`

/** A program that asks for tools of frameworks that are not installed. It prints what each of them says. */
export const peerlessProgram = `
import { connect } from 'ferrule'
const gong = connect('gong', { credentials: { access_key: 'a', access_key_secret: 'b' } })
const refusals = []
for (const name of ['anthropic', 'langchain', 'openai-agents']) {
  const { tools } = await import('ferrule/' + name)
  refusals.push(await tools(gong).catch(({ code, message, hint }) => [code, message, hint].join(' ')))
}
const { startTracing } = await import('ferrule/opentelemetry')
refusals.push(await startTracing().catch(({ code, message, hint }) => [code, message, hint].join(' ')))
const { tools } = await import('ferrule/ai-sdk')
console.log(JSON.stringify({ refusals, aiSdk: Object.keys(await tools(gong)).length }))
await gong.close()
`

/** A program in CommonJS. */
export const requiringProgram = `
const { connect, FerruleError } = require('ferrule')
console.log(JSON.stringify([typeof connect, typeof FerruleError]))
`

/** A program with a kind of `@ferrule/kinds`. */
export const kindsProgram = `
import { connect } from 'ferrule/core'
import { github } from '@ferrule/kinds/github'
import { googleCalendar } from '@ferrule/kinds/google-calendar'

const connector = connect(github, { credentials: { token: 'token' }, origin: 'http://127.0.0.1:1' })
// @ts-expect-error The types ask for the repository and the number too; the refusal at run time is what is tried.
const refused = await connector.entity('issues').get({ owner: 'octo' }).catch((error) => error.code)
await connector.close()
console.log(JSON.stringify([googleCalendar.definition.kind, refused]))
`

/** A program that runs the service within itself. */
export const serviceProgram = `
import { startService } from '@ferrule/server'

const service = await startService({ FERRULE_PORT: '0', FERRULE_DATA: process.argv[2], FERRULE_LOG_LEVEL: 'silent', FERRULE_SANDBOX: 'off' })
const { status } = await fetch(\`\${service.url}/health/live\`)
// Registration loads the authorization server.
const body = JSON.stringify({ redirect_uris: ['https://client.example/'], token_endpoint_auth_method: 'none' })
const registration = await fetch(\`\${service.url}/oauth/register\`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
const signIn = await fetch(\`\${service.url}/console\`)
const page = await fetch(\`\${service.url}/connect/an-id\`)
const [, file = ''] = /src="([^"]+)"/.exec(await page.text()) ?? []
const script = await fetch(service.url + file)
await service.close()
console.log(JSON.stringify({ status, registered: registration.status, pages: [signIn.status, page.status, script.status] }))
`

const printUsers = `
const { data } = await gong.users.list()
console.log(data.length + ' users')
await gong.close()`
const options =
  '{ credentials: { access_key: process.env.GONG_ACCESS_KEY, access_key_secret: process.env.GONG_ACCESS_KEY_SECRET }, origin: process.env.ORIGIN }'

/** Programs that are bundled: with one kind, with all kinds, for a connector of the service, and for a page that opens a connect link. */
export const bundledPrograms = {
  oneKind: `
import { connect } from 'ferrule/core'
import { gong as kind } from 'ferrule/gong'
const gong = connect(kind, ${options})
${printUsers}`,
  allKinds: `
import { connect } from 'ferrule'
async function main() {
const gong = connect('gong', ${options})
${printUsers}
}
void main()`,
  hosted: `
import { connect } from 'ferrule/core'
const gong = connect('gong', { session: true })
document.title = String((await gong.users.list()).data.length)`,
  connectLink: `
import { openConnect } from 'ferrule/connect-link'
document.title = String(openConnect)`,
}

/** Options of a strict project. */
export const strict = {
  strict: true,
  target: 'ES2023',
  module: 'NodeNext',
  moduleResolution: 'NodeNext',
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  types: ['node'],
}

/** Builds the programs of README, pointed at the sandbox: `ORIGINS` holds its addresses. Only names of what it reaches change. */
export function buildReadmeProgram(): string {
  const blocks = [...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code)
  const names = { 'myorg-my_account': 'sandbox-account', SHOP: 'SANDBOX', REPORTING_WH: 'SANDBOX_WH', REPORTER: 'SANDBOX_ROLE' }
  const code = Object.entries(names).reduce((text, [shown, real]) => text.replaceAll(`'${shown}'`, `'${real}'`), blocks.join('\n'))
  return code.replaceAll(/connect\('([a-z-]+)', \{/g, (head, kind) => `${head} origin: JSON.parse(process.env.ORIGINS ?? '')['${kind}'],`)
}

/** What the programs of README find in their environment. */
export const readmeEnvironment = {
  GONG_ACCESS_KEY: sandboxCredentials.accessKey,
  GONG_ACCESS_KEY_SECRET: sandboxCredentials.accessKeySecret,
  TIKTOK_ACCESS_TOKEN: tiktokCredentials.accessToken,
  SNOWFLAKE_TOKEN: snowflakeCredentials.token,
}

/**
 * Reads the type tests of the project, and lets them import the installed packages.
 * @returns texts by the names of their files
 */
export function readTypeTests(): Record<string, string> {
  const folder = join(root, 'test/types')
  const names = readdirSync(folder).filter((name) => name.endsWith('.test-d.ts') || name === 'same.ts')
  const texts = names.map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const)
  const installed = texts.map(([name, text]) => [
    name,
    text
      .replaceAll("'../../packages/ferrule/src/index.ts'", "'ferrule'")
      .replaceAll("'../../packages/ferrule/src/definition/index.ts'", "'ferrule/definition'")
      .replaceAll("'../../packages/ferrule/src/wire/index.ts'", "'ferrule/wire'")
      .replaceAll("'../../packages/ferrule/src/core.ts'", "'ferrule/core'")
      .replaceAll("'../../packages/ferrule/src/kind-file/index.ts'", "'ferrule/kind'")
      .replaceAll("'../../packages/ferrule/src/", "'./node_modules/ferrule/dist/"),
  ])
  return Object.fromEntries(installed)
}

/** Compiler options of a project for browsers, which has no types of Node. */
export const browserOptions = {
  types: [],
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['es2024', 'dom', 'dom.iterable', 'esnext.disposable'],
}

/** A program of such a project. */
export const browserProgram = `
import { connect, Ferrule, FerruleError } from 'ferrule/core'
import { openConnect } from 'ferrule/connect-link'
export const platform = new Ferrule({ url: 'https://ferrule.example', token: 'a token' })
export const all = [connect, FerruleError, openConnect]
`
