import { describe, expect, test } from 'vitest'
import { findProblems } from '../../packages/ferrule/src/definition/check.ts'
import type { EntityDefinition } from '../../packages/ferrule/src/definition/entity.ts'
import { int, obj, open, opt, str, time } from '../../packages/ferrule/src/definition/fields.ts'
import { fillLink, findTitle, readRecordText } from '../../packages/ferrule/src/definition/record-texts.ts'
import { kind } from './acme.ts'

const own: EntityDefinition = {
  about: 'Things.',
  key: ['id'],
  record: { id: int('Id.'), name: str('Name.'), owner: obj({ name: str('Name.') }, 'Owner.'), custom: open('Others.') },
  list: { call: 'GET /things', at: 'things', params: {} },
  context_store_search: { id: int('Id.'), name: str('Name.'), owner: obj({ name: str('Name.') }, 'Owner.'), custom: open('Others.') },
}
const find = (more: Partial<EntityDefinition>) =>
  findProblems(
    kind({ entities: { things: { ...own, ...more } }, configuration: { site: opt(str('Site.')), name: opt(str('Name.')) } }),
  ).filter((problem) => /title|summary|link/.test(problem))

describe('a check', () => {
  test.each<Partial<EntityDefinition>>([
    { title: 'name', summary: 'owner.name', link: 'https://acme.example/things/{id}' },
    { title: 'custom.any[].text', link: 'https://{site}.acme.example/things/{owner.name}?of={site}' },
  ])('takes %j', (more) => {
    expect(find(more)).toEqual([])
  })

  test.each<[Partial<EntityDefinition>, string]>([
    [{ title: 'nam' }, 'title nam is not a searchable field'],
    [{ summary: 'owner.nam' }, 'summary owner.nam is not a searchable field'],
    [{ link: 'http://acme.example/{id}' }, 'link is no https address with a host of the definition'],
    [{ link: 'https://{site}/{id}' }, 'link is no https address with a host of the definition'],
    [{ link: 'https://acme.example@{site}.evil.example/{id}' }, 'link is no https address with a host of the definition'],
    [{ link: 'https://{id}.acme.example/' }, 'link has id in its host, which is not a field of configuration'],
    [{ link: 'https://acme.example/{uid}' }, 'link takes uid, which is not one searchable field'],
    [{ link: 'https://acme.example/{name}' }, 'link takes name, which is not one searchable field'],
  ])('refuses %j', (more, says) => {
    expect(find(more)).toEqual([`acme.things: ${says}`])
  })
})

test('a title is the one that is named, else the first usual one that is a string', () => {
  const titled = (fields: EntityDefinition['context_store_search'], title?: string) =>
    findTitle({ ...own, ...(fields === undefined ? {} : { context_store_search: fields }), ...(title === undefined ? {} : { title }) })
  expect(titled({ subject: str('S.'), display_name: str('N.') })).toBe('subject')
  expect(titled({ Name: str('N.'), title: str('T.') })).toBe('Name')
  expect(titled({ name: int('N.'), campaign_name: str('N.') })).toBe('campaign_name')
  expect(titled({ title: time('T.'), body: str('B.') })).toBeUndefined()
  expect(titled({ name: str('N.'), body: str('B.') }, 'body')).toBe('body')
})

test('a text is read at a path, through lists, with every digit', () => {
  const record = { title: [{ plain_text: 'One' }, { plain_text: 'two' }], id: 9007199254740993n, empty: ' ', other: true }
  expect(readRecordText(record, 'title[].plain_text')).toBe('One two')
  expect(readRecordText(record, 'id')).toBe('9007199254740993')
  expect([readRecordText(record, 'empty'), readRecordText(record, 'none.below'), readRecordText(record, undefined)]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('a link leads to the host of the definition only', () => {
  const fill = (link: string, record: object, configuration: Readonly<Record<string, unknown>> = {}) =>
    fillLink(link, { record, configuration })
  expect(fill('https://acme.example/things/{id}', { id: 'a/b?c#d' })).toBe('https://acme.example/things/a%2Fb%3Fc%23d')
  expect(fill('https://acme.example/things/{id}', { id: '../../x' })).toBe('https://acme.example/things/..%2F..%2Fx')
  expect(fill('https://acme.example/things/{id}', {})).toBeUndefined()
  expect(fill('https://{site}.acme.example/{id}', { id: 1 }, { site: 'eu' })).toBe('https://eu.acme.example/1')
  for (const site of ['evil.example/', 'evil.example#', 'user@evil', '', 'evil example'])
    expect(fill('https://{site}.acme.example/{id}', { id: 1 }, { site })).toBeUndefined()
  expect(fill('https://acme.example/{url}', { url: 'https://eu.acme.example/x?y=1' })).toBe('https://eu.acme.example/x?y=1')
  for (const url of [
    'http://acme.example/x',
    'https://acme.example.evil.example/x',
    'https://evilacme.example/x',
    'https://acme.example@evil.example/x',
    'https://user:secret@acme.example/x',
    'javascript://acme.example/%0aalert(1)',
  ])
    expect(fill('https://acme.example/{url}', { url })).toBeUndefined()
  expect(fill('https://acme.example/{url}', { url: 'javascript:alert(1)' })).toBe('https://acme.example/javascript%3Aalert(1)')
})
