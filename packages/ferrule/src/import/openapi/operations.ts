/** Operations of kind files: their parameters, bodies, and where their answers have rows. */
import type { FileFields, FileOperation, Named, Scalar } from '../../kind-file/file.ts'
import { toSlotName, writeSentence } from '../words.ts'
import type { Action, Classified } from './classify.ts'
import { asList, asObject, type DocumentOperation, isFormType, isJsonType, type Parameter } from './document.ts'
import { type FieldWriter, isFieldName } from './fields.ts'
import { isSameName, listNouns } from './names.ts'
import type { FoundWay, ListParameter } from './paging.ts'
import type { Found } from './rows.ts'
import type { Schemas, Shape } from './schemas.ts'

/** An operation that becomes an action. */
export type Accepted = Extract<Classified, { action: Action }>

/** Deepest objects of bodies whose fields are written. */
const bodyDepth = 1
/** Names that callers of a paged list have for its position and its size. */
const ownNames = ['cursor', 'limit']

/** Writes a call. @param prefix what every path of the kind begins with */
export const writeCall = ({ method, path }: DocumentOperation): string =>
  `${method} ${path.replaceAll(/\{([^}]*)\}/g, (_, name: string) => `{${toSlotName(name)}}`)}`

const slotNames = ({ path }: DocumentOperation): readonly string[] => [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name)

/** The body of a request: its fields, what they are wrapped in, and values that never change. */
export interface Body {
  readonly shape: Shape
  readonly wrap: string | undefined
  readonly isForm: boolean
}

/** Reads the body of an operation. A body with one object that is named as the noun, or `data`, is a wrapper. */
export function readBody(schemas: Schemas, { body, path }: DocumentOperation): Body | undefined {
  if (body.schema === undefined || !(isJsonType(body.type) || isFormType(body.type))) return undefined
  const shape = schemas.read(body.schema)
  const isForm = isFormType(body.type)
  const [only, another] = [...shape.properties]
  if (only === undefined) return undefined
  const inner = schemas.read(only[1])
  const isNoun = listNouns(path).some((noun) => isSameName(noun, only[0])) || /^(data|attributes|fields)$/.test(only[0])
  const isWrapper = another === undefined && isNoun && inner.properties.size > 0 && inner.items === undefined
  return isWrapper ? { shape: inner, wrap: only[0], isForm } : { shape, wrap: undefined, isForm }
}

/** Writes operations of one document. */
export class OperationWriter {
  readonly #schemas: Schemas
  readonly #fields: FieldWriter

  constructor(schemas: Schemas, fields: FieldWriter) {
    this.#schemas = schemas
    this.#fields = fields
  }

  /** Lists the parameters that a list could continue by: those of its address, and of its body. */
  listParameters(operation: DocumentOperation): readonly ListParameter[] {
    const query = operation.parameters.filter((each) => each.in === 'query')
    const body = operation.method === 'GET' ? undefined : readBody(this.#schemas, operation)
    return [...query, ...[...(body?.shape.properties ?? [])].map(([name, schema]) => ({ name, about: '', schema }))]
  }

  /** Writes the parameters of the address. @param skip those of paging */
  writeParams({ parameters }: DocumentOperation, skip: readonly string[]): FileFields {
    const query = parameters.filter((each) => each.in === 'query' && !skip.includes(each.name))
    return Object.fromEntries(query.flatMap((each) => this.#writeParam(each)).filter(([name]) => isFieldName(name) && !skip.includes(name)))
  }

  /** An object in the address is one parameter for each of its fields: `created[gte]`. */
  #writeParam({ name, about, schema, required, style }: Parameter): readonly (readonly [string, unknown])[] {
    const shape = this.#schemas.read(schema)
    const entry = (as: string, inner: unknown, isRequired: boolean, says: string) =>
      [as, this.#fields.writeField(as, withAbout(inner, says), { place: 'parameter', depth: 0, isRequired })] as const
    if (style !== 'deepObject' || shape.properties.size === 0) return [entry(name, schema, required, about)]
    return [...shape.properties].map(([inner, each]) => entry(`${name}[${inner}]`, each, false, `${about || name} (${inner})`))
  }

  /** Writes an operation. `lists` and `writes` of the file are left to it. */
  write({ operation, action, found }: Accepted, way?: { readonly name: string; readonly found: FoundWay | undefined }): FileOperation {
    const skip = way?.found === undefined ? [] : [...way.found.own, ...ownNames]
    const slots = slotNames(operation)
    const body = ['GET', 'DELETE'].includes(operation.method) ? undefined : readBody(this.#schemas, operation)
    const params = this.writeParams(operation, [...skip, ...slots])
    const sent = this.#writeBody(body, { operation, skip, params })
    const at = found?.at ?? ''
    return {
      call: writeCall(operation),
      ...(Object.keys(params).length === 0 ? {} : { params }),
      ...sent,
      ...(at === '' || (action !== 'list' && found === undefined) ? {} : { at }),
      ...(way === undefined ? {} : { pages: way.name }),
      ...(body?.isForm === true ? ({ as: 'form' } as const) : {}),
      ...this.#writeArrays(operation, body),
      ...this.#writeAnswers(action, found),
    }
  }

  #writeBody(
    body: Body | undefined,
    { operation, skip, params }: { readonly operation: DocumentOperation; readonly skip: readonly string[]; readonly params: FileFields },
  ): Pick<FileOperation, 'body' | 'wrap' | 'always'> {
    if (body === undefined) return {}
    const { shape, wrap } = body
    const always = this.#findConstants(shape)
    const taken = new Set([...slotNames(operation).map(toSlotName), ...Object.keys(params)])
    const fields = this.#fields.writeFields(shape, { place: 'parameter', depth: bodyDepth }, new Set([...skip, ...Object.keys(always)]))
    const named = Object.entries(fields).map(([name, field]) =>
      taken.has(name) ? ([`body_${name}`, withName(field, name)] as const) : ([name, field] as const),
    )
    const prefix = wrap === undefined ? '' : `${wrap}.`
    const constants = Object.fromEntries(Object.entries(always).map(([name, value]) => [`${prefix}${name}`, value]))
    return {
      ...(named.length === 0 ? {} : { body: Object.fromEntries(named), ...(wrap === undefined ? {} : { wrap }) }),
      ...(Object.keys(constants).length === 0 ? {} : { always: constants }),
    }
  }

  /** Finds required fields with one value only. */
  #findConstants({ properties, required }: Shape): Named<Scalar> {
    return Object.fromEntries(
      [...properties].flatMap(([name, schema]): [string, Scalar][] => {
        const [value, another] = this.#schemas.read(schema).values ?? []
        const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
        return required.has(name) && isScalar && another === undefined && /^[\w-]+$/.test(name) ? [[name, value]] : []
      }),
    )
  }

  #writeArrays({ parameters }: DocumentOperation, body: Body | undefined): Pick<FileOperation, 'arrays'> {
    if (body?.isForm === true) return { arrays: 'brackets' }
    const lists = parameters.filter(({ in: place, schema }) => place === 'query' && this.#schemas.read(schema).items !== undefined)
    const [first] = lists
    if (first === undefined || first.name.endsWith('[]')) return {}
    if (first.style === 'deepObject') return { arrays: 'brackets' }
    return first.explode ? { arrays: 'repeat' } : {}
  }

  #writeAnswers(action: Action, found: Found | undefined): Pick<FileOperation, 'answers'> {
    if (action === 'list' || action === 'get' || action === 'delete') return {}
    return found === undefined || found.record.properties.size === 0 ? { answers: 'nothing' } : {}
  }
}

/** Gives a schema the sentence of its parameter. */
const withAbout = (schema: unknown, about: string): unknown => (about === '' ? schema : { allOf: [schema], description: about })

/** Gives a field another name than the request carries. */
const withName = (field: unknown, name: string): unknown => {
  if (typeof field !== 'string') return { ...asObject(field), $to: name }
  const [type = 'string', ...words] = field.split(' ')
  return { $type: type, $about: words.join(' '), $to: name }
}

/** Returns the sentence of an entity: that of its list, else of its first operation. */
export const writeAbout = (operations: readonly Accepted[], name: string): string => {
  const first = operations.find(({ action }) => action === 'list') ?? operations.find(({ action }) => action === 'get') ?? operations[0]
  const said = first?.operation.about ?? ''
  const sentence = writeSentence(said, name, 110)
  const noun = sentence.replace(
    /^(get|list|retrieve|fetch|return|create|add|update|delete|remove|find)s? (a (paginated )?list of |all |the |an? )?/i,
    '',
  )
  return writeSentence(noun, name, 110)
}

/** Lists the names of tags. */
export const listTags = ({ operation }: Accepted): readonly string[] => asList(operation.raw['tags']).map(String)
