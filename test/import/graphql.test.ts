/** Kinds of GraphQL schemas: what of a schema becomes what of a kind file, and calls against a server that checks every document. */
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { buildSchema, graphql, introspectionFromSchema } from 'graphql'
import { describe, expect, test } from 'vitest'
import { connect } from '../../packages/ferrule/src/core.ts'
import { importGraphql } from '../../packages/ferrule/src/import/graphql/import-graphql.ts'
import { DocumentError, type ImportOptions } from '../../packages/ferrule/src/import/imported.ts'
import { writeKindText } from '../../packages/ferrule/src/import/write.ts'
import { parseKind, readKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { runFerrule, runForJson } from '../command/support.ts'
import { makeFolder } from '../support/folder.ts'
import { listen } from '../support/listen.ts'
import { share } from '../support/share.ts'

/** An invented help desk. */
const sdl = `
"Questions of customers."
schema { query: Query mutation: Mutation }
scalar DateTime
scalar JSON
enum Status { OPEN CLOSED }
enum Color { RED GREEN BLUE }
type PageInfo { hasNextPage: Boolean! endCursor: String }
"A question, e.g. about an invoice. It has more."
type Ticket {
  id: ID!
  "What it is about, e.g. a bill. More words."
  subject: String!
  body(format: String! = "text"): String
  html(format: String!): String
  status: Status!
  tags: [String!]!
  votes: Int
  score: Float
  extra: JSON
  created: DateTime!
  updatedAt: DateTime!
  old: String @deprecated(reason: "gone")
  grid: [[Int]]
  owner: Agent
  watchers: [Agent!]!
  place: Place!
  author: Someone
  comments(first: Int, after: String): CommentConnection!
}
type Place { city: String zip: String! }
type Agent { id: ID! email: String! name: String! boss: Agent }
type Robot { id: ID! model: String! }
union Someone = Agent | Robot
type Comment { id: ID! text: String! }
type Tag { slug: String! color: Color }
interface Node { id: ID! }
type Team implements Node { id: ID! name: String! }
type Thing { size: Int }
type TicketConnection { nodes: [Ticket!]! edges: [TicketEdge!]! pageInfo: PageInfo! }
type TicketEdge { node: Ticket! cursor: String! }
type CommentConnection { nodes: [Comment!]! pageInfo: PageInfo! }
type AgentConnection { edges: [AgentEdge]! pageInfo: PageInfo! }
type AgentEdge { node: Agent cursor: String! }
type TagConnection { nodes: [Tag!]! pageInfo: PageInfo! }
type ThingConnection { nodes: [Thing!]! pageInfo: PageInfo! }
type SomeoneConnection { nodes: [Someone!]! pageInfo: PageInfo! }
input TimeFilter { lt: DateTime gt: DateTime gte: DateTime }
input TicketFilter { updatedAt: TimeFilter status: Status }
input Label { name: String! }
input TicketInput { subject: String! body: String status: Status tags: [String!] labels: [Label!] due: DateTime clientMutationId: String }
input TicketChange { subject: String status: Status }
input AgentUpdateInput { id: ID! name: String }
type TicketPayload { success: Boolean! ticket: Ticket }
type DeletedPayload { success: Boolean! errors: [String!] }
type AgentPayload { agent: Agent! }
type Query {
  "All tickets."
  tickets(first: Int, after: String, last: Int, filter: TicketFilter, status: Status, sort: [Color!]): TicketConnection!
  ticketsOfAgents(agents: [ID!]!, first: Int, after: String): TicketConnection!
  ticket(id: ID!): Ticket
  ticketByNumber(number: Int!): Ticket
  agents(first: Int!, after: String, updatedSince: DateTime): AgentConnection!
  agent(id: ID): Agent
  tags(after: String): TagConnection!
  allThings: ThingConnection!
  people(first: Int, after: String): SomeoneConnection!
  matrix(wanted: TicketFilter!, first: Int, after: String): CommentConnection!
  "Teams of the desk."
  teams(color: Color): [Team!]!
  latest(limit: Int): [Ticket!]!
  grids: [[Team!]!]!
  colors: [Color!]!
  nodes(ids: [ID!]!): [Node]!
  viewer: Agent!
}
type Mutation {
  ticketCreate(input: TicketInput!): TicketPayload!
  updateTicket(id: ID!, change: TicketChange!): Ticket!
  ticketDelete(id: ID!, hard: Boolean): DeletedPayload!
  updateAgent(input: AgentUpdateInput!): AgentPayload!
  createAgent(name: String!, email: String!, boss: ID): AgentPayload!
  deleteAgent(id: ID!): Boolean!
  ticketArchive(id: ID!): DeletedPayload!
}
`
const schema = buildSchema(sdl)
const document = introspectionFromSchema(schema)
const make = (options: Partial<ImportOptions> = {}) => importGraphql(document, { kind: 'desk', ...options })

describe('a schema becomes a kind', () => {
  test('whose file passes the check, and says what is unsure', async () => {
    const made = make({ api: 'https://api.desk.example/v1/graphql' })
    const { mistakes, doubts, unsure } = await readKind(await writeKindText(made), { name: 'desk' })
    expect(mistakes).toEqual([])
    expect(doubts.map(({ path }) => path)).toEqual(['auth.token'])
    expect(unsure.map(({ path }) => path).toSorted()).toEqual(Object.keys(made.unsure).toSorted())
    expect(made.unsure).toEqual({
      ...{ category: 'not said', docs: 'not said', auth: 'not said', limits: 'not said' },
      ...{ errors: 'guessed', check: 'guessed', 'pages.connection.size': 'guessed' },
      ...{ 'entities.tickets.sync': 'guessed', 'entities.tickets.delete': 'guessed' },
      ...{ 'entities.tags.key': 'guessed', 'entities.teams.list.pages': 'not said' },
    })
    expect(made.file).toMatchObject({
      ...{ about: 'Questions of customers', api: 'https://api.desk.example', graphql: '/v1/graphql', check: 'viewer.get' },
      lists: { at: 'data.result.nodes', pages: 'connection' },
    })
    expect(Object.keys(make().unsure)).toEqual(expect.arrayContaining(['api', 'graphql']))
  })

  test('with the values of its nodes, and objects of one level', () => {
    expect(make().file.entities['tickets']?.fields).toEqual({
      id: 'string Id',
      subject: 'string What it is about, e.g. a bill',
      body: 'string? Body',
      status: 'OPEN|CLOSED Status',
      tags: 'string[] Tags',
      votes: 'integer? Votes',
      score: 'number? Score',
      extra: 'any? Extra',
      created: 'date-time Created',
      updatedAt: 'date-time Updated at',
      grid: 'any? Grid',
      owner: { $type: 'object?', id: 'string Id', name: 'string Name' },
      watchers: { $type: 'object[]', id: 'string Id', name: 'string Name' },
      place: { city: 'string? City', zip: 'string Zip' },
    })
    expect(make().file.entities['tags']).toMatchObject({ key: 'slug', fields: { slug: 'string Slug', color: 'RED|GREEN|BLUE? Color' } })
  })

  test('with lists, their arguments, and the filter by changes', () => {
    const { tickets, agents, tags, tickets_of_agents: ofAgents } = make().file.entities
    expect(tickets?.list).toEqual({
      call: 'query tickets(first: Int, after: String, filter: TicketFilter, status: Status, sort: [Color!])',
      body: {
        changed_since: { $type: 'date-time', $about: 'Changed at or after', $to: 'filter.updatedAt.gte' },
        status: 'OPEN|CLOSED Status',
        sort: 'RED|GREEN|BLUE[] Sort',
      },
    })
    expect(tickets?.sync).toEqual({ since: { updatedAt: 'changed_since' } })
    expect(agents?.list).toEqual({
      call: 'query agents(first: Int!, after: String, updatedSince: DateTime)',
      body: { updatedSince: 'date-time Changed at or after' },
      at: 'data.result.edges',
      merge: ['node'],
    })
    expect([agents?.sync, tags?.list]).toEqual(['full', { call: 'query tags(after: String)', pages: 'cursor' }])
    expect(ofAgents).toMatchObject({ list: { body: { agents: 'string[]! Agents' } } })
    expect(ofAgents).not.toHaveProperty('sync')
    expect(ofAgents).not.toHaveProperty('get')
  })

  test('with lists without pages, as far as nothing says that they have some', () => {
    expect(make().file.entities['teams']).toEqual({
      about: 'Teams of the desk',
      fields: { id: 'string Id', name: 'string Name' },
      list: { call: 'query teams(color: Color)', body: { color: 'RED|GREEN|BLUE Color' }, at: 'data.result', pages: 'none' },
      sync: 'full',
    })
  })

  test('with reads by id, and changes where their names say so', () => {
    const { tickets, agents } = make().file.entities
    expect(tickets?.get).toBe('query ticket(id: ID!)')
    expect(agents?.get).toBe('query agent(id: ID!)')
    expect(tickets?.create).toEqual({
      call: 'mutation ticketCreate(input: TicketInput!)',
      wrap: 'input',
      body: {
        ...{ subject: 'string! Subject', body: 'string Body', status: 'OPEN|CLOSED Status', tags: 'string[] Tags' },
        ...{ labels: 'object[] Labels', due: 'date-time Due' },
      },
      at: 'data.result.ticket',
    })
    expect(tickets?.update).toMatchObject({ call: 'mutation updateTicket(id: ID!, change: TicketChange!)', wrap: 'change' })
    expect(tickets?.delete).toBe('mutation ticketDelete(id: ID!)')
    expect(agents?.update).toMatchObject({ wrap: 'input', body: { id: 'string! Id', name: 'string Name' }, at: 'data.result.agent' })
    expect(agents?.create).toMatchObject({
      call: 'mutation createAgent(name: String!, email: String!, boss: ID)',
      body: { name: 'string! Name', email: 'string! Email', boss: 'string Boss' },
    })
  })

  test('without what no kind file can say, and names it', () => {
    expect(make().leftOut).toEqual([
      { what: 'mutation deleteAgent', why: expect.stringContaining('answers Boolean!') },
      { what: 'query allThings', why: expect.stringContaining('have no id') },
      { what: 'query matrix', why: expect.stringContaining('needs wanted: TicketFilter!') },
      { what: 'query ticketByNumber', why: expect.stringContaining('answers one record') },
      { what: 'query people', why: expect.stringContaining('no fields of their own') },
      { what: 'query latest', why: expect.stringContaining('takes limit') },
      { what: 'query grids', why: expect.stringContaining('a list of lists') },
      { what: 'query colors', why: expect.stringContaining('answers no object') },
      { what: 'query nodes', why: expect.stringContaining('records of several types') },
      { what: 'mutation ticketArchive', why: expect.stringContaining('its name is not that') },
    ])
  })

  test('of the named lists only', () => {
    const { file, leftOut } = make({ only: ['tickets'] })
    expect([Object.keys(file.entities), leftOut]).toEqual([['tickets', 'viewer'], []])
    expect(() => make({ only: ['nothing'] })).toThrow(DocumentError)
  })

  test('or is refused', () => {
    expect(() => importGraphql({ openapi: '3.1.0' }, { kind: 'desk' })).toThrow(/neither an answer of an introspection query/)
    const bare = introspectionFromSchema(buildSchema('type Query { a: Int }'))
    expect(() => importGraphql({ data: bare }, { kind: 'desk' })).toThrow(/has no list of records/)
  })
})

const stored = [1, 2, 3].map((number) => ({
  ...{ id: `t${number}`, subject: `Ticket ${number}`, status: 'OPEN', tags: [], created: '2026-01-01T00:00:00Z' },
  ...{ updatedAt: `2026-02-0${number}T00:00:00Z`, watchers: [], place: { zip: '1' }, owner: { id: 'a1', name: 'Ada' } },
}))
const agents = ['a1', 'a2', 'a3'].map((id) => ({ id, email: `${id}@desk.example`, name: id.toUpperCase() }))

interface Paging {
  readonly first?: number
  readonly after?: string
}
/** Pages of two records at most. */
function page<T extends { readonly id: string }>(all: readonly T[], { first = 50, after }: Paging) {
  const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1
  const nodes = all.slice(from, from + Math.min(first, 2))
  const last = nodes.at(-1)?.id
  return {
    nodes,
    edges: nodes.map((node) => ({ node, cursor: node.id })),
    pageInfo: { hasNextPage: last !== all.at(-1)?.id, endCursor: last },
  }
}

const rootValue = {
  tickets: (args: Paging & { readonly filter?: { readonly updatedAt?: { readonly gte?: string } } }) =>
    page(
      stored.filter(({ updatedAt }) => updatedAt >= (args.filter?.updatedAt?.gte ?? '')),
      args,
    ),
  ticket: ({ id }: { readonly id: string }) => stored.find((each) => each.id === id),
  agents: (args: Paging) => page(agents, args),
  teams: () => [{ id: 'm1', name: 'North' }],
  viewer: () => agents[0],
  ticketCreate: ({ input }: { readonly input: object }) => ({ success: true, ticket: { ...stored[0], ...input, id: 't9' } }),
  updateTicket: ({ id, change }: { readonly id: string; readonly change: object }) => ({ ...stored[0], ...change, id }),
  ticketDelete: () => ({ success: true }),
}

describe('a kind of the command', async () => {
  const config = makeFolder('graphql')
  const server = createServer(async (request, response) => {
    const body: unknown = JSON.parse(await new Response(ReadableStream.from(request)).text())
    const { query = '', variables = {} } = body as { readonly query?: string; readonly variables?: Record<string, unknown> } // our own client
    const answer = await graphql({ schema, source: query, variableValues: variables, rootValue })
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  })
  const { origin } = await share(listen(server))
  await writeFile(join(config, 'schema.graphql'), sdl)
  await writeFile(join(config, 'schema.json'), JSON.stringify({ data: document }))

  test('from the schema language, or from an introspection, reads and writes', async () => {
    const made = await runForJson({ config }, 'kind', 'new', 'desk.kind.yaml', '--graphql', 'schema.graphql', '--format', 'json')
    expect(made).toMatchObject({ kind: 'desk', file: 'desk.kind.yaml', entities: 6 })
    await runForJson({ config }, 'kind', 'new', 'desk.kind.yml', '--graphql', 'schema.json', '--format', 'json')
    const text = await readFile(join(config, 'desk.kind.yaml'), 'utf8')
    expect(await readFile(join(config, 'desk.kind.yml'), 'utf8')).toBe(text)
    const desk = connect(await parseKind(text), { credentials: { token: 'k' }, origin })
    const ids = async (entity: string, params = {}) => {
      return await Array.fromAsync(desk.entity(entity).records(params), (record) => record['id'])
    }
    expect(await ids('tickets')).toEqual(['t1', 't2', 't3'])
    expect(await ids('tickets', { changed_since: '2026-02-02T00:00:00Z' })).toEqual(['t2', 't3'])
    expect(await ids('agents')).toEqual(['a1', 'a2', 'a3'])
    expect(await ids('teams')).toEqual(['m1'])
    const { data } = await desk.execute('tickets', 'get', { id: 't2' })
    expect(data).toMatchObject({ id: 't2', subject: 'Ticket 2', owner: { id: 'a1', name: 'Ada' }, place: { zip: '1' } })
    const created = await desk.execute('tickets', 'create', { subject: 'New', tags: ['a'] })
    expect(created.data).toMatchObject({ id: 't9', subject: 'New', tags: ['a'] })
    expect((await desk.execute('tickets', 'update', { id: 't1', status: 'CLOSED' })).data).toMatchObject({ id: 't1', status: 'CLOSED' })
    await desk.execute('tickets', 'delete', { id: 't1' })
    expect((await desk.execute('viewer', 'get', {})).data).toMatchObject({ id: 'a1' })
  })

  test('or says why a document is none', async () => {
    await writeFile(join(config, 'wrong.graphql'), 'type Query { a: ')
    const { code, stderr } = await runFerrule({ config }, 'kind', 'new', 'wrong.kind.yaml', '--graphql', 'wrong.graphql')
    expect(code).toBe(4)
    expect(JSON.parse(stderr).message).toMatch(/^wrong\.graphql cannot be read as a schema of GraphQL: Syntax Error/)
  })
})
