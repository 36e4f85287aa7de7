/** An OpenAPI document as the importer reads it: version 3.1, with references of its own resolved. Nothing is fetched. */

import { upgrade } from '@scalar/openapi-upgrader'
import { isObject } from '../../definition/object.ts'
import { decodePart } from '../../values/texts.ts'
import { DocumentError } from '../imported.ts'

/** A part of the document. */
export type Json = Readonly<Record<string, unknown>>

/** Most references that are resolved, and the longest chain of references. */
const most = { references: 2_000_000, chain: 20 } as const

/** Methods that operations have. */
export const methods = ['get', 'post', 'put', 'patch', 'delete'] as const

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly about: string
  readonly schema: unknown
  /** How lists and objects are written: `form`, `deepObject`. */
  readonly style: string
  readonly explode: boolean
}

/** What a request or an answer carries. */
export interface Content {
  /** `application/json`, or whatever else stands first; undefined without a body. */
  readonly type: string | undefined
  readonly schema: unknown
}

/** An operation. */
export interface DocumentOperation {
  readonly method: string
  readonly path: string
  /** `GET /things/{id}` */
  readonly call: string
  readonly about: string
  readonly tags: readonly string[]
  readonly parameters: readonly Parameter[]
  readonly body: Content
  readonly answer: Content & { readonly headers: readonly string[] }
  /** Schemas of answers that are errors. */
  readonly refusals: readonly unknown[]
  /** The operation as it stands, for extensions. */
  readonly raw: Json
}

/** Returns a value as an object; an empty one for anything else. */
export const asObject = (value: unknown): Json => (isObject(value) ? value : {})
/** Returns a value as a list; an empty one for anything else. */
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
/** Returns a value as text; an empty one for anything else. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '')

const isJson = (type: string): boolean => /[/+]json\b/i.test(type) || type === '*/*'
const isForm = (type: string): boolean => /x-www-form-urlencoded/i.test(type)

/** The document, with the references that it resolves. */
export class OpenapiDocument {
  readonly root: Json
  #resolved = 0

  /** @throws DocumentError for what is no OpenAPI document */
  constructor(document: unknown) {
    const given = asObject(document)
    if (typeof given['openapi'] !== 'string' && typeof given['swagger'] !== 'string')
      throw new DocumentError('is no OpenAPI document: it has neither openapi nor swagger')
    if (Object.keys(asObject(given['paths'])).length === 0) throw new DocumentError('has no paths')
    this.root = /^3\.[12]/.test(asText(given['openapi'])) ? given : asObject(upgrade(given, '3.1'))
  }

  /** Follows a reference to its end. References to other documents lead to nothing. @throws DocumentError above the bound */
  resolve(value: unknown): unknown {
    let found = value
    for (let chain = 0; isObject(found) && typeof found['$ref'] === 'string'; chain += 1) {
      this.#resolved += 1
      if (this.#resolved > most.references) throw new DocumentError(`has more than ${most.references} references in its operations`)
      if (chain > most.chain) return {}
      found = this.#find(found['$ref'])
    }
    return found
  }

  #find(reference: string): unknown {
    if (!reference.startsWith('#/')) return {}
    const steps = reference
      .slice(2)
      .split('/')
      .map((step) => decodePart(step).replaceAll('~1', '/').replaceAll('~0', '~'))
    return steps.reduce<unknown>((inner, step) => {
      const holder = this.#isReference(inner) ? this.resolve(inner) : inner
      if (Array.isArray(holder)) return holder[Number(step)]
      return isObject(holder) && Object.hasOwn(holder, step) ? holder[step] : undefined
    }, this.root)
  }

  #isReference(value: unknown): boolean {
    return isObject(value) && typeof value['$ref'] === 'string'
  }

  /** Resolves a reference to an object; an empty one for anything else. */
  resolveObject(value: unknown): Json {
    return asObject(this.resolve(value))
  }

  /** Lists the operations in the order of the document. */
  listOperations(): readonly DocumentOperation[] {
    return Object.entries(asObject(this.root['paths'])).flatMap(([path, item]) => {
      const shared = this.resolveObject(item)
      return methods.flatMap((method) => {
        const raw = shared[method]
        return isObject(raw) ? [this.#readOperation(method.toUpperCase(), path, { raw, shared: asList(shared['parameters']) })] : []
      })
    })
  }

  #readOperation(
    method: string,
    path: string,
    { raw, shared }: { readonly raw: Json; readonly shared: readonly unknown[] },
  ): DocumentOperation {
    const responses = Object.entries(asObject(raw['responses']))
    const body = this.resolveObject(raw['requestBody'])
    return {
      ...{ method, path, raw, call: `${method} ${path}` },
      about: asText(raw['summary']) || asText(raw['description']),
      tags: asList(raw['tags']).map(asText),
      parameters: this.#readParameters([...shared, ...asList(raw['parameters'])]),
      body: this.#readContent(body['content'], [isJson, isForm]),
      answer: this.#readAnswer(responses),
      refusals: responses.flatMap(([status, each]) =>
        /^([45]|default)/.test(status) ? [this.#readContent(this.resolveObject(each)['content'], [isJson]).schema ?? []].flat() : [],
      ),
    }
  }

  #readParameters(given: readonly unknown[]): readonly Parameter[] {
    const byName = new Map<string, Parameter>()
    for (const each of given) {
      const { name, in: sentIn, required, description, schema, style, explode, content } = this.resolveObject(each)
      if (typeof name !== 'string' || typeof sentIn !== 'string') continue
      const inner = schema ?? Object.values(asObject(content)).map((one) => asObject(one)['schema'])[0]
      byName.set(`${sentIn} ${name}`, {
        ...{ name, in: sentIn, required: required === true, about: asText(description), schema: inner ?? {} },
        style: asText(style) || 'form',
        explode: typeof explode === 'boolean' ? explode : (asText(style) || 'form') === 'form',
      })
    }
    return [...byName.values()]
  }

  #readAnswer(responses: readonly (readonly [string, unknown])[]): DocumentOperation['answer'] {
    const good = responses.filter(([status]) => /^2/.test(status)).toSorted(([one], [other]) => one.localeCompare(other))
    const found = good[0] ?? responses.find(([status]) => status === 'default')
    const response = this.resolveObject(found?.[1])
    const headers = Object.keys(asObject(response['headers'])).map((name) => name.toLowerCase())
    // A redirect to a file is no answer.
    const isElsewhere = found === undefined || (good.length === 0 && responses.some(([status]) => /^3/.test(status)))
    return {
      ...this.#readContent(response['content'], [isJson]),
      headers,
      ...(isElsewhere ? { type: 'elsewhere', schema: undefined } : {}),
    }
  }

  /** Chooses the content that is wanted most; else the first. */
  #readContent(value: unknown, wanted: readonly ((type: string) => boolean)[]): Content {
    const all = Object.entries(asObject(value))
    const found = wanted.flatMap((is) => all.filter(([type]) => is(type)))[0] ?? all[0]
    return { type: found?.[0].toLowerCase(), schema: found === undefined ? undefined : (asObject(found[1])['schema'] ?? {}) }
  }
}

/** Returns whether a type of content is JSON. */
export const isJsonType = (type: string | undefined): boolean => type !== undefined && isJson(type)
/** Returns whether a type of content is a form. */
export const isFormType = (type: string | undefined): boolean => type !== undefined && isForm(type)
