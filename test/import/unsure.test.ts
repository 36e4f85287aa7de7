/** `unsure` of a kind file: what an importer guessed, and what its document did not say. */
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { runFerrule } from '../command/support.ts'
import { acme } from '../kind-file/acme.ts'
import { makeFolder } from '../support/folder.ts'

const lines = 'unsure:\n  limits.left: not said\n  entities.things.list: guessed\n'
const text = acme.replace('\nentities:\n', `\n${lines}entities:\n`)
const lineOf = (words: string): number => text.slice(0, text.indexOf(words)).split('\n').length

test('what is guessed stands where it is, and what was not said where unsure names it', async () => {
  const { mistakes, doubts, unsure } = await readKind(text, { name: 'acme' })
  expect({ mistakes, doubts }).toEqual({ mistakes: [], doubts: [] })
  expect(unsure).toMatchObject([
    { path: 'limits.left', line: lineOf('  limits.left: not said'), message: expect.stringContaining('was not in the document') },
    { path: 'entities.things.list', line: lineOf('    list:\n      call: GET /things'), message: expect.stringContaining('is guessed') },
  ])
})

test('it survives JSON, and changes nothing else', async () => {
  const { definition } = await readKind(text, { name: 'acme' })
  const read = await readKind(JSON.stringify(definition, null, 1), { name: 'acme.json' })
  expect(read.mistakes).toEqual([])
  expect(read.unsure.map(({ path }) => path)).toEqual(['limits.left', 'entities.things.list'])
  const { unsure: _, ...rest } = read.definition ?? {}
  expect(rest).toEqual((await readKind(acme, { name: 'acme' })).definition)
})

test('another word is a mistake', async () => {
  const { mistakes } = await readKind(text.replace(': guessed', ': maybe'), { name: 'acme' })
  expect(mistakes).toMatchObject([{ path: 'unsure.entities.things.list', message: expect.stringContaining('maybe is not a word') }])
})

test('the command lists it', async () => {
  const config = makeFolder('unsure')
  await writeFile(join(config, 'acme.kind.yaml'), text)
  const { code, stdout, stderr } = await runFerrule({ config }, 'kind', 'check', 'acme.kind.yaml', '--json')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject([
    { is: 'unsure', path: 'limits.left' },
    { is: 'unsure', path: 'entities.things.list' },
  ])
  expect(stderr).toContain('no mistakes, 0 doubts, 2 unsure.')
})

test('the schema for editors has it', () => {
  const schema = JSON.parse(readFileSync(join(import.meta.dirname, '../../packages/ferrule/kind.schema.json'), 'utf8'))
  expect(schema.properties.unsure.additionalProperties).toEqual({ enum: ['guessed', 'not said'] })
})
