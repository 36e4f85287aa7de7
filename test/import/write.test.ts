/** The text of kind files, and the reading of documents. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { DocumentError } from '../../packages/ferrule/src/import/imported.ts'
import { parseDocument } from '../../packages/ferrule/src/import/parse.ts'
import { writeKindText } from '../../packages/ferrule/src/import/write.ts'
import { readKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { acme } from '../kind-file/acme.ts'

const kinds = join(import.meta.dirname, '../../packages/kinds')

test('every kind that ships is the same after it was written again, in lines of at most 140 characters', async () => {
  const names = (await readdir(kinds)).filter((name) => name.endsWith('.kind.yaml'))
  expect(names.length).toBeGreaterThanOrEqual(10)
  for (const name of names) {
    const text = await readFile(join(kinds, name), 'utf8')
    const written = await writeKindText({ file: parse(text, { merge: true }), unsure: {} })
    expect((await readKind(written, { name })).definition, name).toEqual((await readKind(text, { name })).definition)
    expect(written.split('\n').filter((line) => line.length > 140)).toEqual([])
  }
})

test('what is unsure stands behind the first lines; short maps stand on one line, and entities apart', async () => {
  const written = await writeKindText({ file: parse(acme), unsure: { limits: 'not said', 'entities.parts.list': 'guessed' } })
  expect(written).toContain('path: /v1\n\nunsure:\n  limits: not said\n  entities.parts.list: guessed\n')
  expect(written).toContain('\n\n  things:\n    about: Things\n    fields: { +: base, name: string Name, owner: { login: ')
  expect((await readKind(written, { name: 'acme' })).unsure).toHaveLength(2)
})

test('a long text takes several lines', async () => {
  const about = 'Things of Acme, '.repeat(15).trim()
  const written = await writeKindText({ file: { ...parse(acme), about }, unsure: {} })
  expect(written.split('\n').filter((line) => line.length > 140)).toEqual([])
  expect((await readKind(written, { name: 'acme' })).definition?.about).toBe(about)
})

test.each([
  ['JSON', '{"a": [1, "b"]}'],
  ['YAML', 'a:\n  - 1\n  - b\n'],
  ['YAML that begins with a brace', '{ a: [1, b] }'],
])('%s is read', async (_, text) => {
  expect(await parseDocument(text)).toEqual({ a: [1, 'b'] })
})

const bomb = `a: &a [1,1,1,1,1,1,1,1,1,1]\n${[...'bcdefgh'].map((name, index) => `${name}: &${name} [${Array(10).fill(`*${'abcdefg'[index]}`).join()}]`).join('\n')}`
test.each([
  ['broken', '{ a: ', 'is neither JSON nor YAML'],
  ['too large', `{"a": "${'x'.repeat(33 * 1024 * 1024)}"}`, 'has more than 33554432 characters'],
  ['too deep', '['.repeat(300) + ']'.repeat(300), 'is nested more than 200 levels deep'],
  ['of a name of JavaScript', '{"__proto__": {"a": 1}}', 'has the name __proto__'],
  ['grown by aliases', bomb, 'Excessive alias count'],
])('a document %s is refused', async (_, text, says) => {
  const refused = parseDocument(text)
  await expect(refused).rejects.toThrow(DocumentError)
  await expect(refused).rejects.toThrow(says)
})
