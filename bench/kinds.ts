/** A start with 200 kinds of a package, against a start with the four of the library. The first start of each does not count: it checks the kinds. */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureBundle } from '../scripts/bundles.mjs'
import type { Result } from './result.ts'
import { alternate, type Effort } from './rounds.ts'
import { startOnce, toStartResult } from './start.ts'

const count = 200
const shipped = join(import.meta.dirname, '../packages/kinds/json')

/** Writes a package of kinds: those that ship, again and again under other names. */
async function writePackage(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const texts = await Promise.all((await readdir(shipped)).map((file) => readFile(join(shipped, file), 'utf8')))
  const kinds: object[] = []
  for (let number = 0; number < count; number++) {
    const kind = `kind-${number}`
    const text = JSON.stringify({ ...JSON.parse(texts[number % texts.length] ?? ''), kind, title: `Kind ${number}`, id: randomUUID() })
    await writeFile(join(folder, `${kind}.json`), text)
    kinds.push({ kind, file: `${kind}.json`, sha256: createHash('sha256').update(text).digest('hex') })
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'two-hundred', version: '1.0.0' }))
  await writeFile(join(folder, 'index.json'), JSON.stringify({ kinds }))
}

/** Runs the benchmark. */
export async function kindsOfStart(effort: Effort): Promise<Result> {
  const file = await ensureBundle('service')
  const cwd = await mkdtemp(join(tmpdir(), 'ferrule-bench-kinds-'))
  try {
    await writePackage(join(cwd, 'node_modules/two-hundred'))
    const sides = { ours: 'two-hundred', baseline: 'none' }
    return toStartResult(
      'kinds',
      await alternate(sides, effort, (kinds) => startOnce(file, { cwd, data: join(cwd, `data-${kinds}`), env: { FERRULE_KINDS: kinds } })),
    )
  } finally {
    await rm(cwd, { recursive: true, force: true })
  }
}
