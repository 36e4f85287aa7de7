import { Readable } from 'node:stream'
import { endpoints, exportQuery } from 'ferrule/wire'
import { readExportQuery } from '../../copies/export-query.ts'
import { exportRecords } from '../../copies/export-records.ts'
import { limited } from '../limited.ts'
import { contentDisposition } from '../reply.ts'
import { type PrincipalRoute, slot } from '../route.ts'
import { lookWhileTransferred } from '../streams/look-while-sent.ts'
import { exportFormats, exportText } from './export-text.ts'

/** Streams an entity's records. A page is read when the client has taken the one before; the stream ends with the client. */
export const exportEntity: PrincipalRoute = {
  ...endpoints.exportEntity,
  auth: 'principal',
  document: {
    id: 'exportEntity',
    tag: 'context store',
    summary: "Export an entity's records from the context store",
    about:
      'Searchable fields of all records that the filter finds, as a stream. It is a walk over the copy while it changes: a record that does not change comes once. ' +
      'A transfer that breaks off ends without the final chunk, never as if it were whole.',
    scope: 'execute:read',
    query: exportQuery,
    answer: { about: 'The records, one a line', types: Object.values(exportFormats).map(({ type }) => type.split(';')[0] ?? type) },
    problems: [
      ...(['connector_not_found', 'workspace_inactive', 'entity_not_found', 'action_not_supported', 'validation_failed'] as const),
      ...(['invalid_parameter', 'field_not_searchable', 'operator_not_supported', 'query_too_complex'] as const),
      ...(['context_store_not_ready', 'context_store_stale', 'context_store_unavailable', 'context_store_timeout'] as const),
      ...(['rate_limited', 'overloaded'] as const),
    ],
  },
  answer: (exchange, services) =>
    limited(exchange, services, async () => {
      const entity = slot(exchange, 'entity')
      const query = readExportQuery(exchange.query)
      const { freshness, columns, pages } = await exportRecords(services.operations, exchange.who, {
        connectorId: slot(exchange, 'connector_id'),
        entity,
        query,
        signal: exchange.signal,
        deadlineMs: services.settings.operationSeconds * 1_000,
      })
      lookWhileTransferred(exchange, services, slot(exchange, 'connector_id'))
      const format = exportFormats[query.format]
      const headers = {
        'content-disposition': contentDisposition(`${entity}.${query.format}`),
        ...(query.format === 'csv' ? { 'x-csv-formulas': query.formulas } : {}),
        ...(freshness.synced_at === null ? {} : { 'x-context-store-synced-at': freshness.synced_at }),
        ...(freshness.verified_at === null ? {} : { 'x-context-store-verified-at': freshness.verified_at }),
      }
      return {
        content: Readable.from(exportText({ format, formulas: query.formulas }, columns, pages), { objectMode: false }),
        type: format.type,
        headers,
      }
    }),
}
