/** Webhooks in kind files: what the words become, where mistakes are, and how much a file of a stranger may say. */
import { expect, test } from 'vitest'
import { checkUploadedKind, parseKind, readKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { kindTop } from '../support/kind-head.ts'

const file = (webhooks: string): string => `${kindTop('hall')}api: 'https://{site}.hall.example'
configuration: { site: label Name of the building }
auth:
  key: { title: Key, fields: { key: secret Key }, find: Settings > Keys, send: { x-key: '{key}' } }
webhooks:
${webhooks.replaceAll(/^/gm, '  ')}
check: doors.list
entities:
  doors:
    about: Doors
    key: [house, id]
    fields: { house: integer House, id: string Id, changed: date-time When it changed }
    list: { call: GET /doors, pages: none, because: Few }
    get: 'GET /houses/{house}/doors/{id}'
`
const right = `secret: hook_secret
signature: { header: X-Hall-Signature }
topic: type
events:
  door.*: { entity: doors, key: [house, id], params: { house: house, id: id } }`

const build = async (webhooks: string) => (await parseKind(file(webhooks))).definition.webhooks
const findMistakes = async (webhooks: string) =>
  (await readKind(file(webhooks), { name: 'hall' })).mistakes.map(({ path, message }) => `${path}: ${message}`)

test('the shortest form has usual values', async () => {
  expect(await build(right)).toEqual({
    signature: {
      ...{ scheme: 'hmac', secret: 'hook_secret', header: 'x-hall-signature', encoding: 'hex' },
      find: { says: 'The documentation of Hall describes where.', url: 'https://hall.example/docs' },
    },
    topic: ['type'],
    events: {
      'door.*': { does: 'changed', entity: 'doors', key: ['house', 'id'], parameters: { house: 'house', id: 'id' } },
    },
  })
})

test('without where to find the secret it is in doubt', async () => {
  const { doubts } = await readKind(file(right), { name: 'hall' })
  expect(doubts.map(({ path, message }) => `${path}: ${message}`)).toEqual(['webhooks: does not say where people find the secret'])
  expect((await readKind(file(`find: Settings > Hooks\n${right}`), { name: 'hall' })).doubts).toEqual([])
})

test('each word is there in the long form', async () => {
  const long = `secret: hook_secret
find: { says: Hall shows it once., menu: Settings > Hooks, url: 'https://hall.example/hooks', role: owner }
signature:
  { header: x-sig, as: base64, part: v1, signs: '{timestamp}.{body}', time: { at: part:t, as: milliseconds, within: 1m } }
challenge: { when: { type: hello }, answer: word }
account: { at: [header:X-Site, site], is: '{site}.hall.example' }
id: [header:X-Id, n]
topic: [header:X-Event, action]
list: events
events:
  door.open: [{ entity: doors, key: [house, id], version: door.changed }, { does: redact, entity: doors, key: [house, id] }]
  site.gone: redact
  app.gone: uninstalled`
  expect(await build(long)).toEqual({
    signature: {
      ...{ scheme: 'hmac', secret: 'hook_secret', header: 'x-sig', encoding: 'base64', part: 'v1', signed: '{timestamp}.{body}' },
      find: { says: 'Hall shows it once.', menu: 'Settings > Hooks', url: 'https://hall.example/hooks', role: 'owner' },
      time: { at: 'part:t', unit: 'milliseconds', tolerance: 60 },
    },
    challenge: { when: { type: 'hello' }, answer: 'word' },
    account: { at: ['header:x-site', 'site'], is: '{site}.hall.example' },
    id: ['header:x-id', 'n'],
    topic: ['header:x-event', 'action'],
    list: 'events',
    events: {
      'door.open': [
        { does: 'changed', entity: 'doors', key: ['house', 'id'], version: 'door.changed' },
        { does: 'redact', entity: 'doors', key: ['house', 'id'] },
      ],
      'site.gone': { does: 'redact' },
      'app.gone': { does: 'uninstalled' },
    },
  })
  const token =
    'secret: hook_key\ntoken: { header: Authorization, body: digest, url: to }\nchallenge: { secret: key }\nevents: { "*": uninstalled }'
  expect(await build(token)).toMatchObject({
    signature: { scheme: 'jwt', secret: 'hook_key', header: 'authorization', body: 'digest', url: 'to' },
    challenge: { secret: 'key' },
  })
})

test('an event names what is below a parent', async () => {
  const under = `${right.slice(0, right.indexOf('  door'))}  house.gone: { does: removed, entity: doors, under: { house: id } }`
  const listed = file(under).replace('GET /doors,', 'GET /doors, params: { house: integer House },')
  expect((await parseKind(`${listed}    search: [house]\n    sync: {}\n`)).definition.webhooks?.events).toEqual({
    'house.gone': { does: 'removed', entity: 'doors', under: { house: 'id' } },
  })
  const forgotten = listed.replace('does: removed', 'does: redact').replace('house: id }', "house: 'ids[]' }, needs: ids")
  expect((await parseKind(`${forgotten}    search: [house]\n    sync: {}\n`)).definition.webhooks?.events).toEqual({
    'house.gone': { does: 'redact', entity: 'doors', under: { house: 'ids[]' }, needs: ['ids'] },
  })
  expect(await findMistakes(under)).toContain(
    'webhooks.events.house.gone: webhooks house.gone names records under house, which is not a searchable field of doors',
  )
})

test.each([
  ['signature: { header: X-Hall-Signature }', '', 'webhooks: have a signature or a token, one of them'],
  ['topic: type', 'challenge: { answer: word }', 'webhooks.challenge: has when and answer, or secret'],
  ['entity: doors', 'entity: door', 'webhooks.events.door.*.entity: door is not an entity'],
  ['key: [house, id]', 'key: id', 'webhooks.events.door.*: webhooks door.* names 1 parts of a key that has 2'],
  [
    'params: { house: house, id: id }',
    'params: { id: id }',
    'webhooks.events.door.*: webhooks door.* reads without house, which is required',
  ],
  [
    'params: { house: house, id: id }',
    'version: door.size',
    'webhooks.events.door.*: webhooks door.* has the version size, which is not a field of the record',
  ],
  ['topic: type', 'account: site', 'webhooks: webhooks name an account, which nothing proves'],
  ['door.*', '"*.door"', 'webhooks: webhooks have the topic *.door: a star stands at the end only'],
  [
    'header: X-Hall-Signature',
    "header: x-sig, signs: '{body}{door}'",
    'webhooks: webhooks sign {body}{door}, and door is no part of a request',
  ],
])('%s instead of %s is a mistake at its place', async (from, to, says) => {
  expect(await findMistakes(right.replace(from, to))).toContain(says)
})

test('a stranger may have webhooks, within bounds and without inner hosts', async () => {
  const check = async (webhooks: string) =>
    (await checkUploadedKind(file(webhooks), { name: 'hall' })).mistakes.map(({ message }) => message)
  expect(await check(right)).toEqual([])
  const many = Array.from({ length: 201 }, (_, index) => `  door.${index}: { entity: doors, key: [house, id] }`).join('\n')
  expect(await check(`${right}\n${many}`)).toContain('has 202 entries; an uploaded kind has at most 200')
  const inner = "find: { says: There., url: 'https://metadata.google.internal/x' }"
  expect(await check(`${inner}\n${right}`)).toContain('must be the name of a host on the internet, and none ends with .internal')
})
