/** Makes the exchange of a login: credentials are sent to one declared call, which answers a token. */
import type { CredentialScheme } from '../../definition/connector.ts'
import type { Exchange } from '../../definition/consent.ts'
import { type Fields, find, opt, secret, time } from '../../definition/fields.ts'
import { listSlots } from '../../definition/templates.ts'
import { type BuildScope, checkHeaders, lowerNames, readSpan, refer } from '../build-scope.ts'
import type { Steps } from '../check-tree.ts'
import type { FileLogin, FileScheme } from '../file.ts'

const slot = /^\{([^{}]*)\}$/

/** Builds the fields that a login fills in. */
export function buildLoginFields(title: string, { expires }: FileLogin): Fields {
  const filled = { says: `${title} gives it for the other values.` }
  return {
    access_token: opt(find(filled, secret('Token of the login'))),
    ...(expires === undefined ? {} : { token_expiry_date: opt(find(filled, time('When the token expires'))) }),
  }
}

/** Notes what is wrong with a login. @param fields of its way to authenticate */
export function checkLogin(
  scope: BuildScope,
  { login, oauth }: FileScheme,
  { fields, steps }: { readonly fields: Fields; readonly steps: Steps },
): void {
  if (login === undefined) return
  const { call, send = {}, headers = {}, as } = login
  const at = [...steps, 'login']
  if (oauth !== undefined) scope.found.note(at, { message: 'a way to authenticate has oauth or a login, not both' }, 'key')
  if (call.startsWith('GET ') && as !== undefined && as !== 'query')
    scope.found.note([...at, 'as'], { message: 'GET has no body: its values stand in the query', example: 'as: query' })
  checkHeaders(scope, headers, [...at, 'headers'], true)
  const valid = Object.keys(fields).filter((name) => name !== 'access_token' && name !== 'token_expiry_date')
  const isField = (name: string, where: Steps) =>
    refer(scope, {
      steps: where,
      what: 'a field of this way to authenticate',
      name,
      valid,
      example: `fields: { ${name}: secret Password }`,
    })
  for (const [name, value] of Object.entries(send)) {
    const names = listSlots(String(value))
    if (names.length > 0 && !slot.test(String(value)))
      scope.found.note([...at, 'send', name], { message: 'is a field as a whole, or has no slot', example: `${name}: '{${names[0]}}'` })
    for (const each of names) isField(each, [...at, 'send', name])
  }
  for (const [name, template] of Object.entries(headers)) for (const each of listSlots(template)) isField(each, [...at, 'headers', name])
}

/** Builds the exchange. */
export function buildLogin({ call, send = {}, headers, as, token, expires }: FileLogin): Pick<CredentialScheme, 'exchange'> {
  const values = Object.entries(send).map(([name, value]) => [name, String(value)] as const)
  const fields = values.flatMap(([name, value]) => {
    const field = slot.exec(value)?.[1]
    return field === undefined ? [] : [[name, field] as const]
  })
  const isTime = expires !== undefined && /^\d+[smhd]$/.test(expires)
  const exchange: Exchange = {
    call: call as Exchange['call'], // the form of the table
    ...(headers === undefined ? {} : { headers: lowerNames(headers) }),
    as: call.startsWith('GET ') ? 'query' : (as ?? 'json'),
    read: { access_token: token },
    ...(expires === undefined ? {} : { expires: { seconds: isTime ? readSpan(expires) : expires, field: 'token_expiry_date' } }),
    refresh: { constant: Object.fromEntries(values.filter(([, value]) => !slot.test(value))), send: Object.fromEntries(fields) },
  }
  return { exchange }
}
