/** What the library weighs after its installation, and what its import costs. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/paths.mjs'
import { run } from '../support/commands.ts'
import { listFiles } from './packing.ts'

/** Lists the packages of a `node_modules`, nested ones included, by their folders. */
export const listPackages = (modules: string): string[] =>
  listFiles(modules)
    .filter((path) => /^(.*\/node_modules\/)?(@[^/]+\/)?[^/@]+\/package\.json$/.test(path))
    .map((path) => path.slice(0, -'/package.json'.length))

/** Adds up the sizes of all files, in bytes. */
export const measureBytes = (folder: string): number => listFiles(folder).reduce((sum, path) => sum + statSync(join(folder, path)).size, 0)

/**
 * Reads a size that a document prints, in bytes.
 * @param start beginning of the line, or of the sentence, that prints it
 */
export function readPrintedSize(document: string, start: string): number {
  const text = readFileSync(join(root, document), 'utf8')
  const printed = /([\d.]+) (kB|MB)\b/.exec(text.slice(text.indexOf(start)))
  if (!text.includes(start) || printed === null) throw new Error(`${document} prints no size after "${start}"`)
  return Number(printed[1]) * (printed[2] === 'MB' ? 1_000_000 : 1_000)
}

/** The process reports itself, so that neither its start by a shell nor its end counts. */
const program = `
await import(process.argv[1])
const { user, system } = process.cpuUsage()
console.log(JSON.stringify({ cpuSeconds: (user + system) / 1e6, megabytes: process.memoryUsage().rss / 2 ** 20 }))
`

/** Cost of a process that imports an entry: user and system time, and its memory, each the least of the runs. */
export interface ImportCost {
  readonly cpuSeconds: number
  readonly megabytes: number
}

/**
 * Measures a process that imports an entry. The least of several runs counts: other work on the machine only adds.
 * @param project has the package installed
 */
export function measureImport(project: string, entry: string): ImportCost {
  const measured = Array.from({ length: 7 }, (): ImportCost => {
    const { stdout } = run(project, process.execPath, ['--input-type=module', '--eval', program, entry])
    return JSON.parse(stdout)
  })
  return {
    cpuSeconds: Math.min(...measured.map(({ cpuSeconds }) => cpuSeconds)),
    megabytes: Math.min(...measured.map(({ megabytes }) => megabytes)),
  }
}

const loadedProgram = `
import { registerHooks } from 'node:module'
const files = []
registerHooks({ load: (url, context, next) => (files.push(url), next(url, context)) })
await import(process.argv[1])
console.log(JSON.stringify(files))
`

/** Lists the packages whose files an import of an entry loads. */
export function listLoaded(project: string, entry: string): string[] {
  const { stdout } = run(project, process.execPath, ['--input-type=module', '--eval', loadedProgram, entry])
  const urls: string[] = JSON.parse(stdout)
  const names = urls.map((url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]).filter((name) => name !== undefined)
  return [...new Set(names)].sort()
}
