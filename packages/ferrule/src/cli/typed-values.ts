/** Turns `name=value` into JSON, typed by the schema of the parameters. */
import { isObject } from '../definition/object.ts'
import type { Schema } from '../document/kind-document.ts'
import { readTypes } from '../document/read-schema.ts'
import { readJson } from '../values/json/json.ts'
import { failUsage } from './failure.ts'

const readProperties = (schema: Schema | undefined): Schema => {
  const properties = schema?.['properties']
  return isObject(properties) ? properties : {}
}

/** Lists the names of the parameters. */
export const listNames = (schema: Schema | undefined): readonly string[] => Object.keys(readProperties(schema))

function parseJsonValue(name: string, text: string): unknown {
  try {
    return readJson(text)
  } catch {
    throw failUsage(`The value of ${name} is not JSON.`, `Write ${name}:=JSON, for example ${name}:='["a"]', or ${name}=TEXT.`)
  }
}

const number = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/

/** Parses a text as the type that its schema names. What fits no type stays a string: the service names the mistake. */
export function parseTyped(name: string, text: string, schema: Schema): unknown {
  const types = readTypes(schema)
  const allows = (type: string): boolean => types.includes(type)
  if (allows('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  if ((allows('integer') || allows('number')) && number.test(text)) return readJson(text)
  if (allows('null') && !allows('string') && text === 'null') return null
  if ((allows('object') && text.startsWith('{')) || (allows('array') && text.startsWith('['))) return parseJsonValue(name, text)
  if (allows('array') && !allows('string')) {
    const { items } = schema
    return [parseTyped(name, text, isObject(items) ? items : {})]
  }
  return text
}

function findSchema(name: string, schema: Schema | undefined): { readonly path: readonly string[]; readonly schema: Schema } | undefined {
  const properties = readProperties(schema)
  const own = Object.hasOwn(properties, name) ? properties[name] : undefined
  if (isObject(own)) return { path: [name], schema: own }
  const [first = '', ...rest] = name.split('.')
  const outer = Object.hasOwn(properties, first) ? properties[first] : undefined
  if (rest.length === 0 || !isObject(outer)) return undefined
  const inner = findSchema(rest.join('.'), outer)
  return inner === undefined ? undefined : { path: [first, ...inner.path], schema: inner.schema }
}

function put(target: Record<string, unknown>, [first = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length > 0) {
    const inner = Object.hasOwn(target, first) && isObject(target[first]) ? { ...target[first] } : {}
    put(inner, rest, value)
    target[first] = inner
    return
  }
  const before = Object.hasOwn(target, first) ? target[first] : undefined
  const joined = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value
  Object.defineProperty(target, first, { value: joined, enumerable: true, configurable: true, writable: true })
}

/**
 * Adds `name=value` and `name:=json` to parameters.
 * @param base parameters that were given as JSON
 * @param given each `name=value`
 * @param schema of the parameters; undefined: values are JSON if they can be, else strings
 * @throws FerruleError `validation_failed` for an unknown name and for wrong JSON
 */
export function addParams(base: Schema, given: readonly string[], schema: Schema | undefined): Schema {
  const params: Record<string, unknown> = { ...base }
  for (const each of given) {
    const [, name = '', sign = '', text = ''] = /^([^=]*?)(:?=)([\s\S]*)$/.exec(each) ?? []
    if (name === '') throw failUsage(`${each} is no parameter.`, 'Write -p name=value, or -p name:=json.')
    const found = findSchema(name, schema)
    if (found === undefined && schema !== undefined) {
      const known = listNames(schema).join(', ') || 'none'
      throw failUsage(`There is no parameter ${name}.`, `Parameters: ${known}.`)
    }
    const value = sign === ':=' ? parseJsonValue(name, text) : parseTyped(name, text, found?.schema ?? {})
    put(params, found?.path ?? [name], value)
  }
  return params
}
