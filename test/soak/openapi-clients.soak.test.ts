/**
 * Clients that five generators make from the API's document: each is generated, compiled, and calls the service. Needs Go, Python 3 with
 * venv, and the registries of npm, PyPI and Go.
 */
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onlyUsers, startCopyWorld, syncedConnector } from '../http/search-support.ts'
import type { World } from '../http/support.ts'
import { makeFolder } from '../support/folder.ts'

const timeout = 1_800_000
let world: World
const folder = makeFolder('clients')
let connectorId: string

beforeAll(async () => {
  world = await startCopyWorld('embedded')
  connectorId = await syncedConnector(world, 'generated clients', onlyUsers)
  const document = await world.ask('/openapi.json')
  await writeFile(join(folder, 'openapi.json'), document.text)
}, timeout)

afterAll(() => world.close())

/** Runs a program in a folder below that of the test; its output is what it printed. */
async function run(command: string, args: readonly string[], below = '.'): Promise<string> {
  const environment = {
    ...process.env,
    NODE_OPTIONS: '',
    FERRULE_TEST_URL: world.url,
    FERRULE_TEST_TOKEN: world.token,
    FERRULE_TEST_ID: connectorId,
  }
  const running = promisify(execFile)(command, args, { cwd: join(folder, below), env: environment, maxBuffer: 64 * 1024 * 1024 })
  // Compilers print their complaints to stdout, which the error leaves out.
  const { stdout } = await running.catch((error: { readonly stdout?: string }) => {
    throw new Error(`${command} ${args.join(' ')}: ${error.stdout}`, { cause: error })
  })
  return stdout
}

/** Computes what each program prints: the number of users that a list has, and that a search for the first of them has. */
const expected = async (): Promise<string> => {
  const list = await world.execute(connectorId, { entity: 'users', action: 'list' })
  return `${list.json.data.length} 1`
}

const call = (execute: string) => `
const [url, token, id] = ['FERRULE_TEST_URL', 'FERRULE_TEST_TOKEN', 'FERRULE_TEST_ID'].map((name) => process.env[name] ?? '')
const headers = { authorization: \`Bearer \${token}\` }
${execute}
async function main() {
  const list = await users()
  const found = await search(String(list[0]?.id))
  console.log(list.length, found.length)
}
main().catch((error) => { console.error(error); process.exit(1) })
`

const search = (id: string) => `{ entity: 'users', action: 'context_store_search', params: { query: { filter: { eq: { id: ${id} } } } } }`

test('TypeScript: openapi-typescript, hey-api and orval', { timeout }, async () => {
  await mkdir(join(folder, 'typescript'))
  const at = (name: string) => join(folder, 'typescript', name)
  await writeFile(at('package.json'), '{ "type": "commonjs" }')
  const packages = [
    'openapi-typescript@7.13.0',
    'openapi-fetch@0.17.0',
    '@hey-api/openapi-ts@0.95.0',
    'orval@7.13.2',
    'typescript@5.9.3',
    '@types/node@24',
  ]
  await run('npm', ['install', '--silent', '--no-audit', ...packages], 'typescript')
  await run('npx', ['openapi-typescript', '../openapi.json', '-o', 'paths.ts', '--default-non-nullable', 'false'], 'typescript')
  await run('npx', ['openapi-ts', '-i', '../openapi.json', '-o', 'hey'], 'typescript')
  const orval = { client: 'fetch', mode: 'single', target: './orval.ts', baseUrl: world.url }
  await writeFile(at('orval.config.cjs'), `module.exports = { f: { input: '../openapi.json', output: ${JSON.stringify(orval)} } }`)
  await run('npx', ['orval', '--config', 'orval.config.cjs'], 'typescript')
  const path = '/api/v1/integrations/connectors/{connector_id}/execute'
  const programs = {
    typed: `import createClient from 'openapi-fetch'
import type { paths } from './paths'
${call(`const client = createClient<paths>({ baseUrl: url, headers })
const params = { path: { connector_id: id } }
async function users() {
  const { data } = await client.POST('${path}', { params, body: { entity: 'users', action: 'list' } })
  return (data as { data: { id?: string | null }[] }).data
}
async function search(user: string) {
  const { data } = await client.POST('${path}', { params, body: ${search('user')} })
  return (data as { data: object[] }).data
}`)}`,
    heyapi: `import { execute } from './hey'
${call(`const rest = { baseUrl: url, path: { connector_id: id }, headers }
async function users() {
  const { data } = await execute({ ...rest, body: { entity: 'users', action: 'list' } })
  return (data as { data: { id?: string | null }[] }).data
}
async function search(user: string) {
  const { data } = await execute({ ...rest, body: ${search('user')} })
  return (data as { data: object[] }).data
}`)}`,
    orvalled: `import { execute } from './orval'
${call(`void url
async function users() {
  const { data } = await execute(id, { entity: 'users', action: 'list' }, { headers })
  return (data as { data: { id?: string | null }[] }).data
}
async function search(user: string) {
  const { data } = await execute(id, ${search('user')}, { headers })
  return (data as { data: object[] }).data
}`)}`,
  }
  for (const [name, text] of Object.entries(programs)) await writeFile(at(`${name}.ts`), text)
  const names = Object.keys(programs)
  const options = ['--strict', '--target', 'es2022', '--module', 'commonjs', '--moduleResolution', 'node10', '--ignoreDeprecations', '5.0']
  await run(
    'npx',
    ['tsc', ...options, '--esModuleInterop', '--skipLibCheck', '--outDir', 'built', ...names.map((name) => `${name}.ts`)],
    'typescript',
  )
  const printed = await Promise.all(names.map((name) => run(process.execPath, [`built/${name}.js`], 'typescript')))
  const line = await expected()
  expect(printed.map((each) => each.trim())).toEqual(names.map(() => line))
})

test('Go: oapi-codegen', { timeout }, async () => {
  await mkdir(join(folder, 'go', 'client'), { recursive: true })
  await run('go', ['mod', 'init', 'example.com/generated'], 'go')
  const generator = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'
  await run('go', ['run', generator, '-generate', 'types,client', '-package', 'client', '-o', 'client/client.go', '../openapi.json'], 'go')
  await writeFile(
    join(folder, 'go', 'main.go'),
    `package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"example.com/generated/client"
)

type answer struct {
	Data []struct {
		Id any \`json:"id"\`
	} \`json:"data"\`
}

func count(c *client.ClientWithResponses, body client.ExecuteRequest) answer {
	response, err := c.ExecuteWithResponse(context.Background(), os.Getenv("FERRULE_TEST_ID"), &client.ExecuteParams{}, body)
	if err != nil || response.JSON200 == nil {
		panic(fmt.Sprint(err, string(response.Body)))
	}
	var read answer
	if err := json.Unmarshal(response.Body, &read); err != nil {
		panic(err)
	}
	return read
}

func main() {
	c, err := client.NewClientWithResponses(os.Getenv("FERRULE_TEST_URL"), client.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("FERRULE_TEST_TOKEN"))
		return nil
	}))
	if err != nil {
		panic(err)
	}
	var list, search client.ExecuteRequest
	if err := list.FromGongUsersListRequest(client.GongUsersListRequest{Entity: "users", Action: "list"}); err != nil {
		panic(err)
	}
	users := count(c, list)
	equal := map[string]interface{}{"id": fmt.Sprint(users.Data[0].Id)}
	var request client.GongUsersContextStoreSearchRequest
	request.Entity, request.Action = "users", "context_store_search"
	request.Params.Query.Filter = &client.SearchCondition{Eq: &equal}
	if err := search.FromGongUsersContextStoreSearchRequest(request); err != nil {
		panic(err)
	}
	fmt.Println(len(users.Data), len(count(c, search).Data))
}
`,
  )
  await run('go', ['mod', 'tidy'], 'go')
  expect((await run('go', ['run', '.'], 'go')).trim()).toBe(await expected())
})

test('Python: openapi-python-client', { timeout }, async () => {
  await run('python3', ['-m', 'venv', 'python'])
  await run('python/bin/pip', ['install', '--quiet', 'openapi-python-client==0.29.1', 'ruff'])
  const generated = await run('python/bin/openapi-python-client', [
    'generate',
    '--path',
    'openapi.json',
    '--meta',
    'none',
    '--output-path',
    'generated',
  ])
  // Nothing is left out but bodies that are whole files.
  expect(generated.match(/^(WARNING|ERROR) .*/gm) ?? []).toEqual([])
  await writeFile(
    join(folder, 'main.py'),
    `import os
from generated import AuthenticatedClient
from generated.api.execute import execute
from generated import models

client = AuthenticatedClient(base_url=os.environ["FERRULE_TEST_URL"], token=os.environ["FERRULE_TEST_TOKEN"])
connector = os.environ["FERRULE_TEST_ID"]

def run(body):
    answer = execute.sync_detailed(connector, client=client, body=body)
    assert answer.status_code == 200, answer.content
    return answer.parsed.data

users = run(models.RequestOfGongUsersList(entity="users", action="list"))
search = models.RequestOfGongUsersContextStoreSearch.from_dict(
    {"entity": "users", "action": "context_store_search", "params": {"query": {"filter": {"eq": {"id": users[0].id}}}}}
)
print(len(users), len(run(search)))
`,
  )
  expect((await run('python/bin/python', ['main.py'])).trim()).toBe(await expected())
})
