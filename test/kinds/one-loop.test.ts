/** Follows the loop of docs/writing-kinds.md for vendors that nobody has seen: its commands are those of the page. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parseDocument } from 'yaml'
import { root } from '../../scripts/paths.mjs'
import { findSection, printSkill } from '../../scripts/skill.ts'
import { buildEnvironment, cli } from '../command/support.ts'
import { makeFolder } from '../support/folder.ts'
import { type LoopVendor, loopVendors, playVendor } from './loop-vendors.ts'

const page = readFileSync(join(root, 'docs/writing-kinds.md'), 'utf8')
const section = findSection(page, "From the vendor's pages to a kind")
/** The commands of the section, in their order. */
const commands = [...section.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].flatMap(([, block = '']) =>
  block
    .trim()
    .split('\n')
    .map((line) => line.trim()),
)
const findCommand = (words: string): string => commands.find((line) => line.includes(words)) ?? expect.fail(`the page has no ${words}`)

/** A row of `kind check --json`. */
interface Row {
  readonly is: 'mistake' | 'doubt' | 'unsure'
  readonly path: string
  readonly message: string
}

/** A reader of the page, with a folder of its own. */
class Reader {
  readonly #vendor: LoopVendor
  readonly #folder = makeFolder('loop', onTestFinished)
  readonly #env: Readonly<Record<string, string>>

  constructor(vendor: LoopVendor, origin: string) {
    this.#vendor = vendor
    const bin = join(this.#folder, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'ferrule'), `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`, { mode: 0o755 })
    const own = { [`${vendor.kind.toUpperCase()}_ORIGIN`]: origin, PATH: `${bin}${delimiter}${process.env['PATH']}` }
    this.#env = { ...buildEnvironment({ config: this.#folder }), ...own }
    if (vendor.schema !== undefined) writeFileSync(join(this.#folder, 'schema.graphql'), vendor.schema)
  }

  get #file(): string {
    return join(this.#folder, `${this.#vendor.kind}.kind.yaml`)
  }

  /** Runs a command of the page, with the vendor's names instead of the invented ones. */
  async run(line: string): Promise<string> {
    const { kind, title, credentials } = this.#vendor
    const given = Object.entries(credentials).map(([name, value]) => `${name}=${value}`)
    const own = line.replace('ACME_TOKEN=...', given.join(' ')).replaceAll('acme', kind).replaceAll('Acme', title)
    const child = spawn('sh', ['-c', own], { cwd: this.#folder, env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] })
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    const [stdout, stderr, code] = await Promise.all([readAll(child.stdout), readAll(child.stderr), ended])
    expect({ own, code, stderr: code === 0 ? '' : stderr }).toEqual({ own, code: 0, stderr: '' })
    return `${stdout}${stderr}`
  }

  /** Finds the part of the file that a row is about, among those that the pages speak of. */
  #findPart({ path, message }: Row): string {
    const { pages, title } = this.#vendor
    const parts = path.split('.').map((_, index, steps) => steps.slice(0, steps.length - index).join('.'))
    return parts.find((part) => Object.hasOwn(pages, part)) ?? expect.fail(`the pages of ${title} say nothing about ${path}: ${message}`)
  }

  /** Does for all rows what the vendor's pages say. */
  follow(rows: readonly Row[]): void {
    const file = parseDocument(readFileSync(this.#file, 'utf8'))
    for (const part of new Set(rows.map((row) => this.#findPart(row)))) {
      for (const [at, value] of this.#vendor.pages[part] ?? []) file.setIn(at.split('.'), value)
      if (file.hasIn(['unsure', part])) file.deleteIn(['unsure', part])
    }
    if (Object.keys(file.toJS().unsure ?? {}).length === 0) file.delete('unsure')
    writeFileSync(this.#file, file.toString())
  }

  /** Lists what is left. */
  check(): readonly Row[] {
    const { stdout } = spawnSync('sh', ['-c', findCommand('kind check').replaceAll('acme', this.#vendor.kind)], {
      cwd: this.#folder,
      env: this.#env,
      encoding: 'utf8',
    })
    return JSON.parse(stdout)
  }
}

describe('the loop of the page', () => {
  test.each(loopVendors.map((vendor) => [vendor.title, vendor] as const))('makes a kind of %s', async (_title, vendor) => {
    await using played = await playVendor(vendor)
    const reader = new Reader(vendor, played.origin)
    await reader.run(findCommand(vendor.schema === undefined ? '--title' : '--graphql'))
    const seen = new Set<string>()
    for (let rows = reader.check(); rows.length > 0; rows = reader.check()) {
      expect(rows.filter(({ is, path }) => seen.has(`${is} ${path}`))).toEqual([])
      for (const { is, path } of rows) seen.add(`${is} ${path}`)
      reader.follow(rows)
    }
    for (const call of vendor.calls) await reader.run(findCommand('kind try').replace('things list -p limit=1', call))
    expect(await reader.run(findCommand('kind test'))).toContain(`${vendor.calls.length} of them live: 0 failures`)
    expect(await reader.run(findCommand('kind check'))).toContain('no mistakes, 0 doubts.')
  })
})

test('the skill for coding agents has the commands of the page, and no link that leads nowhere', () => {
  const skill = printSkill(page)
  expect(skill).toMatch(/^---\nname: writing-kinds\ndescription: .{1,1000}\n---\n/)
  for (const command of commands) expect(skill).toContain(command)
  expect(skill).not.toMatch(/\]\(/)
})
