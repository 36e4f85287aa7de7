/** Holds the documents to the tree: paths that they name exist, links lead somewhere, decision records have their form. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const documents = globSync(
  [
    '*.md',
    'docs/*.md',
    'docs/decisions/*.md',
    'examples/*.md',
    'packages/*/src/**/README.md',
    'packages/web/README.md',
    'test/*/README.md',
  ],
  { cwd: root },
)
  .filter((file) => file !== 'CHANGELOG.md')
  .toSorted()
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** Folders that a path in a document may begin from. */
const origins = ['.', 'packages/ferrule/src', 'packages/server/src', 'packages/web']
const path = /`((?:packages|test|scripts|bench|docs|definition|connectors|engine|context|platform|surfaces|service)\/[\w./*-]*)`/g

/** Returns the paths of a document that nothing in the tree has. */
const missingPaths = (text: string): string[] =>
  [...text.matchAll(path)]
    .map(([, name = '']) => name)
    .filter((name) => !origins.some((origin) => globSync(join(origin, name), { cwd: root }).length > 0))

/** Returns the relative links of a document that lead nowhere. */
const brokenLinks = (file: string): string[] =>
  [...read(file).matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !existsSync(join(root, dirname(file), target)))

test.each(documents)('%s names paths that exist', (file) => {
  expect(missingPaths(read(file))).toEqual([])
})

test('a path that does not exist would be found', () => {
  expect(missingPaths('See `engine/execute.ts`, `engine/no-such-file.ts`, `test/http/` and `client/`, `examples/`.')).toEqual([
    'engine/no-such-file.ts',
  ])
})

test.each(documents)('%s links to files that exist', (file) => {
  expect(brokenLinks(file)).toEqual([])
})

describe('decision records', () => {
  const records = documents.filter((file) => file.startsWith('docs/decisions/'))

  test.each(records)('%s has context, decision and consequences', (file) => {
    const headings = [...read(file).matchAll(/^## (Context|Decision|Consequences)/gm)].map(([, name]) => name)
    expect([...new Set(headings)]).toEqual(['Context', 'Decision', 'Consequences'])
    expect(read(file)).toMatch(new RegExp(`^# ${file.slice('docs/decisions/'.length, 'docs/decisions/'.length + 4)} `))
  })

  test.each(records)('%s has bullets of at most three lines', (file) => {
    const bullets = read(file)
      .split(/\n(?=- |\n|#|\|)/)
      .filter((block) => block.startsWith('- '))
    expect(bullets.filter((bullet) => bullet.split('\n').length > 3 || bullet.length > 450)).toEqual([])
  })
})
