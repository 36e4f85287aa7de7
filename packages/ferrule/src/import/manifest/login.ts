/** Calls that take credentials and answer a token: session tokens, and tokens of OAuth clients at hosts of the accounts. */

import type { FileLogin, Scalar } from '../../kind-file/file.ts'
import { dropEmpty } from '../imported.ts'
import { type Address, joinPath, readAddress, signHost } from './address.ts'
import type { Component } from './component.ts'
import { readDuration } from './incremental.ts'
import { readOption, toPath } from './paging.ts'
import { type Entry, type RequestDraft, readRequest } from './request.ts'
import { type AuthSource, type Login, makeScheme, type Scheme, takeCredential } from './scheme.ts'
import { joinTexts, readTemplate, type Slot, type Template, writeTemplate } from './template.ts'

const listEntries = ({ query, body }: RequestDraft): readonly Entry[] | undefined =>
  query.length > 0 && body.length > 0 ? undefined : [...query, ...body]

const findForm = ({ method, query, as }: RequestDraft): FileLogin['as'] =>
  method === 'GET' ? undefined : query.length > 0 ? 'query' : as === 'form' ? 'form' : undefined

function writeValues(entries: readonly Entry[], scheme: Scheme, source: AuthSource): Record<string, Scalar> | undefined {
  const send: Record<string, Scalar> = {}
  for (const { name, value } of entries) {
    if (typeof value !== 'object') {
      send[name] = value
      continue
    }
    const written =
      value.length === 1 ? takeCredential(value, scheme, source) : source.notes.stop('a text around a value of the call that signs in')
    if (written === undefined) return undefined
    send[name] = written
  }
  return send
}

/** Writes the headers of a call, with those of its own way to authenticate. */
function writeHeaders(entries: readonly Entry[], own: Scheme, scheme: Scheme, source: AuthSource): Record<string, string> | undefined {
  const headers: Record<string, string> = { ...own.send }
  for (const { name, value } of entries) {
    if (/^(content-type|accept-encoding|content-length|host)$/i.test(name)) continue
    const written = typeof value === 'object' ? takeCredential(value, scheme, source) : String(value)
    if (written === undefined) return undefined
    headers[name.toLowerCase()] = written
  }
  return headers
}

/** Makes the call of a request. @param own how the call itself authenticates */
function makeLogin(
  request: RequestDraft,
  { scheme, own, source }: { readonly scheme: Scheme; readonly own: Scheme; readonly source: AuthSource },
): Omit<Login, 'token' | 'expires'> | undefined {
  const { settings, notes } = source
  Object.assign(scheme.fields, own.fields)
  const entries = listEntries(request)
  if (entries === undefined) return notes.stop('a call that signs in with values of the address and a body')
  if (Object.keys(request.lists).length > 0) return notes.stop('a list in the body of a call that signs in')
  if (request.method === 'GET' && request.body.length > 0) return notes.stop('a call that signs in by GET with a body')
  const address = readAddress(request.url, settings, notes)
  const send = writeValues(entries, scheme, source)
  const headers = writeHeaders(request.headers, own, scheme, source)
  if (address === undefined || send === undefined || headers === undefined) return undefined
  return { method: request.method, address, ...dropEmpty({ send: { ...own.query, ...send }, headers, as: findForm(request) }) }
}

function carryToken(authentication: Component | undefined, scheme: Scheme, source: AuthSource): boolean {
  if (authentication === undefined) return false
  if (authentication.type === 'Bearer') {
    scheme.send['authorization'] = 'Bearer {access_token}'
    return true
  }
  const option = readOption(authentication.child('inject_into'), source.notes)
  const given = authentication.template('api_token') ?? [{ is: 'slot', root: 'session_token', path: [] } satisfies Slot]
  const token = given.every((part) => part.is === 'text' || (part.is === 'slot' && part.root === 'session_token'))
    ? writeTemplate(given, () => '{access_token}')
    : source.notes.stop('logic in credentials')
  if (option === undefined || token === undefined || option.in === 'body') return false
  if (option.in === 'query') scheme.query[option.name] = token
  else scheme.send[option.name.toLowerCase()] = token
  return true
}

/** Reads a call that signs in. @param readOwn reads how that call itself authenticates */
export function readSession(
  authenticator: Component,
  source: AuthSource,
  readOwn: (authenticator: Component | undefined) => Scheme | undefined,
): Scheme | undefined {
  const { notes } = source
  const scheme = makeScheme('login', 'User and password')
  authenticator.child('decoder')?.leaveAll()
  const request = readRequest(authenticator.child('login_requester'), notes)
  const path = authenticator.takeAll('session_token_path')
  const token = toPath((Array.isArray(path) ? path : []).map(String))
  const expires = readDuration(authenticator.text('expiration_duration'))
  const own = request === undefined ? undefined : readOwn(request.authenticator)
  if (request === undefined || own === undefined) return undefined
  const login = makeLogin(request, { scheme, own, source })
  if (login === undefined) return undefined
  if (token === undefined || !carryToken(authenticator.child('request_authentication'), scheme, source))
    return notes.stop('a call that signs in, whose token no word carries')
  return { ...scheme, login: { ...login, token, ...(expires === undefined ? {} : { expires }) } }
}

/** What all calls have that are made of less than a requester. */
const signIn = { method: 'POST', base: '', hasBody: true, lists: {}, query: [], body: [], headers: [], authenticator: undefined } as const

/** Reads a call that signs in with a user and a password, and the way with a token of such a call that an account gives. */
export function readLegacySession(authenticator: Component, source: AuthSource): readonly Scheme[] {
  const { notes, base } = source
  authenticator.leave('validate_session_url')
  const [scheme, given] = [makeScheme('login', 'User and password'), makeScheme('token', 'Session token')]
  const name = authenticator.text('header')?.toLowerCase() ?? ''
  const token = toPath([authenticator.text('session_token_response_key') ?? ''])
  const own = takeCredential(authenticator.template('session_token') ?? [], given, source, true)
  const url = readTemplate(`${base.trim().replace(/\/+$/, '')}/${authenticator.text('login_url') ?? ''}`)
  const body = ['username', 'password'].map((word): Entry => ({ name: word, value: authenticator.template(word) ?? [] }))
  const login = makeLogin({ ...signIn, url, body, as: 'json' }, { scheme, own: makeScheme('none', ''), source })
  if (login === undefined || own === undefined) return []
  if (token === undefined || !/^[a-z][a-z0-9_-]*$/.test(name)) return notes.stop('a call that signs in, whose token no word carries') ?? []
  return [
    { ...scheme, send: { [name]: '{access_token}' }, login: { ...login, token } },
    ...(own === '' ? [] : [{ ...given, send: { [name]: own } }]),
  ]
}

/** What a call for the token of an OAuth client has. */
export interface Grant {
  readonly endpoint: Template
  /** Credentials by their names in the call, and fixed values. */
  readonly values: readonly Entry[]
  readonly client: 'body' | 'basic'
  readonly as: 'form' | 'query'
  readonly names: { readonly id: Template; readonly secret: Template }
}

/** Makes the call for the token of an OAuth client that `oauth` does not say: with values of the account, or at a host of its own. */
export function readGrant({ endpoint, values, client, as, names }: Grant, source: AuthSource): Scheme | undefined {
  const scheme = makeScheme('client', 'OAuth client')
  const [id, secret] = [takeCredential(names.id, scheme, source), takeCredential(names.secret, scheme, source, true)]
  if (id === undefined || secret === undefined) return undefined
  const own = { ...makeScheme('none', ''), send: client === 'basic' ? { authorization: `Basic ${id}:${secret}` } : {} }
  const sent: readonly Entry[] =
    client === 'basic'
      ? []
      : [
          { name: 'client_id', value: names.id },
          { name: 'client_secret', value: names.secret },
        ]
  const entries = [...sent, ...values]
  const split = joinTexts(endpoint)
  const request: RequestDraft = {
    ...{ ...signIn, url: split, as: 'form' },
    ...(as === 'query' ? { query: entries, body: [] } : { query: [], body: entries }),
  }
  const login = makeLogin(request, { scheme, own, source })
  if (login === undefined) return undefined
  scheme.send['authorization'] = 'Bearer {access_token}'
  return { ...scheme, login: { ...login, token: 'access_token', expires: 'expires_in' } }
}

/** Writes a login as a kind file has it. @param configure takes a value into the configuration as a part of an address */
export function writeLogin(
  { method, address, ...login }: Login,
  api: Address | undefined,
  configure: (slot: Slot, type: string) => string,
): FileLogin {
  const path = writeTemplate(joinPath(address.segments), (slot) => `{${configure(slot, 'path')}}`)
  const { chosen } = address
  const host =
    chosen === undefined
      ? `https://${writeTemplate(address.host, (slot) => `{${configure(slot, 'label')}}`)}`
      : { by: chosen.by.name, of: chosen.of }
  return { call: `${method} ${path}`, ...(signHost(address) === signHost(api) ? {} : { host }), ...login }
}

/** Returns whether a file can name the host of a login: that of the API, or one of the vendor's domain. */
export const hasHost = ({ address }: Login, api: Address | undefined): boolean =>
  signHost(address) === signHost(api) || address.chosen !== undefined || address.host.at(-1)?.is === 'text'
