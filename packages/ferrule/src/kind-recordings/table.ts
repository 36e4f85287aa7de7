/** The table of recordings: each key, what it holds, what it says, and how it is written (docs/decisions/kind-recordings.md). */
import { errorTable } from '../error-table.ts'
import {
  either,
  flag,
  type KeyGroup,
  type KeyRow,
  keys,
  list,
  longest,
  map,
  type Shape,
  scalar,
  text,
  value,
  word,
} from '../kind-file/shape.ts'

/** Largest numbers. */
export const most = { bytes: 4 * 1024 * 1024, recordings: 500, exchanges: 100, values: 500_000, samples: 500 }

const sentence = text(undefined, longest.sentence)
const pairs = map('name', either(scalar, list(scalar)))
const headers = map('header', text())

const key = (name: string, holds: Shape, about: string, rest: Omit<KeyRow, 'key' | 'holds' | 'about'>): KeyRow => ({
  key: name,
  holds,
  about,
  ...rest,
})

const recordings: KeyGroup = {
  title: 'a file of recordings',
  keys: [
    key('$schema', text(), 'Schema of this file, for editors', { example: '"$schema": "./node_modules/ferrule/recordings.schema.json"' }),
    key('kind', text('slug'), 'Name of the kind', { example: '"kind": "github"', required: true }),
    key('config', map('name', scalar), 'Values of the configuration, for all calls', {
      example: '"config": {"subdomain": "acme"}',
      without: 'invented ones',
    }),
    key('samples', map('word', value, most.samples), 'Values that stand several times in the file; {"$use": "issue"} takes one in', {
      example: '"samples": {"issue": {"id": 1, "title": "Broken"}}',
    }),
    key('recordings', list(keys('recording')), 'The recorded calls', { example: '"recordings": []', required: true }),
  ],
}

const recording: KeyGroup = {
  title: 'a recording',
  keys: [
    key('call', text('operation'), 'An entity and an action', { example: '"call": "issues.list"', required: true }),
    key('name', sentence, 'What it shows, if there are several of one call', { example: '"name": "an empty repository"' }),
    key('source', word('live', 'document'), "live: an answer of the vendor's service; document: an answer of its documents", {
      example: '"source": "document"',
      required: true,
    }),
    key('from', text('https'), "The vendor's page, for documents", { example: '"from": "https://docs.example.com/issues"' }),
    key('params', map('name', value), 'Parameters of the call', { example: '"params": {"owner": "octo", "repo": "hello"}' }),
    key(
      'exchanges',
      list(keys('exchange')),
      'Requests in the order in which they are sent, each with its answer; a list has all its pages',
      {
        example: '"exchanges": [{"request": "GET /user", "answer": {"body": {"id": 1}}}]',
        required: true,
      },
    ),
    key('data', value, 'The record, or the records of all pages; fields that need no comparison can be left out', {
      example: '"data": [{"id": 1, "title": "Broken"}]',
    }),
    key('meta', map('name', value), 'Members of the meta of the first page', { example: '"meta": {"total_records": 3}' }),
    key('error', word(...Object.keys(errorTable)), 'Code of the error that the call ends with', { example: '"error": "record_not_found"' }),
    key('more', flag, 'True: the vendor has more pages than these', { example: '"more": true' }),
    key('one_page', sentence, 'Why a list has one page here', { example: '"one_page": "The vendor returns all labels at once."' }),
  ],
}

const exchange: KeyGroup = {
  title: 'an exchange',
  keys: [
    key('request', either(text('request'), keys('request')), 'Method and path with the query, or a request in full', {
      example: '"request": "GET /repos/octo/hello/issues?per_page=100"',
      required: true,
    }),
    key('answer', keys('answer'), 'What the vendor answers', { example: '"answer": {"body": []}', required: true }),
  ],
}

const request: KeyGroup = {
  title: 'a request in full',
  keys: [
    key('call', text('request'), 'Method and path, perhaps with a query; {any} stands for any characters, here and in all values', {
      example: '"call": "POST /v3/search"',
      required: true,
    }),
    key('query', pairs, 'Values of the query as people read them, beside those of the address', {
      example: '"query": {"jql": "project = \\"A\\""}',
    }),
    key('headers', headers, 'Headers that must be there; never credentials', { example: '"headers": {"if-match": "*"}' }),
    key('body', value, 'Body as JSON; that of GraphQL can leave out the document', { example: '"body": {"title": "Broken"}' }),
    key('form', pairs, 'Body as a form', { example: '"form": {"metadata[a]": "b"}' }),
  ],
}

const answer: KeyGroup = {
  title: 'an answer',
  keys: [
    key('status', { is: 'number', least: 100 }, 'Status', { example: '"status": 404', without: '200' }),
    key('headers', map('header', either(text(), list(text()))), 'Headers; content-type is application/json if omitted', {
      example: '"headers": {"link": "<https://api.example.com/issues?page=2>; rel=\\"next\\""}',
    }),
    key('body', value, 'Body as JSON', { example: '"body": {"data": []}' }),
    key('text', text(undefined, 1_000_000), 'Body that is no JSON', { example: '"text": "Not found"' }),
  ],
}

/** All groups of keys by name. `recordings` is the whole file. */
export const recordingGroups: Readonly<Record<string, KeyGroup>> = { recordings, recording, exchange, request, answer }
