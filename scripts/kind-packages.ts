/** Prints what `@ferrule/kinds` ships: each kind in the long form as JSON, and the index that a service reads at its start. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatMistake, readKind } from '../packages/ferrule/src/kind-file/index.ts'
import { summarizeDefinition } from '../packages/server/src/connectors/connector-types.ts'
import { root } from './paths.mjs'

const folder = 'packages/kinds'

/**
 * Prints the files of the package.
 * @returns text by path
 * @throws Error with the mistakes of a kind
 */
export async function printKindFiles(): Promise<readonly (readonly [path: string, text: string])[]> {
  const printed: (readonly [string, string])[] = []
  const kinds: object[] = []
  const sources = readdirSync(join(root, folder)).filter((name) => name.endsWith('.kind.yaml'))
  for (const name of sources.toSorted()) {
    const { definition, mistakes } = await readKind(readFileSync(join(root, folder, name), 'utf8'), { name })
    if (definition === undefined) throw new Error(mistakes.map(formatMistake).join('\n'))
    const file = `json/${definition.kind}.json`
    kinds.push({ ...summarizeDefinition(definition), file, entities: Object.keys(definition.entities) })
    printed.push([`${folder}/${file}`, `${JSON.stringify(definition)}\n`])
  }
  return [...printed, [`${folder}/index.json`, `${JSON.stringify({ kinds }, null, 1)}\n`]]
}
