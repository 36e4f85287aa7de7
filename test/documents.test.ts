/**
 * Holds the documents to the tree: paths that they name exist, links lead somewhere, pages of decisions have their form, lines for a shell run
 * in every shell of POSIX, pages of `/docs` hold what they may.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { filterOperators, operators } from '../packages/ferrule/src/definition/operators.ts'
import { DocsPages } from '../scripts/docs-pages.mjs'
import { root } from '../scripts/paths.mjs'
import { makeFolder } from './support/folder.ts'

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
const path =
  /`((?:packages|test|scripts|bench|docs|definition|connectors|engine|values|cli|db|tenancy|calls|copies|http|main)\/[\w./*-]*)`/g

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
  expect(missingPaths('See `engine/call/execute.ts`, `engine/no-such-file.ts`, `test/http/` and `client/`, `examples/`.')).toEqual([
    'engine/no-such-file.ts',
  ])
})

test.each(documents)('%s links to files that exist', (file) => {
  expect(brokenLinks(file)).toEqual([])
})

test('docs/search.md has a row for each operator of a filter, and for its sign or word', () => {
  const rows = (heading: string): string => {
    const [, table = ''] = read('docs/search.md').split(`| ${heading} |`)
    return table.slice(0, table.indexOf('\n\n'))
  }
  const names = rows('Operator').matchAll(/^\| ([^|]*) \|/gm)
  const named = [...names].flatMap(([, cell = '']) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
  expect(named.toSorted()).toEqual(filterOperators.toSorted())
  const forms = new Set(rows('Form').split(/[\s`,]+/))
  expect(Object.values(operators).filter(({ written }) => !forms.has(written))).toEqual([])
})

describe('pages of /docs', () => {
  /** Renders a list of pages and one page. */
  const render = (text: string): string => {
    const folder = makeFolder('docs', onTestFinished)
    writeFileSync(join(folder, 'README.md'), '# All\n\n## Group\n\n- [One](one.md): the first')
    writeFileSync(join(folder, 'one.md'), text)
    return new DocsPages(folder).render('__MAIN__', () => '').get('one') ?? ''
  }

  test('are all documents but those of decisions, each once', () => {
    const files = globSync(['docs/*.md', 'docs/reference/*.md'], { cwd: root }).map((file) => file.slice('docs/'.length))
    expect(new DocsPages(join(root, 'docs')).pages.map(({ file }) => file).toSorted()).toEqual(files.toSorted())
  })

  test.each([
    ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['a <img src=x onerror=alert(1)> b', '<p>a &lt;img src=x onerror=alert(1)&gt; b</p>'],
    ['[a](javascript:alert(1)) ![b](x.png)', '<p>a b</p>'],
    ['[a](https://a.example/?b="c)', '<p><a href="https://a.example/?b=&quot;c">a</a></p>'],
    ['[a](decisions/mcp.md) [c](README.md) [d](#e)\n\n## E', '<p>a <a href="../docs">c</a> <a href="#e">d</a></p>'],
    ['```sh\n<b> & "c"\n```', '<pre tabindex="0"><code>&lt;b&gt; &amp; &quot;c&quot;</code></pre>'],
    ['<!-- a note -->\n\nb', '<p>b</p>'],
  ])('have no HTML of the Markdown, and no links to elsewhere: %s', (text, html) => {
    expect(render(text)).toContain(html)
    expect(render(text)).not.toMatch(/<(?:script|img)|javascript:|<!--/)
  })

  test('are not made while a link leads to a section that does not exist', () => {
    expect(() => render('[a](README.md#none)')).toThrow('#none')
  })
})

describe('lines for a shell', () => {
  /** What shells of POSIX take for words, although bash does more with it. */
  const ofBash = /\{\w+\.\.\w+\}|\{[\w-]+(?:,[\w-]+)+\}|\[\[|\$RANDOM\b|\$'|\bsource |\bfunction |&>|\$\{\w+(?:\/|\[|\^|,)/

  /** Returns the blocks of a document that are lines for a shell. */
  const listBlocks = (text: string): string[] =>
    [...text.matchAll(/^```(?:sh|bash|shell)\n([\s\S]*?)^```/gm)].map(([, block = '']) => block)

  /** Returns what no shell of POSIX can read. */
  const findMistakes = (block: string): string[] => {
    const { stderr, status } = spawnSync('dash', ['-n'], { input: block, encoding: 'utf8' })
    const mistake = ofBash.exec(block)?.[0]
    return [...(status === 0 ? [] : [stderr]), ...(mistake === undefined ? [] : [`${mistake} is of bash`])]
  }

  /** Returns calls whose answer would leave the prompt in its line: those of curl that are neither read, nor kept, nor ended. */
  const findOpenAnswers = (block: string): string[] =>
    block
      .replaceAll('\\\n', ' ')
      .split('\n')
      .filter((line) => /^curl /.test(line) && !/ (?:-w|--write-out) '\\n'| (?:-o|--output) | \| /.test(line))

  const pages = [...new Set([...documents, ...globSync(['deploy/**/*.md', 'packages/*/src/README.md'], { cwd: root })])]

  test.each(pages.filter((file) => listBlocks(read(file)).length > 0))('%s: dash reads them, and answers end their line', (file) => {
    const blocks = listBlocks(read(file))
    expect(blocks.flatMap(findMistakes)).toEqual([])
    expect(blocks.flatMap(findOpenAnswers)).toEqual([])
  })

  test('what only bash runs would be found', () => {
    const wrong = ['for _ in {1..60}; do sleep 1; done', 'cat <(ls)', 'ls {a,b}', '[[ -n x ]]', 'if true; then', 'echo $RANDOM']
    expect(wrong.filter((line) => findMistakes(line).length === 0)).toEqual([])
    expect(findOpenAnswers('curl -s \\\n  https://example.com')).toHaveLength(1)
  })
})

describe('pages of decisions', () => {
  const records = documents.filter((file) => file.startsWith('docs/decisions/'))

  test.each(records)('%s has context, decision and consequences', (file) => {
    const headings = [...read(file).matchAll(/^## (Context|Decision|Consequences)/gm)].map(([, name]) => name)
    expect([...new Set(headings)]).toEqual(['Context', 'Decision', 'Consequences'])
    expect(file).toMatch(/^docs\/decisions\/[a-z-]+\.md$/)
  })

  test('every page is linked from what it explains and from the list, and every link from code leads to a page', () => {
    const patterns = ['*.md', 'docs/*.md', 'packages/*/README.md', 'packages/*/src/**/*.{ts,tsx,md}', 'scripts/*', 'test/**/*.ts']
    const listed = 'CONTRIBUTING.md'
    const findNamed = (files: readonly string[]): string[] => {
      const names = files.flatMap((file) => [...read(file).matchAll(/\bdecisions\/([a-z-]+)\.md/g)].map(([, name]) => name))
      return [...new Set(names)].map((name) => `docs/decisions/${name}.md`).toSorted()
    }
    expect(findNamed(globSync(patterns, { cwd: root, exclude: [listed] }))).toEqual([...records].toSorted())
    expect(findNamed([listed])).toEqual([...records].toSorted())
  })

  test.each(records)('%s has bullets of at most three lines', (file) => {
    const bullets = read(file)
      .split(/\n(?=- |\n|#|\|)/)
      .filter((block) => block.startsWith('- '))
    expect(bullets.filter((bullet) => bullet.split('\n').length > 3 || bullet.length > 450)).toEqual([])
  })
})
