/** `kind types`, `kind docs`: what is printed of a kind file. */
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { ConnectorDefinition } from '../../definition/connector.ts'
import type { CommandContext } from '../context.ts'

/** Reads a file. @returns the kind, and the command that prints it, without characters that could end a comment */
async function readNamed(file: string, what: 'types' | 'docs'): Promise<{ definition: ConnectorDefinition; by: string }> {
  const { parseKind } = await import('../../kind-file/index.ts')
  const name = basename(file)
  const { definition } = await parseKind<ConnectorDefinition>(await readFile(file, 'utf8'), { name })
  return { definition, by: `ferrule kind ${what} ${name.replaceAll(/[^\w.@-]+/g, '_')}` }
}

/**
 * Prints TypeScript declarations of the kind of a file.
 * @throws FerruleError `kind_invalid` with all mistakes
 */
export async function printKindTypes({ args: [file = ''], output }: CommandContext): Promise<void> {
  const { printTypes } = await import('../../document/print-types.ts')
  const { definition, by } = await readNamed(file, 'types')
  await output.bytes(Buffer.from(printTypes(definition, by)))
}

/**
 * Prints the reference page of the kind of a file as Markdown.
 * @throws FerruleError `kind_invalid` with all mistakes
 */
export async function printKindDocs({ args: [file = ''], output }: CommandContext): Promise<void> {
  const { printLonePage } = await import('../../document/kind-page.ts')
  const { definition, by } = await readNamed(file, 'docs')
  await output.bytes(Buffer.from(printLonePage({ definition, rules: {} }, by)))
}
