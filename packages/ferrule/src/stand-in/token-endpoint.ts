/** The token endpoint of a stand-in, from the definition alone: codes of its page, refresh tokens, OAuth clients (RFC 6749, RFC 7636). */
import { createHash, randomUUID } from 'node:crypto'
import type { ConnectorDefinition } from '../definition/connector.ts'
import type { Exchange, Grant } from '../definition/consent.ts'
import { isBasic, listSlots } from '../definition/templates.ts'
import { parsePath, withAt } from '../engine/json/paths.ts'
import type { RecordedAnswer } from '../kind-recordings/recording.ts'
import { readSent, type SentRequest } from './requests.ts'
import { toPattern } from './vendor.ts'

/** Values of credential fields. */
export type FieldValues = Readonly<Record<string, string>>

/** What the owner of an account agreed to. */
export interface Agreed {
  /** What is known of the OAuth client that asked. */
  readonly oauthClient: FieldValues
  /** As the page got it. */
  readonly redirectUri: string
  /** Digest of the verifier. */
  readonly challenge: string | undefined
}

/** What a code or a refresh token stands for. */
interface RememberedGrant {
  readonly oauthClient: FieldValues
  /** Only of a code. */
  readonly code?: Agreed & { readonly until: number }
}

/** Codes and refresh tokens that are remembered. */
const remembered = 1000
const codeMs = 600_000

const basic = /^Basic (.+)$/i
/** Reads what fills the slots of a template; nothing if a text is not made of it. */
function readTemplate(template: string, text: string): FieldValues {
  const [, encoded] = basic.exec(text) ?? []
  const given = isBasic(template) && encoded !== undefined ? `Basic ${Buffer.from(encoded, 'base64').toString()}` : text
  const [first = '', ...rest] = template.split(/\{(\w+)\}/)
  const values: Record<string, string> = {}
  if (!given.startsWith(first)) return values
  let at = first.length
  for (let index = 0; index < rest.length; index += 2) {
    const [name = '', after = ''] = rest.slice(index, index + 2)
    const end = after === '' ? given.length : given.indexOf(after, at)
    values[name] = end < 0 ? '' : given.slice(at, end)
    at = end + after.length
  }
  return values
}

/** Reads the credential fields that a request carries for a grant; '' for one that is missing. */
function readFields(request: SentRequest, { headers = {} }: Exchange, { send, signed }: Grant): FieldValues {
  const inHeaders = Object.entries(headers).map(([name, template]) => {
    const none = Object.fromEntries(listSlots(template).map((field) => [field, '']))
    return { ...none, ...readTemplate(template, request.headers[name] ?? '') }
  })
  return {
    ...Object.fromEntries(Object.entries(send).map(([name, field]) => [field, readSent(request, name) ?? ''])),
    ...Object.assign({}, ...inHeaders),
    ...(signed === undefined ? {} : { [signed.key]: readSent(request, signed.param) ?? '' }),
  }
}

/** Finds the credential field of the refresh token: what a renewal sends, and answers bring. */
const findRefreshField = ({ refresh, read }: Exchange): string | undefined =>
  Object.values(refresh?.send ?? {}).find((field) => read[field] !== undefined)

/** Returns whether an OAuth client is another one than that which something was given to. */
const isForeign = (given: RememberedGrant, oauthClient: FieldValues): boolean =>
  Object.entries(given.oauthClient).some(([field, value]) => (oauthClient[field] ?? value) !== value)

const isGrant = (request: SentRequest, { constant }: Grant): boolean =>
  Object.entries(constant).every(([name, value]) => readSent(request, name) === value)

/** What a vendor gave, and its token endpoint. */
export class Tokens {
  readonly #definition: ConnectorDefinition
  /** By code or refresh token, the newest last; undefined: it was used. */
  readonly #given = new Map<string, RememberedGrant | undefined>()

  constructor(definition: ConnectorDefinition) {
    this.#definition = definition
  }

  /** Makes a code, which is good once, for ten minutes. */
  giveCode(agreed: Agreed): string {
    const code = randomUUID().replaceAll('-', '')
    this.#remember(code, { oauthClient: agreed.oauthClient, code: { ...agreed, until: performance.now() + codeMs } })
    return code
  }

  #remember(key: string, given: RememberedGrant | undefined): void {
    this.#given.delete(key)
    this.#given.set(key, given)
    const [oldest] = this.#given.keys()
    if (this.#given.size > remembered && oldest !== undefined) this.#given.delete(oldest)
  }

  /** Answers a request for tokens; undefined for any other. */
  answer(request: SentRequest): RecordedAnswer | undefined {
    const line = `${request.method} ${request.url.pathname}`
    const exchanges = Object.values(this.#definition.credentials).flatMap(({ exchange }) =>
      exchange !== undefined && toPattern(exchange.call).test(line) ? [exchange] : [],
    )
    for (const exchange of exchanges) {
      if (exchange.code !== undefined && isGrant(request, exchange.code)) return this.#exchangeCode(request, exchange, exchange.code)
      if (exchange.refresh !== undefined && isGrant(request, exchange.refresh)) return this.#renew(request, exchange, exchange.refresh)
    }
    return exchanges.length === 0 ? undefined : this.#refuse('unsupported_grant_type', 'There is no such grant.')
  }

  #exchangeCode(request: SentRequest, exchange: Exchange, grant: NonNullable<Exchange['code']>): RecordedAnswer {
    const oauthClient = readFields(request, exchange, grant)
    if (Object.values(oauthClient).includes('')) return this.#refuse('invalid_client', 'The OAuth client does not name itself.', 401)
    const code = readSent(request, grant.code) ?? ''
    const { code: agreed } = this.#given.get(code) ?? {}
    if (agreed !== undefined) this.#remember(code, undefined)
    if (agreed === undefined || performance.now() >= agreed.until)
      return this.#refuse('invalid_grant', 'The code is unknown, was used, or has expired.')
    if (isForeign(agreed, oauthClient)) return this.#refuse('invalid_grant', 'The code is that of another OAuth client.')
    if (grant.redirectUri !== undefined && readSent(request, grant.redirectUri) !== agreed.redirectUri)
      return this.#refuse('invalid_grant', 'The redirect address is not that of the page.')
    const digest = createHash('sha256')
      .update(readSent(request, 'code_verifier') ?? '')
      .digest('base64url')
    if (agreed.challenge !== undefined && agreed.challenge !== digest)
      return this.#refuse('invalid_grant', 'The verifier is not that of the challenge.')
    return this.#giveTokens(exchange, agreed.oauthClient)
  }

  /** Takes any refresh token, as any other credential. One that was given here is good once: the answer brings the next one. */
  #renew(request: SentRequest, exchange: Exchange, grant: Grant): RecordedAnswer {
    const { [findRefreshField(exchange) ?? '']: token, ...oauthClient } = readFields(request, exchange, grant)
    if (Object.values(oauthClient).includes('')) return this.#refuse('invalid_client', 'The OAuth client does not name itself.', 401)
    if (token === undefined) return this.#giveTokens(exchange, oauthClient)
    const given = this.#given.get(token)
    const isUnusable = given === undefined ? this.#given.has(token) : given.code !== undefined || isForeign(given, oauthClient)
    if (token === '' || isUnusable) return this.#refuse('invalid_grant', 'The refresh token was used, or is that of another OAuth client.')
    if (given !== undefined) this.#remember(token, undefined)
    return this.#giveTokens(exchange, given?.oauthClient ?? {})
  }

  #giveTokens(exchange: Exchange, oauthClient: FieldValues): RecordedAnswer {
    const { read, expires } = exchange
    const refreshField = findRefreshField(exchange)
    let body: unknown = { token_type: 'bearer' }
    for (const [field, path] of Object.entries(read)) {
      if (!field.endsWith('token')) continue
      const token = `sandbox-${field}-${randomUUID()}`
      if (field === refreshField) this.#remember(token, { oauthClient })
      body = withAt(body, parsePath(path), token)
    }
    if (typeof expires?.seconds === 'string') body = withAt(body, parsePath(expires.seconds), 3600)
    return { status: 200, headers: { 'content-type': 'application/json', 'cache-control': 'no-store' }, body }
  }

  /** Refuses as RFC 6749 says, with the mark by which the vendor's answers say that they failed. */
  #refuse(error: string, says: string, status = 400): RecordedAnswer {
    const { failed } = this.#definition.problem
    const refusal = { error, error_description: says }
    const body = failed?.is === undefined ? refusal : withAt(refusal, parsePath(failed.at), failed.is)
    return { status, headers: { 'content-type': 'application/json', 'cache-control': 'no-store' }, body }
  }
}
