/** The keys of ways of paging. */
import { type KeyGroup, key, keys, map, text, value, word } from '../shape.ts'

/** A way of paging, and where a search ends. */
export const pageGroups: Readonly<Record<string, KeyGroup>> = {
  way: {
    title: 'pages.NAME',
    keys: [
      key('next', text('position'), 'Where the answer says what comes next', { example: 'next: meta.next_cursor', required: true }),
      key('send', text('name'), 'The parameter that takes it; without it the position is the address of the next page', {
        example: 'send: cursor',
      }),
      key('place', word('query', 'body'), 'Where the request carries it', {
        example: 'place: body',
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
