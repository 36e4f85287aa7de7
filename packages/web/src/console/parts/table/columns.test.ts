import { expect, test } from 'vitest'
import { readAnswerRows } from './answer-rows.ts'
import { findEmpty, isFolded, printCell } from './columns.ts'

test('cells keep every digit, and print nested values in one line', () => {
  const values = [9007199254740993n, 1.5, true, null, undefined, 'text', { id: 9007199254740993n }]
  expect(values.map(printCell)).toEqual(['9007199254740993', '1.5', 'true', 'null', '', 'text', '{"id":9007199254740993}'])
})

test('long, nested and broken texts are folded', () => {
  const values = ['a'.repeat(61), 'two\nlines', [1], { a: 1 }, 'short', [], {}, null]
  expect(values.map(isFolded)).toEqual([true, true, true, true, false, false, false, false])
})

test('the records of a list are rows; every name of the first records is a column', () => {
  const { columns, rows } = readAnswerRows([{ a: 1 }, { b: 2 }])
  expect(columns.map(({ name, read }) => [name, rows.map(read)])).toEqual([
    ['a', [1, undefined]],
    ['b', [undefined, 2]],
  ])
})

test('pages of a list and parts of a result are one table', () => {
  const parts = [{ statementStatusUrl: '/a' }, { resultSetMetaData: { rowType: [{ name: 'N' }] }, data: [['1']] }, { data: [['2'], ['3']] }]
  expect(readAnswerRows(...parts).rows).toEqual([['1'], ['2'], ['3']])
  expect(readAnswerRows([{ a: 1 }], [{ a: 2 }]).rows).toEqual([{ a: 1 }, { a: 2 }])
})

test('the cells of a statement are rows, with the titles of the result; one record is one row', () => {
  const { columns, rows } = readAnswerRows({ resultSetMetaData: { rowType: [{ name: 'N' }, { name: 'N' }] }, data: [['1', null]] })
  expect(columns.map(({ title, read }) => [title, rows.map(read)])).toEqual([
    ['N', ['1']],
    ['N', [null]],
  ])
  expect(readAnswerRows({ id: '1' }).rows).toEqual([{ id: '1' }])
  expect(readAnswerRows(undefined).rows).toEqual([])
})

test('a column is empty when no row has a value of it; 0, false and "" are values', () => {
  const { columns, rows } = readAnswerRows([
    { a: null, b: 0, c: '', d: null },
    { a: null, d: 'x' },
  ])
  expect([...findEmpty(columns, rows)].map(({ name }) => name)).toEqual(['a'])
  expect(findEmpty(columns, []).size).toBe(0)
})
