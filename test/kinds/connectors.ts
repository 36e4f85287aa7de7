/** Connectors of kinds that ship, at their stand-ins. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type LoadedKind, parseKind } from '../../packages/ferrule/src/kind-file/index.ts'
import type { Row, Vendor } from './stand-ins/shared.ts'
import type { ListSubject, Subject } from './subjects.ts'

/** Reads the file of a kind. */
export const readKindFile = ({ slug }: Subject): Promise<string> =>
  readFile(join(import.meta.dirname, `../../packages/kinds/${slug}.kind.yaml`), 'utf8')

const shipped = new Map<string, Promise<LoadedKind>>()
/** Loads a kind: the one that ships, once. */
export function loadSubject(subject: Subject): Promise<LoadedKind> {
  const loaded = shipped.get(subject.slug) ?? readKindFile(subject).then((text) => parseText(subject, text))
  shipped.set(subject.slug, loaded)
  return loaded
}

/** Loads a kind. @param text its file */
export const parseText = ({ slug }: Subject, text: string): Promise<LoadedKind> => parseKind(text, { name: slug })

/** Opens a connector of a kind at its stand-in. */
export async function open({ credentials, config }: Subject, vendor: Vendor, kind: LoadedKind) {
  await vendor.listen()
  const origins = { api: vendor.origin }
  return kind.connectLocally({ credentials, ...(config === undefined ? {} : { config }), origin: origins, limits: false })
}

const keyOf = ({ key = 'id' }: ListSubject, row: Row): string => String(row[key])
/** Returns the keys that a list must have. */
export const held = (vendor: Vendor, list: ListSubject): string[] =>
  vendor
    .holds(list.holds)
    .filter(list.only ?? (() => true))
    .map((row) => keyOf(list, row))

/** A connector of any kind. */
export type Connector = Awaited<ReturnType<typeof open>>
/** Walks a list to its end. @returns the keys of its records @throws an error when the list says that it may have more */
export async function walk(connector: Connector, list: ListSubject): Promise<string[]> {
  const keys: string[] = []
  for await (const { data, meta } of connector.pages(list.entity, list.params ?? {})) {
    if (meta.warnings !== undefined) throw new Error(meta.warnings.join(' '))
    keys.push(...data.map((row) => keyOf(list, row)))
  }
  return keys
}
