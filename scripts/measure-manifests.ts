/**
 * Measures the importer of manifests on a folder of YAML files: `node scripts/measure-manifests.ts FOLDER`. Prints how many manifests are
 * whole, how many have at least 80 % of their streams, and what stops the others, the most frequent first. A whole manifest passes the check
 * of its kind file too.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DocumentError } from '../packages/ferrule/src/import/imported.ts'
import { importManifest, NothingSaidError } from '../packages/ferrule/src/import/manifest/import.ts'
import { type Reason, sayReason } from '../packages/ferrule/src/import/manifest/outcome.ts'
import { parseDocument } from '../packages/ferrule/src/import/parse.ts'
import { writeKindText } from '../packages/ferrule/src/import/write.ts'
import { readKind } from '../packages/ferrule/src/kind-file/index.ts'

/** What was measured of one manifest. */
interface Measured {
  readonly isWhole: boolean
  readonly said: number
  readonly all: number
  /** Streams that a copy can hold. */
  readonly copied: number
  readonly reasons: readonly string[]
}

const none = { isWhole: false, said: 0, all: 0, copied: 0 }

/** Returns the reasons once each, and prints them with their details if asked for. */
function tell(name: string, reasons: readonly Reason[]): readonly string[] {
  if (process.argv.includes('--reasons')) for (const each of reasons) process.stderr.write(`${name}: ${sayReason(each)}\n`)
  return [...new Set(reasons.map(({ what }) => what))]
}

async function measure(path: string, name: string): Promise<Measured> {
  try {
    const kind = name
      .replace(/\.ya?ml$/, '')
      .replace(/^source-/, 'x-')
      .slice(0, 24)
    const { file, unsure, isWhole, streams, reasons } = importManifest(await parseDocument(await readFile(path, 'utf8')), { kind })
    const copied = Object.values(file.entities).filter(({ sync }) => sync !== undefined).length
    const { mistakes } = await readKind(await writeKindText({ file, unsure }), { name })
    if (process.argv.includes('--mistakes')) for (const each of mistakes) process.stderr.write(`${name}: ${each.path}: ${each.message}\n`)
    const said = [...tell(name, reasons), ...(mistakes.length > 0 ? ['the file has a mistake'] : [])]
    return { isWhole: isWhole && mistakes.length === 0, ...streams, said: mistakes.length > 0 ? 0 : streams.said, copied, reasons: said }
  } catch (thrown) {
    if (!(thrown instanceof DocumentError)) throw thrown
    const reasons = thrown instanceof NothingSaidError ? thrown.reasons : [{ what: `the manifest ${thrown.message}` }]
    return { ...none, all: thrown instanceof NothingSaidError ? thrown.streams : 0, reasons: tell(name, reasons) }
  }
}

const percent = (part: number, all: number): string => `${part} of ${all} (${((100 * part) / Math.max(all, 1)).toFixed(1)} %)`

async function main(): Promise<void> {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) throw new Error('Name a folder with manifests.')
  const names = (await readdir(folder)).filter((name) => /\.ya?ml$/.test(name)).toSorted()
  const all: Measured[] = []
  for (const name of names) all.push(await measure(join(folder, name), name))
  const most = all.filter(({ said, all: streams }) => streams > 0 && said >= 0.8 * streams)
  const sum = (pick: (one: Measured) => number) => all.reduce((total, each) => total + pick(each), 0)
  const whole = all.filter(({ isWhole }) => isWhole)
  const lines = [
    `whole: ${percent(whole.length, all.length)}; with a copy of every stream: ${percent(whole.filter(({ all: streams, copied }) => copied >= streams).length, all.length)}`,
    `at least 80 % of the streams: ${percent(most.length, all.length)}`,
    `streams: ${percent(
      sum(({ said }) => said),
      sum(({ all: streams }) => streams),
    )}; with a copy: ${sum(({ copied }) => copied)}`,
  ]
  const counts = new Map<string, { manifests: number; alone: number }>()
  for (const { isWhole, reasons } of all)
    for (const reason of isWhole ? [] : reasons) {
      const count = counts.get(reason) ?? { manifests: 0, alone: 0 }
      counts.set(reason, { manifests: count.manifests + 1, alone: count.alone + (reasons.length === 1 ? 1 : 0) })
    }
  for (const [reason, { manifests, alone }] of [...counts].toSorted(([, one], [, other]) => other.manifests - one.manifests))
    lines.push(`${String(manifests).padStart(5)} ${String(alone).padStart(4)} alone  ${reason}`)
  process.stdout.write(`${lines.join('\n')}\n`)
}

await main()
