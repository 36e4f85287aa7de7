import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ConnectorDefinition } from '../../packages/ferrule/src/definition/index.ts'
import { printTypes } from '../../packages/ferrule/src/document/print-types.ts'
import { parseKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { root } from '../../scripts/paths.mjs'
import { acme } from '../kind-file/acme.ts'

const mark = /^\/\/ @ts-expect-error (.+)$/

/**
 * Compiles programs in a folder of their own, which import the sources. They share one run: each loads the whole library.
 * @param programs texts by the names of their files
 * @returns what the compiler prints
 */
async function compile(programs: Readonly<Record<string, string>>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-messages-'))
  try {
    for (const [name, text] of Object.entries(programs))
      writeFileSync(join(folder, name), text.replaceAll("'../../packages/", `'${root}/packages/`))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const compilerOptions = { rewriteRelativeImportExtensions: false, typeRoots: [join(root, 'node_modules/@types')] }
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.ts'] }),
    )
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const failed = (error: unknown): { stdout: string } => ({
      stdout: error instanceof Error && 'stdout' in error ? String(error.stdout) : '',
    })
    const run = promisify(execFile)(process.execPath, [compiler, '--pretty', 'false', '--checkers', '1'], { cwd: folder })
    return (await run.catch(failed)).stdout
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Reads the first line of each error of `hosted.ts`, by its line. */
function readErrors(output: string): ReadonlyMap<number, readonly string[]> {
  const errors = new Map<number, string[]>()
  for (const [, line = '', message = ''] of output.matchAll(/^hosted\.ts\((\d+),\d+\): error TS\d+: (.*)$/gm))
    errors.set(Number(line), [...(errors.get(Number(line)) ?? []), message])
  return errors
}

/** What the printed types of two kinds infer, as those of a literal do. */
const usesOfTypes = `
import { connect } from '../../packages/ferrule/src/core.ts'
import type { ParamsOf, RecordOf, ResultOf } from '../../packages/ferrule/src/engine/types.ts'
import { loadKind } from '../../packages/ferrule/src/kind-file/index.ts'
import type { AcmeKind, ThingsListParams } from './acme.ts'
import type { GithubKind } from './github.ts'
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const yes = <_T extends true>(): void => undefined

type Things = AcmeKind['entities']['things']
yes<Same<RecordOf<Things>, { id: number | bigint; updated_at: string; name: string; owner: { login: string } }>>()
yes<Same<ParamsOf<Things, 'list'>, { since?: string | Date | null; state?: 'open' | 'closed' | null; cursor?: string | null; limit?: number | null }>>()
yes<Same<ParamsOf<Things, 'get'>, { id: number | bigint }>>()
yes<Same<ParamsOf<Things, 'create'>, { name: string }>>()
yes<Same<ThingsListParams['state'], 'open' | 'closed' | undefined>>()

const acme = await loadKind<AcmeKind>('./acme.kind.yaml')
const local = connect(acme, { credentials: { token: 't' }, config: { site: 'a' } })
const page = await local.things.list({ state: 'open' })
yes<Same<typeof page.meta.cursor, string | null>>()
const found = await connect(acme, { url: 'https://ferrule.example' }).things.search({ filter: { eq: { name: 'a' } } })
yes<Same<(typeof found.data)[number]['name'], string>>()
const { data } = await connect(await loadKind<GithubKind>('./github.kind.yaml'), { credentials: { token: 't' } }).issues.get({ owner: 'o', repo: 'r', number: 1 })
yes<Same<typeof data.body, string | null>>()
yes<Same<ResultOf<GithubKind['entities']['labels'], 'delete'>['data'], Record<never, never>>>()

// @ts-expect-error the parameter has no such value
local.things.list({ state: 'other' })
// @ts-expect-error the name is required
local.things.create({})
// @ts-expect-error the entity has no such action
local.parts.get({ id: 'a' })
// @ts-expect-error the configuration is required
connect(acme, { credentials: { token: 't' } })
`

/** Prints the types of a kind file, with the sources instead of the package. */
async function printTypesOf(text: string): Promise<string> {
  const { definition } = await parseKind<ConnectorDefinition>(text)
  return printTypes(definition, 'ferrule kind types').replace("'ferrule/kind'", "'../../packages/ferrule/src/kind-file/index.ts'")
}

/** A wrong use of `connect`: the line of the program, and what the compiler says at the wrong field. */
const wrongOptions = [
  ["connect('gong', { credentials: { access_key: 'a', access_key_secrt: 'b' } })", 'access_key_secrt', "'access_key_secrt' does not exist"],
  ["connect('gong', { credentials: { access_key: 'a' } })", 'credentials', "Property 'access_key_secret' is missing"],
  [
    "connect('gong', { credentials: { access_key: 1, access_key_secret: 'b' } })",
    'access_key:',
    "'number' is not assignable to type 'string'",
  ],
  ["connect('shopify', { credentials: { api_key: 'a' }, config: { shp: 'a' } })", 'shp', "Did you mean to write 'shop'?"],
  [
    "connectKind(gong, { credentials: { access_key: 'a', access_key_secrt: 'b' } })",
    'access_key_secrt',
    "'access_key_secrt' does not exist",
  ],
  ["connectKind('gong', { urll: 'https://ferrule.example' })", 'urll', "Did you mean to write 'url'?"],
] as const

const imports = [
  "import { connect } from '../../packages/ferrule/src/index.ts'",
  "import { connect as connectKind } from '../../packages/ferrule/src/core.ts'",
  "import { gong } from '../../packages/ferrule/src/kinds/gong.ts'",
]
const hosted = readFileSync(join(import.meta.dirname, 'hosted-wrong.test-d.ts'), 'utf8').split('\n')

let output = ''
beforeAll(async () => {
  output = await compile({
    'wrong.ts': [...imports, ...wrongOptions.map(([line]) => line)].join('\n'),
    'uses.ts': usesOfTypes,
    'acme.ts': await printTypesOf(acme),
    'github.ts': await printTypesOf(readFileSync(join(root, 'packages/kinds/github.kind.yaml'), 'utf8')),
    'hosted.ts': hosted.map((text) => text.replace(mark, '// $1')).join('\n'),
  })
})

test('wrong options of connect are refused at the wrong field, in a sentence about it, and printed types are right', () => {
  const errors = output.split(/^(?=\w+\.ts\()/m)
  const unlike = wrongOptions.filter(([line, at, sentence], index) => {
    const place = `wrong.ts(${imports.length + index + 1},${line.indexOf(at) + 1}):`
    return !errors.some((error) => error.startsWith(place) && error.includes(sentence) && !error.includes("'credentials' does not exist"))
  })
  expect(unlike, output).toEqual([])
  expect(output.match(/^(?:uses|acme|github)\.ts.*/gm) ?? []).toEqual([])
})

describe('wrong uses of the service', () => {
  const expected = hosted.flatMap((text, index) => {
    const sentence = mark.exec(text)?.[1]
    return sentence === undefined ? [] : [{ line: index + 2, sentence }] // lines count from 1, and the use is the next one
  })

  test('are at least sixty', () => {
    expect(expected.length).toBeGreaterThanOrEqual(60)
  })

  test('are each refused with the sentence beside them in the first line', () => {
    const errors = readErrors(output)
    const unlike = expected.flatMap(({ line, sentence }) => {
      const messages = errors.get(line) ?? []
      return messages.length === 1 && messages.every((message) => message.includes(sentence)) ? [] : [{ line, sentence, messages }]
    })
    expect(unlike).toEqual([])
    expect([...errors.keys()]).toEqual(expected.map(({ line }) => line))
  })
})
