import { skillDocs, skillDocsQuery, skillPage, skillQuery } from 'ferrule/wire'
import { readQuery } from '../../values/read.ts'
import { listSkills as listDocuments, readSkillDocs } from '../reference/skills.ts'
import { callerRoute } from '../route.ts'

export const listSkills = callerRoute('listSkills', {
  tag: 'definitions',
  summary: 'List the documents for agents, one for each kind',
  about: 'The outline of a kind as text. `getSkillDocs` reads a document section by section.',
  query: skillQuery,
  returns: { about: 'Documents', schema: skillPage },
  problems: ['invalid_cursor', 'validation_failed'],
  answer: ({ query }, { kinds }) => ({ json: listDocuments(kinds, readQuery(skillQuery, query)) }),
})

export const getSkillDocs = callerRoute('getSkillDocs', {
  tag: 'definitions',
  summary: 'Read the document of a kind, section by section',
  about:
    'The sections are printed from the definition of the kind: entities, actions, parameters, fields. `docs_skill_id` of an inspection is the id.',
  query: skillDocsQuery,
  returns: { about: 'The outline, and the overview or one section', schema: skillDocs },
  problems: ['connector_type_not_found', 'validation_failed'],
  answer: ({ query }, { platform }) => {
    const { id, section } = readQuery(skillDocsQuery, query)
    return { json: readSkillDocs(platform.catalogue.getKind(id), section) }
  },
})
