import { acme } from './acme.ts'
import { times } from './hostile.ts'

const entities = times(95, (index) => `  e${index}: { about: E, fields: { id: string Id, +: large }, get: GET /e${index} }`)
const fields = times(190, (index) => `f${index}: string A field of this`, ', ')
/** A right file whose definition is almost as large as one may be. */
export const large = acme.replace('types:\n', `types:\n  large: { ${fields} }\n`).replace('  parts:\n', `${entities}\n  parts:\n`)
