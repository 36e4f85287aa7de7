/**
 * Builds `@ferrule/kinds` from its files: each kind in the long form as JSON, a module that gives it to `connect`, and the index that a service reads.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConnectorDefinition } from '../packages/ferrule/src/definition/index.ts'
import { nameKindType, printTypes } from '../packages/ferrule/src/document/print-types.ts'
import { formatMistake, readKind } from '../packages/ferrule/src/kind-file/index.ts'
import { root } from './paths.mjs'

const source = join(root, 'packages/kinds')
const target = join(source, 'dist')

/** Names the export of a kind: `google-calendar` becomes `googleCalendar`. */
const nameExport = (kind: string): string => kind.replace(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase())

const printModule = (kind: string, json: string): string =>
  `import { makeKind } from 'ferrule/kind'\nexport const ${nameExport(kind)} = makeKind(JSON.parse(${JSON.stringify(json)}))\n`

/** Prints the types of a module: those of the kind, and its export. */
const printModuleTypes = (definition: ConnectorDefinition): string =>
  `${printTypes(definition, 'npm run build')}
import type { ConnectableKind } from 'ferrule/core'

/** ${definition.title}, made from its documents; no account was used. */
export declare const ${nameExport(definition.kind)}: ConnectableKind<${nameKindType(definition.kind)}>
`
rmSync(target, { recursive: true, force: true })
mkdirSync(target)
const kinds: object[] = []
for (const file of readdirSync(source).filter((name) => name.endsWith('.kind.yaml'))) {
  const { definition, mistakes } = await readKind(readFileSync(join(source, file), 'utf8'), { name: file })
  if (definition === undefined) throw new Error(mistakes.map(formatMistake).join('\n'))
  const { kind, title, entities } = definition
  const json = JSON.stringify(definition)
  writeFileSync(join(target, `${kind}.json`), json)
  writeFileSync(join(target, `${kind}.js`), printModule(kind, json))
  writeFileSync(join(target, `${kind}.d.ts`), printModuleTypes(definition))
  kinds.push({ kind, title, file: `${kind}.json`, entities: Object.keys(entities) })
}
writeFileSync(join(target, 'index.json'), JSON.stringify({ kinds }))
