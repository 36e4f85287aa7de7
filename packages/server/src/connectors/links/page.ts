/** Builds what the connect page shows. */
import type { ConnectorDefinition, Kind } from 'ferrule/definition'
import { describeReadable, findConsent } from 'ferrule/engine'
import { toSchema } from 'ferrule/internal'
import type { ConnectPage } from 'ferrule/wire'
import type { Parts } from '../../main/parts.ts'
import { iso } from '../../values/ids.ts'
import { getConnectorStatus } from '../record.ts'
import { listVendorApplications } from '../sql/vendor-applications.ts'
import type { ConnectAttemptRow } from '../sql/visits.ts'
import { findLastAttempt } from '../sql/visits.ts'
import { buildReturnUrl } from './addresses.ts'
import { getLinkStatus, readLinkContent, toEndUser } from './link-record.ts'
import type { LinkValues } from './link-values.ts'
import { findTarget, readPageValues } from './page-values.ts'
import type { Visit } from './visits.ts'

type PageKind = ConnectPage['kinds'][number]

/** What a kind looks like on the page of a link. */
interface KindParts {
  readonly kind: Kind
  readonly values: LinkValues
  /** True: the organization has an application at the vendor, so its consent page can be used. */
  readonly hasApplication: boolean
}

/** Lists the ways to authorize. Consent goes first. Without the operator's application, the scheme of a consent page is left out. */
function listSchemes({ definition }: Kind, hasApplication: boolean): PageKind['schemes'] {
  const consent = findConsent(definition)
  const forms = Object.entries(definition.credentials).filter(([name]) => name !== consent?.name)
  const shown = forms.map(([name, { title, fields }]) => ({ name, title, consent: false, who: null, schema: toSchema(fields) }))
  if (consent === undefined || !hasApplication) return shown
  return [{ name: consent.name, title: consent.title, consent: true, who: consent.who, schema: null }, ...shown]
}

const printValue = (value: unknown): string =>
  typeof value === 'string' ? value : Array.isArray(value) ? value.join(', ') : JSON.stringify(value)

const describeField = (definition: ConnectorDefinition, name: string): string => {
  const about: unknown = Reflect.get(Object(definition.configuration[name]), 'description')
  return typeof about === 'string' ? about : name
}

/** Builds a kind. Locked values are shown, and not asked for. */
function toPageKind({ kind, values, hasApplication }: KindParts): PageKind {
  const { definition } = kind
  const asked = Object.entries(definition.configuration).filter(([name]) => !values.isWhole && !Object.hasOwn(values.locked, name))
  return {
    slug: definition.kind,
    title: definition.title,
    about: definition.about,
    documentation: definition.documentation,
    readable: describeReadable(definition).map(({ title }) => title),
    schemes: listSchemes(kind, hasApplication),
    configuration: toSchema(Object.fromEntries(asked)),
    accounts_field: findConsent(definition)?.accounts?.configuration ?? null,
    defaults: { ...values.defaults },
    locked: Object.entries(values.locked).map(([name, value]) => ({
      name,
      title: describeField(definition, name),
      value: printValue(value),
    })),
  }
}

const toAttempt = (row: ConnectAttemptRow): NonNullable<ConnectPage['attempt']> => ({
  id: row.id,
  kind: row.kind,
  status: row.status,
  failure: row.failure === null ? null : JSON.parse(row.failure), // JSON that this service wrote
  expires_at: iso(row.expires_at),
})

/** Builds the addresses that a page leads to. */
export const buildLeaving = ({ link }: Pick<Visit, 'link'>) => ({
  return_url: link.connector_id === null ? null : buildReturnUrl(link.redirect_url, { link_id: link.id, connector_id: link.connector_id }),
  cancel_url: buildReturnUrl(link.redirect_url, {
    link_id: link.id,
    error: 'access_denied',
    error_description: 'The end user gave up.',
  }),
})

/** Builds the page. Every row is read with the organization of the link. */
export async function buildConnectPage(parts: Pick<Parts, 'database' | 'source' | 'catalogue'>, visit: Visit): Promise<ConnectPage> {
  const { link, session } = visit
  const { db } = parts.database
  const target = await findTarget(parts, visit)
  const attempt = await findLastAttempt(db, session)
  const applications = (await listVendorApplications(db, link.organization_id)).map(({ kind }) => kind)
  const kinds = readLinkContent(link).kinds.map((slug) => parts.catalogue.getKind(slug))
  return {
    id: link.id,
    status: getLinkStatus(link, parts.source.clock()),
    organization_name: link.organization_name,
    end_user: toEndUser(link),
    sandbox: Boolean(link.sandbox),
    name: target?.name ?? link.name,
    connector: target === undefined ? null : { id: target.id, name: target.name, kind: target.kind, status: getConnectorStatus(target) },
    allow_other_account: Boolean(link.allow_other_account),
    kinds: kinds.map((kind) => {
      const { kind: slug } = kind.definition
      return toPageKind({ kind, values: readPageValues(visit, slug, target), hasApplication: applications.includes(slug) })
    }),
    attempt: attempt === undefined ? null : toAttempt(attempt),
    connector_id: link.connector_id,
    allowed_origin: link.allowed_origin,
    ...buildLeaving(visit),
    expires_at: iso(link.expires_at),
  }
}
