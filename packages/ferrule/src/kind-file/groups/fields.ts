/** The keys of a field in full, of ways of paging, of the fields of an account's own, and of what people see of a record. */
import {
  either,
  fields,
  flag,
  type KeyGroup,
  type KeyRow,
  key,
  keys,
  list,
  longest,
  map,
  scalar,
  sentence,
  text,
  value,
  word,
} from '../shape.ts'
import { condition } from './conditions.ts'

/** A way of paging, and where a search ends. */
export const pageGroups: Readonly<Record<string, KeyGroup>> = {
  way: {
    title: 'pages.NAME',
    keys: [
      key('next', text('position'), 'Where the answer says what comes next', { example: 'next: meta.next_cursor', required: true }),
      key('send', text('name'), 'The parameter that takes it; without it the position is the address of the next page', {
        example: 'send: cursor',
      }),
      key('in', word('query', 'body'), 'Where the request carries it', {
        example: 'in: body',
        without: 'the body of a request that has one',
      }),
      key('first', word('0', '1'), 'The first number of pages', { example: "first: '0'", without: '1' }),
      key('more', text('more'), 'Flag that says whether there is more; rows: until a page is empty', { example: 'more: has_more' }),
      key('total', text('path'), 'Where the number of all records is', { example: 'total: meta.total' }),
      key('size', text('size'), 'The parameter for the size of a page, and the largest size', { example: 'size: per_page=100' }),
      key('cap', keys('cap'), 'Where the vendor ends a search, and how it starts again behind its last record', {
        example: "cap: { rows: 1000, by: id, order: { sort: id }, behind: { after_id: '{last}' } }",
      }),
    ],
  },
  cap: {
    title: 'pages.NAME.cap',
    keys: [
      key('rows', { is: 'number', least: 1 }, 'Number of records after which the vendor ends a search', {
        example: 'rows: 10000',
        required: true,
      }),
      key('by', text('path'), 'Whole number in the row that sorts the records; no two have the same one', {
        example: 'by: id',
        required: true,
      }),
      key('order', map('name', value), 'Parameters that sort by it, the smallest first, unless the caller sorts', {
        example: 'order: { sort: id }',
        required: true,
      }),
      key('behind', map('path', value), 'Parameters for what is behind the record {last}; [] at the end of a path adds to a list', {
        example: "behind: { after_id: '{last}' }",
        required: true,
      }),
    ],
  },
}

export const describedGroup: KeyGroup = {
  title: 'entities.NAME.described',
  keys: [
    key('run', text('operation'), 'The entity that describes the fields, and list', { example: 'run: properties.list', required: true }),
    key('params', map('name', value), 'Parameters of the call; {name} takes that parameter of the call that asks for the fields', {
      example: 'params: { object: contacts }',
    }),
    key('name', text('path'), 'Field of its records with the name', { example: 'name: name', required: true }),
    key('where', condition, 'Field, or field and value, of the records that count; with ! in front a field without a value', {
      example: "where: '!hubspotDefined'",
      without: 'all of them',
    }),
  ],
}

export const recordTextKeys: readonly KeyRow[] = [
  key('title', text('path'), 'The searchable field with the title of a record', {
    example: 'title: dealname',
    without: 'the first of name, title, subject and other usual names',
  }),
  key('summary', text('path'), 'The searchable field that says what a record is about', { example: 'summary: description' }),
  key('link', text('https'), "Address of a record's page at the vendor; a {slot} takes a searchable field, or a value of configuration", {
    example: "link: 'https://{subdomain}.zendesk.com/agent/tickets/{id}'",
  }),
]

/** A field in full: its keys begin with a dollar sign, so that they are no names of the vendor's. */
export const fieldGroup: KeyGroup = {
  title: 'a field in full',
  keys: [
    key('$type', text(), 'The type, as in the short form', {
      example: '$type: string?',
      without: 'an object with the other keys as its fields',
    }),
    key('$about', sentence, 'The sentence', { example: '$about: Name, as people see it' }),
    key('$fields', fields('any'), 'Fields of an object', { example: '$fields: { id: integer Id }' }),
    key('$values', list(text()), 'Values with spaces or other signs', { example: '$values: [in progress, done]' }),
    key('$default', scalar, 'Value when it is left out', { example: '$default: all' }),
    key('$min', { is: 'number', least: Number.MIN_SAFE_INTEGER }, 'Smallest number', { example: '$min: 1' }),
    key('$max', { is: 'number', least: Number.MIN_SAFE_INTEGER }, 'Largest number', { example: '$max: 100' }),
    key('$example', scalar, 'A value, as people write it', { example: '$example: octocat' }),
    key('$to', text('name'), 'The name that the request carries', { example: '$to: filter.name' }),
    key('$from', text('word'), 'The field of configuration that fills the parameter where a call leaves it out', {
      example: '$from: workspace',
    }),
    key('$chooses', flag, 'True: the parameter chooses fields, so that records lack the others', { example: '$chooses: true' }),
    key('$find', either(text(undefined, longest.sentence), keys('find')), 'Where people find the value', {
      example: '$find: Settings > API',
    }),
    key('$deprecated', flag, 'The vendor will remove it', { example: '$deprecated: true' }),
  ],
}
