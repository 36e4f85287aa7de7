/** Each kind that ships against its recordings, which fit the vendor's documents (docs/decisions/importers.md). */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readRecordings, testKind } from '../../packages/ferrule/src/kind-recordings/index.ts'
import { loadSubject } from './connectors.ts'
import { subjects } from './subjects.ts'

test.each(subjects)('$slug does what the documents of its vendor show', async (subject) => {
  const name = `${subject.slug}.recordings.json`
  const text = await readFile(join(import.meta.dirname, `../../packages/kinds/${name}`), 'utf8')
  const { file, mistakes } = await readRecordings(text, { name })
  expect(mistakes).toEqual([])
  if (file === undefined) throw new Error('unreachable')
  const { definition } = await loadSubject(subject)
  const findPlace = () => ({ line: 1, column: 1 })
  const report = await testKind({ definition, rules: {} }, file, { kind: `${subject.slug}.kind.yaml`, recordings: name, findPlace })
  const failures = report.findings.filter(({ is }) => is === 'failure')
  expect(failures.map(({ line, call, message }) => `${name}:${line} ${call}: ${message}`)).toEqual([])
  // A name that no answer has, and a call that nobody compared with its page, could be invented.
  const gaps = report.findings.filter(({ message }) => /no recorded record has a value in these fields|is not recorded/.test(message))
  expect(gaps.map(({ call, message }) => `${call}: ${message}`)).toEqual([])
  expect(report.live).toBe(0)
})
