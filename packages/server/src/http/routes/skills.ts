import type { ConnectorDefinition } from 'ferrule/definition'
import {
  buildExample,
  code,
  describeKind,
  fail,
  paragraph,
  readSlug,
  type Section,
  searchOperators,
  standAlone,
  toSchema,
} from 'ferrule/internal'
import { type Skill, type SkillDocs, type SkillPage, skillDocs, skillDocsQuery, skillPage, skillQuery } from 'ferrule/wire'
import { type KindSummary, type ServedKind, summarize } from '../../connectors/connector-types.ts'
import { failField, readQuery } from '../../values/read.ts'
import { callerRoute } from '../route.ts'
import { findCatalogue } from './definitions.ts'

const toSkill = ({ kind: name, title, about }: Omit<KindSummary, 'copied'>): Skill => {
  const kind = readSlug(name)
  return {
    id: kind,
    kind: 'connector',
    title,
    summary: about,
    tags: [kind],
    warnings: [],
  }
}

/** Lists the documents, one for each kind. @param page `limit`: at most so many; `cursor`: id of the last one of the page before */
function listDocuments(
  kinds: readonly ServedKind[],
  { limit = 20, cursor }: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
): SkillPage {
  const skills = kinds.map((each) => toSkill(summarize(each)))
  const last = skills.findIndex(({ id }) => id === cursor)
  if (cursor !== undefined && last < 0) throw fail('invalid_cursor', { reason: 'it names no document' })
  const data = skills.slice(last + 1, last + 1 + limit)
  const isEnd = last + 1 + data.length >= skills.length
  return { data, next_cursor: isEnd ? null : (data.at(-1)?.id ?? null) }
}

const printCall = (call: object) => code('json', JSON.stringify(call, null, 2))

/** Describes how the operations are called, with an example of this kind. */
function describeCalls({ entities }: ConnectorDefinition): Section {
  const [first] = Object.entries(entities).flatMap(([entity, each]) => (each.list === undefined ? [] : [{ entity, operation: each.list }]))
  const [found] = Object.entries(entities).flatMap(([entity, { context_store_search: fields }]) =>
    fields === undefined ? [] : [{ entity, field: Object.keys(fields)[0] ?? 'id' }],
  )
  const list =
    first === undefined
      ? []
      : [printCall({ entity: first.entity, action: 'list', params: buildExample(toSchema(first.operation.params), 'params') })]
  const search =
    found === undefined
      ? []
      : [
          paragraph(`\`context_store_search\` finds records of the synced copy. Operators: ${searchOperators.join(', ')}.`),
          printCall({
            entity: found.entity,
            action: 'context_store_search',
            params: { query: { filter: { eq: { [found.field]: '<value>' } } }, limit: 10 },
          }),
        ]
  return {
    id: 'calls',
    title: 'Calls',
    summary: 'How an operation is called',
    blocks: [paragraph('Execute takes an entity, an action and its parameters.'), ...list, ...search],
  }
}

const listSections = (definition: ConnectorDefinition): readonly [Section, ...Section[]] => {
  const [overview, ...sections] = describeKind(definition)
  return [overview, describeCalls(definition), ...sections]
}

/** Reads the document of a kind: its outline with the overview, or one section. */
function readSkillDocs({ definition }: ServedKind, wanted: string | undefined): SkillDocs {
  const [overview, ...sections] = listSections(definition)
  const section = wanted === undefined ? overview : sections.find(({ id }) => id === wanted)
  if (section === undefined) {
    const known = sections.map(({ id }) => id).join(', ')
    throw failField('/section', `must be one of: ${known}`, 'enum')
  }
  return {
    id: readSlug(definition.kind),
    metadata: toSkill(definition),
    outline: sections.map(({ id, title, summary }) => ({ id, title, summary, available: true })),
    section_id: wanted ?? null,
    content: section.blocks.map(standAlone),
  }
}

export const listSkills = callerRoute('listSkills', {
  tag: 'definitions',
  summary: 'List the documents for agents, one for each kind',
  about: 'The outline of a kind as text. `getSkillDocs` reads a document section by section.',
  query: skillQuery,
  returns: { about: 'Documents', schema: skillPage },
  problems: ['invalid_cursor', 'validation_failed'],
  showsOwnKinds: true,
  answer: async (exchange, services) => ({
    json: listDocuments((await findCatalogue(exchange, services)).kinds, readQuery(skillQuery, exchange.query)),
  }),
})

export const getSkillDocs = callerRoute('getSkillDocs', {
  tag: 'definitions',
  summary: 'Read the document of a kind, section by section',
  about:
    'The sections are printed from the definition of the kind: entities, actions, parameters, fields. `docs_skill_id` of an inspection is the id.',
  query: skillDocsQuery,
  returns: { about: 'The outline, and the overview or one section', schema: skillDocs },
  problems: ['connector_type_not_found', 'validation_failed'],
  showsOwnKinds: true,
  answer: async (exchange, services) => {
    const { id, section } = readQuery(skillDocsQuery, exchange.query)
    return { json: readSkillDocs((await findCatalogue(exchange, services)).getKind(id), section) }
  },
})
