/** The type of FERRULE_ORIGINS: a JSON object that replaces origins of kinds. */
import type { OriginOverride } from 'ferrule/engine'
import { isObject } from 'ferrule/internal'
import { readOrigin, settingInvalid, type ValueType } from './value-types.ts'

const names = ['api', 'oauth', 'media', 'consent']

/** Origins by the slug of their kind. A string stands for the API and the login. */
export const originsByKind: ValueType<Readonly<Record<string, OriginOverride>>> = {
  says: 'JSON object',
  secret: false,
  read: (text, { name, kinds }) => {
    const given = parseJson(text)
    if (!isObject(given)) throw settingInvalid(name, 'it must be a JSON object of kind to origin, or kind to {api, oauth, media, consent}')
    const unknown = Object.keys(given).find((kind) => !kinds.includes(kind))
    if (unknown !== undefined) throw settingInvalid(name, `there is no kind ${unknown.slice(0, 40)}; known: ${kinds.join(', ')}`)
    return Object.fromEntries(Object.entries(given).map(([kind, value]) => [kind, readOverride(name, value)]))
  },
}

function readOverride(name: string, value: unknown): OriginOverride {
  if (!isObject(value)) {
    const api = readOrigin(name, value)
    return { api, oauth: api }
  }
  const unknown = Object.keys(value).find((key) => !names.includes(key))
  if (unknown !== undefined) throw settingInvalid(name, `there is no origin ${unknown.slice(0, 40)}; known: ${names.join(', ')}`)
  const readOptional = (key: 'oauth' | 'media' | 'consent') => (value[key] === undefined ? {} : { [key]: readOrigin(name, value[key]) })
  return { api: readOrigin(name, value['api']), ...readOptional('oauth'), ...readOptional('media'), ...readOptional('consent') }
}

/** Returns undefined for a string that is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
