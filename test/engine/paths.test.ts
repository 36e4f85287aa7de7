import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { getAt, parsePath, setAt, takeAt, visitHolders } from '../../packages/ferrule/src/engine/json/paths.ts'

describe('paths', () => {
  test.each([
    ['', { a: 1 }, { a: 1 }],
    ['a', { a: 1 }, 1],
    ['a.b', { a: { b: null } }, null],
    ['a[0].b', { a: [{ b: 'x' }, { b: 'y' }] }, 'x'],
    ['a[1][0]', { a: [0, ['deep']] }, 'deep'],
    ['workspace-id', { 'workspace-id': '7' }, '7'],
    ['a.b', { a: [] }, undefined],
    ['a.length', { a: [1, 2] }, undefined],
    ['a.b', { a: null }, undefined],
    ['a.b', { a: 'text' }, undefined],
    ['a[5]', { a: [1] }, undefined],
    ['a[0]', { a: { 0: 'not an array' } }, undefined],
    [String.raw`a.@odata\.next[0]`, { a: { '@odata.next': ['b'] } }, 'b'],
  ])('%s of %j is %j', (path, value, found) => {
    expect(getAt(value, parsePath(path))).toEqual(found)
  })

  test('what is set is found, and what is taken is gone', () => {
    const keys = fc.array(fc.stringMatching(/^[a-z][a-zA-Z-]{0,8}$/), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(keys, fc.jsonValue(), (steps, value) => {
        const target: Record<string, unknown> = {}
        const path = parsePath(steps.join('.'))
        setAt(target, path, value)
        expect(getAt(target, path)).toEqual(value)
        expect(takeAt(target, path)).toEqual(value)
        expect(getAt(target, path)).toBeUndefined()
      }),
    )
  })

  test('every element is visited; elements of another form are passed over', () => {
    const value = { a: [{ b: 1 }, null, 'x', { b: 2 }, { c: 3 }] }
    const visited: unknown[] = []
    visitHolders(value, parsePath('a[].b'), (holder, key) => visited.push(holder[key]))
    expect(visited).toEqual([1, 2, undefined])
  })

  test('setting goes through a value that is no object by replacing it', () => {
    const target: Record<string, unknown> = { filter: 'x' }
    setAt(target, parsePath('filter.reviewMethod'), 'BOTH')
    expect(target).toEqual({ filter: { reviewMethod: 'BOTH' } })
  })
})
