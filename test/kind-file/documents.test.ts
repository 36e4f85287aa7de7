/** The examples of the page about kind files are right. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { groups } from '../../packages/ferrule/src/kind-file/table.ts'
import { fieldTypes } from '../../packages/ferrule/src/kind-file/vocabulary.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/writing-kinds.md'), 'utf8')
const blocks = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text).filter((text) => !text.startsWith('#'))
const [whole = '', ...parts] = blocks

test('the whole file is right, and leaves no doubt', async () => {
  const { mistakes, doubts } = await readKind(whole, { name: 'notes' })
  expect({ mistakes, doubts }).toEqual({ mistakes: [], doubts: [] })
})

/** Puts an example where it belongs in a file, and reads that. */
const readExample = async (text: string): Promise<readonly string[]> => {
  const file = parse(whole)
  const part = parse(text)
  const entity = ['list', 'update'].some((key) => key in part)
  const field = Object.keys(part).some((key) => !groups['kind']?.keys.some((row) => row.key === key))
  if (entity) Object.assign(file.entities.notes, { sync: 'none' }, part)
  else if (field) Object.assign(file.entities.notes.create.body, part)
  else Object.assign(file, part, { entities: file.entities, auth: { ...file.auth, ...part.auth } })
  const { mistakes } = await readKind(JSON.stringify(file), { name: 'notes' })
  return mistakes.map(({ path, message }) => `${path} ${message}`)
}

describe('an example is right', () => {
  test.each(parts.map((text) => [text.split('\n').slice(0, 2).join(' '), text] as const))('%s', async (_first, text) => {
    const wrong = await readExample(text)
    // Parts of larger files name things that the file of the page lacks.
    expect(wrong.filter((each) => !/^(changes|limits\.per)|\.\$from /.test(each))).toEqual([])
  })
})

test('all types stand on the page', () => {
  expect(Object.keys(fieldTypes).filter((type) => !page.includes(`\`${type}\``))).toEqual([])
})

test('ways of paging and of copying are right', async () => {
  const ways = [...page.matchAll(/\| `(\{ next: .*?\})` \|/g)].map(([, text = '']) => text)
  const syncs = [...page.matchAll(/\| `(sync: .*?)` \|/g)].map(([, text = '']) => text)
  expect([ways.length, syncs.length]).toEqual([8, 14])
  for (const way of ways) {
    const { mistakes } = await readKind(whole.replace(/cursor: \{ next.*\}/, `cursor: ${way}`), { name: 'notes' })
    expect(mistakes.filter(({ path }) => path.startsWith('pages'))).toEqual([])
  }
  for (const sync of syncs) {
    const { mistakes } = await readKind(whole.replace('sync: full', sync), { name: 'notes' })
    const odd = mistakes.filter(({ message }) => !/is not a (parameter|field|entity)|is not an entity/.test(message))
    expect(odd, sync).toEqual([])
  }
})
