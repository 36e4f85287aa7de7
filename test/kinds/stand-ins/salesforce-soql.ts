/** Objects of Salesforce and its query language, by its public guide: https://developer.salesforce.com/docs/atlas.en-us.soql_sosl.meta/soql_sosl. */
import type { Answer, Row } from './shared.ts'
import * as kit from './shared.ts'

/** Errors are an array at the root: /api_rest/errorcodes.htm */
export const fault = (status: number, errorCode: string, message: string): Answer => ({ status, body: [{ message, errorCode }] })
export const refuse = (status: number, code: string, message: string): kit.Refusal => new kit.Refusal(fault(status, code, message))
/** Fields that Salesforce fills, by their pages below /object_reference, such as sforce_api_objects_case.htm. */
export const unwritable = (fields: readonly string[]): Answer => ({
  status: 400,
  body: [{ message: `Unable to create/update fields: ${fields.join(', ')}.`, errorCode: 'INVALID_FIELD_FOR_INSERT_UPDATE', fields }],
})
export const malformed = (message: string) => refuse(400, 'MALFORMED_QUERY', message)
/** Names the place in the query first, then the column, whether it does not exist or the user may not read it. */
export const noColumn = (name: string, object: string, names: readonly string[] = [name]) => {
  const around = names.slice(Math.max(0, names.indexOf(name) - 1), names.indexOf(name) + 2).join(',')
  const say = `No such column '${name}' on entity '${object}'. If you are attempting to use a custom field, be sure to append the '__c'`
  return refuse(400, 'INVALID_FIELD', `\n${around} FROM ${object}\n^\nERROR at Row:1:Column:8\n${say} after the custom field name.`)
}

/** Objects, the prefixes of their ids, and their fields: /object_reference/sforce_api_objects_account.htm and its sisters. */
export const objects = kit.readTable(`
  object       | prefix | fields                                                                                     | required                  | share | read only
  Account      | 001    | Name Type Industry Website Phone BillingCity BillingCountry OwnerId                        | Name                      | 1     |
  Contact      | 003    | FirstName LastName Name Email Phone Title AccountId OwnerId                                | LastName                  | 1     | Name
  Lead         | 00Q    | FirstName LastName Name Company Email Phone Status IsConverted OwnerId                     | LastName Company          | 2     | Name IsConverted
  Opportunity  | 006    | Name StageName Amount CloseDate Probability IsClosed IsWon AccountId OwnerId               | Name StageName CloseDate  | 2     | IsClosed IsWon
  Case         | 500    | CaseNumber Subject Description Status Priority Origin IsClosed AccountId ContactId OwnerId |                           | 2     | CaseNumber IsClosed
  Task         | 00T    | Subject Description Status Priority ActivityDate IsClosed WhoId WhatId OwnerId             |                           | 2     | IsClosed
  Event        | 00U    | Subject Description Location StartDateTime EndDateTime WhoId WhatId OwnerId                | StartDateTime EndDateTime | 3     |
  Product2     | 01t    | Name ProductCode Description Family IsActive                                               | Name                      | 4     |
  User         | 005    | Username Name Email Title Department IsActive ProfileId                                    | Username Email ProfileId  | 5     | Name
  Organization | 00D    | Name OrganizationType InstanceName IsSandbox                                               |                           | 0     |
  Shipment__c  | a01    | Name OwnerId Weight__c Route__c                                                            |                           | 2     |
  acme__Box__c | a02    | Name Size__c Weight__c                                                                     |                           | 3     |`)
/** Objects that an organization made end with __c: /api/sforce_api_calls_concepts_core_data_objects.htm, "Custom Objects". */
export const isOwn = (object: string) => object.endsWith('__c')
/** What stands beside them in the list of all objects, and is no object of records: /api/sforce_api_custom_objects_list.htm */
const beside = kit.readTable(`
  name              | custom | queryable | replicateable | associateEntityType
  Shipment__Share   | true   | true      | false         | Share
  Shipment__History | true   | true      | true          | History
  Shipment__ChangeEvent | false | false | false         | ChangeEvent
  Route__mdt        | true   | true      | false         |
  Arrived__e        | true   | false     | false         |`)
/** All objects that the user can reach: /api_rest/resources_describeGlobal.htm; what the flags say: /api/sforce_api_calls_describeglobal_describeglobalresult.htm */
export const describeAll = (names: readonly string[]): Row[] => [
  ...names.map((name) => {
    const flags = { custom: isOwn(name), queryable: true, replicateable: true, associateEntityType: null }
    return { name, label: name, labelPlural: name, keyPrefix: objects.get(name)?.['prefix'], ...flags }
  }),
  ...[...beside.entries()].map(([name, { custom, queryable, replicateable, associateEntityType }]) => {
    const flags = { custom: custom === 'true', queryable: queryable === 'true', replicateable: replicateable === 'true' }
    return { name, label: name, labelPlural: name, keyPrefix: null, ...flags, associateEntityType: associateEntityType || null }
  }),
]
/** Fields that the organization made, and their types: /object_reference/field_types.htm */
export const customTypes: Readonly<Record<string, string>> = {
  Color__c: 'picklist',
  Score__c: 'double',
  Stars__c: 'int',
  Hot__c: 'boolean',
  Met__c: 'date',
  Seen__c: 'datetime',
  acme__Partner__c: 'reference',
}
/** Users are never deleted, they become inactive: /object_reference/sforce_api_objects_user.htm */
export const hasDeleted = (object: string) => object !== 'User' && object !== 'Organization'
export const system = ['Id', 'CreatedDate', 'LastModifiedDate', 'SystemModstamp']
export const own = (object: string): string[] => kit.words(objects.get(object)?.['fields'])
export const known = (object: string): string[] => [...system, ...own(object), ...(hasDeleted(object) ? ['IsDeleted'] : [])]
/** Custom fields of an object: all but the organization can have some. */
export const custom = (object: string): string[] => (object === 'Organization' || isOwn(object) ? [] : Object.keys(customTypes))
export const isTime = (name: string) => /(Date|Modstamp|DateTime)$/.test(name) && !/^(Close|Activity|Start|End)Date$/.test(name)
export const isFlag = (name: string) => /^Is[A-Z]/.test(name)

/** Times have no colon in their offset, and whole seconds: /api_rest/intro_valid_date_formats.htm */
export const stamp = (time: number): string => `${new Date(Math.floor(time / 1_000) * 1_000).toISOString().slice(0, -1)}+0000`

export const modified = (time: number): Row => ({ LastModifiedDate: stamp(time), SystemModstamp: stamp(time) })
export const sample = (object: string, index: number): Row => ({
  ...Object.fromEntries(
    own(object).flatMap((name): [string, unknown][] => {
      if (name.endsWith('Id') || name === 'Description') return []
      if (isFlag(name)) return [[name, index % 2 === 0]]
      if (isTime(name)) return [[name, stamp(Date.now())]]
      if (name.endsWith('Date')) return [[name, '2026-05-01']]
      return [
        [
          name,
          name === 'Amount' ? index + 0.5 : name === 'Probability' ? 10 : name === 'Email' ? `p${index}@example.com` : `${name} ${index}`,
        ],
      ]
    }),
  ),
  ...(custom(object).length === 0 ? {} : sampleCustom(index)),
})
const sampleCustom = (index: number): Row => ({
  ...{ Color__c: index % 2 === 0 ? 'blue' : 'red', Score__c: index + 0.5, Stars__c: index % 5, Hot__c: index % 3 === 0 },
  ...{ Met__c: `2026-05-${String((index % 28) + 1).padStart(2, '0')}`, Seen__c: stamp(Date.UTC(2026, 4, 1, 0, index % 60)) },
  acme__Partner__c: index % 2 === 0 ? null : '001000000000001AAA',
})

/** A part of WHERE: https://developer.salesforce.com/docs/atlas.en-us.soql_sosl.meta/soql_sosl/sforce_api_calls_soql_select_conditionexpression.htm */
type Condition = (row: Row) => boolean
export interface Query {
  readonly object: string
  readonly fields: readonly string[]
  readonly rows: readonly Row[]
}
export const token =
  /\s*('(?:[^'\\]|\\.)*'|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)|\d{4}-\d\d-\d\d|-?\d+(?:\.\d+)?|[A-Za-z]\w*|[<>!]?=|[<>(),])/y

/** Reads SOQL: SELECT fields FROM object WHERE … ORDER BY … LIMIT …; anything else is refused. */
export class Soql {
  readonly #tokens: string[] = []
  readonly #known: (object: string) => readonly string[]
  #object = ''

  /** @param known names of the fields of an object that the user may read */
  constructor(text: string, known: (object: string) => readonly string[]) {
    this.#known = known
    token.lastIndex = 0
    while (token.lastIndex < text.trimEnd().length) {
      const [, word] = token.exec(text) ?? []
      if (word === undefined) throw malformed(`unexpected token: '${text.slice(0, 40)}'`)
      this.#tokens.push(word)
    }
  }

  #take(word?: string): string {
    const next = this.#tokens.shift() ?? '<EOF>'
    if (word !== undefined && next.toUpperCase() !== word) throw malformed(`unexpected token: '${next}', expecting '${word}'`)
    return next
  }

  #has(word: string): boolean {
    const isNext = this.#tokens[0]?.toUpperCase() === word
    if (isNext) this.#tokens.shift()
    return isNext
  }

  #field(name = this.#take(), names = [name]): string {
    if (!this.#known(this.#object).includes(name)) throw noColumn(name, this.#object, names)
    return name
  }

  /** Parentheses are needed "whenever you mix the operators": /soql_sosl/sforce_api_calls_soql_select_logicaloperators.htm */
  #any(): Condition {
    const parts = [this.#one()]
    const word = ['AND', 'OR'].find((one) => one === this.#tokens[0]?.toUpperCase())
    while (word !== undefined && this.#has(word)) parts.push(this.#one())
    return (row) => (word === 'OR' ? parts.some((part) => part(row)) : parts.every((part) => part(row)))
  }

  /** Times stand without quotation marks, texts with them: /soql_sosl/sforce_api_calls_soql_select_dateformats.htm */
  #one(): Condition {
    if (this.#has('(')) {
      const inner = this.#any()
      this.#take(')')
      return inner
    }
    const name = this.#field()
    // "any field except a long text area field": /soql_sosl/sforce_api_calls_soql_select_fieldexpression.htm
    if (name === 'Description') throw refuse(400, 'INVALID_FIELD', `field '${name}' can not be filtered in a query call`)
    const operator = this.#take()
    const text = this.#take()
    // 4,000 characters at most: /soql_sosl/sforce_api_calls_soql_select_conditionexpression.htm
    if (text.length > 4_002) throw malformed('a string of the condition is too long')
    const isQuoted = text.startsWith("'")
    const isTyped = isFlag(name)
      ? /^(true|false)$/i.test(text)
      : isTime(name)
        ? /T.+(Z|:\d\d)$/.test(text) && !isQuoted
        : isQuoted || /^(null|[\d.-]+)$/i.test(text)
    if (!isTyped) throw refuse(400, 'INVALID_FIELD', `value of filter criterion for field '${name}' is of a wrong type`)
    const read = (value: unknown) => (isTime(name) ? Date.parse(String(value)) : isFlag(name) ? String(value).toLowerCase() : value)
    const right = read(
      isQuoted
        ? text.slice(1, -1).replace(/\\(.)/g, '$1')
        : text.toLowerCase() === 'null'
          ? null
          : isTime(name) || isFlag(name)
            ? text
            : Number(text),
    )
    const compare: Readonly<Record<string, Condition>> = {
      '=': (row) => read(row[name] ?? null) === right,
      '!=': (row) => read(row[name] ?? null) !== right,
      '>=': (row) => Number(read(row[name])) >= Number(right),
      '>': (row) => Number(read(row[name])) > Number(right),
      '<=': (row) => Number(read(row[name])) <= Number(right),
      '<': (row) => Number(read(row[name])) < Number(right),
    }
    const condition = Object.hasOwn(compare, operator) ? compare[operator] : undefined
    if (condition === undefined) throw malformed(`unexpected token: '${operator}'`)
    return condition
  }

  run(rowsOf: (object: string) => readonly Row[]): Query {
    this.#take('SELECT')
    const fields = [this.#take()]
    while (this.#has(',')) fields.push(this.#take())
    this.#take('FROM')
    this.#object = this.#take()
    if (!objects.has(this.#object)) throw refuse(400, 'INVALID_TYPE', `sObject type '${this.#object}' is not supported.`)
    for (const name of fields) this.#field(name, fields)
    const condition = this.#has('WHERE') ? this.#any() : () => true
    let rows = rowsOf(this.#object).filter(condition)
    if (this.#has('ORDER')) {
      this.#take('BY')
      const by = [this.#field()]
      while (this.#has(',')) by.push(this.#field())
      const isDescending = this.#has('DESC')
      if (!isDescending) this.#has('ASC')
      rows = kit.sortBy(rows, by, !isDescending)
    }
    if (this.#has('LIMIT')) rows = rows.slice(0, Number(this.#take()))
    if (this.#tokens.length > 0) throw malformed(`unexpected token: '${this.#tokens[0]}'`)
    return { object: this.#object, fields, rows }
  }
}
