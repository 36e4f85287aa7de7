/** `ferrule-server views` as a process: what an operator types and reads, and what the reader of the views then sees. */
import { execFile } from 'node:child_process'
import { afterAll, expect, test } from 'vitest'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { bundleOf } from '../../scripts/bundles.mjs'
import { buildSourceEnvironment, programLimit } from '../support/commands.ts'
import { makeFolder } from '../support/folder.ts'
import { createTestDatabase, runSql } from '../support/postgres.ts'
import { onlyUsers, syncedConnector } from './search-support.ts'
import { startWorld } from './support.ts'

const folder = makeFolder('views')
const database = await createTestDatabase('views_command')
const context = { engine: 'postgres', url: new Secret(database.url), searches: 4, writers: 3, waiting: 100, searchSeconds: 100 } as const
const world = await startWorld({ folder, context })
const connector = await syncedConnector(world, 'Calls of the sales team', onlyUsers)
afterAll(async () => {
  await world.close()
  await database.drop()
})

/** Runs the command beside the service, on its state. */
const runViews = (...args: readonly string[]): Promise<{ readonly status: unknown; readonly stdout: string; readonly stderr: string }> => {
  const env = { ...buildSourceEnvironment(), FERRULE_DATA: folder, CONTEXT_DATABASE_URL: database.url }
  return new Promise((resolve) =>
    execFile(process.execPath, [bundleOf('ferrule-server'), 'views', ...args], { ...programLimit, env }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : error.code, stdout, stderr }),
    ),
  )
}

test('the command prints what an administrator must run, then makes views that a reader sees, and drops them', async () => {
  const refused = await runViews(connector)
  expect(refused).toMatchObject({ status: 1, stderr: '' })
  expect(refused.stdout).toMatch(/^Nothing was made: the reader would also have TEMP or CREATE in the database \w+\. Let an administrator/)
  const [, statement = ''] = /^ {2}(revoke .*);$/m.exec(refused.stdout) ?? []
  await runSql(database.url, statement)

  const made = await runViews(connector)
  expect(made).toMatchObject({ status: 0, stderr: '' })
  const [, schema = '', reader = '', password = ''] =
    /^The schema (\w+) has the views: users\.\n(?:Nothing was ever read of: .*\n)?Reader (\w+), password (\S+) \(shown this once: keep it\)\n$/.exec(
      made.stdout,
    ) ?? []
  expect(schema).toMatch(/^ferrule_/)
  const address = new URL(database.url)
  Object.assign(address, { username: reader, password })
  const { json } = await world.execute(connector, {
    entity: 'users',
    action: 'context_store_search',
    params: { limit: 1, query: { sort: [{ id: 'asc' }] } },
  })
  const { id, firstName } = json.data[0]
  expect(await runSql(address.href, 'select id, "firstName" from users order by id limit 1')).toEqual([{ id, firstName }])

  const again = await runViews(connector)
  expect(again).toMatchObject({ status: 0, stdout: expect.stringMatching(new RegExp(`Reader ${reader}, with its password\\.\n$`)) })
  expect(await runViews(connector, '--drop')).toEqual({ status: 0, stdout: 'The views and their roles are gone.\n', stderr: '' })
  await expect(runSql(address.href, 'select 1')).rejects.toThrow(/authentication failed|does not exist/)
})
