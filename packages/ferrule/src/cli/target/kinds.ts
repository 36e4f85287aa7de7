/** What is known about a kind: from the service, else from the definitions of this package. */
import { Definitions } from '../../client/resources/definitions.ts'
import type { KindDocument } from '../../document/kind-document.ts'
import { fail } from '../../errors.ts'
import type { EntityDocument } from '../../wire/definitions.ts'
import type { CommandContext } from '../context.ts'
import { callOptions, openTransport } from '../session.ts'
import { buildServiceOptions, readSettings } from '../settings.ts'

const fold = (text: string): string => text.toLowerCase().replace(/[\s_-]+/g, '-')

/** Loads the definitions of this package. */
const loadKinds = async () => (await import('../../connectors/index.ts')).kinds

/** Lists the slugs of the kinds of this package. */
export const listLocalKinds = async (): Promise<readonly string[]> => Object.keys(await loadKinds())

/**
 * Reads a kind from the definitions of this package.
 * @throws FerruleError `connector_type_not_found`
 */
export async function readLocalKind(name: string): Promise<KindDocument> {
  const kinds = await loadKinds()
  const definition = Object.values(kinds).find((kind) => fold(kind.definition.kind) === fold(name))?.definition
  if (definition === undefined) throw fail('connector_type_not_found', { given: name.slice(0, 100), known: Object.keys(kinds).join(', ') })
  const { buildKindDocument } = await import('../../document/build-kind.ts')
  return buildKindDocument(definition)
}

/** Reads a kind from a service. */
export async function readRemoteKind(definitions: Definitions, name: string, context: CommandContext): Promise<KindDocument> {
  const { definition, credentials, configuration, entities } = await definitions.get(name, callOptions(context))
  const { connector_type: kind, name: title, description, spec } = definition
  return { kind, title, description, documentation: spec.documentationUrl, credentials, configuration, entities }
}

/** Reads a kind: from the service when one is set, because it can be newer or have more kinds; else from this package. */
export async function readKind(name: string, context: CommandContext): Promise<KindDocument> {
  const settings = await readSettings(context.flags, context.env)
  if (settings.url === undefined || settings.caller === undefined) return readLocalKind(name)
  const transport = openTransport(await buildServiceOptions(settings, context.env))
  return readRemoteKind(new Definitions(transport), name, context)
}

/**
 * Finds an entity of a kind.
 * @throws FerruleError `entity_not_found`
 */
export function findEntity(kind: KindDocument, name: string): EntityDocument {
  const found = kind.entities.find(({ entity }) => entity === name)
  if (found !== undefined) return found
  throw fail('entity_not_found', { kind: kind.kind, entity: name, known: kind.entities.map(({ entity }) => entity).join(', ') })
}

/**
 * Finds an action of an entity.
 * @throws FerruleError `entity_not_found`, `action_not_supported`
 */
export function findAction(kind: KindDocument, entityName: string, name: string): EntityDocument['actions'][number] {
  const { entity, actions } = findEntity(kind, entityName)
  const found = actions.find(({ action }) => action === name)
  if (found !== undefined) return found
  throw fail('action_not_supported', { entity, action: name, known: actions.map(({ action }) => action).join(', ') })
}
