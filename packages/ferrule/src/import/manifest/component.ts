/** Components of a manifest, read one property at a time: what nobody reads is known at the end. */
import { isObject } from '../../definition/object.ts'
import type { Notes } from './outcome.ts'
import { fillParameters, readTemplate, type Template } from './template.ts'

/** Returns whether a value is a text, a number or a boolean. */
export const isScalar = (value: unknown): value is string | number | boolean => ['string', 'number', 'boolean'].includes(typeof value)

/** The properties of the components that are read, as the platform's component schema has them: others say nothing, even to the platform. */
const properties: Readonly<Record<string, string>> = {
  DeclarativeStream: 'name retriever incremental_sync primary_key schema_loader transformations state_migrations file_uploader',
  StateDelegatingStream: 'name full_refresh_stream incremental_stream api_retention_period',
  SimpleRetriever:
    'requester decoder record_selector paginator pagination_reset ignore_stream_slicer_parameters_on_paginated_requests ' +
    'partition_router stream_slicer',
  HttpRequester:
    'url_base url path http_method authenticator fetch_properties_from_endpoint query_properties request_parameters ' +
    'request_headers request_body_data request_body_json request_body error_handler use_cache',
  RecordSelector: 'extractor record_filter schema_normalization transform_before_filtering',
  DpathExtractor: 'field_path record_expander',
  DefaultPaginator: 'pagination_strategy page_size_option page_token_option',
  CursorPagination: 'cursor_value page_size stop_condition',
  PageIncrement: 'page_size start_from_page inject_on_first_request',
  OffsetIncrement: 'page_size inject_on_first_request',
  DatetimeBasedCursor:
    'clamping cursor_field allow_catalog_defined_cursor_field cursor_datetime_formats start_datetime start_time_option ' +
    'end_datetime end_time_option datetime_format cursor_granularity is_data_feed is_client_side_incremental ' +
    'is_compare_strictly global_substream_cursor lookback_window partition_field_end partition_field_start step',
  RequestOption: 'inject_into field_name field_path',
  ParentStreamConfig: 'stream parent_key partition_field request_option incremental_dependency lazy_read_pointer extra_fields',
  SubstreamPartitionRouter: 'parent_stream_configs',
  ListPartitionRouter: 'cursor_field values request_option',
  AddFields: 'fields condition',
  AddedFieldDefinition: 'path value value_type',
  DpathFlattenFields: 'field_path delete_origin_value replace_record key_transformation',
  BearerAuthenticator: 'api_token',
  ApiKeyAuthenticator: 'api_token header inject_into',
  BasicHttpAuthenticator: 'username password',
  OAuthAuthenticator:
    'client_id_name client_id client_secret_name client_secret refresh_token_name refresh_token token_refresh_endpoint ' +
    'access_token_name access_token_value expires_in_name grant_type_name grant_type refresh_request_body ' +
    'refresh_request_headers send_refresh_request_as_query_params scopes token_expiry_date token_expiry_date_format ' +
    'refresh_token_error_status_codes refresh_token_error_key refresh_token_error_values refresh_token_updater ' +
    'profile_assertion use_profile_assertion',
  SessionTokenAuthenticator: 'login_requester session_token_path expiration_duration request_authentication decoder',
  SelectiveAuthenticator: 'authenticator_selection_path authenticators',
  InlineSchemaLoader: 'schema',
  MinMaxDatetime: 'datetime datetime_format max_datetime min_datetime',
}

/** Values by name. */
export type Values = Readonly<Record<string, unknown>>

/** The manifest cannot be read further: a reference leads nowhere or into itself, or there is too much of it. */
export class UnreadableManifest extends Error {}

/** Most values that are looked at, and their deepest nesting. */
const most = { values: 3_000_000, depth: 60 }

/** Types of components that a manifest may leave out, by the component around it and the property. */
const usualTypes: Values = {
  'CompositeErrorHandler.error_handlers': 'DefaultErrorHandler',
  'DatetimeBasedCursor.end_datetime': 'MinMaxDatetime',
  'DatetimeBasedCursor.end_time_option': 'RequestOption',
  'DatetimeBasedCursor.start_datetime': 'MinMaxDatetime',
  'DatetimeBasedCursor.start_time_option': 'RequestOption',
  'DeclarativeSource.check': 'CheckStream',
  'DeclarativeSource.spec': 'Spec',
  'DeclarativeSource.streams': 'DeclarativeStream',
  'DeclarativeStream.retriever': 'SimpleRetriever',
  'DeclarativeStream.schema_loader': 'JsonFileSchemaLoader',
  'DefaultErrorHandler.response_filters': 'HttpResponseFilter',
  'DefaultPaginator.page_size_option': 'RequestOption',
  'HttpRequester.error_handler': 'DefaultErrorHandler',
  'ListPartitionRouter.request_option': 'RequestOption',
  'ParentStreamConfig.request_option': 'RequestOption',
  'ParentStreamConfig.stream': 'DeclarativeStream',
  'RecordSelector.extractor': 'DpathExtractor',
  'RecordSelector.record_filter': 'RecordFilter',
  'SessionTokenAuthenticator.login_requester': 'HttpRequester',
  'SimpleRetriever.paginator': 'NoPagination',
  'SimpleRetriever.record_selector': 'RecordSelector',
  'SimpleRetriever.requester': 'HttpRequester',
  'SubstreamPartitionRouter.parent_stream_configs': 'ParentStreamConfig',
  'AddFields.fields': 'AddedFieldDefinition',
}

/** Finds values of a manifest, and what its references stand for. */
export class References {
  readonly #manifest: Values
  readonly #known = new Map<object, unknown>()
  #values = 0

  constructor(manifest: Values) {
    this.#manifest = manifest
  }

  #count(depth: number): void {
    this.#values += 1
    if (this.#values > most.values || depth > most.depth) throw new UnreadableManifest('it has too many values, or too deep ones')
  }

  /** Resolves a value itself, and leaves those within it. */
  resolve(value: unknown, open: readonly string[] = []): unknown {
    this.#count(open.length)
    const legacy = typeof value === 'string' ? /^\*ref\((.+)\)$/.exec(value)?.[1] : undefined
    if (legacy !== undefined) return this.#follow(`#/${legacy.replaceAll('.', '/')}`, open)
    if (typeof value === 'string') return value.startsWith('#/') ? this.#follow(value, open) : value
    if (!isObject(value) || typeof value['$ref'] !== 'string') return value
    const known = this.#known.get(value)
    if (known !== undefined) return known
    const { $ref, ...own } = value
    const target = this.#follow(value['$ref'], open)
    const made = isObject(target) && Object.keys(own).length > 0 ? { ...target, ...own } : target
    this.#known.set(value, made)
    return made
  }

  #follow(reference: string, open: readonly string[]): unknown {
    if (open.includes(reference)) throw new UnreadableManifest(`${reference} refers to itself`)
    const found = this.#find(reference.replace(/^#\//, ''), this.#manifest)
    if (found === undefined) throw new UnreadableManifest(`${reference} refers to nothing`)
    return this.resolve(found, [...open, reference])
  }

  /** Finds what a path names. A name can hold slashes: the longest one that exists counts. */
  #find(path: string, holder: unknown): unknown {
    const resolved = this.resolve(holder)
    if (Array.isArray(resolved)) {
      const [head = '', ...rest] = path.split('/')
      const item: unknown = resolved[Number(head)]
      return rest.length === 0 ? item : this.#find(rest.join('/'), item)
    }
    if (!isObject(resolved)) return undefined
    if (Object.hasOwn(resolved, path)) return resolved[path]
    const [head = '', ...rest] = path.split('/')
    return rest.length > 0 && Object.hasOwn(resolved, head) ? this.#find(rest.join('/'), resolved[head]) : undefined
  }

  resolveAll(value: unknown, depth = 0): unknown {
    this.#count(depth)
    const resolved = this.resolve(value)
    if (Array.isArray(resolved)) return resolved.map((each) => this.resolveAll(each, depth + 1))
    if (!isObject(resolved)) return resolved
    return Object.fromEntries(Object.entries(resolved).map(([name, each]) => [name, this.resolveAll(each, depth + 1)]))
  }
}

/** What components are read with. */
export interface ComponentScope {
  readonly references: References
  readonly met: Component[]
}

/** One component. */
export class Component {
  readonly type: string
  /** The node as the manifest has it: the same object is the same component. */
  readonly node: Values
  readonly parameters: Values
  readonly #scope: ComponentScope
  readonly #read = new Set(['type', '$parameters', '$options'])

  constructor(scope: ComponentScope, node: Values, around: { readonly parameters: Values; readonly usual?: string | undefined }) {
    this.#scope = scope
    this.node = node
    const given = typeof node['type'] === 'string' ? node['type'] : undefined
    this.type = given ?? (node['class_name'] === undefined ? (around.usual ?? '') : 'Custom')
    const own = scope.references.resolveAll(node['$parameters'] ?? node['$options'])
    this.parameters = isObject(own) ? { ...around.parameters, ...own } : around.parameters
    scope.met.push(this)
  }

  /** Returns whether the component is code of the author's. */
  get isCustom(): boolean {
    return this.type.startsWith('Custom') || this.node['class_name'] !== undefined
  }

  listUnread(): readonly string[] {
    const known = properties[this.type]?.split(' ')
    return Object.keys(this.node).filter((name) => !this.#read.has(name) && (known?.includes(name) ?? true))
  }

  /** Marks properties as read: they say nothing that a kind can say. */
  leave(...names: readonly string[]): void {
    for (const name of names) this.#read.add(name)
  }

  /** Marks all properties as read: the component is a soft one, or its reason is known. */
  leaveAll(): void {
    this.leave(...Object.keys(this.node))
  }

  /** Returns a property, resolved at its top. A parameter of the same name fills one that is empty. */
  take(name: string): unknown {
    this.#read.add(name)
    const own = this.#scope.references.resolve(this.node[name])
    return own === undefined || own === null || own === '' || own === 0 || own === false ? (this.parameters[name] ?? own) : own
  }

  /** Returns a property with all that is within it, without slots of `$parameters`. */
  takeAll(name: string): unknown {
    return this.#fill(this.#scope.references.resolveAll(this.take(name)))
  }

  #fill(value: unknown): unknown {
    if (typeof value === 'string') return fillParameters(value, this.parameters)
    if (Array.isArray(value)) return value.map((each) => this.#fill(each))
    return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.#fill(each)])) : value
  }

  /** Returns a property as text. Numbers become texts. */
  text(name: string): string | undefined {
    const value = this.take(name)
    if (typeof value === 'number' || typeof value === 'boolean') return String(value)
    return typeof value === 'string' ? fillParameters(value, this.parameters) : undefined
  }

  template(name: string): Template | undefined {
    const source = this.text(name)
    return source === undefined ? undefined : readTemplate(source)
  }

  #make(value: unknown, name: string): Component | undefined {
    const node = this.#scope.references.resolve(value)
    if (!isObject(node)) return undefined
    const { [name]: _own, ...parameters } = this.parameters
    const usual = usualTypes[`${this.type}.${name}`]
    return new Component(this.#scope, node, { parameters, usual: typeof usual === 'string' ? usual : undefined })
  }

  child(name: string): Component | undefined {
    return this.#make(this.take(name), name)
  }

  /** Returns the components of a property that has one or several. */
  children(name: string): readonly Component[] {
    const value = this.take(name)
    return (Array.isArray(value) ? value : [value]).flatMap((each) => this.#make(each, name) ?? [])
  }

  named(name: string): readonly (readonly [string, Component])[] {
    const value = this.take(name)
    if (!isObject(value)) return []
    return Object.entries(value).flatMap(([key, each]) => {
      const made = this.#make(each, name)
      return made === undefined ? [] : [[key, made] as const]
    })
  }
}

const topProperties = 'version definitions schemas metadata description concurrency_level dynamic schema_normalization'.split(' ')

/** Lists what the top of a manifest has that nobody reads. */
export function readTop(source: Component, notes: Notes): void {
  source.leave(...topProperties, 'api_budget', 'max_concurrent_async_job_count', 'stream_groups')
  for (const name of ['dynamic_streams', 'custom_components'] as const)
    if (source.take(name) !== undefined) notes.stop('streams that are known only when they are read', name)
  for (const name of source.listUnread()) if (!/^(x-|_)/.test(name) && isObject(source.node[name])) source.leave(name)
  for (const name of source.listUnread()) notes.stop('a property that no word of kind files has', `DeclarativeSource.${name}`)
}

/** Reads the specification: the schema of what an account gives, and what it says of consent. */
export function readSpec(spec: Component | undefined): { readonly schema: unknown; readonly consent: Values } {
  spec?.leave('config_normalization_rules')
  const auth = spec?.takeAll('advanced_auth')
  const given = isObject(auth) ? auth['oauth_config_specification'] : undefined
  return { schema: spec?.takeAll('connection_specification'), consent: isObject(given) ? given : {} }
}
