/** The rules of Snowflake: which statements and session parameters are allowed, and the claims of key-pair tokens. */
import type { ClaimsRule, ParameterRule } from '../../definition/index.ts'
import { type Admission, admit } from './statement/gate.ts'
import type { StatementKind } from './statement/reasons.ts'

/** Session parameters of the SQL API; only the engine sets MULTI_STATEMENT_COUNT. */
const sessionParameters: ReadonlySet<string> = new Set([
  'BINARY_OUTPUT_FORMAT',
  'CLIENT_RESULT_CHUNK_SIZE',
  'DATE_OUTPUT_FORMAT',
  'QUERY_TAG',
  'ROWS_PER_RESULTSET',
  'TIMEZONE',
  'TIME_OUTPUT_FORMAT',
  'TIMESTAMP_OUTPUT_FORMAT',
  'TIMESTAMP_LTZ_OUTPUT_FORMAT',
  'TIMESTAMP_NTZ_OUTPUT_FORMAT',
  'TIMESTAMP_TZ_OUTPUT_FORMAT',
  'USE_CACHED_RESULT',
])
const statementCount = 'MULTI_STATEMENT_COUNT'

/** Finds what is wrong with a call's session parameters; undefined if nothing is. */
function findWrongParameter(given: Readonly<Record<string, unknown>>): { param: string; message: string } | undefined {
  const names = Object.keys(given).map((name) => name.toUpperCase())
  for (const [name, value] of Object.entries(given)) {
    const upper = name.toUpperCase()
    const param = `parameters/${name}`
    if (upper === statementCount && (value === 1 || value === '1')) continue
    if (upper === statementCount) return { param, message: 'can only be 1: a call takes exactly one statement' }
    if (!sessionParameters.has(upper))
      return { param, message: `is not a session parameter here; known: ${[...sessionParameters].join(', ')}` }
    if (!['string', 'number', 'boolean'].includes(typeof value)) return { param, message: 'must be a string, a number or a boolean' }
    if (names.indexOf(upper) !== names.lastIndexOf(upper))
      return { param, message: 'is given twice: the case of its letters does not matter' }
  }
  return undefined
}

/** Converts session parameters to the vendor's form: names in capitals, and one statement. */
const session: ParameterRule = (params) => {
  const given = Object.fromEntries(Object.entries(Object(params['parameters'] ?? {})))
  const wrong = findWrongParameter(given)
  if (wrong !== undefined) return { refused: { code: 'invalid_parameter', ...wrong } }
  const named = Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toUpperCase(), value]))
  return { params: { ...params, parameters: { ...named, [statementCount]: '1' } } }
}

/** A statement that lists what another entity lists. */
const listing = /^\s*SHOW\s+(DATABASES|SCHEMAS|TABLES|VIEWS|WAREHOUSES|COLUMNS)\b/i

/** Names the action that would take a refused statement. */
function buildHint(statement: string, { reason, takes }: Extract<Admission, { readonly admitted: false }>): string {
  if (takes.length > 0) return `record ${takes.join(' and ')} would take it.`
  const listed = reason === 'not_a_row_statement' ? listing.exec(statement)?.[1] : undefined
  if (listed === undefined) return 'Send one SELECT for get and list, one INSERT for create, one UPDATE for update, one DELETE for delete.'
  return `${listed.toLowerCase()} list takes SHOW ${listed.toUpperCase()}, and nothing behind it.`
}

/** Makes a rule for one kind of statement. The request carries exactly what the gate checked. */
const admitStatement =
  (kind: StatementKind): ParameterRule =>
  (params) => {
    if (params['retry'] === true && params['requestId'] === undefined)
      return {
        refused: {
          code: 'missing_parameter',
          param: 'requestId',
          message: 'is required with retry: it names the write that was sent before',
        },
      }
    const statement = String(params['statement'])
    const admission = admit(statement, kind)
    if (!admission.admitted) {
      const { message, reason, line, column } = admission
      const hint = buildHint(statement, admission)
      return { refused: { code: 'statement_not_allowed', param: 'statement', message, hint, error_code: reason, at: { line, column } } }
    }
    return session({ ...params, statement: admission.statement })
  }

/**
 * Formats the account as the vendor's tokens name it: in capitals, without region and cloud. Of a replicated account (`.global`) the id behind
 * the first hyphen is left out.
 */
const formatAccount = (account: unknown): string => {
  const text = String(account)
  return (text.split(/\.global(\.|$)/i.test(text) ? '-' : '.')[0] ?? '').toUpperCase()
}

const key_pair: ClaimsRule = ({ credentials, configuration, fingerprint }) => {
  const subject = `${formatAccount(configuration['account'])}.${(credentials['user'] ?? '').toUpperCase()}`
  return { iss: `${subject}.SHA256:${fingerprint}`, sub: subject }
}

/** By the name that definitions use, without `rule:`. */
export const rules = {
  params: {
    session,
    select: admitStatement('SELECT'),
    insert: admitStatement('INSERT'),
    update: admitStatement('UPDATE'),
    delete: admitStatement('DELETE'),
  },
  claims: { key_pair },
}
