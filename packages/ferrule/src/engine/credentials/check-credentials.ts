/** Checks the input of a new connector: credentials against the kind's schemes, configuration against its fields. */
import { type ConnectorDefinition, type CredentialScheme, readSlug, type Templates } from '../../definition/connector.ts'
import { type Field, type Fields, isOptional } from '../../definition/fields.ts'
import { isObject } from '../../definition/object.ts'
import { isBasic, listSlots } from '../../definition/templates.ts'
import { type FerruleError, fail, failValidation } from '../../errors.ts'
import { cutFinalNewline } from '../../values/texts.ts'
import type { OriginOverride } from '../http/origin.ts'
import { compileFields, convertDate, convertDigits } from '../json/validate.ts'
import type { CredentialValues } from './source.ts'

/**
 * Finds the scheme, with its name, that has all of some fields; one that needs no further field comes first. Undefined when none has, or no
 * field is given to schemes that need some.
 */
export function findScheme({ credentials }: ConnectorDefinition, given: readonly string[]): [string, CredentialScheme] | undefined {
  const fitting = Object.entries(credentials).filter(([, { fields }]) => given.every((name) => Object.hasOwn(fields, name)))
  const complete = fitting.find(([, { fields }]) => Object.keys(fields).every((name) => isOptional(fields, name) || given.includes(name)))
  return complete ?? (given.length === 0 ? undefined : fitting[0])
}

const describeSchemes = (definition: ConnectorDefinition): string =>
  Object.entries(definition.credentials)
    .map(([name, { fields }]) => `${name} (${Object.keys(fields).join(', ')})`)
    .join('; ')

/** Builds the error of credentials that fit no scheme. @param hint instead of the table's */
const failMismatch = (definition: ConnectorDefinition, given: readonly string[], hint?: string): FerruleError =>
  fail(
    'credentials_mismatch',
    { kind: readSlug(definition.kind), given: given.join(', ') || 'nothing', schemes: describeSchemes(definition) },
    hint === undefined ? {} : { hint },
  )

/** Builds the error of a connector without credentials. */
export const failWithoutCredentials = (definition: ConnectorDefinition): FerruleError =>
  failMismatch(
    definition,
    [],
    'Give the fields of one scheme as credentials; or name a service by the option url or FERRULE_URL, which has credentials of its own.',
  )

/** Credentials that fit a scheme. */
export interface CheckedCredentials {
  readonly scheme: string
  readonly values: CredentialValues
}

/**
 * Finds the scheme by the given fields and checks them. Final newlines are cut. A null value counts as absent; `option_title` may name the scheme and is dropped.
 * @param base JSON pointer of the credentials object, for the fields of problems
 * @throws FerruleError `credentials_mismatch` (no scheme has these fields), `validation_failed`
 */
export function checkCredentials(definition: ConnectorDefinition, credentials: unknown, base = '/credentials'): CheckedCredentials {
  if (!isObject(credentials)) throw failValidation([{ field: base, message: 'must be an object', error_code: 'type' }])
  const given = Object.fromEntries(
    Object.entries(credentials).flatMap(([name, value]) => {
      if (value === null || name === 'option_title') return []
      return [[name, typeof value === 'string' ? cutFinalNewline(value) : value]]
    }),
  )
  const found = findScheme(definition, Object.keys(given))
  if (found === undefined) throw failMismatch(definition, Object.keys(given))
  const [scheme, { fields }] = found
  const problems = compileFields(fields, definition.foreign).problems(given, base)
  if (problems.length > 0) throw failValidation(problems)
  checkHeaders(found[1], given, base)
  checkBase(definition, given, base)
  return { scheme, values: Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)])) }
}

/** Normalises a string: the first pattern that matches the trimmed lower-case string decides. */
const normaliseText = (field: Field, value: unknown): unknown => {
  const patterns = field['x-normalise']
  if (patterns === undefined || typeof value !== 'string') return value
  // Only A to Z: the lower case of some other letters, such as the Kelvin sign, is an ASCII letter.
  const text = value.trim().replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase())
  return patterns.map((pattern) => new RegExp(pattern).exec(text)?.[1]).find((kept) => kept !== undefined) ?? value
}

const normaliseValue = (field: Field | undefined, value: unknown): unknown => {
  if (field === undefined) return value
  if (field['x-date']) return convertDate(field, value)
  return field.type === 'integer' ? convertDigits(field, value) : normaliseText(field, value)
}

/** Normalises configuration values; those that are wrong or unknown stay as they are. */
export const normaliseConfiguration = <T>(fields: Fields, given: T): T | Readonly<Record<string, unknown>> => {
  const getField = (name: string) => (Object.hasOwn(fields, name) ? fields[name] : undefined)
  return isObject(given)
    ? Object.fromEntries(Object.entries(given).map(([name, value]) => [name, normaliseValue(getField(name), value)]))
    : given
}

/**
 * Checks configuration values (`replication_config`). Absent and null count as empty.
 * @param base JSON pointer of the configuration, for the fields of problems
 * @throws FerruleError `validation_failed` with the field of every problem
 */
export function checkConfiguration(
  definition: ConnectorDefinition,
  configuration: unknown,
  base = '/replication_config',
): Readonly<Record<string, unknown>> {
  const given = normaliseConfiguration(definition.configuration, configuration ?? {})
  const problems = compileFields(definition.configuration, definition.foreign).problems(given, base)
  if (problems.length > 0 || !isObject(given)) throw failValidation(problems)
  checkBase(definition, given, base)
  return given
}

/** Returns whether a header can carry a string as a bearer token (RFC 6750 section 2.1, and more): printable ASCII without spaces. */
export const isToken = (text: string): boolean => /^[\x21-\x7e]+$/.test(text)

const listBareSlots = (headers: Templates['headers'] = {}): string[] =>
  Object.values(headers).flatMap((template) => (isBasic(template) ? [] : listSlots(template)))

const listHeaderFields = ({ send }: CredentialScheme): string[] => ('as' in send ? [] : listBareSlots(send.headers))

/** Finds the credential field that holds the token of an exchange; undefined for schemes without one. */
export const findTokenField = ({ send, exchange }: CredentialScheme): string | undefined =>
  'as' in send
    ? undefined
    : [...Object.values(send.headers ?? {}), ...Object.values(send.query ?? {})]
        .flatMap(listSlots)
        .find((name) => exchange !== undefined && Object.hasOwn(exchange.read, name))

/** Checks the characters of what headers carry. A pasted line break would otherwise look like a network failure. */
function checkHeaders(scheme: CredentialScheme, given: Record<string, unknown>, at: string): void {
  const wrong = [...listHeaderFields(scheme), ...listBareSlots(scheme.exchange?.headers)].filter((name) => {
    const value = given[name]
    return typeof value === 'string' && !isToken(value)
  })
  const message = 'must consist of printable ASCII characters without spaces or line breaks'
  if (wrong.length > 0) throw failValidation(wrong.map((name) => ({ field: `${at}/${name}`, message, error_code: 'pattern' })))
}

function checkBase(definition: ConnectorDefinition, given: Record<string, unknown>, at: string): void {
  const pattern = definition.base === undefined ? undefined : new RegExp(definition.base.matches)
  for (const name of definition.base?.fields ?? []) {
    const value = given[name]
    if (typeof value !== 'string' || pattern?.test(value)) continue
    throw failValidation([
      {
        field: `${at}/${name}`,
        message: `must be an address of ${definition.title}, matching ${definition.base?.matches}`,
        error_code: 'pattern',
      },
    ])
  }
}

const isOrigin = (value: unknown): value is string => {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  const { protocol, username, password, search, hash } = new URL(value)
  return (protocol === 'http:' || protocol === 'https:') && `${username}${password}${search}${hash}` === ''
}

/**
 * Checks an origin that replaces the vendor's. A string replaces the origins of the API and of OAuth.
 * @throws FerruleError `validation_failed` with the field of every problem
 */
export function checkOrigin(origin: string | OriginOverride | undefined): OriginOverride | undefined {
  if (origin === undefined) return undefined
  const override = typeof origin === 'string' ? { api: origin } : origin
  const given = Object.entries(override).filter(([name, value]) => name === 'api' || value !== undefined)
  const wrong = [...(Object.hasOwn(override, 'api') ? [] : ['api']), ...given.filter(([, value]) => !isOrigin(value)).map(([name]) => name)]
  const message = 'must be an http or https address without user, query and fragment, such as https://proxy.example'
  const problems = wrong.map((name) => ({
    field: typeof origin === 'string' ? '/origin' : `/origin/${name}`,
    message,
    error_code: 'origin',
  }))
  if (problems.length > 0) throw failValidation(problems)
  return override
}
