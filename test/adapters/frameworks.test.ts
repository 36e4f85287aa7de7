/** The table of frameworks: what it says of versions and programs is what is declared and tested. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../scripts/paths.mjs'
import { exampleNames } from './examples.ts'

const readRoot = (file: string): string => readFileSync(join(root, file), 'utf8')
const readPackage = (folder: string) => Object(JSON.parse(readRoot(join(folder, 'package.json'))))

const library = readPackage('packages/ferrule')
const { devDependencies } = readPackage('.')
const rows = readRoot('examples/README.md')
  .split('\n')
  .filter((line) => line.includes('| `ferrule/'))
  .map((line) => line.split('|').map((cell) => cell.replaceAll('`', '').trim()))

test.each(rows)('the row of %s%s', (...cells) => {
  const [, , entry = '', name = '', range, tested, program = ''] = cells
  expect(Object.keys(library.exports)).toContain(entry.replace('ferrule', '.'))
  expect(tested).toBe(devDependencies[name])
  expect(range).toBe(library.peerDependencies[name] ?? 'any')
  expect(existsSync(join(root, 'examples', /\((.*)\)/.exec(program)?.[1] ?? ''))).toBe(true)
})

test('every example has a row, and every framework that is imported is an optional peer', () => {
  expect(rows.map(([, , entry]) => entry?.replace('ferrule/', ''))).toEqual(expect.arrayContaining([...exampleNames]))
  expect(Object.keys(library.peerDependenciesMeta)).toEqual(Object.keys(library.peerDependencies))
  expect(Object.values(library.peerDependenciesMeta)).toEqual(Object.keys(library.peerDependencies).map(() => ({ optional: true })))
})
