import { entity, oneOf, opt, trimmed } from '../../definition/index.ts'
import { context, result, statement } from './shared.ts'

/** Declares a list by a fixed statement, which is sent whether the caller writes it or not. */
const show = <const S extends string>(text: S) =>
  ({
    ...statement,
    admit: 'rule:session',
    params: { statement: opt(trimmed(oneOf(`${text}; the only one that is taken`, text))), ...context },
    defaults: { statement: text },
  }) as const

/** SHOW DATABASES */
export const databases = entity({
  about: 'Databases that the role sees, as one result',
  key: ['statementHandle'],
  record: result,
  list: show('SHOW DATABASES'),
})

/** SHOW SCHEMAS */
export const schemas = entity({
  about: 'Schemas of the database in use, as one result',
  key: ['statementHandle'],
  record: result,
  list: show('SHOW SCHEMAS'),
})

/** SHOW TABLES. The vendor lists the current database whatever the schema, and lists equal names in several schemas once. */
export const tables = entity({
  about: 'Tables of the database in use, as one result; the vendor shows those of one name in several schemas once',
  key: ['statementHandle'],
  record: result,
  list: show('SHOW TABLES'),
})

/** SHOW VIEWS */
export const views = entity({
  about: 'Views of the database in use, as one result; the vendor shows those of one name in several schemas once',
  key: ['statementHandle'],
  record: result,
  list: show('SHOW VIEWS'),
})

/** SHOW WAREHOUSES */
export const warehouses = entity({
  about: 'Warehouses that the role sees, as one result; the vendor ends it after 10,000',
  key: ['statementHandle'],
  record: result,
  list: show('SHOW WAREHOUSES'),
})

/** SHOW COLUMNS */
export const columns = entity({
  about: 'Columns of the database in use, as one result; the vendor ends it after 10,000',
  key: ['statementHandle'],
  record: result,
  list: show('SHOW COLUMNS'),
})
