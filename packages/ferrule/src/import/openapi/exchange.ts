/**
 * Makes an operation of a request and its answer. Both are described as an OpenAPI document describes a call, and the importer of those
 * documents does the rest.
 */
import { isObject } from '../../definition/object.ts'
import type { KindFile } from '../../kind-file/file.ts'
import { DocumentError } from '../imported.ts'
import { classify } from './classify.ts'
import { type Json, OpenapiDocument } from './document.ts'
import { findEntities } from './entities.ts'
import { toSingular } from './names.ts'
import { Schemas } from './schemas.ts'

/** A request that was sent, and what came back. */
export interface Exchange {
  readonly method: string
  /** Path below the address of the API, without a query. */
  readonly path: string
  readonly query: Json
  /** Members of the body; undefined without one. */
  readonly body: Json | undefined
  /** The vendor's JSON. */
  readonly answer: unknown
  /** Headers of the answer, by names in lower case. */
  readonly headers: Json
}

const mostElements = 100

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/
const date = /^\d{4}-\d\d-\d\d$/

const readType = (value: unknown): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'bigint' || Number.isInteger(value) ? 'integer' : typeof value
}

/** Describes the members that any of several objects has. No answer says which ones are always there. */
const describeMembers = (objects: readonly Json[]): Json =>
  Object.fromEntries(
    [...new Set(objects.flatMap(Object.keys))].map((name) => [
      name,
      describe(objects.flatMap((each) => (Object.hasOwn(each, name) ? [each[name]] : []))),
    ]),
  )

function describe(values: readonly unknown[]): Json {
  const texts = values.filter((each) => typeof each === 'string')
  const lists = values.filter((each): each is readonly unknown[] => Array.isArray(each))
  const isEvery = (form: RegExp): boolean => texts.length > 0 && texts.every((each) => form.test(each))
  return {
    type: [...new Set(values.map(readType))],
    format: isEvery(time) ? 'date-time' : isEvery(date) ? 'date' : undefined,
    items: lists.length === 0 ? undefined : describe(lists.flatMap((each) => each.slice(0, mostElements))),
    properties: describeMembers(values.filter(isObject)),
  }
}

/** A part of a path that names one record: a number, a UUID, a word such as `ACME-17`, or a long one with digits. */
const idPart = /^(?:\d+|[\da-fA-F]{8}-[\da-fA-F-]{27}|[A-Z]+-\d+|(?=(?:\D*\d){2})\w{8,})$/

/** Replaces the ids of a path with slots: `/users/17/notes` → `/users/{user_id}/notes`. */
function toTemplate(path: string): string {
  const parts = path.split('/')
  const name = (index: number): string => {
    const noun = parts[index - 1] ?? ''
    if (index === parts.length - 1) return 'id'
    return /^[a-z][\w-]*$/i.test(noun) && !idPart.test(noun) ? `${toSingular(noun).replaceAll('-', '_')}_id` : `id_${index}`
  }
  return parts.map((part, index) => (idPart.test(part) ? `{${name(index)}}` : part)).join('/')
}

/** Members of a query are texts: one of digits is a number. */
const readQueryValue = (value: unknown): unknown => (/^\d{1,15}$/.test(String(value)) ? Number(value) : value)

function toDocument({ method, path, query, body, answer, headers }: Exchange): Json {
  const content = (value: unknown): Json => ({ content: { 'application/json': { schema: describe([value]) } } })
  const template = toTemplate(path)
  const slots = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
  const members = Object.entries(query).map(([name, value]) => ({ name, in: 'query', schema: describe([readQueryValue(value)]) }))
  const operation = {
    parameters: [...slots, ...members],
    ...(body === undefined ? {} : { requestBody: content(body) }),
    responses: { 200: { ...content(answer), headers } },
  }
  return { openapi: '3.1.0', paths: { [template]: { [method.toLowerCase()]: operation } } }
}

/**
 * Makes the parts of a kind file that have the operation: its entity, its way of paging, and what is unsure.
 * @throws DocumentError for a request that fits no action of an entity
 */
export function makeOperation(exchange: Exchange): Partial<KindFile> {
  const document = new OpenapiDocument(toDocument(exchange))
  const schemas = new Schemas(document)
  const { entities, pages, unsure, leftOut } = findEntities(schemas, classify(document, schemas, document.listOperations()), undefined)
  const names = Object.keys(entities)
  if (names.length === 0) throw new DocumentError(leftOut[0]?.why ?? 'It answers no record.')
  const fields = Object.fromEntries(names.map((name) => [`entities.${name}.fields`, 'guessed' as const]))
  return { unsure: { ...fields, ...unsure }, ...(Object.keys(pages).length === 0 ? {} : { pages }), entities }
}
