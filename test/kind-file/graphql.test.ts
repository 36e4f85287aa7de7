/** Calls of GraphQL in kind files: the document that is written, what the request carries, and what can be wrong. */
import { describe, expect, test } from 'vitest'
import { connect } from '../../packages/ferrule/src/core.ts'
import { findProblems } from '../../packages/ferrule/src/definition/check.ts'
import { defineKind, formatMistake, parseKind, readKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { serve } from '../engine/support.ts'
import { kindHead } from '../support/kind-head.ts'
import { share } from '../support/share.ts'

const file = `${kindHead('cards', "authorization: '{key}'")}graphql: /graphql
errors: { message: 'errors[0].message', code: 'errors[0].code', failed: errors }
check: me.get
pages:
  connection: { next: data.result.pageInfo.endCursor, more: data.result.pageInfo.hasNextPage, send: after, size: first=2 }
lists: { at: data.result.nodes, pages: connection }
entities:
  me: { about: The account, fields: { id: string Id }, get: query viewer }
  cards:
    about: Cards
    fields:
      id: string Id
      title: string? Title
      board: { $type: 'object?', id: string Id, owners: [{ name: string Name }] }
      owner_id: string? Id of the owner
    from: { owner_id: owner.id }
    list:
      call: 'query cards(first: Int, after: String, filter: CardFilter, ids: [ID!])'
      body: { title: { $type: string, $about: Title, $to: filter.title.eq }, ids: 'string[] Ids' }
    get: 'query card(id: ID!)'
    create: { call: 'mutation addCard(input: CardInput!)', wrap: input, body: { title: string! Title }, at: data.result.card }
    delete: 'mutation removeCard(id: ID!)'
`

const pages = [
  { nodes: [{ id: '1', owner: { id: 'a' } }, { id: '2' }], pageInfo: { hasNextPage: true, endCursor: 'c2' } },
  { nodes: [{ id: '3' }], pageInfo: { hasNextPage: false, endCursor: 'c3' } },
]
const asked: { readonly url: string; readonly query: string; readonly variables: Readonly<Record<string, unknown>> }[] = []
const vendor = serve(({ method, url, body }) => {
  const { query, variables } = JSON.parse(body)
  asked.push({ url: `${method} ${url}`, query, variables })
  const one = query.includes('addCard') ? { card: { id: '9' } } : { id: variables.id }
  const result = query.includes('cards') ? pages[variables.after === 'c2' ? 1 : 0] : one
  const failed = variables.id === 'none' ? { errors: [{ message: 'No such card', code: 'MISSING' }] } : {}
  return { body: { data: { result }, ...failed } }
})
const { origin } = await share(vendor)

const connectCards = async () => connect(await parseKind(file), { credentials: { key: 'k1' }, origin })
const record = 'id title board { id owners { name } } owner { id }'

describe('a call of GraphQL', () => {
  test('asks for the fields and the next page; all values are variables', async () => {
    await using cards = await connectCards()
    const records = await Array.fromAsync(cards.entity('cards').records({ title: '"} x', ids: ['1'] }))
    expect(records).toMatchObject([{ id: '1', owner_id: 'a' }, { id: '2' }, { id: '3' }])
    const query =
      'query($first: Int, $after: String, $filter: CardFilter, $ids: [ID!]) { result: cards(first: $first, after: $after, filter: $filter, ids: $ids)' +
      ` { nodes { ${record} } pageInfo { endCursor hasNextPage } } }`
    const variables = { filter: { title: { eq: '"} x' } }, ids: ['1'], first: 2 }
    expect(asked.slice(-2)).toEqual([
      { url: 'POST /graphql', query, variables },
      { url: 'POST /graphql', query, variables: { ...variables, after: 'c2' } },
    ])
  })

  test('takes an argument that must have a value as a parameter', async () => {
    await using cards = await connectCards()
    await cards.entity('cards').get({ id: '1' })
    expect(asked.at(-1)).toMatchObject({ query: `query($id: ID!) { result: card(id: $id) { ${record} } }`, variables: { id: '1' } })
    await expect(cards.execute('cards', 'get', {})).rejects.toMatchObject({ code: 'missing_parameter' })
  })

  test('writes, and asks for nothing of what it deleted', async () => {
    await using cards = await connectCards()
    expect((await cards.entity('cards').create({ title: 'New' })).data).toMatchObject({ id: '9' })
    expect(asked.at(-1)).toMatchObject({
      query: `mutation($input: CardInput!) { result: addCard(input: $input) { card { ${record} } } }`,
      variables: { input: { title: 'New' } },
    })
    await cards.entity('cards').delete({ id: '9' })
    expect(asked.at(-1)?.query).toBe('mutation($id: ID!) { result: removeCard(id: $id) { __typename } }')
  })

  test('is an error if the answer has errors beside data', async () => {
    await using cards = await connectCards()
    await expect(cards.execute('cards', 'get', { id: 'none' })).rejects.toMatchObject({
      code: 'upstream_error',
      upstream: { code: 'MISSING' },
    })
  })
})

test.each([
  ['graphql: /graphql\n', '', 'the file does not say its path'],
  ["get: 'query card(id: ID!)'", "get: 'query card(id ID)'", 'query or mutation with a field and its arguments'],
  ["get: 'query card(id: ID!)'", "get: { call: 'query card(id: ID!)', params: { x: string X } }", 'its parameters stand in body'],
  ["get: 'query card(id: ID!)'", "get: { call: 'query card(id: ID!)', body: { x: string X } }", 'x is not an argument of card'],
  ["get: 'query card(id: ID!)'", "get: { call: 'query card(id: ID!)', always: { x: 1 } }", 'x is not an argument of card'],
  ['cards(first: Int, ', 'cards(', 'first is not an argument of cards'],
  ['wrap: input', 'wrap: inputs', 'inputs is not an argument of addCard'],
  ['at: data.result.card }', 'at: data.addCard }', 'data.addCard is not in data.result'],
])('%s → %s: %s', async (from, to, says) => {
  expect(file).toContain(from)
  const { definition, mistakes } = await readKind(file.replace(from, to), { name: 'cards' })
  expect(definition).toBeUndefined()
  expect(mistakes.map(formatMistake).join('\n')).toContain(says)
})

test('a document goes by POST as JSON', async () => {
  const { definition } = await parseKind(file)
  const { cards } = definition.entities
  if (cards?.get === undefined) throw new Error('cards has get')
  const wrong = {
    ...definition,
    entities: { ...definition.entities, cards: { ...cards, get: { ...cards.get, call: 'GET /graphql' as const } } },
  }
  expect(findProblems({ definition: wrong, rules: {} }).join('\n')).toContain('only JSON by POST carries')
})

test('a literal has types for the arguments', () => {
  const kind = defineKind({
    ...{ kind: 'cards', title: 'Cards', category: 'cards', about: 'Cards', docs: 'https://cards.example/docs' },
    ...{ api: 'https://api.cards.example', graphql: '/graphql' },
    auth: { key: { title: 'Key', fields: { key: 'secret Key' }, find: 'Settings > Keys', send: { authorization: '{key}' } } },
    check: 'me.get',
    entities: {
      me: { about: 'The account', fields: { id: 'string Id' }, get: 'query viewer' },
      cards: {
        about: 'Cards',
        fields: { id: 'string Id', title: 'string Title' },
        get: 'query card(id: ID!, part: String)',
        update: {
          call: 'mutation setCard(id: ID!, input: CardInput!)',
          wrap: 'input',
          body: { title: 'string! Title' },
          at: 'data.result.card',
        },
      },
    },
  })
  const { cards } = kind.definition.entities
  // The compiler refuses a name too many or too few.
  const got: Record<keyof typeof cards.get.params, true> = { id: true }
  const updated: Record<keyof typeof cards.update.params, true> = { id: true, title: true }
  expect(Object.keys(cards.get.params)).toEqual(Object.keys(got))
  expect(Object.keys(cards.update.params)).toEqual(Object.keys(updated))
})
