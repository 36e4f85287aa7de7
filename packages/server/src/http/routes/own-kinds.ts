import {
  kindCheck,
  kindDocument,
  kindImport,
  kindInput,
  kindList,
  kindPublication,
  kindQuery,
  kindRecord,
  kindRemoval,
  kindVersionList,
  largestDocument,
} from 'ferrule/wire'
import { principalRoute, slot } from '../route.ts'

/** A small kind: it works on every service. */
const example = {
  file: `kind: acme
title: Acme
about: Customers of Acme
documentation: https://docs.acme.example/api
api: https://api.acme.example
auth:
  token:
    title: API token
    fields:
      token: { $type: string, $about: API token, $find: Acme shows it in its settings }
    send: { authorization: 'Bearer {token}' }
entities:
  customers:
    about: Customers
    key: id
    fields: { id: string The customer's id, name: string? Name }
    list: { path: /customers, rows: data, pages: none }
`,
}

export const listKinds = principalRoute('listKinds', {
  tag: 'kinds',
  summary: 'List the kinds of the organization',
  about: 'The kinds that the organization uploaded, without their files. `listDefinitions` has them beside those of the service.',
  scope: 'connectors:read',
  returns: { about: 'Kinds', schema: kindList },
  problems: ['organization_forbidden'],
  answer: async ({ who }, { platform }) => ({ json: await platform.ownKinds.list(who) }),
})

export const importKind = principalRoute('importKind', {
  tag: 'kinds',
  summary: 'Make a kind file of a document',
  about:
    'Stores nothing, and fetches nothing: the request has the text of the document, at most 8 MiB. What was guessed, and what the document does not say, stands in `unsure` of the file; `checkKind` lists it.',
  scope: 'connectors:write',
  largestBody: largestDocument,
  body: kindDocument,
  example: {
    kind: 'acme',
    document: JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Acme' },
      servers: [{ url: 'https://api.acme.example' }],
      paths: { '/customers': { get: { responses: { 200: { description: 'Customers' } } } } },
    }),
  },
  returns: { about: 'The file, and what it cannot say', schema: kindImport },
  problems: ['organization_forbidden', 'validation_failed', 'overloaded'],
  answer: async (exchange, { platform }) => ({ json: await platform.ownKinds.importDocument(exchange.who, exchange.body) }),
})

export const checkKind = principalRoute('checkKind', {
  tag: 'kinds',
  summary: 'Check a kind file, and see what it would change',
  about: 'Stores nothing. A file with mistakes is a result, not an error.',
  scope: 'connectors:write',
  body: kindInput,
  example,
  returns: { about: 'Mistakes, doubts and changes', schema: kindCheck },
  problems: ['organization_forbidden', 'validation_failed', 'overloaded'],
  answer: async (exchange, { platform }) => ({ json: await platform.ownKinds.check(exchange.who, slot(exchange, 'slug'), exchange.body) }),
})

export const publishKind = principalRoute('publishKind', {
  tag: 'kinds',
  summary: 'Publish a kind file as the newest version',
  about:
    'Connectors stay with the version that they were made with, until `patchConnector` moves them by `kind_version`. The same file again changes nothing.',
  scope: 'connectors:write',
  body: kindInput,
  example,
  returns: { about: 'The kind', schema: kindPublication },
  problems: ['kind_invalid', 'kind_changed', 'organization_forbidden', 'validation_failed', 'overloaded'],
  answer: async (exchange, { platform }) => ({
    json: await platform.ownKinds.publish(exchange.who, slot(exchange, 'slug'), exchange.body),
  }),
})

export const getKind = principalRoute('getKind', {
  tag: 'kinds',
  summary: 'Read a kind of the organization with its file',
  scope: 'connectors:read',
  query: kindQuery,
  returns: { about: 'The kind', schema: kindRecord },
  problems: ['kind_not_found', 'organization_forbidden', 'validation_failed'],
  answer: async (exchange, { platform }) => ({ json: await platform.ownKinds.get(exchange.who, slot(exchange, 'slug'), exchange.query) }),
})

export const listKindVersions = principalRoute('listKindVersions', {
  tag: 'kinds',
  summary: 'List the versions of a kind',
  about: 'Each with its changes against the version before it. Versions that connectors run stay, and the newest twenty others.',
  scope: 'connectors:read',
  returns: { about: 'Versions', schema: kindVersionList },
  problems: ['kind_not_found', 'organization_forbidden'],
  answer: async (exchange, { platform }) => ({ json: await platform.ownKinds.listVersions(exchange.who, slot(exchange, 'slug')) }),
})

export const deleteKind = principalRoute('deleteKind', {
  tag: 'kinds',
  summary: 'Delete a kind that no connector uses',
  about: 'All its versions go, and the application at its vendor.',
  scope: 'connectors:write',
  returns: { about: 'The deleted kind', schema: kindRemoval },
  problems: ['kind_not_found', 'kind_in_use', 'organization_forbidden'],
  answer: async (exchange, { platform }) => ({ json: await platform.ownKinds.remove(exchange.who, slot(exchange, 'slug')) }),
})
