/** Doubts about a kind that its recordings show: paths that name nothing, keys that stand twice. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { formatMistake, readKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { listRecordedDoubts, parseRecordings } from '../../packages/ferrule/src/kind-recordings/index.ts'
import { acmeKind, acmeRecordings } from './acme.ts'

async function listDoubts(kind: string, recordings: string | undefined): Promise<readonly string[]> {
  const { definition, findPlace, mistakes } = await readKind(kind, { name: 'acme' })
  if (definition === undefined) throw new Error(mistakes.map(formatMistake).join('\n'))
  const given = recordings === undefined ? undefined : await parseRecordings(recordings)
  return (await listRecordedDoubts({ definition, rules: {} }, { file: 'acme', findPlace }, given)).map(formatMistake)
}

const wrong: readonly (readonly [from: string, to: string, says: string])[] = [
  ['next: next_cursor', 'next: nxt_cursor', 'acme:19:13 pages.cursor.next: nxt_cursor names nothing in the 2 recorded.* mean next_cursor'],
  ['next: next_cursor', 'next: rowz', 'pages.cursor.next: rowz names nothing.*did you mean rows'],
  ['next: next_cursor', 'next: heder:x-next', 'pages.cursor.next: heder:x-next names nothing.*did you mean header:x-next'],
  ['next: next_cursor', "next: 'last:idd'", 'pages.cursor.next: idd names nothing in the 3 recorded.*did you mean id'],
  ['next: next_cursor', 'next: header:x-next', 'pages.cursor.next: x-next names nothing'],
  ['next: next_cursor', 'more: has_more, next: next_cursor', 'pages.cursor.more: has_more names nothing'],
  ['next: next_cursor', 'total: total, next: next_cursor', 'pages.cursor.total: total names nothing'],
  ['at: data, pages', 'at: dta, pages', 'entities.things.list.at: dta names nothing.*did you mean data'],
  ['at: labels, pages', 'at: lables, pages', 'entities.labels.list.at: lables names nothing.*did you mean labels'],
  ['message: error.message', 'message: error.mesage', 'errors.message: error.mesage names nothing.*did you mean error.message'],
  ['code: error.code', 'code: eror.code', 'errors.code: eror.code names nothing.*did you mean error.code'],
  ['code: error.code', 'failed: { okay: false }, code: error.code', 'errors.failed: okay names nothing'],
  ['call: GET /things, params', 'call: GET /things, merge: [nod], params', 'entities.things.list.merge: nod names nothing'],
  ['    key: name\n', '    key: colour\n', 'entities.labels.key: record 1 has no colour, which is the key, in the recording labels.list'],
]

test.each(wrong)('%s becomes %s', async (from, to, says) => {
  expect(acmeKind).toContain(from)
  const kind = acmeKind.replace(from, to).replace('fields: { name: string Name }', 'fields: { name: string Name, colour: string? Colour }')
  expect((await listDoubts(kind, acmeRecordings)).join('\n')).toMatch(new RegExp(says))
})

test('a key that stands twice in the recorded records is in doubt', async () => {
  const recordings = acmeRecordings.replace('"id": 3}', '"id": 2}')
  expect(await listDoubts(acmeKind, recordings)).toContainEqual(
    expect.stringMatching(/entities\.things.*: the key 2 stands twice: record 3 has it again, in the recording things\.list/),
  )
})

test('without recordings a path is in doubt that is nearly a word', async () => {
  expect(await listDoubts(acmeKind, undefined)).toEqual([])
  const [, ...doubts] = await Promise.all(
    ['next_cursor', 'rowz', 'linc', "'lst:id'", 'heder:x-next'].map((next) =>
      listDoubts(acmeKind.replace('next: next_cursor', `next: ${next}`), undefined),
    ),
  )
  expect(doubts.map((each) => each.map((line) => line.replace(/.*(?=did you)| Example.*/g, '')))).toEqual(
    ['rows', 'link', 'last:id', 'header:x-next'].map((word) => [`did you mean ${word}?`]),
  )
})

const folder = new URL('../../packages/kinds/', import.meta.url)
const ten = readdirSync(folder).flatMap((name) => (name.endsWith('.kind.yaml') ? [name] : []))

test.each(ten)('%s has no doubt, and a typo in each path into answers is one', async (name) => {
  const text = readFileSync(new URL(name, folder), 'utf8')
  const recordings = await parseRecordings(readFileSync(new URL(name.replace('.kind.yaml', '.recordings.json'), folder), 'utf8'))
  const doubt = async (kind: string): Promise<number> => {
    const { definition, findPlace, doubts } = await readKind(kind, { name })
    if (definition === undefined) return 1
    return doubts.length + (await listRecordedDoubts({ definition, rules: {} }, { file: name, findPlace }, recordings)).length
  }
  expect(await doubt(text)).toBe(0)
  const silent: string[] = []
  for (const { 0: said, index } of text.matchAll(/\b(?:next|more|total|at|read|failed): (?!link|rows|pages|\{|\[|header:)'?!?[\w.:]*\w/g)) {
    const wrong = text.slice(0, index) + said.slice(0, -1) + (said.endsWith('q') ? 'x' : 'q') + text.slice(index + said.length)
    // No recording has an event.
    const isOfWebhooks =
      text
        .slice(0, index)
        .split(/\n(?=\w)/)
        .at(-1)
        ?.startsWith('webhooks:') === true
    if (!isOfWebhooks && (await doubt(wrong)) === 0) silent.push(said)
  }
  expect(silent).toEqual([])
})
