/** Makes a file small enough for its reader: what does not fit is left out, and named. */
import type { FileEntity, KindFile, Unsure } from '../kind-file/file.ts'
import type { Imported } from './imported.ts'

/** Most entities of a file, and most characters of its JSON: the text of a file has at most 256 kB. */
const most = { entities: 100, characters: 200_000 } as const

const listParents = ({ sync }: FileEntity): readonly string[] => (typeof sync === 'object' ? Object.keys(sync.each ?? {}) : [])
const listOperations = (entity: FileEntity): readonly string[] =>
  [entity.list, entity.get, entity.create, entity.update, entity.delete].flatMap((each) =>
    each === undefined ? [] : [typeof each === 'string' ? each : each.call],
  )

/** Chooses entities in their order, as many as fit; the check's entity always. */
function chooseNames({ entities, check }: Pick<KindFile, 'entities' | 'check'>): ReadonlySet<string> {
  const checked = (typeof check === 'string' ? check : check.run).split('.')[0] ?? ''
  const kept = new Set([checked])
  let characters = JSON.stringify(entities[checked] ?? {}).length
  for (const [name, entity] of Object.entries(entities)) {
    const size = JSON.stringify(entity).length + name.length + 100
    if (kept.has(name) || kept.size >= most.entities || characters + size > most.characters) continue
    kept.add(name)
    characters += size
  }
  return kept
}

const keepUnsure = (unsure: Readonly<Record<string, Unsure>>, kept: ReadonlySet<string>): Readonly<Record<string, Unsure>> =>
  Object.fromEntries(Object.entries(unsure).filter(([path]) => !path.startsWith('entities.') || kept.has(path.split('.')[1] ?? '')))

/** Leaves out entities that no reader would take, and syncs that start from them. */
export function fitFile(imported: Imported): Imported {
  const { file, unsure, leftOut } = imported
  const kept = chooseNames(file)
  if (kept.size === Object.keys(file.entities).length) return imported
  const entities = Object.entries(file.entities).filter(([name]) => kept.has(name))
  const left = Object.entries(file.entities).filter(([name]) => !kept.has(name))
  const why = `The file is full: a kind has at most ${most.entities} entities and 256 kB. Choose entities or tags with --only.`
  return {
    file: {
      ...file,
      entities: Object.fromEntries(
        entities.map(([name, { sync, ...entity }]) =>
          sync === undefined || listParents({ ...entity, sync }).every((parent) => kept.has(parent))
            ? [name, { ...entity, ...(sync === undefined ? {} : { sync }) }]
            : [name, entity],
        ),
      ),
    },
    unsure: keepUnsure(unsure, kept),
    leftOut: [...leftOut, ...left.flatMap(([name, entity]) => listOperations(entity).map((what) => ({ what: `${what} (${name})`, why })))],
  }
}
