import { expect, test } from 'vitest'
import type { ConnectorDefinition } from '../definition/connector.ts'
import { str } from '../definition/fields.ts'
import { parseKind } from '../kind-file/index.ts'
import { printTypes } from './print-types.ts'

const file = `
kind: acme
title: Acme
category: notes
about: Teams and their members
check: team1.list
docs: https://acme.example/docs
api: https://api.acme.example
auth: { key: { title: Key, find: Settings > API, fields: { key: secret Key }, send: { x-key: '{key}' } } }
entities:
  team_1: { about: Teams, fields: { id: string Number. }, list: { call: GET /a, pages: none, because: There are few. } }
  team1: { about: Teams, fields: { id: string Number. }, list: { call: GET /b, pages: none, because: There are few. } }
`

test('two entities whose names have one spelling as a type have types of their own, which searches name', async () => {
  const { definition } = await parseKind<ConnectorDefinition>(file)
  const entities = Object.entries(definition.entities).map(([name, entity]) => [
    name,
    { ...entity, context_store_search: { ...entity.record, ...(name === 'team1' ? {} : { more: str('More.') }) } },
  ])
  const text = printTypes({ ...definition, entities: Object.fromEntries(entities) }, 'test')
  const declared = [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name)
  expect(declared).toEqual(expect.arrayContaining(['Team1Record', 'Team1Record2', 'Team1Search']))
  expect([...text.matchAll(/(?:record|context_store_search): (\w+)/g)].map(([, name]) => name)).toEqual([
    ...['Team1Record', 'Team1Search'],
    ...['Team1Record2', 'Team1Record2'],
  ])
})
