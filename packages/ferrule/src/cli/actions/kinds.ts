/** `kind`: files that describe kinds. */
import { readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fail } from '../../errors.ts'
import type { Mistake } from '../../kind-file/index.ts'
import { writeKindTemplate } from '../../values/kind-template.ts'
import { type CommandContext, readText } from '../context.ts'
import { failUsage } from '../failure.ts'

const toRow = (is: 'mistake' | 'doubt', { file, line, column, path, message, near, example }: Mistake) => ({
  file,
  line,
  column,
  is,
  path,
  message: near === undefined ? message : `${message}; did you mean ${near}?`,
  example: example ?? null,
})

/**
 * Prints the mistakes and doubts of kind files.
 * @throws FerruleError `definition_invalid` if a file has a mistake
 */
export async function checkKinds({ args, output, note }: CommandContext): Promise<void> {
  const { readKind } = await import('../../kind-file/index.ts')
  const read = await Promise.all(args.map(async (file) => readKind(await readFile(file, 'utf8'), { name: basename(file) })))
  const mistakes = read.flatMap((each) => each.mistakes)
  const doubts = read.flatMap((each) => each.doubts)
  await output.rows([[...mistakes.map((one) => toRow('mistake', one)), ...doubts.map((one) => toRow('doubt', one))]])
  if (mistakes.length > 0) throw fail('definition_invalid', { reason: `${mistakes.length} mistakes in ${args.join(', ')}` })
  note(`${args.join(', ')}: no mistakes, ${doubts.length} doubts.`)
}

/**
 * Writes a kind file that passes the check, for the author to change.
 * @throws FerruleError `validation_failed` for a name that is no slug, and for a file that exists
 */
export async function createKind({ args: [file = ''], options, ask, output }: CommandContext): Promise<void> {
  const kind = basename(file).replace(/(\.kind)?\.(ya?ml|json)$/, '')
  if (!/^[a-z][a-z0-9-]{1,39}$/.test(kind) || !/\.ya?ml$/.test(file))
    throw failUsage(`${file} is not the name of a kind file.`, 'Write a slug and an ending, such as acme.kind.yaml.')
  const title = readText(options, 'title') ?? (await ask.text({ message: 'Name of the system', instead: '--title' }))
  const api = readText(options, 'api') ?? (await ask.text({ message: 'Address of its API', instead: '--api' }))
  await writeFile(file, writeKindTemplate(kind, title, api), { flag: 'wx' }).catch((error: unknown) => {
    throw failUsage(
      `${file} cannot be written: ${error instanceof Error ? error.message : String(error)}.`,
      'Name a file that does not exist.',
    )
  })
  await output.value({ file, kind })
}
