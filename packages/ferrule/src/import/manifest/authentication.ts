/** Ways to authenticate, read from the authenticators of manifests. */

import { isObject } from '../../definition/object.ts'
import type { FileOauth, FileScheme } from '../../kind-file/file.ts'
import { dropEmpty } from '../imported.ts'
import { type Address, spreadHost } from './address.ts'
import type { Component } from './component.ts'
import { readGrant, readLegacySession, readSession, writeLogin } from './login.ts'
import { readOption } from './paging.ts'
import type { Entry } from './request.ts'
import { type AuthSource, makeScheme, type Scheme, takeCredential } from './scheme.ts'
import { findLogic, listSlots, readPlain, readTemplate, type Slot, type Template, writeTemplate } from './template.ts'

const customCode = 'custom code: authenticator'

function readBearer(authenticator: Component, source: AuthSource): Scheme | undefined {
  const scheme = makeScheme('token', 'API token')
  const token = takeCredential(authenticator.template('api_token') ?? [], scheme, source, true)
  if (token === undefined) return undefined
  scheme.send['authorization'] = `Bearer ${token}`
  return scheme
}

function readApiKey(authenticator: Component, source: AuthSource): Scheme | undefined {
  const { notes } = source
  const scheme = makeScheme('key', 'API key')
  const token = takeCredential(authenticator.template('api_token') ?? [], scheme, source, true)
  const option = readOption(authenticator.child('inject_into'), notes)
  const header = readPlain(authenticator.template('header') ?? []) ?? ''
  const sent = option ?? { name: header, in: 'header' as const }
  if (token === undefined) return undefined
  if (sent.in === 'body') return notes.stop('a key in the body of requests')
  if (sent.name === '') return notes.stop('an API key without a name')
  if (sent.in === 'header' && !/^[A-Za-z][A-Za-z0-9_-]*$/.test(sent.name))
    return notes.stop('a header whose name kind files do not take', sent.name)
  if (sent.in === 'query') scheme.query[sent.name] = token
  else scheme.send[sent.name.toLowerCase()] = token
  return scheme
}

function readBasic(authenticator: Component, source: AuthSource): Scheme | undefined {
  const scheme = makeScheme('basic', 'User and password')
  const user = takeCredential(authenticator.template('username') ?? [], scheme, source)
  const password = takeCredential(authenticator.template('password') ?? [], scheme, source, true)
  if (user === undefined || password === undefined) return undefined
  scheme.send['authorization'] = `Basic ${user}:${password}`
  return scheme
}

/** Reads an address whose slots are values of configuration: `https://{shop}.example.com/oauth/token`. */
function readEndpoint(template: Template, { notes, configure }: AuthSource): string | undefined {
  const logic = findLogic(template)
  if (logic !== undefined) return notes.stop('logic in the address of tokens', logic)
  if (listSlots(template).some(({ root }) => root !== 'config')) return notes.stop('logic in the address of tokens')
  const address = writeTemplate(template, (slot) => `{${configure(slot)}}`)
  const [, plain = ''] = /^(https:\/\/[^\s/?#]+\/[^\s?#]*)$/.exec(address) ?? []
  const isOwn = /^https:\/\/[^/]*[A-Za-z0-9-]+\.[A-Za-z]{2,}\//.test(plain)
  return isOwn ? plain : notes.stop('an address of tokens on a host that a value of the account ends', address)
}

/** Finds the page of consent: of the specification, else where vendors usually have it. */
function findPage(token: string, { consent, notes }: AuthSource, name: string): string {
  const input = consent['oauth_connector_input_specification']
  const given = isObject(input) && typeof input['consent_url'] === 'string' ? input['consent_url'] : ''
  const [, said = ''] = /^(https:\/\/[^\s/?#{}]+\/[^\s?#{}]*)(?:\?|$)/.exec(given) ?? []
  if (said !== '') return said
  notes.doubt(`auth.${name}.oauth.page`, 'guessed')
  return token.replace(/\/[^/]*$/, '/authorize')
}

const readScopes = (authenticator: Component): Pick<FileOauth, 'scopes'> => {
  const scopes = authenticator.takeAll('scopes')
  const plain = (Array.isArray(scopes) ? scopes : []).filter((each) => typeof each === 'string' && !each.includes('{')).map(String)
  return plain.length === 0 ? {} : { scopes: plain }
}

function readValues(authenticator: Component, { notes }: AuthSource): readonly Entry[] | undefined {
  const body = authenticator.takeAll('refresh_request_body')
  const standard = new Set(['client_id', 'client_secret', 'refresh_token', 'grant_type', 'redirect_uri'])
  const given = Object.entries(isObject(body) ? body : {}).filter(([name]) => !standard.has(name))
  if (given.some(([, value]) => typeof value === 'object')) return notes.stop('a list or an object in the call for tokens')
  return given.map(([name, value]): Entry => {
    const template = readTemplate(String(value))
    return { name, value: readPlain(template) ?? template }
  })
}

/** Lists the values of the account in the call for tokens. */
const listTemplates = (values: readonly Entry[]): readonly Entry[] => values.filter(({ value }) => typeof value === 'object')

/** Returns whether the address of tokens ends with the vendor's own domain. */
const isOnOwnHost = (endpoint: Template): boolean =>
  /^https:\/\/[^/]*[A-Za-z0-9-]+\.[A-Za-z]{2,}\//.test(writeTemplate(endpoint, ({ path }) => `{${path.join('_')}}`))

/** Reads whether the call for tokens carries the OAuth client as HTTP Basic. */
function readClient(authenticator: Component, { notes }: AuthSource): Pick<FileOauth, 'client'> | undefined {
  const headers = authenticator.takeAll('refresh_request_headers')
  for (const [name, value] of Object.entries(isObject(headers) ? headers : {}))
    if (/^authorization$/i.test(name) && /base64/.test(String(value)) && /client_id/.test(String(value))) return { client: 'basic' }
    else if (!/^(content-type|accept)$/i.test(name)) return notes.stop('headers of the call for tokens', name)
  return {}
}

const tokenWords: readonly (readonly [string, string])[] = [
  ['access_token_name', 'access_token'],
  ['expires_in_name', 'expires_in'],
  ['client_id_name', 'client_id'],
  ['client_secret_name', 'client_secret'],
  ['refresh_token_name', 'refresh_token'],
  ['grant_type_name', 'grant_type'],
]

function readOauth(authenticator: Component, source: AuthSource): Scheme | undefined {
  const { notes } = source
  authenticator.leave('token_expiry_date', 'token_expiry_date_format', 'token_expiry_is_time_of_expiration')
  authenticator.leave('refresh_token_error_status_codes', 'refresh_token_error_key', 'refresh_token_error_values')
  for (const name of ['client_id', 'client_secret', 'refresh_token', 'access_token_value']) {
    const logic = findLogic(authenticator.template(name) ?? [])
    if (logic !== undefined) return notes.stop('logic in credentials', logic)
  }
  for (const [name, usual] of tokenWords) {
    const said = authenticator.text(name)
    if (said !== undefined && said !== usual && name !== 'expires_in_name') return notes.stop('other names in the call for tokens', said)
    if (said !== undefined && said !== usual) notes.doubt('auth.oauth', 'not said')
  }
  const grant = authenticator.text('grant_type') ?? 'refresh_token'
  const endpoint = authenticator.template('token_refresh_endpoint')
  if (endpoint === undefined) {
    const scheme = makeScheme('token', 'Access token')
    const token = takeCredential(authenticator.template('access_token_value') ?? [], scheme, source, true)
    return token === undefined || token === ''
      ? notes.stop('an access token from nowhere')
      : { ...scheme, send: { authorization: `Bearer ${token}` } }
  }
  const [client, values] = [readClient(authenticator, source), readValues(authenticator, source)]
  const as = authenticator.take('send_refresh_request_as_query_params') === true ? ({ as: 'query' } as const) : {}
  if (client === undefined || values === undefined) return undefined
  const scopes = readScopes(authenticator)
  const spread = spreadHost(endpoint, source.settings, notes)
  const isSayable = isOnOwnHost(spread) && listTemplates(values).length === 0
  const rest = { endpoint: spread, values, client: client.client ?? ('body' as const), as: as.as ?? ('form' as const) }
  const [id, secret] = [authenticator.template('client_id') ?? [], authenticator.template('client_secret') ?? []]
  // A refresh token that a call replaces needs something that keeps the next one: a login has none.
  const isKept = authenticator.take('refresh_token_updater') === undefined
  if (grant === 'client_credentials' && !isSayable) {
    const scope = scopes.scopes === undefined ? [] : [{ name: 'scope', value: scopes.scopes.join(' ') }]
    return readGrant({ ...rest, values: [{ name: 'grant_type', value: grant }, ...scope, ...values], names: { id, secret } }, source)
  }
  const refresh = authenticator.template('refresh_token') ?? []
  if (grant === 'refresh_token' && isKept && (!isOnOwnHost(spread) || values.length > 0)) {
    const own: readonly Entry[] = [
      { name: 'grant_type', value: grant },
      { name: 'refresh_token', value: refresh },
    ]
    return readGrant({ ...rest, values: [...own, ...values], names: { id, secret } }, source)
  }
  const token = readEndpoint(spread, source)
  if (token === undefined) return undefined
  const always = Object.fromEntries(values.map(({ name, value }) => [name, String(value)]))
  if (grant === 'client_credentials') {
    const fixed = Object.keys(always).length === 0 ? {} : { always }
    return { ...makeScheme('client', 'OAuth client'), oauth: { token, ...client, ...as, ...scopes, ...fixed } }
  }
  if (grant !== 'refresh_token') return notes.stop('a grant that kind files do not have', grant)
  if (values.length > 0) return notes.stop('fixed values of the call that renews tokens', Object.keys(always).join(', '))
  return { ...makeScheme('oauth', 'OAuth app'), oauth: { page: findPage(token, source, 'oauth'), token, ...client, ...as, ...scopes } }
}

const readers: Readonly<Record<string, (authenticator: Component, source: AuthSource) => Scheme | undefined>> = {
  BearerAuthenticator: readBearer,
  ApiKeyAuthenticator: readApiKey,
  BasicHttpAuthenticator: readBasic,
  OAuthAuthenticator: readOauth,
  NoAuth: () => makeScheme('none', 'No credentials'),
}

const lacking: Readonly<Record<string, string>> = {
  JwtAuthenticator: 'a token that the private key signs and every request carries',
}

function readOne(authenticator: Component, source: AuthSource): Scheme | undefined {
  const { notes } = source
  if (authenticator.type === 'SessionTokenAuthenticator')
    return readSession(authenticator, source, (own) => (own === undefined ? makeScheme('none', '') : readOne(own, source)))
  const read = readers[authenticator.type]
  if (read !== undefined) return read(authenticator, source)
  authenticator.leaveAll()
  return notes.stop(
    authenticator.isCustom ? customCode : (lacking[authenticator.type] ?? 'a way to authenticate that kind files do not have'),
    authenticator.type,
  )
}

/** Reads the ways to authenticate of a requester: one, or several of which an account chooses one. */
export function readSchemes(authenticator: Component | undefined, source: AuthSource): readonly Scheme[] {
  if (authenticator === undefined) return [makeScheme('none', 'No credentials')]
  if (authenticator.type === 'LegacySessionTokenAuthenticator') return readLegacySession(authenticator, source)
  if (authenticator.type !== 'SelectiveAuthenticator') return [readOne(authenticator, source) ?? []].flat()
  authenticator.leave('authenticator_selection_path')
  return authenticator.named('authenticators').flatMap(([, each]) => readOne(each, source) ?? [])
}

/** Writes a scheme as a kind file has it. @param configure takes a value into the configuration as a part of an address */
export function writeScheme(
  { title, fields, send, query, oauth, login }: Scheme,
  api: Address | undefined,
  configure: (slot: Slot, type: string) => string,
): FileScheme {
  const isBearer = Object.keys(send).length === 0 && oauth !== undefined
  const all = oauth === undefined || isBearer ? send : { authorization: 'Bearer {access_token}', ...send }
  return { title, ...dropEmpty({ fields, send: all, query, login: login && writeLogin(login, api, configure), oauth }) }
}
