/** What is known about a kind: from the service, else from the definitions of this package. */

import { Definitions } from '../../client/resources/definitions.ts'
import type { Kind } from '../../definition/connector.ts'
import type { KindDocument } from '../../document/kind-document.ts'
import { fail } from '../../errors.ts'
import { foldKindName } from '../../values/texts.ts'
import type { EntityDocument } from '../../wire/definitions.ts'
import type { CommandContext } from '../context.ts'
import { callOptions, openTransport } from '../session.ts'
import { buildServiceOptions, readSettings } from '../settings.ts'

const loadKinds = async () => (await import('../../connectors/index.ts')).kinds

/** Lists the slugs of the kinds of this package. */
export const listLocalKinds = async (): Promise<readonly string[]> => Object.keys(await loadKinds())

/** Returns whether a name is that of a kind file: kinds have no dots. */
export const isKindFile = (name: string): boolean => /\.(ya?ml|json)$/i.test(name)

/** A kind that this process can connect to. The engine checks the options: no compiler knows them. */
export interface LocalKind {
  readonly document: KindDocument
  readonly connect: (options: object) => object
}

/**
 * Finds a kind of this package, or reads one from a file.
 * @param name slug, or path of a kind file
 * @throws FerruleError `connector_type_not_found`; `kind_invalid` with the mistakes of a file
 */
export async function findLocalKind(name: string): Promise<LocalKind> {
  const { buildKindDocument } = await import('../../document/build-documents.ts')
  if (isKindFile(name)) {
    const kind = await (await import('../../kind-file/index.ts')).loadKind(name)
    return { document: buildKindDocument(kind.definition), connect: kind.connectLocally as LocalKind['connect'] }
  }
  const kinds = await loadKinds()
  const found = Object.values<Kind>(kinds).find((kind) => foldKindName(kind.definition.kind) === foldKindName(name))
  if (found === undefined) throw fail('connector_type_not_found', { given: name.slice(0, 100), known: Object.keys(kinds).join(', ') })
  const { makeConnectable } = await import('../../kinds/connectable.ts')
  return { document: buildKindDocument(found.definition), connect: makeConnectable(found).connectLocally as LocalKind['connect'] }
}

/** Reads the document of a kind of this package, or of a file. @throws as `findLocalKind` */
export const readLocalKind = async (name: string): Promise<KindDocument> => (await findLocalKind(name)).document

/** Reads a kind from a service. */
export async function readRemoteKind(definitions: Definitions, name: string, context: CommandContext): Promise<KindDocument> {
  const { definition, credentials, configuration, entities } = await definitions.get(name, callOptions(context))
  const { connector_type: kind, name: title, description, spec } = definition
  return { kind, title, description, documentation: spec.documentationUrl, credentials, configuration, entities }
}

/** Opens the definitions of the service, because it can be newer or have more kinds; undefined when none is set. */
async function openDefinitions(context: CommandContext): Promise<Definitions | undefined> {
  const settings = await readSettings(context.flags, context.env)
  if (settings.url === undefined || settings.caller === undefined) return undefined
  return new Definitions(openTransport(await buildServiceOptions(settings, context.env)))
}

/** Reads a kind: from the service when one is set, else from this package. */
export async function readKind(name: string, context: CommandContext): Promise<KindDocument> {
  const definitions = isKindFile(name) ? undefined : await openDefinitions(context)
  return definitions === undefined ? readLocalKind(name) : readRemoteKind(definitions, name, context)
}

/** Lists the slugs of the kinds: of the service when one is set, else of this package. */
export async function listKinds(context: CommandContext): Promise<readonly string[]> {
  const definitions = await openDefinitions(context)
  if (definitions === undefined) return listLocalKinds()
  return (await definitions.list({}, callOptions(context))).map(({ connector_type: kind }) => kind)
}

/** Finds an entity of a kind. @throws FerruleError `entity_not_found` */
export function findEntity(kind: KindDocument, name: string): EntityDocument {
  const found = kind.entities.find(({ entity }) => entity === name)
  if (found !== undefined) return found
  throw fail('entity_not_found', { kind: kind.kind, entity: name, known: kind.entities.map(({ entity }) => entity).join(', ') })
}

/** Finds an action of an entity. @throws FerruleError `entity_not_found`, `action_not_supported` */
export function findAction(kind: KindDocument, entityName: string, name: string): EntityDocument['actions'][number] {
  const { entity, actions } = findEntity(kind, entityName)
  const found = actions.find(({ action }) => action === name)
  if (found !== undefined) return found
  throw fail('action_not_supported', { entity, action: name, known: actions.map(({ action }) => action).join(', ') })
}
