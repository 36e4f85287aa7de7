/** The search over all connectors. */
import { endpoints } from '../wire/endpoints.ts'
import type { SearchInput, SearchResult } from '../wire/overview/search.ts'
import type { RequestOptions, Transport } from './transport.ts'

/** Searches all connectors that the token reaches. It changes nothing, so it is repeated after a failure that can pass. */
export const searchEverything = (transport: Transport, search: SearchInput, options: RequestOptions): Promise<SearchResult> =>
  transport.json(endpoints.search, { body: search, isRead: true, ...options })
