import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const mark = /^\/\/ @ts-expect-error (.+)$/

/** Compiles a program in a folder of its own, which imports the sources. @returns what the compiler prints */
async function compile(program: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-messages-'))
  try {
    writeFileSync(join(folder, 'wrong.ts'), program.replaceAll("'../../packages/", `'${root}/packages/`))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const compilerOptions = { rewriteRelativeImportExtensions: false, typeRoots: [join(root, 'node_modules/@types')] }
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include: ['wrong.ts'] }),
    )
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const failed = (error: unknown): { stdout: string } => ({
      stdout: error instanceof Error && 'stdout' in error ? String(error.stdout) : '',
    })
    const run = promisify(execFile)(process.execPath, [compiler, '--pretty', 'false'], { cwd: folder })
    return (await run.catch(failed)).stdout
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Reads the first line of each error, by the line of the program. */
function readErrors(output: string): ReadonlyMap<number, readonly string[]> {
  const errors = new Map<number, string[]>()
  for (const [, line = '', message = ''] of output.matchAll(/^wrong\.ts\((\d+),\d+\): error TS\d+: (.*)$/gm))
    errors.set(Number(line), [...(errors.get(Number(line)) ?? []), message])
  return errors
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

test('wrong options of connect are refused at the wrong field, in a sentence about it', async () => {
  const imports = [
    "import { connect } from '../../packages/ferrule/src/index.ts'",
    "import { connect as connectKind } from '../../packages/ferrule/src/core.ts'",
    "import { gong } from '../../packages/ferrule/src/kinds/gong.ts'",
  ]
  const output = await compile([...imports, ...wrongOptions.map(([line]) => line)].join('\n'))
  const errors = output.split(/^(?=wrong\.ts\()/m)
  const unlike = wrongOptions.filter(([line, at, sentence], index) => {
    const place = `wrong.ts(${imports.length + index + 1},${line.indexOf(at) + 1}):`
    return !errors.some((error) => error.startsWith(place) && error.includes(sentence) && !error.includes("'credentials' does not exist"))
  })
  expect(unlike, output).toEqual([])
})

describe('wrong uses of the service', () => {
  const lines = readFileSync(join(import.meta.dirname, 'hosted-wrong.test-d.ts'), 'utf8').split('\n')
  const expected = lines.flatMap((text, index) => {
    const sentence = mark.exec(text)?.[1]
    return sentence === undefined ? [] : [{ line: index + 2, sentence }] // lines count from 1, and the use is the next one
  })

  test('are at least sixty', () => {
    expect(expected.length).toBeGreaterThanOrEqual(60)
  })

  test('are each refused with the sentence beside them in the first line', async () => {
    const errors = readErrors(await compile(lines.map((text) => text.replace(mark, '// $1')).join('\n')))
    const unlike = expected.flatMap(({ line, sentence }) => {
      const messages = errors.get(line) ?? []
      return messages.length === 1 && messages.every((message) => message.includes(sentence)) ? [] : [{ line, sentence, messages }]
    })
    expect(unlike).toEqual([])
    expect([...errors.keys()]).toEqual(expected.map(({ line }) => line))
  })
})
