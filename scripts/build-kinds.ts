/** Builds the modules of `@ferrule/kinds`: each gives the JSON of a kind, which `npm run gen` has made and checked, to `connect`. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConnectorDefinition } from '../packages/ferrule/src/definition/index.ts'
import { nameKindType, printTypes } from '../packages/ferrule/src/document/print-types.ts'
import { root } from './paths.mjs'

const source = join(root, 'packages/kinds/json')
const target = join(root, 'packages/kinds/dist')

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
for (const file of readdirSync(source)) {
  const json = readFileSync(join(source, file), 'utf8').trim()
  const definition: ConnectorDefinition = JSON.parse(json)
  writeFileSync(join(target, `${definition.kind}.js`), printModule(definition.kind, json))
  writeFileSync(join(target, `${definition.kind}.d.ts`), printModuleTypes(definition))
}
