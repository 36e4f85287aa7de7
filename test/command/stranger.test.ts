/** A stranger's kind: from an OpenAPI document to a first search in a service, by six commands. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { share } from '../support/share.ts'
import { customers, document } from './ledgerly.ts'
import { runFerrule } from './support.ts'
import { startCommandWorld } from './world.ts'

const running = await share(startCommandWorld())
const save = (name: string, value: object) => writeFileSync(join(running.caller.folder, name), JSON.stringify(value))
save('ledgerly.openapi.json', document)
save('customers.json', customers)

const run = async (...args: readonly string[]) => {
  const ended = await runFerrule(running.caller, ...args)
  expect({ args, code: ended.code, stderr: ended.code === 0 ? '' : ended.stderr }).toEqual({ args, code: 0, stderr: '' })
  return ended.stdout
}

test('six commands lead from a document to records that are found', async () => {
  const file = 'ledgerly.kind.yaml'
  await run('kind', 'new', file, '--openapi', 'ledgerly.openapi.json')
  const unsure: readonly { is: string }[] = JSON.parse(await run('kind', 'check', file, '--json'))
  expect(unsure.map(({ is }) => is)).not.toContain('mistake')
  const answers = ['--answers', 'customers.json', '--page', 'https://docs.ledgerly.example.com/customers']
  await run('kind', 'try', file, 'customers', 'list', ...answers, '--record', 'ledgerly.recordings.json', '--yes')
  const published = JSON.parse(await run('kind', 'publish', file))
  expect(published).toMatchObject({ slug: 'ledgerly', version: 1, hosts: ['api.ledgerly.example.com'] })
  await run('connectors', 'create', 'ledgerly', '--name', 'My customers', '--sandbox')
  for (let turn = 0; turn < 4; turn += 1) await running.world.context.sync()
  const where = 'updated_at >= "2026-02-02T00:00:00Z"'
  const found = JSON.parse(await run('search', 'My customers', 'customers', '--where', where))
  // Recordings hold invented names and ids; times stay.
  expect(found.data).toMatchObject([{ updated_at: '2026-02-02T09:00:00Z' }])
})
