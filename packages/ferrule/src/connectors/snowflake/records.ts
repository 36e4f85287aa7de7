import { bool, entity, int, oneOf, opt, refuseGiven, str, trimmed } from '../../definition/index.ts'
import { context, result, statement, unneeded } from './shared.ts'

const uuid = (about: string) =>
  str(about, {
    pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
    says: 'must be a UUID',
    examples: ['01c899bb-0000-0001-0000-001000000001'],
  })

const text = (about: string, example: string) => {
  const rules = { minLength: 1, examples: [example] }
  return refuseGiven('statement_not_allowed', str(`${about}, without placeholders; values are written into it`, rules))
}

const write = {
  requestId: opt(
    uuid('Id of the write, a UUID; made when it is left out. The same id with retry true repeats a write without doing it twice'),
  ),
  retry: opt(bool('The write with this requestId was sent before')),
  ...context,
}

/** Default time limit of a write in seconds. After it the write is over and can be sent again. */
const usualTimeout = { timeout: 20 }

/** Rows by statements of the caller. */
export const record = entity({
  about: 'Rows of tables: each action takes one statement of its own kind, such as a SELECT for list',
  key: ['statementHandle'],
  record: result,
  get: {
    about: 'Runs one SELECT that gives a single row',
    ...statement,
    admit: 'rule:select',
    params: { statement: text('One SELECT', 'SELECT CURRENT_USER(), CURRENT_ROLE(), CURRENT_WAREHOUSE()'), ...context },
  },
  list: {
    about: 'Runs one SELECT',
    ...statement,
    admit: 'rule:select',
    params: { statement: text('One SELECT', "SELECT * FROM ORDERS WHERE STATUS = 'NEW' LIMIT 100"), ...context },
  },
  create: {
    about: 'Runs one INSERT, once; 20 seconds at most unless timeout says more',
    ...statement,
    admit: 'rule:insert',
    params: { statement: text('One INSERT', "INSERT INTO EVENTS (EVENT_ID, NAME) VALUES ('e-1', 'signup')"), ...write },
    defaults: usualTimeout,
  },
  update: {
    about: 'Runs one UPDATE, once; 20 seconds at most unless timeout says more',
    ...statement,
    admit: 'rule:update',
    params: { statement: text('One UPDATE', "UPDATE EVENTS SET NAME = 'sign-up' WHERE EVENT_ID = 'e-1'"), ...write },
    defaults: usualTimeout,
  },
  delete: {
    about: 'Runs one DELETE, once; 20 seconds at most unless timeout says more',
    ...statement,
    admit: 'rule:delete',
    params: { statement: text('One DELETE', "DELETE FROM EVENTS WHERE EVENT_ID = 'e-1'"), ...write },
    defaults: usualTimeout,
  },
})

/** No result has so many parts. A larger number is a mistake, and a number beyond 2^53 would lose digits. */
const mostParts = 2_147_483_647

/** GET /api/v2/statements/{statementHandle}. The vendor keeps results for 24 hours. */
export const result_partitions = entity({
  about: 'One part of the result of a statement that ran before; part 0 shows whether it has ended',
  key: ['statementHandle', 'param.partition'],
  record: result,
  from: { statementHandle: { param: 'statementHandle' } },
  get: {
    call: 'GET /api/v2/statements/{statementHandle}',
    at: '',
    one: true,
    page: 'statement',
    running: statement.running,
    params: {
      statementHandle: uuid('Names the result: meta.statement_handle of the statement'),
      partition: int('Number of the part, from 0', { minimum: 0, maximum: mostParts }),
      requestId: opt(uuid('Id of the statement; the vendor does not need it')),
      ...unneeded,
    },
    unsent: Object.keys(unneeded),
  },
})

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
