/** `kind`: files that describe kinds. */
import { readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fail } from '../../errors.ts'
import type { Mistake } from '../../kind-file/index.ts'
import { writeKindTemplate } from '../../values/kind-template.ts'
import { type CommandContext, readText } from '../context.ts'
import { failUsage } from '../failure.ts'
import { findSource, importDocument, noteImported, type Source } from './kind-import.ts'

const toRow = (is: 'mistake' | 'doubt' | 'unsure', { file, line, column, path, message, near, example }: Mistake) => ({
  file,
  line,
  column,
  is,
  path,
  message: near === undefined ? message : `${message}; did you mean ${near}?`,
  example: example ?? null,
})

/**
 * Prints the mistakes and doubts of kind files, and what is left unsure.
 * @throws FerruleError `kind_invalid` if a file has a mistake
 */
export async function checkKinds({ args, output, note }: CommandContext): Promise<void> {
  const { readKind } = await import('../../kind-file/index.ts')
  const read = await Promise.all(args.map(async (file) => readKind(await readFile(file, 'utf8'), { name: basename(file) })))
  const mistakes = read.flatMap((each) => each.mistakes)
  const doubts = read.flatMap((each) => each.doubts)
  const unsure = read.flatMap((each) => each.unsure)
  await output.rows([
    [
      ...mistakes.map((one) => toRow('mistake', one)),
      ...doubts.map((one) => toRow('doubt', one)),
      ...unsure.map((one) => toRow('unsure', one)),
    ],
  ])
  if (mistakes.length > 0) throw fail('kind_invalid', { reason: `${mistakes.length} mistakes in ${args.join(', ')}` })
  const left = unsure.length === 0 ? '' : `, ${unsure.length} unsure`
  note(`${args.join(', ')}: no mistakes, ${doubts.length} doubts${left}.`)
}

/** Writes a file that does not exist yet. */
async function writeNew(file: string, text: string): Promise<void> {
  await writeFile(file, text, { flag: 'wx' }).catch((error: unknown) => {
    throw failUsage(
      `${file} cannot be written: ${error instanceof Error ? error.message : String(error)}.`,
      'Name a file that does not exist.',
    )
  })
}

/** Writes the kind file of a document. */
async function writeImported(file: string, kind: string, source: Source, context: CommandContext): Promise<void> {
  const { options, output, note } = context
  const [title, api, only] = [readText(options, 'title'), readText(options, 'api'), readText(options, 'only')]
  const imported = await importDocument(
    source,
    {
      kind,
      ...(title === undefined ? {} : { title }),
      ...(api === undefined ? {} : { api }),
      ...(only === undefined ? {} : { only: only.split(',').map((name) => name.trim()) }),
    },
    context,
  )
  const { text, entities, unsure, leftOut } = imported
  await writeNew(file, text)
  noteImported(imported, file, note)
  await output.value({ file, kind, entities, unsure, left_out: leftOut }, 'file,kind,entities,unsure')
}

/**
 * Writes a kind file for the author to change: one to begin with, or that of a document.
 * @throws FerruleError `validation_failed` for a name that is no slug, for a file that exists, and for a document that cannot be read
 */
export async function createKind(context: CommandContext): Promise<void> {
  const { options, ask, output } = context
  const [file = ''] = context.args
  const kind = basename(file).replace(/(\.kind)?\.(ya?ml|json)$/, '')
  if (!/^[a-z][a-z0-9-]{1,39}$/.test(kind) || !/\.ya?ml$/.test(file))
    throw failUsage(`${file} is not the name of a kind file.`, 'Write a slug and an ending, such as acme.kind.yaml.')
  const source = findSource(options)
  if (source !== undefined) return writeImported(file, kind, source, context)
  const title = readText(options, 'title') ?? (await ask.text({ message: 'Name of the system', instead: '--title' }))
  const api = readText(options, 'api') ?? (await ask.text({ message: 'Address of its API', instead: '--api' }))
  await writeNew(file, writeKindTemplate(kind, title, api))
  await output.value({ file, kind })
}
