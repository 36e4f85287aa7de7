/**
 * Requests in the exact form of existing clients, written down by hand from what they send: paths, headers and bodies. Ids are filled in.
 * `sdk` sends a marker; the older packages (`packages`) send none and are reached by the prefix.
 */

/** Which client sends a request. */
export type ClientName = 'sdk' | 'packages'

/** Headers of a call, without the token. Both clients use httpx. */
export const clientHeaders: Readonly<Record<ClientName, Readonly<Record<string, string>>>> = {
  sdk: { accept: '*/*', 'user-agent': 'python-httpx/0.28.1', 'x-adp-agent-sdk': 'airbyte-agent-sdk' },
  packages: { accept: '*/*', 'user-agent': 'python-httpx/0.28.1' },
}

/** The configured address of a client ends with this. */
export const addressPath: Readonly<Record<ClientName, string>> = { sdk: '', packages: '/compat' }

/** The body of an execution: the SDK always sends `skip_truncation`, the packages always send `params`. */
export const executeBody: Readonly<Record<ClientName, (entity: string, action: string, params?: object) => object>> = {
  sdk: (entity, action, params) => ({ entity, action, skip_truncation: true, ...(params === undefined ? {} : { params }) }),
  packages: (entity, action, params) => ({ entity, action, params: params ?? null }),
}

/** Definition ids, which both clients send instead of names. */
export const definitionIds = {
  gong: '32382e40-3b49-4b99-9c5c-4076501914e7',
  shopify: '9da77001-af33-4bcd-be46-6252bf9342b9',
  'tiktok-marketing': '4bfac00d-ce15-44ff-95b9-9e3c3e8fbd35',
} as const

/** The parameters of a download in a call's recording. */
export const mediaOf = (callId: string) => ({
  filter: { callIds: [callId] },
  contentSelector: { exposedFields: { media: true } },
})

/** Asks for a download as JSON. */
export const asJson = (format: 'base64' | 'text') => ({ _airbyte_response_type: 'json', _airbyte_response_format: format })

/** The body of a new connector of the older packages. */
export const createBody = (name: string, customer: string) => ({
  name,
  definition_id: definitionIds.gong,
  customer_name: customer,
  credentials: { access_key: 'sandbox', access_key_secret: 'sandbox-secret' },
})
